"""The two ways in which the harness itself fails: nothing to test was reached, or a call cannot be put into C.

What a *driver* does wrong is never an exception: it is the outcome of a call.
"""

from __future__ import annotations


class HarnessError(Exception):
    """No driver was reached, or a worker was lost between calls; one line that says what to do."""


class BadCall(ValueError):  # noqa: N818 (it names what was handed in)
    """The call makes no sense for its prototype (unknown function, missing argument, a number that does not fit)."""


def one_line(text: str, limit: int = 400) -> str:
    """Fold white space and control characters of a driver's or a system's message into one short line."""
    folded = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    return folded if len(folded) <= limit else folded[: limit - 1] + "…"
