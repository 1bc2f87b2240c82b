"""What recording and judging cost, on PoCL of Debian: ``python -m tests.validation.cost [PAIRS]``, or ``... memory``.

A program makes a mix of calls (``cost.c``), with the layer switched off, which passes every call on, and with a
recording, one after the other in pairs. The recording of the last pair is judged. What a call takes is told by the
clock, which on a busy machine counts others' work, too, and as the time of the processor for the thread that calls.

``python -m tests.validation.cost memory CALLS...`` records a program that makes so many calls and leaves nothing behind
(``endless.c``), and judges each recording in a process of its own, whose peak of memory it prints, after each million
calls and at the end.
"""

from __future__ import annotations

import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from clconform.oracles.engine.rulebook import rulebook_of
from clconform.recording.building import layer_of
from clconform.recording.file_format import Entered, Recording
from clconform.recording.launching import LAYERS, Wanted, environment
from clconform.spec_tables import load
from clconform.tools.saying import say
from clconform.validation.judging import validated

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.recording.file_format import Event

HERE = Path(__file__).parent
DRIVER = "/usr/lib/x86_64-linux-gnu/libpocl.so.2"
ROUNDS = "10000"
MILLION = 1_000_000


class _Told(Recording):
    """A recording that tells after each million of calls how much memory was needed so far."""

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
    """Measure, and print the medians."""
    if words[:1] == ["memory"]:
        return memory(words[1:])
    if words[:1] == ["judge"]:
        return judge(Path(words[1]))
    pairs = int(words[0]) if words else 11
    tables = load()
    layer = layer_of(tables)
    with tempfile.TemporaryDirectory() as work:
        program, recording = _built("cost", Path(work)), Path(work) / "calls.clrec"
        plain = {**os.environ, "OCL_ICD_VENDORS": DRIVER}
        off: list[tuple[float, float]] = []
        more: list[tuple[float, float]] = []
        for _ in range(pairs):
            recording.unlink(missing_ok=True)
            without = _nanoseconds(program, {**plain, LAYERS: str(layer)})
            off.append(without)
            recorded = _nanoseconds(program, {**plain, **environment(layer, recording, Wanted(0))})
            more.append((recorded[0] - without[0], recorded[1] - without[1]))
        say(f"a call takes {_medians(off)} with the layer switched off (median of {pairs})")
        say(f"recording adds {_medians(more)} to a call (median of {pairs} pairs)")
        size = recording.stat().st_size
        rulebook_of(tables)
        start, busy = time.perf_counter(), time.process_time()
        found = validated(Recording(recording, tables), tables, "")
        seconds, busy = time.perf_counter() - start, time.process_time() - busy
    say(
        f"{found.calls} calls in {size} bytes; judged in {seconds:.1f} s: {found.calls / seconds:.0f} calls a second, "
        f"{found.calls / busy:.0f} for a second of the processor"
    )
    return 0


def memory(counts: list[str]) -> int:
    """Print how much memory it takes to judge recordings of so many calls."""
    layer = layer_of(load())
    with tempfile.TemporaryDirectory() as work:
        program, recording = _built("endless", Path(work)), Path(work) / "calls.clrec"
        for count in counts or ["100000", "1000000"]:
            recording.unlink(missing_ok=True)
            variables = {**os.environ, "OCL_ICD_VENDORS": DRIVER, **environment(layer, recording, Wanted(0))}
            subprocess.run([str(program), count], env=variables, check=True)
            subprocess.run([sys.executable, "-m", "tests.validation.cost", "judge", str(recording)], check=True)
    return 0


def judge(recording: Path) -> int:
    """Judge a recording, and print the peak of this process' memory."""
    tables = load()
    found = validated(_Told(recording, tables), tables, "")
    busy = time.process_time()
    say(
        f"{found.calls} calls, {found.judged} judged, {len(found.findings)} findings: "
        f"at most {_peak():.1f} MB, in {busy:.0f} s of the processor"
    )
    return 0


def _peak() -> float:
    """Return how many MB of memory this process has needed at most."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def _built(name: str, folder: Path) -> Path:
    """Return a program of this folder."""
    program = folder / name
    words = [shutil.which("cc") or "cc", "-O2", "-w", str(HERE / f"{name}.c"), "-o", str(program), "-lOpenCL"]
    subprocess.run(words, check=True)
    return program


def _nanoseconds(program: Path, variables: dict[str, str]) -> tuple[float, float]:
    """Return what a call takes by the clock, and of the processor's time of the thread that makes it."""
    ended = subprocess.run([str(program), ROUNDS], env=variables, capture_output=True, text=True, check=True)
    by_the_clock, busy = map(float, ended.stdout.split())
    return by_the_clock, busy


def _medians(pairs: list[tuple[float, float]]) -> str:
    by_the_clock, busy = (statistics.median(values) for values in zip(*pairs, strict=True))
    return f"{by_the_clock:.0f} ns by the clock, {busy:.0f} ns of the processor"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
