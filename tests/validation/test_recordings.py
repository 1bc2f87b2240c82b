"""Truncated and corrupted recordings are judged as far as possible, and do not cause internal errors."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from clconform.recording import memory
from clconform.recording.file_format import RecordingError, RecordingFile
from clconform.recording.memory import NamedRegions
from clconform.spec_tables import load
from clconform.validation.recording_judge import validate_recording

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

SEEDS = range(24)


@pytest.fixture
def complete_recording(build_program: Callable[..., Path], record_program: Callable[..., tuple[Path, object]]) -> bytes:
    """Return the content of a complete recording."""
    content: bytes = record_program(build_program("mistakes", "MISTAKES", "SHORT"))[0].read_bytes()
    return content


def _judge_content(path: Path, content: bytes) -> tuple[int, str]:
    path.write_bytes(content)
    found = validate_recording(RecordingFile(path, load()), load(), "")
    return found.calls, found.damage


def test_truncated_recording_is_judged_as_far_as_it_is_complete(complete_recording: bytes, tmp_path: Path) -> None:
    path = tmp_path / "cut.clrec"
    calls, cut = _judge_content(path, complete_recording)
    assert (calls > 60, cut) == (True, "")
    head, end = complete_recording.index(b"CLCHUNK"), len(complete_recording.rstrip(b"\0"))
    places = [head + (end - head) * part // 9 for part in range(1, 9)]
    counts = [_judge_content(path, complete_recording[:place]) for place in places]
    assert all(said for _, said in counts)
    assert [count for count, _ in counts] == sorted(count for count, _ in counts)
    assert counts[0][0] < counts[-1][0] < calls


def test_corrupted_recording_does_not_cause_an_internal_error(complete_recording: bytes, tmp_path: Path) -> None:
    path = tmp_path / "changed.clrec"
    head, end = complete_recording.index(b"CLCHUNK"), len(complete_recording.rstrip(b"\0"))
    for seed in SEEDS:
        chosen, content = random.Random(seed), bytearray(complete_recording)  # noqa: S311 (no secret)
        for _ in range(chosen.choice([1, 8, 64])):
            content[chosen.randrange(head, end)] = chosen.randrange(256)
        calls, _ = _judge_content(path, bytes(content))
        assert calls <= 200


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "is empty"),
        (b"\x7fELF" + bytes(100), "is not a recording"),
        (b"CLREC\0\0\0" + (2).to_bytes(8, "little") + b"{}", "its head cannot be read"),
        (
            b"CLREC\0\0\0" + (44).to_bytes(8, "little") + b'{"format":99,"tables":"","functions":["clX"]}',
            "its head cannot be read",
        ),
        (
            b"CLREC\0\0\0" + (45).to_bytes(8, "little") + b'{"format":99,"tables":"","functions":["clX"]}',
            "has format 99",
        ),
        (
            b"CLREC\0\0\0" + (44).to_bytes(8, "little") + b'{"format":2,"tables":"","functions":["clX"]}',
            "calls of 'clX'",
        ),
    ],
)
def test_invalid_recording_is_rejected_in_one_line(content: bytes, said: str, tmp_path: Path) -> None:
    path = tmp_path / "calls.clrec"
    path.write_bytes(content)
    with pytest.raises(RecordingError, match=said) as refused:
        RecordingFile(path, load())
    assert "\n" not in str(refused.value)


def test_address_belongs_to_the_region_that_was_added_last() -> None:
    regions = NamedRegions()
    regions.add("pointer1", 1000, 100)
    regions.add("pointer2", 1000, 10)
    assert regions.find(1000) == ("pointer2", 0)
    assert regions.find(1050) == ("pointer1", 50)
    assert regions.find(1100) is None
    assert regions.find(999) is None
    regions.forget(["pointer2", "nothing"])
    assert regions.find(1000) == ("pointer1", 0)
    regions.forget(["pointer1"])
    assert regions.find(1000) is None


def test_address_may_belong_to_a_remembered_released_allocation() -> None:
    regions = NamedRegions()
    regions.add("pointer1", 1000, 100, is_remembered=True)
    regions.add("pointer2", 5000, 100)
    assert not regions.may_have_contained(1050)
    regions.forget(["pointer1", "pointer2"])
    assert [regions.may_have_contained(address) for address in (999, 1000, 1099, 1100, 5050)] == [
        False,
        True,
        True,
        False,
        False,
    ]
    for each in range(memory.MAX_DROPPED):  # enough released allocations that some are forgotten
        regions.add("pointer3", 9000 + each, 1, is_remembered=True)
        regions.forget(["pointer3"])
    assert regions.may_have_contained(999)
