"""The result of a predicate: the clause must hold, may hold, does not hold, or the call is undefined."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, TypeAlias

from clconform.oracles.model.errors import NullObjectError, RelatedToNullError, UnknownFactError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from clconform.calls.call import Call
    from clconform.oracles.model.state import Model


class Decision(Enum):
    """The result of a predicate without an interpretation: the condition does not hold, must hold, or is undefined."""

    NO = "no"
    MUST = "must"
    UNDEFINED = "undefined"


@dataclass(frozen=True)
class May:
    """It is unspecified whether the clause holds; ``interpretation``: the id of the applicable interpretation."""

    interpretation: str


@dataclass(frozen=True)
class Must:
    """The clause holds by an interpretation; ``interpretation``: its id."""

    interpretation: str


UNKNOWN = May("unknown-fact")
"""The result of a predicate that depends on a fact about the driver which was not queried."""
RELATED_TO_NULL = May("related-to-null")
"""The result of a predicate about the relation between NULL and another object."""

PredicateResult: TypeAlias = "Decision | May | Must | bool"
Predicate: TypeAlias = "Callable[[Call, Model], PredicateResult]"


def evaluate(predicate: Predicate, call: Call, model: Model) -> Decision | May | Must:
    """Evaluate a predicate; True counts as must, False as no, a missing fact as may.

    If NULL is passed for an object, a clause about that object alone does not hold, and a clause about its relation to
    another object may hold.
    """
    try:
        reply = predicate(call, model)
    except NullObjectError:
        return Decision.NO
    except RelatedToNullError:
        return RELATED_TO_NULL
    except UnknownFactError:
        return UNKNOWN
    if isinstance(reply, bool):
        return Decision.MUST if reply else Decision.NO
    return reply


def is_must(result: PredicateResult) -> bool:
    """Return whether a condition must hold by the result of its predicate, literally or by an interpretation."""
    return result is True or result is Decision.MUST or isinstance(result, Must)


def find_held(texts: Mapping[Predicate, str], call: Call, model: Model) -> Iterator[str]:
    """Yield the text of each predicate by which a condition must hold for a call."""
    return (text for predicate, text in texts.items() if is_must(evaluate(predicate, call, model)))
