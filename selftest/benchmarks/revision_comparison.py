"""Compares the run times of this revision with those of another one, on the same machine and in turn."""

from __future__ import annotations

import shlex
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from clconform.harness.errors import HarnessError, fold_line
from clconform.reports.measurement import get_commit
from clconform.selftest.benchmarks.benchmark_part import (
    BenchmarkTable,
    NotMeasurableError,
    round_to_tenth,
)
from clconform.selftest.benchmarks.measured_run import time_command

if TYPE_CHECKING:
    from clconform.selftest.benchmarks.benchmark_part import BenchmarkSetup, Cell

RUNS = {"smoke": 3}
"""How often each revision runs a tier; ``DEFAULT_RUNS`` for others."""
DEFAULT_RUNS = 2
WORKERS = 2
_LOCATE = "import clconform.calls; print(clconform.calls.__file__)"
_THIS, _OTHER = "this", "other"


class _Revision(NamedTuple):
    """One revision: its Python interpreter, and its commit."""

    python: str
    commit: str


class _RunSummary(msgspec.Struct):
    items: int
    calls: int


class _Result(msgspec.Struct):
    """The part of a ``result.json`` that all revisions have."""

    run: _RunSummary
    deviations: list[msgspec.Raw]


class _ComparedRun(NamedTuple):
    """A run: wall and CPU time in seconds, and the numbers of items, calls and deviations."""

    wall: float
    cpu: float
    items: int
    calls: int
    deviations: int


def compare_revisions(bench: BenchmarkSetup) -> BenchmarkTable:
    """Run a tier by both revisions in turn, and return the medians and the ratios.

    NotMeasurableError: no other revision is named, or its interpreter does not have clconform.
    """
    if not bench.other_python:
        raise NotMeasurableError("it needs the Python interpreter of another revision; name it with --other-python")
    revisions = {_THIS: _Revision(sys.executable, get_commit()), _OTHER: _find_revision(bench.other_python)}
    words = [*bench.target, "--tier", bench.tier, "--seed", str(bench.seed), "-n", str(WORKERS), *bench.suites]
    number = RUNS.get(bench.tier, DEFAULT_RUNS)
    order = [name for turn in range(number) for name in sorted(revisions, reverse=turn % 2 == 0)]
    runs: dict[str, list[_ComparedRun]] = {name: [] for name in revisions}
    for name in order:
        runs[name].append(_make_run(revisions[name].python, words))
    rows: list[list[Cell]] = [[bench.tier, revisions[name].commit, *_medians(runs[name])] for name in revisions]
    pairs = list(zip(runs[_THIS], runs[_OTHER], strict=True))
    ratios = [statistics.median(this[at] / max(other[at], 1e-9) for this, other in pairs) for at in range(2)]
    rows.append([bench.tier, "ratio", *(round(ratio, 2) for ratio in ratios), "", "", ""])
    about = (
        f"wall and CPU seconds of whole runs with {WORKERS} processes, by both revisions in turn, on one machine; "
        f"medians over {number} runs each; ratios of pairs"
    )
    columns = ["tier", "revision", "wall", "CPU", "items", "calls", "deviations"]
    return BenchmarkTable("revisions", about, [shlex.join(["clconform", "run", *words])], columns, rows)


def _find_revision(python: str) -> _Revision:
    try:
        done = subprocess.run([python, "-P", "-c", _LOCATE], capture_output=True, text=True, check=False)
    except OSError as error:
        raise NotMeasurableError(f"cannot start {python} ({error.strerror}); check --other-python") from None
    if done.returncode:
        reason = fold_line((done.stderr.strip().splitlines() or [""])[-1])
        raise NotMeasurableError(f"{python} does not have clconform: {reason}")
    return _Revision(python, get_commit(Path(done.stdout.strip()).parents[1].resolve()))


def _make_run(python: str, words: list[str]) -> _ComparedRun:
    with tempfile.TemporaryDirectory(prefix="clconform-bench-") as folder:
        out = Path(folder) / "out"
        wall, cpu, _ = time_command(["run", *words, "--out", str(out)], python)
        try:
            result = msgspec.json.decode((out / "result.json").read_bytes(), type=_Result)
        except (OSError, msgspec.MsgspecError) as error:
            raise HarnessError(f"the run of {python} left no readable result: {error}") from None
    return _ComparedRun(wall, cpu, result.run.items, result.run.calls, len(result.deviations))


def _medians(runs: list[_ComparedRun]) -> list[Cell]:
    wall, cpu, *counts = (statistics.median(values) for values in zip(*runs, strict=True))
    return [round_to_tenth(wall), round_to_tenth(cpu), *map(round, counts)]
