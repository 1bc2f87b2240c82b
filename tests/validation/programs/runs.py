"""Records programs and judges the recordings, in one folder per driver."""

from __future__ import annotations

import os
import subprocess
import time
from typing import TYPE_CHECKING

import msgspec

from clconform.recording.building import layer_of
from clconform.recording.file_format import Recording, RecordingError
from clconform.recording.launching import RECORDED, environment
from clconform.spec_tables import load
from clconform.validation.findings import Document, Validation
from clconform.validation.judging import validated

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from .listed import Started

ENDED, FOUND = "ended.json", "found.json"


class Run(msgspec.Struct, frozen=True):
    """The end of a program: its exit code, negative for a signal; None after a timeout."""

    id: str
    code: int | None
    seconds: float


def record(each: Started, work: Path, driver: str, variables: dict[str, str]) -> Run | None:
    """Run a program under the layer, unless it is already recorded."""
    folder = work / driver / each.id
    if (folder / ENDED).is_file():
        return None
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.iterdir():
        old.unlink()
    recording = folder / "calls.clrec"
    home = work / driver / "home"
    home.mkdir(exist_ok=True)
    found = {**os.environ, **variables, **environment(layer_of(load()), recording, RECORDED), "HOME": str(home)}
    found |= {"XDG_CACHE_HOME": str(home / ".cache"), "PYOPENCL_CTX": "0", "PYTHONDONTWRITEBYTECODE": "1"}
    start = time.monotonic()
    with (folder / "printed.txt").open("wb") as printed:
        try:
            code: int | None = subprocess.run(
                each.words,
                env=found,
                cwd=folder,
                stdin=subprocess.DEVNULL,
                stdout=printed,
                stderr=subprocess.STDOUT,
                timeout=each.program.seconds,
                check=False,
            ).returncode
        except subprocess.TimeoutExpired:
            code = None
    run = Run(each.id, code, round(time.monotonic() - start, 1))
    (folder / ENDED).write_bytes(msgspec.json.encode(run))
    return run


def runs(work: Path, driver: str) -> Iterator[tuple[Path, Run]]:
    """Yield the recorded programs of a driver, each with its folder."""
    for file in sorted((work / driver).rglob(ENDED)):
        yield file.parent, msgspec.json.decode(file.read_bytes(), type=Run)


def judge(folder: Path) -> Document:
    """Judge the recordings of all processes of one program, and store the findings."""
    found: list[Validation] = []
    for file in sorted(folder.glob("calls.clrec*")):
        try:
            found.append(validated(Recording(file, load()), load(), file.name))
        except RecordingError as error:
            found.append(Validation(file.name, 0, 0, {}, [], cut=str(error)))
    document = Document(found)
    (folder / FOUND).write_bytes(msgspec.json.encode(document))
    return document


def judged(folder: Path) -> Document:
    """Return the stored findings in the recordings of one program."""
    return msgspec.json.decode((folder / FOUND).read_bytes(), type=Document)
