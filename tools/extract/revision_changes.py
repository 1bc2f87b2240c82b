"""Lists additions, removals and rewordings in a newer revision of the documents, by ids and digests."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import msgspec

from clconform.spec_tables import loading
from clconform.spec_tables.requirements import ApplicabilityCondition, Section
from clconform.tools.extract.document_files import ExtractError
from clconform.tools.extract.extraction import ExtractionResult, extract_documents, read_committed_input

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from clconform.tools.extract.id_ledger import Ledger

_TABLES = "clauses.json"
"""The file by which a folder of tables is distinguished from a folder of documents."""


class RequirementWording(msgspec.Struct, frozen=True):
    """The fields of a requirement that are compared.

    All further fields in tables are ignored.
    """

    id: str
    digest: str
    section: Section
    applicability: tuple[ApplicabilityCondition, ...] = ()


class _Named(msgspec.Struct, frozen=True):
    name: str


@dataclasses.dataclass(frozen=True, slots=True)
class RevisionSnapshot:
    """The requirements and names of one revision, for the comparison with another.

    ``names``: the names of functions and enumerants. ``ledger``: the ledger that determined the ids.
    """

    requirements: dict[str, RequirementWording]
    names: frozenset[str]
    ledger: Ledger


@dataclasses.dataclass(frozen=True, slots=True)
class RevisionChanges:
    """Ids of requirements, and names of functions and enumerants, that differ between two revisions.

    ``retired``: ids that are no longer used, because their sentence contains several conditions. ``moved``: ids whose
    sentence is in another section. ``changed_applicability``: ids whose sentence is unchanged but has other
    applicability conditions.
    """

    added: tuple[str, ...]
    removed: tuple[str, ...]
    retired: tuple[str, ...]
    reworded: tuple[str, ...]
    moved: tuple[str, ...]
    changed_applicability: tuple[str, ...]

    def to_lines(self) -> list[str]:
        """Return the changes as text, one line each, in a fixed order."""
        return [f"{what}: {name}" for what, names in self.by_kind().items() for name in names]

    def by_kind(self) -> dict[str, tuple[str, ...]]:
        """Return the changed ids and names for each kind of change, in a fixed order."""
        return {field.name.replace("_", " "): getattr(self, field.name) for field in dataclasses.fields(self)}


def compare_revisions(old: RevisionSnapshot, new: RevisionSnapshot) -> RevisionChanges:
    """Compare two revisions.

    The newer extends the ledger of the older, so that ids have the same meaning in both.
    """
    before, after = old.requirements, new.requirements
    shared = before.keys() & after.keys()
    same = {name for name in shared if before[name].digest == after[name].digest}
    gone = before.keys() - after.keys()
    retired = gone & _retired(new.ledger)
    return RevisionChanges(
        added=_sorted_names((after.keys() - before.keys()) | (new.names - old.names)),
        removed=_sorted_names((gone - retired) | (old.names - new.names)),
        retired=_sorted_names(retired),
        reworded=_sorted_names(shared - same),
        moved=_sorted_names(name for name in same if before[name].section.title != after[name].section.title),
        changed_applicability=_sorted_names(
            name for name in shared if before[name].applicability != after[name].applicability
        ),
    )


def _retired(ledger: Ledger) -> set[str]:
    """Return the ids whose numbers are retired."""
    return {f"{family}/{entry.number}" for family, entries in ledger.items() for entry in entries if entry.retired}


def compare_folders(old: Path, new: Path, known: Path = loading.DATA) -> tuple[RevisionChanges, ExtractionResult]:
    """Return the changes from ``old`` to the documents in the folder ``new``, and the extraction of ``new``.

    ``old``: a folder with older documents or older tables.
    """
    before = read_snapshot(old, known)
    result = extract_documents(new, known, before.ledger)
    return compare_revisions(before, snapshot_of_extraction(result)), result


def read_snapshot(folder: Path, known: Path = loading.DATA) -> RevisionSnapshot:
    """Return the contents of a folder: its tables, or the extraction of its documents."""
    if (folder / _TABLES).exists():
        return _snapshot_of_tables(folder, known)
    return snapshot_of_extraction(extract_documents(folder, known))


def snapshot_of_extraction(extraction: ExtractionResult) -> RevisionSnapshot:
    """Return the contents of an extraction."""
    requirements = {
        r.id: RequirementWording(r.id, r.digest, r.section, r.applicability) for r in extraction.requirements
    }
    functions = {function.name for function in extraction.functions}
    enumerants = {enumerant.name for enumerant in extraction.enumerants}
    return RevisionSnapshot(requirements, frozenset(functions | enumerants), extraction.ledger)


def _snapshot_of_tables(folder: Path, known: Path) -> RevisionSnapshot:
    """Return the contents of a folder of tables, with a ledger for the comparison.

    This is the ledger of the folder ``known`` if it contains all numbers of the folder's own ledger, else the folder's
    own ledger.
    """
    requirements: dict[str, RequirementWording] = {}
    for name in loading.REQUIREMENT_FILES:
        requirements.update(
            {entry.id: entry for entry in _read_rows(folder / f"{name}.json", list[RequirementWording])}
        )
    names = [e.name for file in ("functions", "enumerants") for e in _read_rows(folder / f"{file}.json", list[_Named])]
    theirs, ours = read_committed_input(folder).ledger, read_committed_input(known).ledger
    return RevisionSnapshot(requirements, frozenset(names), ours if _contains_ledger(ours, theirs) else theirs)


def _contains_ledger(ours: Ledger, theirs: Ledger) -> bool:
    """Return whether ``ours`` contains every number of ``theirs`` with the same wording."""
    return all(
        any(entry.number == known.number and set(entry.digests) <= set(known.digests) for known in ours.get(family, ()))
        for family, entries in theirs.items()
        for entry in entries
    )


def _read_rows(path: Path, kind: Any) -> Any:
    if not path.exists():
        return []
    try:
        return msgspec.json.decode(path.read_bytes(), type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError) as problem:
        raise ExtractError(f"{path}: {problem}; name a folder that 'clconform dev extract --out' wrote") from problem


def _sorted_names(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(names))
