"""The cost of judging programs that enqueue many commands before they wait, and the start-up of ``clconform validate``.

The program (``many_commands.c``) is recorded with several numbers of commands. ``clconform validate`` judges each
recording. The cost of one command is the difference from the recording with one command, which takes little more than
the start of clconform.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from clconform.recording.layer_build import LayerError, build_layer
from clconform.recording.program_launch import RecordingOptions, layer_environment
from clconform.selftest.benchmarks.benchmark_part import (
    MIB,
    BenchmarkSetup,
    BenchmarkTable,
    Cell,
    NotMeasurableError,
    round_to_integer,
    to_microseconds,
)
from clconform.selftest.benchmarks.measured_run import time_command
from clconform.selftest.benchmarks.recording_cost import build_program
from clconform.spec_tables import load

if TYPE_CHECKING:
    from collections.abc import Iterator

PROGRAM = Path(__file__).with_name("many_commands.c")
COUNTS = (1, 1000, 8000, 64000)
"""The numbers of kernels that are enqueued before one wait; the first is that of the start-up."""
RUNS = 3


def measure_pending(bench: BenchmarkSetup) -> BenchmarkTable:
    """Measure time and memory for judging many pending kernels.

    NotMeasurableError without a driver library, a loader or a C compiler.
    """
    if not bench.library:
        raise NotMeasurableError("it needs a driver's library; name one with --driver")
    try:
        layer = build_layer(load())
    except LayerError as error:
        raise NotMeasurableError(str(error)) from None
    with tempfile.TemporaryDirectory(prefix="clconform-bench-") as work:
        rows = list(_measure_counts(bench.library, layer, Path(work)))
    about = (
        f"judging recordings of kernels that are enqueued before one clFinish, without contents of transfers; the "
        f"minimum of {RUNS} runs, with the start of clconform; for each kernel: the difference from the first row"
    )
    columns = ["kernels", "seconds", "CPU seconds", "CPU µs per kernel", "MiB", "KiB per kernel"]
    return BenchmarkTable("pending", about, ["clconform validate calls.clrec"], columns, rows)


def _measure_counts(library: str, layer: Path, work: Path) -> Iterator[list[Cell]]:
    """Yield a row for each number of commands."""
    program, first = build_program(PROGRAM, work), None
    for count in COUNTS:
        recording = work / f"{count}.clrec"
        settings = layer_environment(layer, recording, RecordingOptions(0))
        variables = {**os.environ, "OCL_ICD_VENDORS": library, **settings}
        if subprocess.run([str(program), str(count), "kernels"], env=variables, check=False).returncode:
            raise NotMeasurableError("the program cannot make its calls on this driver")
        times = [time_command(["validate", str(recording)]) for _ in range(RUNS)]
        wall, cpu, peak = (min(values) for values in zip(*times, strict=True))
        row: list[Cell] = [count, round(wall, 2), round(cpu, 2), "", round_to_integer(peak / MIB), ""]
        if first is None:
            first = (cpu, peak)
        else:
            row[3] = to_microseconds((cpu - first[0]) / count)
            row[5] = round((peak - first[1]) / count, 1)
        yield row
