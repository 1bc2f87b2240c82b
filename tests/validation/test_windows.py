"""Windows of the layer in a recording: long contents, and threads and processes that end."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from clconform.recording.file_format import CallEntry, CallReturn, RecordingFile
from clconform.recording.file_layout import CHUNK_HEAD, CHUNK_MAGIC, PAGE, encode_chunk_head
from clconform.recording.program_launch import RecordingOptions, run_program
from clconform.spec_tables import load
from clconform.validation.recording_judge import validate_recording

from .conftest import POCL

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from clconform.recording.file_format import Event

WINDOW = 128 << 10
SMALL = 256
"""Size in bytes up to which contents are always recorded."""


def _read_events(path: Path) -> list[Event]:
    recording = RecordingFile(path, load())
    found = list(recording.events())
    assert recording.truncation == ""
    assert [each.sequence for each in found] == sorted({each.sequence for each in found})
    return found


def test_recorded_contents_may_be_longer_than_a_window(
    build_program: Callable[..., Path], record_program: Callable[..., tuple[Path, object]]
) -> None:
    path, _ = record_program(build_program("windows"), "l")
    events = [each for each in _read_events(path) if isinstance(each, CallEntry)]
    texts = [each.arguments["strings"].content for each in events if each.function == "clCreateProgramWithSource"]
    assert texts == [[b" " * (100000 << each)] for each in range(4)]
    assert sum(each.function == "clReleaseEvent" for each in events) == 4 * 21 * 20
    found = validate_recording(RecordingFile(path, load()), load(), "")
    assert (found.findings, found.not_judged) == ([], {})


def test_results_of_queries_by_the_layer_are_recorded_completely(
    build_program: Callable[..., Path], layer: Path, tmp_path: Path
) -> None:
    path = tmp_path / "calls.clrec"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("OCL_ICD_VENDORS", str(POCL))
        run_program([str(build_program("windows")), "t"], layer, path, RecordingOptions(0))
    events = _read_events(path)
    asked = {each.sequence for each in events if isinstance(each, CallEntry) and each.opening}
    answers = [each.outputs for each in events if isinstance(each, CallReturn) and each.entered in asked]
    assert max(len(each.get("param_value") or b"") for each in answers) > SMALL


def test_windows_of_ended_threads_are_reused(
    build_program: Callable[..., Path], record_program: Callable[..., tuple[Path, object]]
) -> None:
    path, _ = record_program(build_program("windows"), "t")
    events = [each for each in _read_events(path) if isinstance(each, CallEntry)]
    assert len({each.thread for each in events}) == 201
    assert sum(each.function == "clReleaseEvent" for each in events) == 200 * 20
    assert path.stat().st_size < 20 * WINDOW


@pytest.mark.parametrize(("word", "name"), [("k", "SIGKILL"), ("s", "SIGSEGV")])
def test_call_in_progress_at_process_end_is_reported(
    word: str, name: str, build_program: Callable[..., Path], record_program: Callable[..., tuple[Path, object]]
) -> None:
    path, ended = record_program(build_program("windows"), word)
    assert str(ended) == f"ended by {name}"
    found = validate_recording(RecordingFile(path, load()), load(), "")
    assert found.damage == ""
    (under_way,) = found.pending_calls
    assert under_way.startswith("clWaitForEvents, from ")
    assert "windows.c:" in under_way


def test_duplicate_and_unused_windows_in_a_recording_are_ignored(
    build_program: Callable[..., Path], record_program: Callable[..., tuple[Path, object]], tmp_path: Path
) -> None:
    path, _ = record_program(build_program("windows"), "t")
    whole, expected = path.read_bytes(), _read_events(path)
    start = whole.index(CHUNK_MAGIC)
    _, _, _, _, used, _, process, thread = CHUNK_HEAD.unpack_from(whole, start)
    assert used > CHUNK_HEAD.size
    unused, size = bytes(2 * WINDOW), -(-used // PAGE) * PAGE
    copied = encode_chunk_head(size, len(whole + unused), used, process, thread)
    copied += whole[start + len(copied) : start + size]
    changed = tmp_path / "changed.clrec"
    changed.write_bytes(whole + unused + copied)
    assert _read_events(changed) == expected
    at = used - 1  # of the window, and of its copy
    for damaged in ((start + at,), (len(whole + unused) + at,)):
        changed.write_bytes(bytes(byte ^ (each in damaged) for each, byte in enumerate(whole + unused + copied)))
        assert _read_events(changed) == expected
