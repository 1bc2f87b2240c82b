"""What can end an example or a run, told apart: the driver's doing, the generator's, and our own."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from clconform.calls.call import Call


class ExampleOverError(Exception):
    """The driver's process is gone, and with it every object of the example; what was seen is in the journal."""


class UndefinedCallError(Exception):
    """The call's behaviour is undefined, so it was not sent: the generator should not have made it."""

    def __init__(self, message: str, call: Call | None = None) -> None:
        super().__init__(message)
        self.call = call


class DeviationError(AssertionError):
    """The driver deviated while an item ran; the message names every clause, what it allows and what came back."""


class ExpectedDeviationError(DeviationError):
    """The driver deviated, and only as the file of known deviations says."""
