"""Exceptions of lookups in the model: unknown facts, and illegal memory access."""

from __future__ import annotations


class UnknownFactError(Exception):
    """A rule needs a fact that the model does not have; a clause may then hold or not."""


class NullObjectError(UnknownFactError):
    """A rule concerns an object that is NULL: the clause does not cover that."""


class RelatedToNullError(UnknownFactError):
    """A rule concerns the relation between objects of which one is NULL; the documents do not define it."""


class UndefinedBehaviourError(Exception):
    """The memory effect of a call is undefined even if it succeeds; the message gives the reason."""


class UnspecifiedBehaviourError(UndefinedBehaviourError):
    """The effect of such a call is unspecified, so it is never made; ``interpretation``: the interpretation's id."""

    def __init__(self, interpretation: str) -> None:
        super().__init__(f"its behaviour is not specified: {interpretation}")
        self.interpretation = interpretation
