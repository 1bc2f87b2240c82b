"""Files that are not recordings, and the addresses of memory in recordings."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from clconform.recording import memory
from clconform.recording.file_format import RecordingError, RecordingFile
from clconform.recording.file_layout import encode_file_head
from clconform.recording.memory import NamedRegions
from clconform.spec_tables import load

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"\x7fELF" + bytes(100), "is not a recording"),
        (b"CLR\xff", "is not a recording"),
        (encode_file_head(b"{}"), "its head cannot be read"),
        (encode_file_head(b'{"format":99,"tables":"","functions":["clX"]}'), "has format 99"),
        (encode_file_head(b'{"format":5,"tables":"","functions":["clX"]}'), "calls of 'clX'"),
        (encode_file_head(b'{"format":5,"tables":"","functions":[],"pointer_bytes":2}'), "pointers of 2 bytes"),
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
