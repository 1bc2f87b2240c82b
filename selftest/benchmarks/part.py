"""What a part of a benchmark is asked, and the table that it returns."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from clconform.selftest.benchmarks.machine import Besides
from clconform.selftest.benchmarks.running import run

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from clconform.selftest.benchmarks.running import Ran

Cell = str | int | float
MIB = 1 << 10
"""KiB in a MiB."""
MICRO = 1e6


class Part(msgspec.Struct, frozen=True):
    """One table. ``about``: describes the figures; ``commands``: what was run for them.

    Each of the ``rows`` has a cell for each of the ``columns``; the first is the name of what was measured. Without
    columns it could not be measured here, and ``about`` says why. ``besides``: what the machine did meanwhile.
    """

    name: str
    about: str
    commands: list[str]
    columns: list[str]
    rows: list[list[Cell]]
    besides: Besides | None = None


class NotHereError(Exception):
    """A part cannot be measured on this machine or this driver; the message is why, in one line."""


class Bench(msgspec.Struct, frozen=True):
    """What to measure: the options that name the driver, the suites (none: each part's own), and the tier.

    ``library``: the path of the driver's library; empty where there is none.
    """

    target: list[str]
    suites: list[str]
    tier: str
    seed: int
    library: str = ""

    def run(
        self, *words: str, suites: Sequence[str] = (), confirm_and_minimise: bool = True, out: Path | None = None
    ) -> Ran:
        """Run the selected suites, or else these, with further options; the result stays in ``out``, if given."""
        chosen = self.suites or suites
        common = ("--tier", self.tier, "--seed", str(self.seed))
        return run([*self.target, *common, *words, *chosen], confirm_and_minimise=confirm_and_minimise, out=out)


def mean(total: float, calls: int) -> float:
    """Return the mean of so many calls in microseconds; ``total`` in seconds."""
    return micro(total / max(calls, 1))


def micro(seconds: float) -> float:
    """Return seconds as microseconds."""
    return round(seconds * MICRO, 1)


def tenth(seconds: float) -> float:
    """Return a number to one decimal place."""
    return round(seconds, 1)


def whole(number: float) -> int:
    """Return a number to the next integer."""
    return round(number)
