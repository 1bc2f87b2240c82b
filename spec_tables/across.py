"""Ids across revisions: rules and suites use the ids of the default tables; other tables may differ."""

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
    """Return the requirement with an id, from the tables or else the default tables; KeyError if neither has it."""
    return tables.records.get(record) or default().records[record]


def as_before(clause: ErrorClause) -> ErrorClause:
    """Return an error condition with the recurring kind that it has in the default tables, if it has one only there.

    One id stands for one condition, whatever the wording, unless the wordings have not been compared yet.
    """
    older = default().records.get(clause.id)
    if not isinstance(older, ErrorClause) or clause.reworded or clause.condition.kind != OTHER:
        return clause
    return msgspec.structs.replace(clause, condition=older.condition)


def twin_of(name: str, tables: Tables) -> str:
    """Return the extension's name of a promoted function or query, if the older tables have it; else empty.

    A promoted feature behaves as in the extension; only names that the default tables lack have such a name.
    """
    older = default()
    if name in older.functions or name in older.records:
        return ""
    twins = (f"{name}KHR", f"{name}_KHR")
    known = (each for each in twins if each in tables.functions or each in tables.records)
    return next((each for each in known if each in older.functions or each in older.records), "")


def clause_of_twin(clause: ErrorClause, tables: Tables) -> ErrorClause | None:
    """Return the error condition with the same sentence of the extension's function, or None."""
    twin = twin_of(clause.function, tables) if clause.function else ""
    if not twin:
        return None
    same = (each for each in tables.clauses_of(twin) if (each.code, each.digest) == (clause.code, clause.digest))
    return next(same, None)


def twins_in_prose(tables: Tables) -> dict[str, str]:
    """Return the ids of sentences about promoted features, each with the id of the extension's equal sentence."""
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
    """Return the topic that determines an effect's rule: the default tables' topic for its id or for ``twin``."""
    older = default().records
    known = older.get(effect.id) or older.get(twin)
    return known.topic if isinstance(known, Effect) else effect.topic


def in_place_of(pattern: str, tables: Tables) -> tuple[str, ...]:
    """Return a pattern of ids, or the parts of the older error condition that it names."""
    return (pattern,) if pattern in tables.records else tables.parts_of(pattern) or (pattern,)


def parts_among(records: Iterable[str], tables: Tables) -> tuple[str, ...]:
    """Return the ids that these tables have for requirements: an unknown one is replaced by its parts, if any."""
    found: dict[str, None] = {}
    for record in records:
        if record in tables.records:
            found[record] = None
        else:
            found.update(dict.fromkeys(tables.parts_of(record)))
    return tuple(found)
