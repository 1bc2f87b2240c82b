"""The errors of the harness itself: nothing to test was found, or a call cannot be expressed in C.

What a *driver* does wrong is never an exception: it is the outcome of a call.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from clconform.calls.call import Call, Died, Hung


class HarnessError(Exception):
    """No driver was found, or a worker ended between calls; the message is one line that says what to do."""


class StartError(HarnessError):
    """The driver is there, but its process ended or hung in its first queries.

    ``call``: the one that was under way. ``outcome``: how it ended.
    """

    def __init__(self, message: str, call: Call | None = None, outcome: Died | Hung | None = None) -> None:
        super().__init__(message)
        self.call = call
        self.outcome = outcome


class BadCall(ValueError):  # noqa: N818 (it names what was handed in)
    """The call does not fit its prototype (unknown function, missing argument, a number that does not fit)."""


def one_line(text: str, limit: int = 400) -> str:
    """Fold white space and control characters of a driver's or a system's message into one short line."""
    folded = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    return folded if len(folded) <= limit else folded[: limit - 1] + "…"
