"""Tells what a newer revision of the documents adds, removes and rewords, by ids and digests."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from clconform.spec_tables import loading
from clconform.tools.extract.extraction import Extraction, extract

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from clconform.spec_tables.records import Record


@dataclasses.dataclass(frozen=True, slots=True)
class Changes:
    """Ids of records, and names of functions and enumerants, that differ between two revisions.

    ``moved``: the same sentence in another section. ``regated``: the same sentence under other gates.
    """

    added: tuple[str, ...]
    removed: tuple[str, ...]
    reworded: tuple[str, ...]
    moved: tuple[str, ...]
    regated: tuple[str, ...]

    def lines(self) -> list[str]:
        """One line a change, in a fixed order."""
        return [
            f"{what}: {name}"
            for what in ("added", "removed", "reworded", "moved", "regated")
            for name in getattr(self, what)
        ]


def compare_revisions(old: Extraction, new: Extraction) -> Changes:
    """Compare two extractions, of which the newer went on from the older one's ledger, so that ids mean the same."""
    before, after = _by_id(old.records), _by_id(new.records)
    shared = before.keys() & after.keys()
    return Changes(
        added=_sorted([*(after.keys() - before.keys()), *(_names(new) - _names(old))]),
        removed=_sorted([*(before.keys() - after.keys()), *(_names(old) - _names(new))]),
        reworded=_sorted(name for name in shared if before[name].digest != after[name].digest),
        moved=_sorted(
            name
            for name in shared
            if before[name].digest == after[name].digest and before[name].section.title != after[name].section.title
        ),
        regated=_sorted(
            name
            for name in shared
            if before[name].digest == after[name].digest and before[name].gates != after[name].gates
        ),
    )


def compare_folders(old: Path, new: Path, known: Path = loading.DATA) -> Changes:
    """Read two folders of documents, and tell what the newer one changes."""
    before = extract(old, known)
    return compare_revisions(before, extract(new, known, before.ledger))


def _by_id(records: Iterable[Record]) -> dict[str, Record]:
    return {record.id: record for record in records}


def _names(extraction: Extraction) -> set[str]:
    functions = {function.name for function in extraction.functions}
    return functions | {enumerant.name for enumerant in extraction.enumerants}


def _sorted(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(names))
