"""Runs ``clconform run`` with the stopwatch in its own process, and returns the measurements."""

from __future__ import annotations

import gzip
import os
import shlex
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from clconform.harness.errors import HarnessError
from clconform.reports import RunResult, load_result
from clconform.selftest.benchmarks.account import RunAccount, sum_accounts
from clconform.selftest.benchmarks.stopwatch import FILE_VARIABLE, START_VARIABLE

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

COMPLETE_RUN_CODES = (0, 10)
"""The exit codes of a complete run: without and with deviations."""
PLUGIN = "clconform.selftest.benchmarks.stopwatch"


@dataclass(frozen=True)
class RunMeasurement:
    """The measurements of one run: the command as typed, wall and CPU time in seconds, and peak memory in KiB.

    ``peak``: the peak memory of the largest process among the command and its waited-for descendants, including the
    driver. ``journal``: the uncompressed size of the journal in bytes. ``packed``: the size of the journal file after
    the run.
    """

    command: str
    wall: float
    cpu: float
    peak: int
    account: RunAccount
    result: RunResult
    journal: int
    packed: int


def run_measured(words: Sequence[str], *, confirm_and_minimise: bool = True, out: Path | None = None) -> RunMeasurement:
    """Run the suites with these options and return the measurements; HarnessError if the run does not complete.

    Without ``confirm_and_minimise``, deviations are still repeated, as in every run, but not minimised. ``out``: the
    folder for the result; it is discarded if None.
    """
    words = [*words, *(() if confirm_and_minimise else ("--minimise-seconds", "0"))]
    with tempfile.TemporaryDirectory(prefix="clconform-bench-") as folder:
        out, file = out or Path(folder) / "out", Path(folder) / "times"
        argv = [sys.executable, "-P", "-m", "clconform.tools", "run", "--out", str(out), *words, "--", "-p", PLUGIN]
        wall, cpu, peak, code, said = _measure_process(argv, {FILE_VARIABLE: str(file)})
        if code not in COMPLETE_RUN_CODES:
            raise HarnessError(f"{shlex.join(['clconform', 'run', *words])} ended with code {code}: {said}")
        account = sum_accounts(sorted(Path(folder).glob("times.*")))
        result = load_result(out / "result.json")
        journal, packed = _get_journal_bytes(out)
    return RunMeasurement(shlex.join(["clconform", "run", *words]), wall, cpu, peak, account, result, journal, packed)


def _get_journal_bytes(out: Path) -> tuple[int, int]:
    """Return the size of a run's journal in bytes, uncompressed and as stored."""
    journal = next(out.glob("journal.jsonl*"))
    if journal.suffix != ".gz":
        return journal.stat().st_size, journal.stat().st_size
    with gzip.open(journal) as file:
        return sum(map(len, file)), journal.stat().st_size


def time_command(words: Sequence[str], python: str = sys.executable) -> tuple[float, float, int]:
    """Run a clconform command; return wall and CPU seconds, and peak memory in KiB. HarnessError if it fails.

    ``python``: the interpreter of the environment with clconform.
    """
    wall, cpu, peak, code, said = _measure_process([python, "-P", "-m", "clconform.tools", *words], {})
    if code not in COMPLETE_RUN_CODES:
        raise HarnessError(f"{shlex.join(['clconform', *words])} by {python} ended with code {code}: {said}")
    return wall, cpu, peak


def _measure_process(argv: list[str], settings: dict[str, str]) -> tuple[float, float, int, int, str]:
    """Run a process and return its wall and CPU time, peak memory, exit code and last line of output."""
    began = time.monotonic()
    with tempfile.TemporaryFile() as said:
        with _start_process(argv, {**os.environ, **settings, START_VARIABLE: str(began)}, said.fileno()) as process:
            _, status, used = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        wall = time.monotonic() - began
        said.seek(0)
        last = (said.read().decode("utf-8", "backslashreplace").strip().splitlines() or [""])[-1]
    return wall, used.ru_utime + used.ru_stime, used.ru_maxrss, process.returncode, last


@contextmanager
def _start_process(argv: list[str], environment: dict[str, str], output: int) -> Iterator[subprocess.Popen[bytes]]:
    """Start a process, and terminate it if the block is left before it has ended."""
    process = subprocess.Popen(argv, env=environment, stdin=subprocess.DEVNULL, stdout=output, stderr=output)
    try:
        yield process
    finally:
        if process.returncode is None:
            process.terminate()
            process.wait()
