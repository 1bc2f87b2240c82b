"""The errors that end an example or a run: caused by the driver, by the generator, or by us."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from clconform.calls.call import Call


class ExampleOverError(Exception):
    """The driver's process has ended, and with it every object of the example; the journal has what was seen."""


class UndefinedCallError(Exception):
    """The call's behaviour is undefined, so it was not made: a bug of the generator."""

    def __init__(self, message: str, call: Call | None = None) -> None:
        super().__init__(message)
        self.call = call


class JudgingError(Exception):
    """An exception in our own code while a call was judged or recorded: never the driver's fault."""


class OwnWorkError(Exception):
    """The controlling process has worked for too long by itself, between two calls of an item."""


class DeviationError(AssertionError):
    """The driver deviated while an item ran; the message names every clause, what it allows and what was observed."""


class ExpectedDeviationError(DeviationError):
    """The driver deviated, but only with known deviations."""


class NotNowError(ValueError):
    """A call may not be made or begun while others are under way on lanes, or not on a lane."""
