"""Exceptions of rules and of lookups in the model: unknown facts, NULL objects, undefined behaviour."""

from __future__ import annotations


class UnknownFactError(Exception):
    """A rule depends on a fact that the model does not know; a clause may then hold or not."""


class NullObjectError(UnknownFactError):
    """A clause about an object is evaluated with NULL for that object; the clause then does not hold."""


class RelatedToNullError(UnknownFactError):
    """A rule about the relation of two objects is evaluated with NULL for one of them; its result is unspecified."""


class UndefinedBehaviourError(Exception):
    """The memory effect of a call is undefined even if the call succeeds; the message contains the reason."""


class UnspecifiedBehaviourError(UndefinedBehaviourError):
    """The effect of a call is unspecified, so the call is never made; ``interpretation``: the interpretation's id."""

    def __init__(self, interpretation: str) -> None:
        super().__init__(f"its behaviour is not specified: {interpretation}")
        self.interpretation = interpretation
