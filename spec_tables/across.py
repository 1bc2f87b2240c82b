"""Ids across revisions: rules and suites name those of the default tables, and other tables may have them otherwise."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from clconform.spec_tables.loading import default
from clconform.spec_tables.records import Effect, ErrorClause

if TYPE_CHECKING:
    from collections.abc import Iterable

    from clconform.spec_tables.loading import Tables
    from clconform.spec_tables.records import Record

OTHER = "other"
"""The kind of a condition that does not recur."""


def record_named(record: str, tables: Tables) -> Record:
    """Return the record of an id: that of the tables, else that of the default ones, for whose ids rules are written.

    KeyError where neither has it.
    """
    return tables.records.get(record) or default().records[record]


def as_before(clause: ErrorClause) -> ErrorClause:
    """Return a clause with the condition that it has in the default tables, where it is a recurring one only there.

    One id means one condition, whatever the wording, unless nobody has compared the two.
    """
    older = default().records.get(clause.id)
    if not isinstance(older, ErrorClause) or clause.reworded or clause.condition.kind != OTHER:
        return clause
    return msgspec.structs.replace(clause, condition=older.condition)


def twin_of(name: str, tables: Tables) -> str:
    """Return the name that a function or query has in the extension that it comes from, where older tables know that.

    What became a part of the core does what it did in the extension; only what the default tables lack has a twin.
    """
    older = default()
    if name in older.functions or name in older.records:
        return ""
    twins = (f"{name}KHR", f"{name}_KHR")
    known = (each for each in twins if each in tables.functions or each in tables.records)
    return next((each for each in known if each in older.functions or each in older.records), "")


def clause_of_twin(clause: ErrorClause, tables: Tables) -> ErrorClause | None:
    """Return the clause with the same sentence that the function of the extension has, or None."""
    twin = twin_of(clause.function, tables) if clause.function else ""
    if not twin:
        return None
    same = (each for each in tables.clauses_of(twin) if (each.code, each.digest) == (clause.code, clause.digest))
    return next(same, None)


def twins_in_prose(tables: Tables) -> dict[str, str]:
    """Return the ids of sentences about what came from an extension, each with that of the same one about its twin."""
    found: dict[str, str] = {}
    older = default()
    by_family: dict[str, dict[str, str]] = {}
    for record in tables.records.values():
        if record.id in older.records and not isinstance(record, ErrorClause):
            by_family.setdefault(record.id.partition("/")[0], {})[_sentence(record)] = record.id
    for record in tables.records.values():
        twin = "" if record.id in older.records or isinstance(record, ErrorClause) else _family_of_twin(record, tables)
        same = by_family.get(twin, {}).get(_sentence(record)) if twin else None
        if same is not None:
            found[record.id] = same
    return found


def _sentence(record: Record) -> str:
    return f"{type(record).__name__} {record.digest}"


def _family_of_twin(record: Record, tables: Tables) -> str:
    return twin_of(record.id.partition("/")[0], tables)


def topic_of(effect: Effect, twin: str = "") -> str:
    """Return the topic by which an effect has a rule: that in the default tables, under its id or its twin's."""
    older = default().records
    known = older.get(effect.id) or older.get(twin)
    return known.topic if isinstance(known, Effect) else effect.topic


def in_place_of(pattern: str, tables: Tables) -> tuple[str, ...]:
    """Return a pattern of ids, or the parts of the older clause that it names."""
    return (pattern,) if pattern in tables.records else tables.parts_of(pattern) or (pattern,)


def parts_among(records: Iterable[str], tables: Tables) -> tuple[str, ...]:
    """Return records by their ids in these tables: one that they lack by its parts, or not at all."""
    found: dict[str, None] = {}
    for record in records:
        if record in tables.records:
            found[record] = None
        else:
            found.update(dict.fromkeys(tables.parts_of(record)))
    return tuple(found)
