"""What the model does not know, and illegal memory access: raised by the functions that look it up."""

from __future__ import annotations


class UnknownError(Exception):
    """A rule asked for a fact that the model does not have; a clause may then hold or not."""


class NullError(UnknownError):
    """A rule asked about an object that is NULL: the clause does not cover that."""


class BesideNullError(UnknownError):
    """A rule asked about the relation of objects of which one is NULL; the documents do not define it."""


class ForbiddenError(Exception):
    """What a call would do to memory is undefined even if it succeeds; the message says why."""


class LeftOpenError(ForbiddenError):
    """No document says what such a call does, so it is never made; ``interpretation``: the register's entry."""

    def __init__(self, interpretation: str) -> None:
        super().__init__(f"its behaviour is not specified: {interpretation}")
        self.interpretation = interpretation
