"""Loads the tables: once, typed, immutable and checked; errors name the file and the requirement."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TypeVar

import msgspec

from clconform.spec_tables import extension_history
from clconform.spec_tables.conditions import CIRCUMSTANCES, KINDS
from clconform.spec_tables.entries import RevisionChange, SentenceCount
from clconform.spec_tables.regular_files import read_regular_file
from clconform.spec_tables.requirements import (
    Callback,
    Document,
    Enumerant,
    Erratum,
    ErrorCondition,
    Extension,
    Function,
    Query,
    Requirement,
    SizeRule,
    Type,
)
from clconform.spec_tables.versions import version_numbers

REVISIONS = Path(__file__).with_name("data")
"""The folder with the data that all revisions share (ledger, classification), and with a folder for each revision."""
DEFAULT = "3.0.17"
DATA = REVISIONS / DEFAULT
REQUIREMENT_FILES = ("clauses", "outcomes", "prose", "queries", "limits", "schemes", "properties", "facts", "optional")
_REGENERATE = "regenerate it with 'clconform dev extract --documents DIR'"
_Row = TypeVar("_Row")
_Kind = TypeVar("_Kind", bound=Requirement)


def read_documents(folder: Path) -> dict[str, Document]:
    """Map keys to the documents that the tables in a folder come from; raises TablesError like ``read_tables``."""
    return _read_keyed(folder / "documents.json", list[Document], "key")


def compute_digest(documents: Mapping[str, Document]) -> str:
    """Return the digest that identifies the tables of one set of documents, as stored in results."""
    return "-".join(sorted(document.digest for document in documents.values()))


def list_revisions() -> list[str]:
    """Return the revisions whose tables are part of the package, oldest first."""
    found = (path.name for path in REVISIONS.iterdir() if path.is_dir())
    return sorted(found, key=lambda name: version_numbers(name) or [])


class TablesError(Exception):
    """A table is missing, corrupt or inconsistent; the message is one line that states what to do."""


class Tables(msgspec.Struct, frozen=True):
    """The contents of the documents. The keys of mappings are names or ids, in document order."""

    functions: Mapping[str, Function]
    callbacks: Mapping[str, Callback]
    types: Mapping[str, Type]
    enumerants: Mapping[str, Enumerant]
    requirements: Mapping[str, Requirement]
    errata: tuple[Erratum, ...]
    documents: Mapping[str, Document]
    extensions: Mapping[str, Extension]
    dispatch: tuple[str, ...]
    _by_function: Mapping[str, tuple[Requirement, ...]]
    _clauses: Mapping[str, tuple[ErrorCondition, ...]]
    _by_group: Mapping[str, Mapping[str, int]]
    _names: Mapping[str, Mapping[int, str]]
    _parts: Mapping[str, tuple[str, ...]]

    def values_of_group(self, group: str) -> Mapping[str, int]:
        """Map the names of the enumerants in a group to their values; empty for an unknown group."""
        return self._by_group.get(group, MappingProxyType({}))

    def name_of(self, value: int, group: str) -> str | None:
        """Return the first name of a value in a group, or None."""
        return self._names.get(group, MappingProxyType({})).get(value)

    def requirements_of(self, function: str) -> tuple[Requirement, ...]:
        """Return all requirements of a function, in document order."""
        return self._by_function.get(function, ())

    def parts_of(self, requirement: str) -> tuple[str, ...]:
        """Return the ids of the error conditions into which a later revision split an error condition."""
        return self._parts.get(requirement, ())

    def error_conditions_of(self, function: str) -> tuple[ErrorCondition, ...]:
        """Return the error conditions of a function, in document order."""
        return self._clauses.get(function, ())

    def queries_of(self, function: str) -> tuple[Query, ...]:
        """Return the queries of a function, in document order."""
        return tuple(requirement for requirement in self.requirements_of(function) if isinstance(requirement, Query))


_SELECTED = [DATA]


def select_folder(folder: Path) -> None:
    """Select the folder whose tables ``load`` returns, in this process and the workers that it starts."""
    _SELECTED[0] = folder


def selected_folder() -> Path:
    """Return the folder of the tables that ``load`` returns."""
    return _SELECTED[0]


def load() -> Tables:
    """Return the selected tables, by default those of the default revision; they are read and checked once."""
    return _load(_SELECTED[0])


def load_default() -> Tables:
    """Return the tables of the default revision, regardless of the selection; predicates use its ids."""
    return _load(DATA)


@functools.cache
def is_known_id(requirement: str) -> bool:
    """Return whether any revision in this package has a requirement with this id."""
    return any(requirement in _load(REVISIONS / name).requirements for name in list_revisions())


@functools.cache
def _load(folder: Path) -> Tables:
    return read_tables(folder)


def read_tables(folder: Path) -> Tables:
    """Return the tables in a folder of data files; TablesError if a file is missing, unreadable or inconsistent."""
    requirements: list[Requirement] = []
    for name in REQUIREMENT_FILES:
        requirements += _read_rows(folder / f"{name}.json", list[Requirement])
    extensions = read_extensions(folder)
    requirements = [extension_history.add_changes(each, extensions) for each in requirements]
    functions = _read_keyed(folder / "functions.json", list[Function], "name")
    functions = {name: extension_history.add_changes(each, extensions) for name, each in functions.items()}
    types = _read_keyed(folder / "types.json", list[Type], "name")
    enumerants = _read_keyed(folder / "enumerants.json", list[Enumerant], "name")
    enumerants = {name: extension_history.add_changes(each, extensions) for name, each in enumerants.items()}
    documents = _read_keyed(folder / "documents.json", list[Document], "key")
    errata = tuple(_read_rows(folder / "errata.json", list[Erratum]))
    dispatch = tuple(_read_rows(folder / "dispatch.json", list[str]))
    callbacks = _read_keyed(folder / "callbacks.json", list[Callback], "name")
    by_id, by_group = _index_by_id(requirements), _values_by_group(enumerants)
    _check(by_id, functions, enumerants, documents)
    return Tables(
        functions=MappingProxyType(functions),
        callbacks=MappingProxyType(callbacks),
        types=MappingProxyType(types),
        enumerants=MappingProxyType(enumerants),
        requirements=MappingProxyType(by_id),
        errata=errata,
        documents=MappingProxyType(documents),
        extensions=MappingProxyType(extensions),
        dispatch=dispatch,
        _by_function=MappingProxyType(_group_by_function(requirements)),
        _clauses=MappingProxyType(
            _group_by_function([each for each in requirements if isinstance(each, ErrorCondition)])
        ),
        _by_group=MappingProxyType(by_group),
        _names=MappingProxyType({group: _names_by_value(values) for group, values in by_group.items()}),
        _parts=MappingProxyType(_parts_by_condition(requirements)),
    )


def read_extensions(folder: Path) -> dict[str, Extension]:
    """Return the extensions of the tables in a folder, each with its history; errors as for ``read_tables``."""
    extensions = _read_keyed(folder / "extensions.json", list[Extension], "name")
    return extension_history.add_history(extensions, read_revision_changes())


@functools.cache
def read_revision_changes() -> tuple[RevisionChange, ...]:
    """Return the changes between the revisions of extensions, in the file's order."""
    return tuple(_read_rows(REVISIONS / "extension_revisions.json", list[RevisionChange]))


