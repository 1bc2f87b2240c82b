"""The program may use the host memory of a command only after it knows that the command has ended."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from clconform.recording.file_format import CallEntry, MemoryChange, RecordingFile
from clconform.recording.program_launch import RecordingOptions, run_program
from clconform.spec_tables import load
from clconform.validation.recording_judge import validate_recording

from .conftest import HERE, POCL

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

VIOLATION_COMMENT = re.compile(r"^\s*WRONG\(.*/\* (?P<hashes>HASHES )?(?P<named>.*) \*/$")


def expected_findings(*, hashes: bool) -> set[tuple[int, str]]:
    lines = (HERE / "host_memory.c").read_text(encoding="utf-8").splitlines()
    found = ((number, VIOLATION_COMMENT.match(line)) for number, line in enumerate(lines, start=1))
    return {(number, match["named"]) for number, match in found if match and (hashes or not match["hashes"])}


@pytest.mark.parametrize("hashes", [False, True])
@pytest.mark.parametrize("early", [False, True])
def test_use_of_host_memory_is_reported_only_before_known_completion(
    early: bool,  # noqa: FBT001 (pytest passes it by name)
    hashes: bool,  # noqa: FBT001 (pytest passes it by name)
    build_program: Callable[..., Path],
    layer: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OCL_ICD_VENDORS", str(POCL))
    program, path = build_program("host_memory", *(["EARLY"] if early else [])), tmp_path / "calls.clrec"
    assert str(run_program([str(program)], layer, path, RecordingOptions(hashes=hashes))) == "exit code 0"
    found = validate_recording(RecordingFile(path, load()), load(), "host_memory")
    named = {
        (int(finding.site.source.rpartition(":")[2]), f"{finding.kind} {finding.function}")
        for finding in found.findings
    }
    assert len(expected_findings(hashes=True)) > len(expected_findings(hashes=False)) > 0
    assert named == (expected_findings(hashes=hashes) if early else set())
    changed = [event for event in RecordingFile(path, load()).events() if isinstance(event, MemoryChange)]
    assert bool(changed) == hashes  # this includes changes after the command has read the memory


def test_long_program_source_is_stored_once_for_two_calls(
    build_program: Callable[..., Path], record_program: Callable[..., tuple[Path, object]]
) -> None:
    path, _ = record_program(build_program("host_memory"))
    made = [
        event.arguments["strings"].content
        for event in RecordingFile(path, load()).events()
        if isinstance(event, CallEntry) and event.function == "clCreateProgramWithSource"
    ]
    assert path.read_bytes().count(b"the_only_kernel") == 1
    assert len(made) == 2
    assert made[0] == made[1]
    assert isinstance(made[0], list)
    assert [len(text or b"") for text in made[0]] == [4095]
