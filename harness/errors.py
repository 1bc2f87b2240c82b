"""Errors of the harness: no driver was found, or a call cannot be expressed in C.

A failure of the driver is the outcome of a call and not an exception. The only exception is a failed start
(``StartError``), because there is no worker yet that could return an outcome.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from clconform.calls.call import Call, Died, Hung


class HarnessError(Exception):
    """No driver was found, or a worker ended between calls; the message is one line with the remedy."""


class StartError(HarnessError):
    """An existing driver ended its process, or hung, while a worker was starting.

    ``call``: the call in flight; None while the driver is being loaded. ``outcome``: the outcome of that call.
    """

    def __init__(self, message: str, call: Call | None, outcome: Died | Hung) -> None:
        super().__init__(message)
        self.call, self.outcome = call, outcome


class ProcessShortageError(HarnessError):
    """The driver's process lacks resources, and it is unknown who has used them; the message is one line."""


class ConnectionLostError(HarnessError):
    """The connection to the machine of the driver was lost, so that the outcome of a call is unknown.

    The message is one line. It is never evidence against the driver, unless the machine goes down repeatedly.
    """


class UnreachableError(ConnectionLostError):
    """A machine that was reached before cannot be reached any more, although it was waited for."""


class BadCall(ValueError):  # noqa: N818 (names the invalid input)
    """The call does not match its prototype: unknown function, missing argument, or number out of range."""


def fold_line(text: str, limit: int = 400) -> str:
    """Return a driver's or a system's message as one short line, with white space and control characters folded."""
    folded = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    return folded if len(folded) <= limit else folded[: limit - 1] + "…"
