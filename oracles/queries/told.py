"""Expected values of queries, for the rules that derive them from the state of an object."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from clconform.oracles.engine.wants import OneOf, Such
from clconform.oracles.engine.wording import by_entry

if TYPE_CHECKING:
    from clconform.oracles.engine.answers import May
    from clconform.oracles.engine.wants import Element, Values
    from clconform.oracles.model.cl_object import ClObject
    from clconform.oracles.queries.questions import Question

Answers: TypeAlias = "tuple[tuple[int | str | None, ...], ...]"
"""The allowed values of a query, each with its elements; empty if nothing is known."""


def exactly(question: Question, value: Element) -> OneOf:
    """Expect a single value, of one element."""
    return OneOf(((value,),), (question.query.id,))


def at_least(question: Question, least: int, reading: May) -> Such:
    """Expect a number of at least ``least``, by an interpretation.

    The simulated platform returns that number.
    """

    def enough(seen: Values) -> bool:
        return bool(seen) and isinstance(seen[0], int) and seen[0] >= least

    return Such(enough, by_entry(f"at least {least}", reading), (question.query.id,), (least,))


def either(question: Question, alternatives: Answers) -> OneOf | None:
    """Expect one of several values, the simplest first; None if there are none."""
    return OneOf(alternatives, (question.query.id,)) if alternatives else None


def named(question: Question, thing: ClObject | None) -> OneOf | None:
    """Expect an object's handle, or NULL for None; return None if the object was released."""
    if thing is None:
        return exactly(question, None)
    return exactly(question, thing.name) if question.model.things.get(thing.name) is thing else None
