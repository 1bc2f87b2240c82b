"""Matchers for query values that rules derive from the state of an object."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from clconform.oracles.engine.matchers import OneOf, Satisfies
from clconform.oracles.engine.wording import cite_interpretation

if TYPE_CHECKING:
    from clconform.oracles.engine.interpretation import InterpretationId
    from clconform.oracles.engine.matchers import Element, Values
    from clconform.oracles.model.cl_object import ClObject
    from clconform.oracles.queries.query_request import QueryRequest

AllowedValues: TypeAlias = "tuple[tuple[int | str | None, ...], ...]"
"""The allowed values of a query, each as a tuple of elements; empty if they are unknown."""


def expect_exactly(request: QueryRequest, value: Element) -> OneOf:
    """Expect exactly ``value``, as the only element."""
    return OneOf(((value,),), (request.query.id,))


def expect_at_least(
    request: QueryRequest, least: int, interpretation: InterpretationId, most: int | None = None
) -> Satisfies:
    """Expect a number that is at least ``least``, by an interpretation; the simulated platform returns ``least``.

    ``most``: the largest number that is possible at all, if it is known and not less than ``least``.
    """
    limit = most if most is not None and most >= least else None

    def enough(seen: Values) -> bool:
        number = seen[0] if seen and isinstance(seen[0], int) else -1
        return number >= least and (limit is None or number <= limit)

    words = f"at least {least}" if limit is None else f"{least} to {limit}"
    return Satisfies(enough, cite_interpretation(words, interpretation), (request.query.id,), (least,))


def expect_one_of(request: QueryRequest, alternatives: AllowedValues) -> OneOf | None:
    """Expect one of ``alternatives``, which lists the simplest first; return None if it is empty."""
    return OneOf(alternatives, (request.query.id,)) if alternatives else None


def expect_handle(request: QueryRequest, expected: ClObject | None) -> OneOf | None:
    """Expect the handle of ``expected``, or NULL if it is None; return None if the object was released."""
    if expected is None:
        return expect_exactly(request, None)
    return expect_exactly(request, expected.name) if request.model.objects.get(expected.name) is expected else None
