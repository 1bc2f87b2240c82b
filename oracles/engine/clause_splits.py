"""Clauses of a later revision that are parts of an older clause, and older clauses that the later revision removed.

A later revision often has a list of clauses where an older revision has one sentence. Each of these clauses is a part
of the older clause. A part with a recurring condition or with its own predicate is judged by this condition or
predicate. The remaining part must hold if the older condition must hold and none of the judged parts holds. At least
one part also allows what the older clause allows by an interpretation.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.engine.applicability import Applicability, applicability_of
from clconform.oracles.engine.predicate_result import MUST, NO, UNKNOWN, Predicate, PredicateResult, evaluate, may
from clconform.oracles.model.call_scope import scope_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from clconform.calls.call import Call
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
"""Recurring conditions that express a part completely.

A condition of another kind, such as an invalid value, may have the same text as the whole older clause.
"""


REMOVED_CLAUSE = may("removed-clause")
"""The predicate result for an older clause that the later revision removed."""


def find_siblings(clause: ErrorCondition, tables: Tables) -> list[ErrorCondition]:
    """Return all parts of the older clause of which ``clause`` is a part, including ``clause``."""
    return [each for each in tables.error_conditions_of(clause.function) if each.part_of == clause.part_of]


def remainder_predicate(whole: Predicate, others: Sequence[Predicate], *, alone: bool) -> Predicate:
    """Return the predicate of a remaining part: a part of an older clause that does not have its own predicate.

    ``whole``: the predicate of the older clause. ``others``: the predicates of the parts that have one. ``alone``: all
    remaining parts apply to the same devices. Otherwise it is unknown which remaining part must hold.
    """

    def holds(call: Call, model: Model) -> PredicateResult:
        """The older condition holds, and its other parts do not hold."""
        reply = evaluate(whole, call, model)
        if not reply.is_must:
            return reply
        if not alone or any(evaluate(each, call, model) is not NO for each in others):
            return UNKNOWN
        return reply

    return holds


def narrowed_predicate(whole: Predicate, own: Predicate, others: Sequence[Predicate]) -> Predicate:
    """Return the predicate of a part of an older clause, where the part's rule selects cases of the older condition.

    ``whole``: the predicate of the older clause. ``own``: the rule of this part. ``others``: the rules of the remaining
    parts. If the older condition must hold, and the rules do not select a part, every part may hold.
    """

    def holds(call: Call, model: Model) -> PredicateResult:
        """The older condition and the rule of this part hold."""
        reply = evaluate(whole, call, model)
        if not reply.is_must:
            return reply
        if evaluate(own, call, model) is MUST:
            return reply
        replies = (evaluate(each, call, model) for each in others)
        is_selected = any(each.is_must for each in replies)
        return NO if is_selected and evaluate(own, call, model) is NO else UNKNOWN

    return holds


def with_interpretations(own: Predicate, whole: Predicate) -> Predicate:
    """Return the predicate of a part that also allows what the older clause allows by an interpretation.

    ``own``: the predicate of this part. ``whole``: the predicate of the older clause.
    """

    def holds(call: Call, model: Model) -> PredicateResult:
        """The condition of this part holds, or the older condition may hold."""
        reply = evaluate(own, call, model)
        older = evaluate(whole, call, model) if reply is NO else NO
        return older if older.is_may else reply

    return holds


def restrict_to_applicable(clause: ErrorCondition, predicate: Predicate) -> Predicate:
    """Return a predicate that is *no* if the part does not apply to the call, and otherwise ``predicate``."""

    def holds(call: Call, model: Model) -> PredicateResult:
        """The part applies to the call, and its condition holds."""
        closed = applicability_of(clause.applicability, scope_of(call, model)) is Applicability.NOT_APPLICABLE
        return NO if closed else predicate(call, model)

    return holds if clause.applicability else predicate


def find_removed_clauses(function: str, tables: Tables, older: Tables) -> Iterator[ErrorCondition]:
    """Yield the function's clauses in ``older`` for which ``tables`` has neither the id nor a part."""
    if function not in tables.functions:
        return
    parts = {clause.part_of for clause in tables.error_conditions_of(function)}
    for clause in older.error_conditions_of(function):
        if clause.id not in tables.requirements and clause.id not in parts and not clause.inherited_from:
            yield clause


def weaken_to_may(predicate: Predicate | None) -> Predicate | None:
    """Return the predicate of a removed clause: its code is allowed where the older revision requires it."""
    if predicate is None:
        return None
    known = predicate

    def holds(call: Call, model: Model) -> PredicateResult:
        """The older clause holds; the result is *may* instead of *must*."""
        reply = evaluate(known, call, model)
        return REMOVED_CLAUSE if reply.is_must else reply

    return holds
