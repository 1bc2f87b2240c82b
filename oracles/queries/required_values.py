"""Coverage points of the values of query types: a call covers a value if the query may return only this value."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.engine.judgements import SUCCESS
from clconform.oracles.engine.matchers import OneOf
from clconform.oracles.engine.rules import QueryCoverage, Rules
from clconform.oracles.queries.prose_rules import DEVICE
from clconform.spec_tables.lookups import TableLookups
from clconform.spec_tables.requirements import Query

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.oracles.engine.call_context import CompletedCall
    from clconform.spec_tables import Tables

rules = Rules()


@rules.completion
def _declare_coverage(rules: Rules, tables: Tables) -> None:
    """Declare a coverage point for each value of a query type, except types that are passed to creating functions.

    Queries of devices are excluded, since the driver decides which value they return.
    """
    lookups = TableLookups.for_tables(tables)
    made_with = {each.base for known in tables.functions.values() if known.creates for each in known.parameters}
    for query in [each for each in tables.requirements.values() if isinstance(each, Query)]:
        known = query.id in rules.expected_values.entries and query.shape == "scalar"
        if not known or query.function == DEVICE or query.type in made_with:
            continue
        of_bits = query.type in tables.types and tables.types[query.type].kind == "bitfield"
        for flag in lookups.flags_of(query.type):
            if flag.id not in rules.not_testable.entries and not flag.function:
                value = tables.enumerants[flag.name].value
                holds = QueryCoverage(
                    (query.name,), _is_only_allowed(query.name, value, of_bits=of_bits and value != 0)
                )
                words = (
                    f"If {flag.name} is the only value that the documents allow for an object, {query.name} returns it."
                )
                if of_bits and value:
                    words = (
                        f"If the only value that the documents allow for an object includes {flag.name}, the value of "
                        f"{query.name} includes it."
                    )
                rules.coverage_point(flag.id, query.function, words, query.id, holds=holds)


def _is_only_allowed(name: str, value: int, *, of_bits: bool) -> Callable[[CompletedCall], bool]:
    """Return a coverage condition: a query succeeded, and only ``value`` is allowed.

    ``of_bits``: instead, there is only one allowed value, and it contains the bit ``value``.
    """

    def holds(asked: CompletedCall) -> bool:
        question = asked.query_request
        if asked.code != SUCCESS or "param_value" not in asked.outputs or question is None:
            return False
        told = asked.rulebook.expected_value(question) if question.query.name == name else None
        if not isinstance(told, OneOf) or len(told.alternatives) != 1:
            return False
        only = told.alternatives[0]
        return len(only) == 1 and isinstance(only[0], int) and (bool(only[0] & value) if of_bits else only[0] == value)

    return holds
