"""Clauses of a later revision that hold parts of an older clause's condition, and older clauses that it lacks.

A later revision often says in a list what an older one says in a sentence. A part whose condition recurs in the tables,
or for which a predicate is written, is judged by that; for what is left, the older condition holds where none of these
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
"""Recurring conditions that say all of a part; others, such as an invalid value, may be worded like the whole."""


DROPPED = May("dropped-clause")
"""The answer of the predicate of a clause that the document no longer has."""


def siblings_of(clause: ErrorClause, tables: Tables) -> list[ErrorClause]:
    """Return the parts of the older clause that a clause is a part of, itself included."""
    return [each for each in tables.clauses_of(clause.function) if each.part_of == clause.part_of]


def rest_of(whole: Predicate, others: Sequence[Predicate], *, alone: bool) -> Predicate:
    """Return the predicate of what is left of a condition besides the parts that have predicates of their own.

    ``alone``: what is left is one clause, or several that apply to the same devices; otherwise it cannot be told which
    of them must hold.
    """

    def holds(call: Call, model: Model) -> Answer | May | Must:
        """Hold where the older condition does, and none of its other parts."""
        reply = settle(whole, call, model)
        if not isinstance(reply, Must) and reply is not Answer.MUST:
            return reply
        if not alone or any(settle(each, call, model) is not Answer.NO for each in others):
            return UNKNOWN
        return reply

    return holds


def narrowed(whole: Predicate, own: Predicate, others: Sequence[Predicate]) -> Predicate:
    """Return the predicate of a part for which is written what of the older condition is its own.

    ``others``: what is written for its siblings. Where the older condition must hold and none of them says why, each
    of them may.
    """

    def holds(call: Call, model: Model) -> Answer | May | Must:
        """Hold where the older condition does, for a reason of its own."""
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
    """Return the predicate of a part that does not hold where its gates leave it out."""

    def holds(call: Call, model: Model) -> Reply:
        """Hold on the versions that the part is about."""
        closed = gating_of(clause.gates, scope_of(call, model)) is Gating.CLOSED
        return Answer.NO if closed else predicate(call, model)

    return holds if clause.gates else predicate


def dropped(function: str, tables: Tables, older: Tables) -> Iterator[ErrorClause]:
    """Yield the clauses of a function that older tables have, and of which these have neither the id nor a part."""
    if function not in tables.functions:
        return
    parts = {clause.part_of for clause in tables.clauses_of(function)}
    for clause in older.clauses_of(function):
        if clause.id not in tables.records and clause.id not in parts and not clause.same_as:
            yield clause


def still_allowed(predicate: Predicate | None) -> Predicate | None:
    """Return the predicate of a clause that the document no longer has: its code is allowed where it had to come."""
    if predicate is None:
        return None
    known = predicate

    def holds(call: Call, model: Model) -> Answer | May | Must:
        """May hold where it had to."""
        reply = settle(known, call, model)
        return DROPPED if isinstance(reply, Must) or reply is Answer.MUST else reply

    return holds
