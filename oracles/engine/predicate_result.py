"""The result of a predicate: the condition must hold, may hold, does not hold, or the call is undefined."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, TypeAlias

from clconform.oracles.model.errors import NullObjectError, RelatedToNullError, UnknownFactError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from typing import NoReturn

    from clconform.calls.call import Call
    from clconform.oracles.model.state import Model


class Decision(Enum):
    """Whether a condition holds for a call; in ascending order of precedence."""

    NO = "no"
    MAY = "may"
    MUST = "must"
    UNDEFINED = "undefined"


@dataclass(frozen=True)
class PredicateResult:
    """The result of a predicate: ``NO``, ``MUST`` or ``UNDEFINED``, or a result of ``may``, ``must_by`` or ``must_if``.

    ``interpretation``: the id of the interpretation by which the condition may hold or must hold; empty if it follows
    from the documents alone.
    """

    decision: Decision
    interpretation: str = ""

    @property
    def is_must(self) -> bool:
        """Return whether the condition must hold, literally or by an interpretation."""
        return self.decision is Decision.MUST

    @property
    def is_may(self) -> bool:
        """Return whether it is unspecified or unknown whether the condition holds."""
        return self.decision is Decision.MAY

    if not TYPE_CHECKING:  # for type checkers, a class without this method is never a condition

        def __bool__(self) -> NoReturn:
            message = f"a predicate's result is used as a condition; test is_must or is_may: {self}"
            raise TypeError(message)


Predicate: TypeAlias = "Callable[[Call, Model], PredicateResult]"

NO = PredicateResult(Decision.NO)
MUST = PredicateResult(Decision.MUST)
UNDEFINED = PredicateResult(Decision.UNDEFINED)


def may(interpretation: str) -> PredicateResult:
    """Return the result of a predicate whose condition may hold, by an interpretation."""
    return PredicateResult(Decision.MAY, interpretation)


def must_by(interpretation: str) -> PredicateResult:
    """Return the result of a predicate whose condition must hold, by an interpretation."""
    return PredicateResult(Decision.MUST, interpretation)


def must_if(holds: bool) -> PredicateResult:  # noqa: FBT001 (the function name states its meaning)
    """Return ``MUST`` if the condition holds, else ``NO``."""
    return MUST if holds else NO


UNKNOWN = may("unknown-fact")
"""The result of a predicate that depends on a fact about the driver which was not queried."""
RELATED_TO_NULL = may("related-to-null")
"""The result of a predicate about the relation between NULL and another object."""
_PRECEDENCE = {decision: rank for rank, decision in enumerate(Decision)}


def evaluate(predicate: Predicate, call: Call, model: Model) -> PredicateResult:
    """Evaluate a predicate; a missing fact counts as may.

    If NULL is passed for an object, a clause about that object alone does not hold, and a clause about its relation to
    another object may hold.
    """
    try:
        return predicate(call, model)
    except NullObjectError:
        return NO
    except RelatedToNullError:
        return RELATED_TO_NULL
    except UnknownFactError:
        return UNKNOWN


def strongest_result(results: Iterable[PredicateResult]) -> PredicateResult:
    """Return the first of these results that occurs: undefined, must, must by an interpretation, may, no."""
    return max(results, key=_strength, default=NO)


def _strength(result: PredicateResult) -> tuple[int, bool]:
    return _PRECEDENCE[result.decision], result is MUST


def find_held(texts: Mapping[Predicate, str], call: Call, model: Model) -> Iterator[str]:
    """Yield the text of each predicate by which a condition must hold for a call."""
    return (text for predicate, text in texts.items() if evaluate(predicate, call, model).is_must)
