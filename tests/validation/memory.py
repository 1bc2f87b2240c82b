"""Measures the memory for judging recordings, on PoCL of Debian: ``python -m tests.validation.memory CALLS...``.

The command records a program that makes the given number of calls and releases all objects (``endless.c``). Each
recording is judged in a separate process, whose peak memory is printed after each million calls and at the end.
``clconform dev benchmark recording`` measures the time of recording and judging, ``clconform dev benchmark pending``
time and memory for judging commands that are enqueued before a wait.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from clconform.recording.file_format import CallEntry, RecordingFile
from clconform.recording.layer_build import build_layer
from clconform.recording.program_launch import RecordingOptions, layer_environment
from clconform.selftest.benchmarks.recording_cost import build_program
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
    return measure_recordings(words or ["100000", "1000000"])


def measure_recordings(counts: list[str]) -> int:
    """Print the memory for judging recordings of the program with these numbers of calls."""
    layer = build_layer(load())
    with tempfile.TemporaryDirectory() as work:
        program, recording = build_program(HERE / "endless.c", Path(work)), Path(work) / "calls.clrec"
        for count in counts:
            recording.unlink(missing_ok=True)
            variables = {
                **os.environ,
                "OCL_ICD_VENDORS": DRIVER,
                **layer_environment(layer, recording, RecordingOptions(0)),
            }
            subprocess.run([str(program), count], env=variables, check=True)
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


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
