"""Ids across revisions: rules and suites use the ids of the default tables; other tables may differ."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from clconform.spec_tables.loading import load_default
from clconform.spec_tables.requirements import Effect, ErrorCondition

if TYPE_CHECKING:
    from collections.abc import Iterable

    from clconform.spec_tables.loading import Tables
    from clconform.spec_tables.requirements import Requirement

OTHER_KIND = "other"
"""The kind of a condition that does not recur."""


def find_requirement(requirement: str, tables: Tables) -> Requirement:
    """Return the requirement with an id, from the tables or else the default tables; KeyError if neither has it."""
    return tables.requirements.get(requirement) or load_default().requirements[requirement]


def with_default_condition(clause: ErrorCondition) -> ErrorCondition:
    """Return an error condition, with the condition of the default tables if it does not recur in its own tables.

    One id stands for one condition, whatever the wording, unless the wordings have not been compared yet.
    """
    older = load_default().requirements.get(clause.id)
    if not isinstance(older, ErrorCondition) or clause.reworded or clause.condition.kind != OTHER_KIND:
        return clause
    return msgspec.structs.replace(clause, condition=older.condition)


def extension_name_of(name: str, tables: Tables) -> str:
    """Return the name that a promoted function or query has in its extension; empty if there is none.

    A promoted feature behaves as in the extension. Only names that the default tables lack have such a name, and the
    default tables must contain it.
    """
    older = load_default()
    if name in older.functions or name in older.requirements:
        return ""
    twins = (f"{name}KHR", f"{name}_KHR")
    known = (each for each in twins if each in tables.functions or each in tables.requirements)
    return next((each for each in known if each in older.functions or each in older.requirements), "")


def extension_condition_of(clause: ErrorCondition, tables: Tables) -> ErrorCondition | None:
    """Return the error condition of the extension's function with the same code and sentence, or None."""
    twin = extension_name_of(clause.function, tables) if clause.function else ""
    if not twin:
        return None
    same = (
        each for each in tables.error_conditions_of(twin) if (each.code, each.digest) == (clause.code, clause.digest)
    )
    return next(same, None)


def find_extension_sentences(tables: Tables) -> dict[str, str]:
    """Return the ids of sentences about promoted features, each with the id of the equal sentence of the extension."""
    found: dict[str, str] = {}
    older = load_default()
    by_family: dict[str, dict[str, str]] = {}
    for requirement in tables.requirements.values():
        if requirement.id in older.requirements and not isinstance(requirement, ErrorCondition):
            by_family.setdefault(requirement.id.partition("/")[0], {})[_sentence_key(requirement)] = requirement.id
    for requirement in tables.requirements.values():
        twin = (
            ""
            if requirement.id in older.requirements or isinstance(requirement, ErrorCondition)
            else _extension_family(requirement, tables)
        )
        same = by_family.get(twin, {}).get(_sentence_key(requirement)) if twin else None
        if same is not None:
            found[requirement.id] = same
    return found


def _sentence_key(requirement: Requirement) -> str:
    return f"{type(requirement).__name__} {requirement.digest}"


def _extension_family(requirement: Requirement, tables: Tables) -> str:
    return extension_name_of(requirement.id.partition("/")[0], tables)


def find_topic(effect: Effect, extension_id: str = "") -> str:
    """Return the topic that determines an effect's rule: its topic in the default tables, or else its own.

    The default tables have the topic for its id or for ``extension_id``, the id of the equal sentence of the extension.
    """
    older = load_default().requirements
    known = older.get(effect.id) or older.get(extension_id)
    return known.topic if isinstance(known, Effect) else effect.topic


def resolve_pattern(pattern: str, tables: Tables) -> tuple[str, ...]:
    """Return a pattern of ids as a tuple; the id of an older error condition is replaced by the ids of its parts."""
    return (pattern,) if pattern in tables.requirements else tables.parts_of(pattern) or (pattern,)


def resolve_ids(requirements: Iterable[str], tables: Tables) -> tuple[str, ...]:
    """Return the ids that these tables have for requirements: an id that they lack is replaced by its parts, if any."""
    found: dict[str, None] = {}
    for requirement in requirements:
        if requirement in tables.requirements:
            found[requirement] = None
        else:
            found.update(dict.fromkeys(tables.parts_of(requirement)))
    return tuple(found)
