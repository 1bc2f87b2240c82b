"""Clauses of a later revision that split an older clause's condition, and older clauses that it no longer has.

A later revision often has a list where an older one has a sentence. A part with a recurring condition, or with a
predicate of its own, is judged by that. For the remaining part, the older condition holds where none of the others
does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.engine.applicability import Applicability, applicability_of
from clconform.oracles.engine.predicate_result import UNKNOWN, Decision, May, Must, evaluate
from clconform.oracles.model.call_scope import scope_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from clconform.calls.call import Call
    from clconform.oracles.engine.predicate_result import Predicate, PredicateResult
    from clconform.oracles.model.state import Model
    from clconform.spec_tables import Tables
    from clconform.spec_tables.requirements import ErrorCondition

EXACT_CONDITIONS = frozenset(
    {
        "all-null",
        "context-mismatch",
        "invalid-object",
        "invalid-object-in-list",
        "not-null-parameter",
        "null-parameter",
        "null-with-count",
        "pointer-without-count",
        "zero-or-null-parameter",
        "zero-parameter",
    }
)
"""Recurring conditions that express a part completely; others, such as an invalid value, may be worded like the
whole."""


REMOVED_CLAUSE = May("removed-clause")
"""The predicate result for a clause that the document no longer has."""


def find_siblings(clause: ErrorCondition, tables: Tables) -> list[ErrorCondition]:
    """Return all parts of the older clause to which a clause belongs, itself included."""
    return [each for each in tables.error_conditions_of(clause.function) if each.part_of == clause.part_of]


def remainder_predicate(whole: Predicate, others: Sequence[Predicate], *, alone: bool) -> Predicate:
    """Return the predicate of the remaining part of a condition, without the parts that have predicates of their own.

    ``alone``: the remaining part is one clause, or several that apply to the same devices. Otherwise it is unknown
    which of them must hold.
    """

    def holds(call: Call, model: Model) -> Decision | May | Must:
        """Hold where the older condition holds, and none of its other parts does."""
        reply = evaluate(whole, call, model)
        if not isinstance(reply, Must) and reply is not Decision.MUST:
            return reply
        if not alone or any(evaluate(each, call, model) is not Decision.NO for each in others):
            return UNKNOWN
        return reply

    return holds


def narrowed_predicate(whole: Predicate, own: Predicate, others: Sequence[Predicate]) -> Predicate:
    """Return the predicate of a part for which a rule selects its own cases of the older condition.

    ``others``: the rules of its siblings. Where the older condition must hold and none of these rules explains why,
    each part may hold.
    """

    def holds(call: Call, model: Model) -> Decision | May | Must:
        """Hold where the older condition holds, in a case of this part."""
        reply = evaluate(whole, call, model)
        if not isinstance(reply, Must) and reply is not Decision.MUST:
            return reply
        if evaluate(own, call, model) is Decision.MUST:
            return reply
        replies = (evaluate(each, call, model) for each in others)
        told = any(isinstance(each, Must) or each is Decision.MUST for each in replies)
        return Decision.NO if told and evaluate(own, call, model) is Decision.NO else UNKNOWN

    return holds


def restrict_to_applicable(clause: ErrorCondition, predicate: Predicate) -> Predicate:
    """Return the predicate of a part that does not hold where the part does not apply."""

    def holds(call: Call, model: Model) -> PredicateResult:
        """Hold for the versions to which the part applies."""
        closed = applicability_of(clause.applicability, scope_of(call, model)) is Applicability.NOT_APPLICABLE
        return Decision.NO if closed else predicate(call, model)

    return holds if clause.applicability else predicate


def find_removed_clauses(function: str, tables: Tables, older: Tables) -> Iterator[ErrorCondition]:
    """Yield the clauses of older tables for a function whose id and parts are missing in these tables."""
    if function not in tables.functions:
        return
    parts = {clause.part_of for clause in tables.error_conditions_of(function)}
    for clause in older.error_conditions_of(function):
        if clause.id not in tables.requirements and clause.id not in parts and not clause.inherited_from:
            yield clause


def weaken_to_may(predicate: Predicate | None) -> Predicate | None:
    """Return the predicate of a clause that the document no longer has: its code is allowed where it was required."""
    if predicate is None:
        return None
    known = predicate

    def holds(call: Call, model: Model) -> Decision | May | Must:
        """May hold where the older clause must hold."""
        reply = evaluate(known, call, model)
        return REMOVED_CLAUSE if isinstance(reply, Must) or reply is Decision.MUST else reply

    return holds
