"""The errors of the harness itself: nothing to test was found, or a call cannot be expressed in C.

What a *driver* does wrong is never an exception: it is the outcome of a call. The one exception to this is its start,
since there is no worker yet that could return an outcome: ``StartError``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from clconform.calls.call import Call, Died, Hung


class HarnessError(Exception):
    """No driver was found, or a worker ended between calls; the message is one line that says what to do."""


class StartError(HarnessError):
    """A driver that is there ended its process, or did not answer, while a worker was starting.

    ``call``: the call that was under way; None if the driver was still being loaded. ``outcome``: what became of it.
    """

    def __init__(self, message: str, call: Call | None, outcome: Died | Hung) -> None:
        super().__init__(message)
        self.call, self.outcome = call, outcome


class BadCall(ValueError):  # noqa: N818 (it names what was handed in)
    """The call does not fit its prototype (unknown function, missing argument, a number that does not fit)."""


def one_line(text: str, limit: int = 400) -> str:
    """Fold white space and control characters of a driver's or a system's message into one short line."""
    folded = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    return folded if len(folded) <= limit else folded[: limit - 1] + "…"
