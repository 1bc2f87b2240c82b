"""Measures the memory for judging recordings, on PoCL of Debian: ``python -m tests.validation.memory CALLS...``.

It records a program that makes the given number of calls and releases all objects (``endless.c``). Each recording is
judged in a separate process, whose peak memory is printed after each million calls and at the end. The time of
recording and judging is measured by ``clconform benchmark recording``.
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

from clconform.recording.building import layer_of
from clconform.recording.file_format import Entered, Recording
from clconform.recording.launching import Wanted, environment
from clconform.spec_tables import load
from clconform.tools.saying import say
from clconform.validation.judging import validated

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.recording.file_format import Event

HERE = Path(__file__).parent
DRIVER = "/usr/lib/x86_64-linux-gnu/libpocl.so.2"
MILLION = 1_000_000


class _Told(Recording):
    """A recording that prints the peak memory after each million calls."""

    def events(self) -> Iterator[Event]:
        calls = 0
        for event in super().events():
            if isinstance(event, Entered):
                calls += 1
                if calls % MILLION == 0:
                    say(f"{calls} calls: at most {_peak():.1f} MB so far")
                    sys.stdout.flush()
            yield event


def main(words: list[str]) -> int:
    """Judge one recording, or record and judge several programs."""
    return judge(Path(words[1])) if words[:1] == ["judge"] else memory(words)


def memory(counts: list[str]) -> int:
    """Print the memory for judging recordings with these numbers of calls."""
    layer = layer_of(load())
    with tempfile.TemporaryDirectory() as work:
        program, recording = _built("endless", Path(work)), Path(work) / "calls.clrec"
        for count in counts or ["100000", "1000000"]:
            recording.unlink(missing_ok=True)
            variables = {**os.environ, "OCL_ICD_VENDORS": DRIVER, **environment(layer, recording, Wanted(0))}
            subprocess.run([str(program), count], env=variables, check=True)
            subprocess.run([sys.executable, "-m", "tests.validation.memory", "judge", str(recording)], check=True)
    return 0


def judge(recording: Path) -> int:
    """Judge a recording, and print the peak memory of this process."""
    tables = load()
    found = validated(_Told(recording, tables), tables, "")
    busy = time.process_time()
    say(
        f"{found.calls} calls, {found.judged} judged, {len(found.findings)} findings: "
        f"at most {_peak():.1f} MB, in {busy:.0f} s of the processor"
    )
    return 0


def _peak() -> float:
    """Return the peak memory of this process in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def _built(name: str, folder: Path) -> Path:
    """Build a program of this folder, and return its path."""
    program = folder / name
    words = [shutil.which("cc") or "cc", "-O2", "-w", str(HERE / f"{name}.c"), "-o", str(program), "-lOpenCL"]
    subprocess.run(words, check=True)
    return program


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
