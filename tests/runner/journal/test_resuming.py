"""A run resumes from the complete lines of its journal, and only on the same platform with the same options."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest

from clconform.calls.journal import ItemEnd, PlatformLine, RunHeader
from clconform.reports.reading import EmptyJournalError
from clconform.runner.journal.header import NAMED
from clconform.runner.journal.resuming import OtherRunError, earlier_run
from clconform.runner.journal.writer import JournalWriter

from ...reports import fabricated  # noqa: TID252 (tests are no part of the installed package)

if TYPE_CHECKING:
    from pathlib import Path

WHOLE = fabricated.content(fabricated.lines())
OTHER: dict[str, object] = {
    "seed": 43,
    "tier": "tables",
    "examples": 9,
    "robustness": True,
    "records": ["clF/*"],
    "paths": ["suites/data"],
    "keyword": "x",
    "markers": "y",
    "documents": {},
    "tables": "t5",
    "version": "9",
    "revision": "abc",
    "device": 1,
    "target": ["--platform", "Other"],
    "shard": "1/2",
    "deadline_scale": 2.0,
}


def at(path: Path, content: bytes) -> Path:
    path.write_bytes(content)
    return path


def test_a_torn_last_line_is_cut_away(tmp_path: Path) -> None:
    lines = WHOLE.splitlines(keepends=True)
    ends = [number for number, line in enumerate(fabricated.lines(), 1) if isinstance(line, ItemEnd)]
    torn = b"".join(lines[: ends[0]]) + lines[ends[0]][:-7]
    earlier = earlier_run(at(tmp_path / "j", torn))
    assert len(earlier.finished) == 1
    writer = JournalWriter(earlier.path, keep=earlier.journal.whole)
    writer.close()
    assert earlier.path.read_bytes() == b"".join(lines[: ends[0]])


def test_an_end_without_its_line_end_is_torn_too(tmp_path: Path) -> None:
    """The line is removed, so its item must run again."""
    content = WHOLE.splitlines(keepends=True)
    first = next(number for number, line in enumerate(fabricated.lines()) if isinstance(line, ItemEnd))
    earlier = earlier_run(at(tmp_path / "j", b"".join(content[: first + 1])[:-1]))
    assert earlier.finished == frozenset()
    assert earlier.journal.whole == len(b"".join(content[:first]))


@pytest.mark.parametrize("content", [b"", WHOLE[:40], WHOLE[: WHOLE.index(b"\n")]])
def test_nothing_whole_is_nothing_to_go_on_with(tmp_path: Path, content: bytes) -> None:
    with pytest.raises(EmptyJournalError):
        earlier_run(at(tmp_path / "j", content))


def test_every_option_that_matters_is_compared(tmp_path: Path) -> None:
    earlier = earlier_run(at(tmp_path / "j", WHOLE))
    header = earlier.journal.run
    earlier.check_header(msgspec.structs.replace(header, started="later"))
    assert set(OTHER) == set(NAMED) == set(RunHeader.__struct_fields__) - {"started", "format"}
    for field, value in OTHER.items():
        with pytest.raises(OtherRunError, match=NAMED[field]) as caught:
            earlier.check_header(msgspec.structs.replace(header, **{field: value}))
        assert "then" in str(caught.value)
        assert "now" in str(caught.value)


def test_another_platform_is_refused_with_what_differs(tmp_path: Path) -> None:
    earlier = earlier_run(at(tmp_path / "j", WHOLE))
    line = earlier.journal.platform
    assert isinstance(line, PlatformLine)
    earlier.check_platform(line)
    (device,) = line.platform.devices
    newer = msgspec.structs.replace(device, driver_version="9.9")
    changed = msgspec.structs.replace(line, platform=msgspec.structs.replace(line.platform, devices=[newer]))
    with pytest.raises(OtherRunError, match=r"device's driver version: 3\.1 then, 9\.9 now"):
        earlier.check_platform(changed)
    with pytest.raises(OtherRunError, match="access to the driver: loader then, direct now"):
        earlier.check_platform(msgspec.structs.replace(line, access="direct"))


def test_one_run_at_a_time_writes_a_journal(tmp_path: Path) -> None:
    path = at(tmp_path / "j", WHOLE)
    first = JournalWriter(path, keep=len(WHOLE))
    with pytest.raises(BlockingIOError):
        JournalWriter(path, keep=0)
    assert path.read_bytes() == WHOLE, "it is not emptied under the other's hands"
    JournalWriter(path).close()
    first.close()
    JournalWriter(path, keep=0).close()
    assert path.read_bytes() == b""
