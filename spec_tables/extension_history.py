"""Compares revisions of an extension: what changed between the driver's revision and that of the tables.

Between two revisions of a provisional extension, prototypes, values and meanings may differ. The file
``extension_revisions.json`` lists what changed at each revision; everything else reads the same in both.
"""

from __future__ import annotations

import functools
import re
from fnmatch import translate
from typing import TYPE_CHECKING, TypeVar

import msgspec

from clconform.spec_tables.versions import version_numbers

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from clconform.spec_tables.entries import ApplicabilityCondition, Enumerant, Extension, Function, RevisionChange
    from clconform.spec_tables.requirements import Requirement

    _Entry = TypeVar("_Entry", Requirement, Function, Enumerant)


def add_history(extensions: Mapping[str, Extension], changes: Sequence[RevisionChange]) -> dict[str, Extension]:
    """Return the extensions, each with the changes between its revisions."""
    return {
        name: msgspec.structs.replace(each, history=found)
        if (found := tuple(change for change in changes if change.extension == name))
        else each
        for name, each in extensions.items()
    }


def add_changes(entry: _Entry, extensions: Mapping[str, Extension]) -> _Entry:
    """Return a requirement, function or value, with the changes of its text in its applicability conditions."""
    conditions = tuple(_add_to_condition(each, entry, extensions) for each in entry.applicability)
    return entry if conditions == entry.applicability else msgspec.structs.replace(entry, applicability=conditions)


def _add_to_condition(
    condition: ApplicabilityCondition, entry: Requirement | Function | Enumerant, extensions: Mapping[str, Extension]
) -> ApplicabilityCondition:
    if condition.subject != "extension":
        return condition
    changes = tuple(
        change
        for name in required_extensions(condition.name, extensions)
        for change in extensions[name].history
        if _concerns(change.names, entry)
    )
    return msgspec.structs.replace(condition, changes=changes) if changes else condition


def required_extensions(name: str, extensions: Mapping[str, Extension]) -> Iterator[str]:
    """Yield an extension and all extensions that it requires, if the tables have them."""
    known = extensions.get(name)
    if known is not None:
        yield name
        for each in known.requires:
            yield from required_extensions(each, extensions)


def _concerns(patterns: tuple[str, ...], entry: Requirement | Function | Enumerant) -> bool:
    """Return whether one of the patterns names an entry, its function, or the value that it is about."""
    if not patterns:
        return False
    matches = _compile_patterns(patterns)
    for attribute in ("id", "name", "function"):  # a loop, because this runs for each entry and each change
        name = getattr(entry, attribute, "")
        if name and matches(name):
            return True
    return False


@functools.cache
def _compile_patterns(patterns: tuple[str, ...]) -> Callable[[str], object]:
    """Return a function that matches names with patterns as ``fnmatchcase`` does."""
    return re.compile("|".join(map(translate, patterns))).match


def has_revision(history: Iterable[RevisionChange], revision: str) -> bool:
    """Return whether a history contains a revision."""
    return any(change.revision == revision for change in history)


@functools.cache
def find_change(changes: tuple[RevisionChange, ...], extension: str, tables: str, driver: str) -> RevisionChange | None:
    """Return the first change of an extension that separates the tables' revision from the driver's, or None."""
    return next(
        (
            change
            for change in changes
            if change.extension == extension and change.names and _separates(change, tables, driver)
        ),
        None,
    )


def _separates(change: RevisionChange, tables: str, driver: str) -> bool:
    earlier, later = sorted(map(_parse_revision, (tables, driver)))
    if earlier == later or (change.removal and _parse_revision(tables) == earlier):
        return False
    return earlier < _parse_revision(change.until or change.revision) and later >= _parse_revision(change.revision)


def _parse_revision(revision: str) -> tuple[int, ...]:
    return tuple(version_numbers(revision) or ())
