"""The two errors of the harness itself: nothing to test was found, or a call cannot be expressed in C.

What a *driver* does wrong is never an exception: it is the outcome of a call.
"""

from __future__ import annotations


class HarnessError(Exception):
    """No driver was found, or a worker ended between calls; the message is one line that says what to do."""


class BadCall(ValueError):  # noqa: N818 (it names what was handed in)
    """The call does not fit its prototype (unknown function, missing argument, a number that does not fit)."""


def one_line(text: str, limit: int = 400) -> str:
    """Fold white space and control characters of a driver's or a system's message into one short line."""
    folded = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    return folded if len(folded) <= limit else folded[: limit - 1] + "…"