def read_sentence_counts(folder: Path = DATA) -> list[SentenceCount]:
    """Return the classification of sentences by chapter, in document order; raises TablesError like ``read_tables``."""
    return _read_rows(folder / "sentences.json", list[SentenceCount])


def _names_by_value(values: Mapping[str, int]) -> Mapping[int, str]:
    """Return the first name of each value."""
    return MappingProxyType({value: name for name, value in reversed(list(values.items()))})


def _read_rows(path: Path, rows: type[list[_Row]]) -> list[_Row]:
    try:
        content = read_regular_file(path)
    except OSError as problem:
        raise TablesError(f"{path}: {problem.strerror or problem}; {_REGENERATE}") from problem
    try:
        return msgspec.json.decode(content, type=rows)
    except (msgspec.DecodeError, UnicodeDecodeError) as problem:
        raise TablesError(f"{path}: {problem}; {_REGENERATE}") from problem


def _read_keyed(path: Path, rows: type[list[_Row]], key: str) -> dict[str, _Row]:
    found: dict[str, _Row] = {}
    for entry in _read_rows(path, rows):
        name = getattr(entry, key)
        if name in found:
            raise TablesError(f"{path}: {name} appears twice; {_REGENERATE}")
        found[name] = entry
    return found


def _index_by_id(requirements: list[Requirement]) -> dict[str, Requirement]:
    by_id: dict[str, Requirement] = {}
    for requirement in requirements:
        if requirement.id in by_id:
            raise TablesError(f"two records have the id {requirement.id}; {_REGENERATE}")
        by_id[requirement.id] = requirement
    return by_id


def _check(
    requirements: dict[str, Requirement],
    functions: dict[str, Function],
    enumerants: dict[str, Enumerant],
    documents: dict[str, Document],
) -> None:
    for requirement in requirements.values():
        if requirement.document not in documents:
            raise TablesError(
                f"{requirement.id}: its document {requirement.document!r} is not in documents.json; {_REGENERATE}"
            )
        if requirement.function and requirement.function not in functions:
            raise TablesError(
                f"{requirement.id}: its function {requirement.function!r} is not in functions.json; {_REGENERATE}"
            )
        if isinstance(requirement, SizeRule) and not set(requirement.when) <= CIRCUMSTANCES.keys():
            raise TablesError(f"{requirement.id}: unknown circumstance in {requirement.when}; {_REGENERATE}")
        if isinstance(requirement, ErrorCondition):
            known = requirement.code == "NULL" or requirement.code in enumerants
            if not known or requirement.condition.kind not in KINDS:
                what = requirement.code if not known else requirement.condition.kind
                raise TablesError(f"{requirement.id}: {what!r} is not a known code or kind of condition; {_REGENERATE}")


def _group_by_function(records: list[_Kind]) -> dict[str, tuple[_Kind, ...]]:
    found: dict[str, list[_Kind]] = {}
    for requirement in records:
        found.setdefault(requirement.function, []).append(requirement)
    return {name: tuple(members) for name, members in found.items()}


def _parts_by_condition(requirements: list[Requirement]) -> dict[str, tuple[str, ...]]:
    found: dict[str, list[str]] = {}
    for requirement in requirements:
        if isinstance(requirement, ErrorCondition) and requirement.part_of:
            found.setdefault(requirement.part_of, []).append(requirement.id)
    return {name: tuple(members) for name, members in found.items()}


def _values_by_group(enumerants: dict[str, Enumerant]) -> dict[str, Mapping[str, int]]:
    groups: dict[str, dict[str, int]] = {}
    for entry in enumerants.values():
        groups.setdefault(entry.group, {})[entry.name] = entry.value
    return {name: MappingProxyType(values) for name, values in groups.items()}
