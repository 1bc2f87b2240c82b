"""Finds the message that a driver printed before its process ended, which often names the place in its source."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from clconform.calls.call import Died

if TYPE_CHECKING:
    from clconform.reports.run_result import DeviationResult

SOURCE_PLACE = re.compile(r"[\w./+-]+\.(?:c|cc|cpp|cxx|h|hh|hpp|rs)\b(?::|\()\d+")
"""A file of source code and a line number, as assertions and panics name them."""
PROGRAM = re.compile(r"^(?:\S*/)?clconform-worker(?:-\S+)?: ")
"""The name of the program that loads the driver, which an assertion of the C library prints first."""


def last_output_of(deviation: DeviationResult) -> str:
    """Return the last lines that the driver's process printed before it ended; empty if it did not end or print."""
    outcome = deviation.sequence[-1].outcome if deviation.sequence else None
    return outcome.last_output if isinstance(outcome, Died) else ""


def message_of(deviation: DeviationResult) -> str:
    """Return the line in which the driver names a place in its source before its process ended; empty if none does.

    Crashes with the same message have the same cause.
    """
    lines = [PROGRAM.sub("", line.strip()) for line in last_output_of(deviation).splitlines()]
    return next((line for line in lines if SOURCE_PLACE.search(line)), "")
