"""Clauses of a later revision that split an older clause's condition, and older clauses that it no longer has.

A later revision often has a list where an older one has a sentence. A part with a recurring condition, or with a
predicate of its own, is judged by that. For the remaining part, the older condition holds where none of the others
does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.engine.answers import UNKNOWN, Answer, May, Must, settle
from clconform.oracles.engine.gates import Gating, gating_of
from clconform.oracles.model.scope import scope_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from clconform.calls.call import Call
    from clconform.oracles.engine.answers import Predicate, Reply
    from clconform.oracles.model.world import Model
    from clconform.spec_tables import Tables
    from clconform.spec_tables.records import ErrorClause

EXACT = frozenset(
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


DROPPED = May("dropped-clause")
"""The predicate result for a clause that the document no longer has."""


def siblings_of(clause: ErrorClause, tables: Tables) -> list[ErrorClause]:
    """Return all parts of the older clause to which a clause belongs, itself included."""
    return [each for each in tables.clauses_of(clause.function) if each.part_of == clause.part_of]


def rest_of(whole: Predicate, others: Sequence[Predicate], *, alone: bool) -> Predicate:
    """Return the predicate of the remaining part of a condition, without the parts that have predicates of their own.

    ``alone``: the remaining part is one clause, or several that apply to the same devices. Otherwise it is unknown
    which of them must hold.
    """

    def holds(call: Call, model: Model) -> Answer | May | Must:
        """Hold where the older condition holds, and none of its other parts does."""
        reply = settle(whole, call, model)
        if not isinstance(reply, Must) and reply is not Answer.MUST:
            return reply
        if not alone or any(settle(each, call, model) is not Answer.NO for each in others):
            return UNKNOWN
        return reply

    return holds


def narrowed(whole: Predicate, own: Predicate, others: Sequence[Predicate]) -> Predicate:
    """Return the predicate of a part for which a rule selects its own cases of the older condition.

    ``others``: the rules of its siblings. Where the older condition must hold and none of these rules explains why,
    each part may hold.
    """

    def holds(call: Call, model: Model) -> Answer | May | Must:
        """Hold where the older condition holds, in a case of this part."""
        reply = settle(whole, call, model)
        if not isinstance(reply, Must) and reply is not Answer.MUST:
            return reply
        if settle(own, call, model) is Answer.MUST:
            return reply
        replies = (settle(each, call, model) for each in others)
        told = any(isinstance(each, Must) or each is Answer.MUST for each in replies)
        return Answer.NO if told and settle(own, call, model) is Answer.NO else UNKNOWN

    return holds


def where_it_applies(clause: ErrorClause, predicate: Predicate) -> Predicate:
    """Return the predicate of a part that does not hold where the part does not apply."""

    def holds(call: Call, model: Model) -> Reply:
        """Hold for the versions to which the part applies."""
        closed = gating_of(clause.gates, scope_of(call, model)) is Gating.CLOSED
        return Answer.NO if closed else predicate(call, model)

    return holds if clause.gates else predicate


def dropped(function: str, tables: Tables, older: Tables) -> Iterator[ErrorClause]:
    """Yield the clauses of older tables for a function whose id and parts are missing in these tables."""
    if function not in tables.functions:
        return
    parts = {clause.part_of for clause in tables.clauses_of(function)}
    for clause in older.clauses_of(function):
        if clause.id not in tables.records and clause.id not in parts and not clause.same_as:
            yield clause


def still_allowed(predicate: Predicate | None) -> Predicate | None:
    """Return the predicate of a clause that the document no longer has: its code is allowed where it was required."""
    if predicate is None:
        return None
    known = predicate

    def holds(call: Call, model: Model) -> Answer | May | Must:
        """May hold where the older clause must hold."""
        reply = settle(known, call, model)
        return DROPPED if isinstance(reply, Must) or reply is Answer.MUST else reply

    return holds
