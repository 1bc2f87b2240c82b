"""Parameters and result table of one part of a benchmark."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from clconform.reports.measurement import MeasurementHeader
from clconform.selftest.benchmarks.measured_run import run_measured

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from clconform.selftest.benchmarks.measured_run import RunMeasurement

Cell = str | int | float
FORMAT = 5
"""The version of the format of stored measurements."""
MIB = 1 << 10
"""KiB per MiB."""
MICRO = 1e6


class BenchmarkTable(msgspec.Struct, frozen=True):
    """The figures of one part of a benchmark.

    ``about`` describes the values, ``commands`` lists the commands that were run.

    Each of the ``rows`` has one cell per column; the first cell names the measured quantity.
    """

    name: str
    about: str
    commands: list[str]
    columns: list[str]
    rows: list[list[Cell]]


class MeasuredPart(msgspec.Struct, frozen=True):
    """The figures of one part of a benchmark, and the circumstances of their measurement.

    ``tested``: the platform with its version, and the device with its driver version.
    """

    header: MeasurementHeader
    tested: str
    table: BenchmarkTable
    format: int = FORMAT


class NotMeasurableError(Exception):
    """A part cannot be measured on this machine or driver; the message is the reason, in one line."""


class BenchmarkSetup(msgspec.Struct, frozen=True):
    """The parameters of a benchmark.

    ``target``: the options that select the driver. ``suites``: the suites to run; empty for the default suites of each
    part.

    ``library``: the path of the driver's library; empty if there is none. ``other_python``: the Python interpreter of
    an environment with another revision of clconform; empty if there is none.
    """

    target: list[str]
    suites: list[str]
    tier: str
    seed: int
    library: str = ""
    other_python: str = ""

    def run(
        self, *words: str, suites: Sequence[str] = (), confirm_and_minimise: bool = True, out: Path | None = None
    ) -> RunMeasurement:
        """Run suites, and return the measurements.

        ``words``: additional options. ``suites``: the suites to run if none are configured. ``out``: the folder for the
        result, which is discarded by default.
        """
        chosen = self.suites or suites
        common = ("--tier", self.tier, "--seed", str(self.seed))
        return run_measured(
            [*self.target, *common, *words, *chosen], confirm_and_minimise=confirm_and_minimise, out=out
        )


def mean_microseconds(total: float, calls: int) -> float:
    """Return the mean time per call in microseconds; ``total`` is in seconds."""
    return to_microseconds(total / max(calls, 1))


def to_microseconds(seconds: float) -> float:
    """Convert seconds to microseconds, with one decimal place."""
    return round(seconds * MICRO, 1)


def round_to_tenth(seconds: float) -> float:
    """Round a number to one decimal place."""
    return round(seconds, 1)


def round_to_integer(number: float) -> int:
    """Round a number to the nearest integer."""
    return round(number)
