"""Measures the memory for judging recordings, on PoCL of Debian: ``python -m tests.validation.memory CALLS...``.

The command records a program that makes the given number of calls and releases all objects (``endless.c``), or with
``pending KIND COMMANDS...`` a program that enqueues the commands before it waits for any (``many_commands.c``). Each
recording is judged in a separate process, whose peak memory is printed after each million calls and at the end.
``clconform dev benchmark recording`` measures the time of recording and judging.
"""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from clconform.recording.file_format import CallEntry, RecordingFile
from clconform.recording.layer_build import build_layer
from clconform.recording.program_launch import RecordingOptions, layer_environment
from clconform.spec_tables import load
from clconform.tools.output_text import print_text
from clconform.validation.recording_judge import validate_recording

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.recording.file_format import Event

HERE = Path(__file__).parent
DRIVER = "/usr/lib/x86_64-linux-gnu/libpocl.so.2"
MILLION = 1_000_000


class _MeasuredRecording(RecordingFile):
    """A recording that prints the peak memory after each million calls."""

    def events(self) -> Iterator[Event]:
        calls = 0
        for event in super().events():
            if isinstance(event, CallEntry):
                calls += 1
                if calls % MILLION == 0:
                    print_text(f"{calls} calls: at most {_peak_megabytes():.1f} MB so far")
                    sys.stdout.flush()
            yield event


def main(words: list[str]) -> int:
    """Judge one recording, or record and judge several programs."""
    if words[:1] == ["judge"]:
        return judge_recording(Path(words[1]))
    if words[:1] == ["pending"]:
        return measure_recordings("many_commands", words[2:], words[1])
    return measure_recordings("endless", words or ["100000", "1000000"])


def measure_recordings(name: str, counts: list[str], *more: str) -> int:
    """Print the memory for judging recordings of a program with these numbers, and ``more`` words, as arguments."""
    layer = build_layer(load())
    with tempfile.TemporaryDirectory() as work:
        program, recording = _build_program(name, Path(work)), Path(work) / "calls.clrec"
        for count in counts:
            recording.unlink(missing_ok=True)
            variables = {
                **os.environ,
                "OCL_ICD_VENDORS": DRIVER,
                **layer_environment(layer, recording, RecordingOptions(0)),
            }
            subprocess.run([str(program), count, *more], env=variables, check=True)
            subprocess.run([sys.executable, "-m", "tests.validation.memory", "judge", str(recording)], check=True)
    return 0


def judge_recording(recording: Path) -> int:
    """Judge a recording, and print the peak memory of this process."""
    tables = load()
    found = validate_recording(_MeasuredRecording(recording, tables), tables, "")
    busy = time.process_time()
    print_text(
        f"{found.calls} calls, {found.judged} judged, {len(found.findings)} findings: "
        f"at most {_peak_megabytes():.1f} MB, in {busy:.0f} s of the processor"
    )
    return 0


def _peak_megabytes() -> float:
    """Return the peak memory of this process in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def _build_program(name: str, folder: Path) -> Path:
    """Build a program of this folder, and return its path."""
    program = folder / name
    words = [shutil.which("cc") or "cc", "-O2", "-w", str(HERE / f"{name}.c"), "-o", str(program), "-lOpenCL"]
    subprocess.run(words, check=True)
    return program


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
