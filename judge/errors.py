"""What can end an example or a run, told apart: the driver's doing, the generator's, and our own."""

from __future__ import annotations


class ExampleOverError(Exception):
    """The driver's process is gone, and with it every object of the example; what was seen is in the journal."""


class UndefinedCallError(Exception):
    """The call's behaviour is undefined, so it was not sent: the generator should not have made it."""


class DeviationError(AssertionError):
    """The driver deviated while an item ran; the message names every clause, what it allows and what came back."""
