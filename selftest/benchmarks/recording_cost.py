"""The cost of recording a program's calls, the speed of judging the recording, and the cost of live judging.

A program (``calls.c``) makes a mix of calls in pairs of runs: one with the layer disabled, which forwards every call,
and one with a recording. The recording of the last pair is judged. Then the program is judged
while it runs, without and with each value of ``--break``: it makes its calls faster than they are judged, so that it
has to wait. Times are given as wall-clock time, which includes other processes on a busy machine, and as CPU time of
the calling thread.
"""

from __future__ import annotations

import operator
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from clconform.harness.c_compiler import CompilerError, list_compilers, run_compiler
from clconform.oracles.engine.rulebook import rulebook_of
from clconform.recording.file_format import RecordingFile
from clconform.recording.layer_build import LayerError, build_layer
from clconform.recording.program_launch import LAYERS, RecordingOptions, layer_environment
from clconform.selftest.benchmarks.benchmark_part import (
    BenchmarkSetup,
    BenchmarkTable,
    Cell,
    NotMeasurableError,
    round_to_integer,
)
from clconform.spec_tables import load
from clconform.validation.recording_judge import validate_recording

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clconform.selftest.benchmarks.benchmark_part import Cell

PROGRAM = Path(__file__).with_name("calls.c")
PAIRS = 11
ROUNDS = 10_000
LIVE_RUNS, LIVE_ROUNDS = 3, 1_000
LIVE_OPTIONS = (("--live",), ("--live", "--break"), ("--live", "--break=before"))
Nanoseconds = tuple[float, float]
"""The wall-clock time and the CPU time of the calling thread per call."""


def measure_recording(bench: BenchmarkSetup) -> BenchmarkTable:
    """Measure calls with and without a recording.

    NotMeasurableError without a driver library, a loader or a C compiler.
    """
    if not bench.library:
        raise NotMeasurableError("it needs a driver's library; name one with --driver")
    tables = load()
    try:
        layer = build_layer(tables)
    except LayerError as error:
        raise NotMeasurableError(str(error)) from None
    off: list[Nanoseconds] = []
    more: list[Nanoseconds] = []
    with tempfile.TemporaryDirectory(prefix="clconform-bench-") as work:
        program, recorded = build_program(PROGRAM, Path(work)), Path(work) / "calls.clrec"
        plain = {**os.environ, "OCL_ICD_VENDORS": bench.library}
        for _ in range(PAIRS):
            recorded.unlink(missing_ok=True)
            clock, busy = _run_program(program, {**plain, LAYERS: str(layer)})
            off.append((clock, busy))
            with_it = _run_program(program, {**plain, **layer_environment(layer, recorded, RecordingOptions(0))})
            more.append((with_it[0] - clock, with_it[1] - busy))
        size = recorded.stat().st_size
        rulebook_of(tables)
        start, used = time.perf_counter(), time.process_time()
        found = validate_recording(RecordingFile(recorded, tables), tables, "")
        seconds, used = time.perf_counter() - start, time.process_time() - used
        live = {words: [_run_live(program, words, plain) for _ in range(LIVE_RUNS)] for words in LIVE_OPTIONS}
    without = _get_medians(off)
    rows: list[list[Cell]] = [
        ["a call, layer switched off, ns", *without],
        ["recording adds to a call, ns", *_get_medians(more)],
        *(
            [f"{' '.join(words)} adds to a call, ns", *map(operator.sub, _get_medians(times), without)]
            for words, times in live.items()
        ),
        ["calls judged in a second", round_to_integer(found.calls / seconds), round_to_integer(found.calls / used)],
    ]
    about = (
        f"by the clock, and of the processor's time of the thread that calls or judges; medians of {PAIRS} pairs of "
        f"runs with and without a recording, of {size / found.calls:.0f} bytes for each of {found.calls} calls; "
        f"live: medians of {LIVE_RUNS} runs with {LIVE_ROUNDS / ROUNDS:.0%} of these calls"
    )
    commands = [
        "clconform validate -- ./calls",
        *(f"clconform validate {' '.join(words)} -- ./calls" for words in live),
    ]
    return BenchmarkTable("recording", about, commands, ["what", "clock", "CPU"], rows)


def build_program(source: Path, folder: Path) -> Path:
    """Build a program of one source file in a folder and return its path.

    NotMeasurableError without a C compiler, the headers of OpenCL, or a loader to link with.
    """
    program = folder / source.stem
    compilers = list_compilers()
    if not compilers:
        raise NotMeasurableError("it needs a C compiler")
    try:
        run_compiler(compilers[0], ["-O2", "-w", source, "-o", program, "-lOpenCL"], "the program to measure")
    except CompilerError:
        raise NotMeasurableError(
            "it needs OpenCL's headers and a loader to link with (Debian: ocl-icd-opencl-dev)"
        ) from None
    return program


def _run_program(program: Path, variables: dict[str, str]) -> Nanoseconds:
    """Run the program and return its times; NotMeasurableError if the program cannot make its calls on this driver."""
    return _run_and_read_times([str(program), str(ROUNDS)], variables)


def _run_live(program: Path, words: Sequence[str], variables: dict[str, str]) -> Nanoseconds:
    """Judge the program while it runs, and return its times; NotMeasurableError as for ``_run_program``."""
    command = [sys.executable, "-P", "-m", "clconform.tools", "validate", *words, "--", str(program), str(LIVE_ROUNDS)]
    return _run_and_read_times(command, variables)


def _run_and_read_times(command: Sequence[str], variables: dict[str, str]) -> Nanoseconds:
    """Run a command whose first output is that of the program; NotMeasurableError if it fails."""
    ended = subprocess.run(command, env=variables, capture_output=True, text=True, check=False)
    if ended.returncode:
        raise NotMeasurableError("the program cannot make its calls on this driver")
    clock, busy = map(float, ended.stdout.split()[:2])
    return clock, busy


def _get_medians(pairs: list[Nanoseconds]) -> tuple[int, int]:
    clock, busy = zip(*pairs, strict=True)
    return round_to_integer(statistics.median(clock)), round_to_integer(statistics.median(busy))
