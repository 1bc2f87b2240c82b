"""What the model cannot say, and what may not be done to memory: raised by whoever asks it."""

from __future__ import annotations


class UnknownError(Exception):
    """A rule asked for a fact that the model does not have; a clause may then hold or not."""


class NullError(UnknownError):
    """A rule asked for what an object is like where NULL stands for it: the clause says nothing of that."""


class BesideNullError(UnknownError):
    """A rule asked how objects belong together where NULL stands for one; the documents do not say."""


class ForbiddenError(Exception):
    """What a call would do to memory is undefined even if it succeeds; the message says why."""


class LeftOpenError(ForbiddenError):
    """No document says what such a call does, so it is never made; ``interpretation``: the register's entry."""

    def __init__(self, interpretation: str) -> None:
        super().__init__(f"no document says what it does: {interpretation}")
        self.interpretation = interpretation
