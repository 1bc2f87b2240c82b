"""Records programs and judges the recordings, in one folder per driver."""

from __future__ import annotations

import os
import resource
import subprocess
import time
from typing import TYPE_CHECKING

import msgspec

from clconform.recording.file_format import RecordingError, RecordingFile
from clconform.recording.layer_build import build_layer
from clconform.recording.program_launch import DEFAULT_OPTIONS, layer_environment
from clconform.spec_tables import load
from clconform.validation.findings import Validation, ValidationDocument
from clconform.validation.recording_judge import validate_recording

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from .listed import StartedProgram

RUN_FILE, FINDINGS_FILE = "ended.json", "found.json"
RECORDING = "calls.clrec"
DRIVER_VARIABLES = ("OCL_ICD_VENDORS", "OCL_ICD_FILENAMES")
"""The variables in which the two loaders expect the library of a driver."""


class ProgramRun(msgspec.Struct, frozen=True):
    """The end of a program: its exit code, negative for a signal; None after a timeout.

    ``seconds``: of the clock. ``busy``: of the processor, with all child processes.
    """

    id: str
    code: int | None
    seconds: float
    busy: float = 0.0


def record_program(each: StartedProgram, work: Path, driver: str, library: str) -> ProgramRun | None:
    """Run a program under the layer, and return its end; return None if it is already recorded."""
    folder = work / driver / each.id
    if (folder / RUN_FILE).is_file():
        return None
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.iterdir():
        old.unlink()
    run = run_listed_program(each, work, driver, library, is_recorded=True)
    (folder / RUN_FILE).write_bytes(msgspec.json.encode(run))
    return run


def run_listed_program(each: StartedProgram, work: Path, driver: str, library: str, *, is_recorded: bool) -> ProgramRun:
    """Run a program on a driver, with or without the layer, and return its end.

    ``work``: the folder that gets what it prints, and its recordings.
    """
    folder, home = work / driver / each.id, work / driver / "home"
    folder.mkdir(parents=True, exist_ok=True)
    home.mkdir(exist_ok=True)
    found = {**os.environ, **each.program.variables, **dict.fromkeys(DRIVER_VARIABLES, library), "HOME": str(home)}
    found |= {"XDG_CACHE_HOME": str(home / ".cache"), "PYOPENCL_CTX": "0", "PYTHONDONTWRITEBYTECODE": "1"}
    if is_recorded:
        found |= layer_environment(build_layer(load()), folder / RECORDING, DEFAULT_OPTIONS)
    start, busy = time.monotonic(), _get_child_seconds()
    with (folder / "printed.txt").open("wb") as printed:
        try:
            code: int | None = subprocess.run(
                each.words,
                env=found,
                cwd=each.folder or folder,
                stdin=subprocess.DEVNULL,
                stdout=printed,
                stderr=subprocess.STDOUT,
                timeout=each.program.seconds,
                check=False,
            ).returncode
        except subprocess.TimeoutExpired:
            code = None
    return ProgramRun(each.id, code, round(time.monotonic() - start, 1), round(_get_child_seconds() - busy, 3))


def _get_child_seconds() -> float:
    """Return the processor time of all child processes that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def recorded_runs(work: Path, driver: str) -> Iterator[tuple[Path, ProgramRun]]:
    """Yield the folder and the end of each recorded program of a driver."""
    for file in sorted((work / driver).rglob(RUN_FILE)):
        yield file.parent, msgspec.json.decode(file.read_bytes(), type=ProgramRun)


def judge_program(folder: Path) -> ValidationDocument:
    """Judge the recordings of all processes of one program, and store the findings."""
    found: list[Validation] = []
    for file in sorted(folder.glob(f"{RECORDING}*")):
        try:
            found.append(validate_recording(RecordingFile(file, load()), load(), file.name))
        except RecordingError as error:
            found.append(Validation(file.name, 0, 0, {}, [], damage=str(error)))
    document = ValidationDocument(found)
    (folder / FINDINGS_FILE).write_bytes(msgspec.json.encode(document))
    return document


def stored_findings(folder: Path) -> ValidationDocument:
    """Return the stored findings in the recordings of one program."""
    return msgspec.json.decode((folder / FINDINGS_FILE).read_bytes(), type=ValidationDocument)
