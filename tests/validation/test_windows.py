"""Windows of the layer in a recording: long records, and threads and processes that end."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

import pytest

from clconform.recording.file_format import Entered, Left, Recording
from clconform.recording.launching import Wanted, launch
from clconform.spec_tables import load
from clconform.validation.judging import validated

from .conftest import POCL

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from clconform.recording.file_format import Event

WINDOW = 128 << 10
SMALL = 256
"""Size in bytes up to which contents are always recorded."""
PAGE = 4096
CHUNK = struct.Struct("<8sQQII")


def _events(path: Path) -> list[Event]:
    recording = Recording(path, load())
    found = list(recording.events())
    assert recording.cut == ""
    assert [each.sequence for each in found] == sorted({each.sequence for each in found})
    return found


def test_records_may_be_longer_than_a_window(
    build: Callable[..., Path], record: Callable[..., tuple[Path, object]]
) -> None:
    path, _ = record(build("windows"), "l")
    events = [each for each in _events(path) if isinstance(each, Entered)]
    texts = [each.arguments["strings"].content for each in events if each.function == "clCreateProgramWithSource"]
    assert texts == [[b" " * (100000 << each)] for each in range(4)]
    assert sum(each.function == "clReleaseEvent" for each in events) == 4 * 21 * 20
    found = validated(Recording(path, load()), load(), "")
    assert (found.findings, found.not_judged) == ([], {})


def test_what_the_layer_asks_is_recorded_as_a_whole(build: Callable[..., Path], layer: Path, tmp_path: Path) -> None:
    path = tmp_path / "calls.clrec"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("OCL_ICD_VENDORS", str(POCL))
        launch([str(build("windows")), "t"], layer, path, Wanted(0))
    events = _events(path)
    asked = {each.sequence for each in events if isinstance(each, Entered) and each.opening}
    answers = [each.outputs for each in events if isinstance(each, Left) and each.entered in asked]
    assert max(len(each.get("param_value") or b"") for each in answers) > SMALL


def test_threads_that_end_leave_their_windows_to_others(
    build: Callable[..., Path], record: Callable[..., tuple[Path, object]]
) -> None:
    path, _ = record(build("windows"), "t")
    events = [each for each in _events(path) if isinstance(each, Entered)]
    assert len({each.thread for each in events}) == 201
    assert sum(each.function == "clReleaseEvent" for each in events) == 200 * 20
    assert path.stat().st_size < 20 * WINDOW


@pytest.mark.parametrize(("word", "name"), [("k", "SIGKILL"), ("s", "SIGSEGV")])
def test_the_call_in_which_the_process_ends_is_named(
    word: str, name: str, build: Callable[..., Path], record: Callable[..., tuple[Path, object]]
) -> None:
    path, ended = record(build("windows"), word)
    assert str(ended) == f"ended by {name}"
    found = validated(Recording(path, load()), load(), "")
    assert found.cut == ""
    (under_way,) = found.under_way
    assert under_way.startswith("clWaitForEvents, from ")
    assert "windows.c:" in under_way


def test_a_copy_beside_its_window_and_unused_places_do_not_count(
    build: Callable[..., Path], record: Callable[..., tuple[Path, object]], tmp_path: Path
) -> None:
    path, _ = record(build("windows"), "t")
    whole, expected = path.read_bytes(), _events(path)
    start = whole.index(b"CLCHUNK")
    magic, size, used, process, thread = CHUNK.unpack_from(whole, start)
    assert used > CHUNK.size
    copied = CHUNK.pack(magic, -(-used // PAGE) * PAGE, used, process, thread)
    copied += whole[start + CHUNK.size : start + used].ljust(-(-used // PAGE) * PAGE - CHUNK.size, b"\0")
    changed = tmp_path / "changed.clrec"
    changed.write_bytes(whole[: start + size] + bytes(2 * WINDOW) + whole[start + size :] + copied)
    assert _events(changed) == expected
