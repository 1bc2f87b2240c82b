"""A run resumes from the complete lines of its journal, and only on the same platform with the same options."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest

from clconform.calls.journal import ItemEnd, PlatformLine, RunHeader
from clconform.reports.journal_reader import EmptyJournalError
from clconform.runner.journal.header import COMPARED_FIELDS
from clconform.runner.journal.resuming import RunMismatchError, read_earlier_run
from clconform.runner.journal.writer import JournalWriter

from ...reports import fabricated_journals  # noqa: TID252 (tests are no part of the installed package)

if TYPE_CHECKING:
    from pathlib import Path

COMPLETE_JOURNAL = fabricated_journals.encode_journal(fabricated_journals.journal_lines())
OTHER: dict[str, object] = {
    "seed": 43,
    "tier": "tables",
    "examples": 9,
    "robustness": True,
    "requirements": ["clF/*"],
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
    "program_manifest": "abc",
}


UNCOMPARED = {"started", "format", "program_binaries"}
"""The fields that may differ: the folder of program binaries may be elsewhere on another machine."""


def write_journal(path: Path, content: bytes) -> Path:
    path.write_bytes(content)
    return path


def test_incomplete_last_line_of_resumed_journal_is_removed(tmp_path: Path) -> None:
    lines = COMPLETE_JOURNAL.splitlines(keepends=True)
    ends = [number for number, line in enumerate(fabricated_journals.journal_lines(), 1) if isinstance(line, ItemEnd)]
    torn = b"".join(lines[: ends[0]]) + lines[ends[0]][:-7]
    earlier = read_earlier_run(write_journal(tmp_path / "j", torn))
    assert len(earlier.finished) == 1
    writer = JournalWriter(earlier.path, keep=earlier.journal.whole)
    writer.close()
    assert earlier.path.read_bytes() == b"".join(lines[: ends[0]])


def test_last_line_without_newline_counts_as_incomplete(tmp_path: Path) -> None:
    """The incomplete line is removed, so the item that it ends must run again."""
    content = COMPLETE_JOURNAL.splitlines(keepends=True)
    first = next(number for number, line in enumerate(fabricated_journals.journal_lines()) if isinstance(line, ItemEnd))
    earlier = read_earlier_run(write_journal(tmp_path / "j", b"".join(content[: first + 1])[:-1]))
    assert earlier.finished == frozenset()
    assert earlier.journal.whole == len(b"".join(content[:first]))


@pytest.mark.parametrize("content", [b"", COMPLETE_JOURNAL[:40], COMPLETE_JOURNAL[: COMPLETE_JOURNAL.index(b"\n")]])
def test_journal_without_complete_line_is_rejected(tmp_path: Path, content: bytes) -> None:
    with pytest.raises(EmptyJournalError):
        read_earlier_run(write_journal(tmp_path / "j", content))


def test_run_with_different_options_is_not_resumed(tmp_path: Path) -> None:
    earlier = read_earlier_run(write_journal(tmp_path / "j", COMPLETE_JOURNAL))
    header = earlier.journal.run
    earlier.check_header(msgspec.structs.replace(header, started="later"))
    assert set(OTHER) == set(COMPARED_FIELDS) == set(RunHeader.__struct_fields__) - UNCOMPARED
    for field, value in OTHER.items():
        with pytest.raises(RunMismatchError, match=COMPARED_FIELDS[field]) as caught:
            earlier.check_header(msgspec.structs.replace(header, **{field: value}))
        assert "then" in str(caught.value)
        assert "now" in str(caught.value)


def test_run_on_different_platform_is_not_resumed(tmp_path: Path) -> None:
    earlier = read_earlier_run(write_journal(tmp_path / "j", COMPLETE_JOURNAL))
    line = earlier.journal.platform
    assert isinstance(line, PlatformLine)
    earlier.check_platform(line)
    (device,) = line.platform.devices
    newer = msgspec.structs.replace(device, driver_version="9.9")
    changed = msgspec.structs.replace(line, platform=msgspec.structs.replace(line.platform, devices=[newer]))
    with pytest.raises(RunMismatchError, match=r"device's driver version: 3\.1 then, 9\.9 now"):
        earlier.check_platform(changed)
    with pytest.raises(RunMismatchError, match="access to the driver: loader then, direct now"):
        earlier.check_platform(msgspec.structs.replace(line, access="direct"))


def test_journal_is_locked_by_one_run(tmp_path: Path) -> None:
    path = write_journal(tmp_path / "j", COMPLETE_JOURNAL)
    first = JournalWriter(path, keep=len(COMPLETE_JOURNAL))
    with pytest.raises(BlockingIOError):
        JournalWriter(path, keep=0)
    assert path.read_bytes() == COMPLETE_JOURNAL, "it is not emptied under the other's hands"
    JournalWriter(path).close()
    first.close()
    JournalWriter(path, keep=0).close()
    assert path.read_bytes() == b""
