"""Keeps ids stable: assigns each sentence a permanent number within its family.

A family is the part of a requirement's id before its number (``clCreateBuffer/CL_INVALID_VALUE``). Each number is
assigned only once. A sentence that occurs again keeps its number. A reworded sentence keeps its number if it is between
the same neighbours and mentions the same names. A new sentence gets the next unused number, and a removed sentence
leaves a gap. If an item turns out to contain several conditions, its number is retired, because none of the conditions
has the meaning of the item.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from collections.abc import Container, Mapping
    from pathlib import Path

LEDGER_FILE = "ledger.json"


class LedgerEntry(msgspec.Struct, omit_defaults=True):
    """One number of a family.

    ``digests``: the digests of all wordings so far; the number was assigned to the first wording. ``names``: the names
    that the latest wording mentions. ``retired``: the number is no longer used.
    """

    number: int
    digests: list[str]
    names: list[str]
    retired: bool = False


Ledger = dict[str, list[LedgerEntry]]
"""Maps families to their entries, in the order of the last document."""


class LedgerItem(msgspec.Struct, frozen=True):
    """A sentence of a family in the current document.

    ``part_of``: the digest of the item of which the sentence is a part, or empty.
    """

    digest: str
    names: tuple[str, ...]
    part_of: str = ""


def assign_numbers(
    ledger: Ledger, family: str, items: list[LedgerItem], excluded: Mapping[int, Container[str]] | None = None
) -> list[LedgerEntry]:
    """Return the entries for the items of one family, in order; add new entries to the ledger.

    ``excluded``: maps numbers to the digests of wordings that have another meaning, according to a person's decision.
    """
    entries = ledger.setdefault(family, [])
    apart = excluded or {}
    for known in entries:
        known.digests = [digest for digest in known.digests if digest not in apart.get(known.number, ())]
    wholes = {item.part_of for item in items if item.part_of} - {item.digest for item in items}
    for known in entries:
        known.retired = known.retired or not wholes.isdisjoint(known.digests)
    found: list[LedgerEntry | None] = []
    free = [known for known in entries if not known.retired]
    for item in items:
        entry = next((known for known in free if item.digest in known.digests), None)
        if entry is not None:
            free.remove(entry)
        found.append(entry)
    _match_reworded(entries, items, found, free, apart)
    for index, item in enumerate(items):
        entry = found[index]
        if entry is None:
            number = max((known.number for known in entries), default=0) + 1
            entry = LedgerEntry(number, [], [])
            entries.insert(_insert_position(entries, found[:index]), entry)
            found[index] = entry
        if item.digest not in entry.digests:
            entry.digests.append(item.digest)
            entry.names = list(
                item.names
            )  # names of a known wording stay unchanged, because an older revision may be read again
    return [entry for entry in found if entry is not None]


def _match_reworded(
    entries: list[LedgerEntry],
    items: list[LedgerItem],
    found: list[LedgerEntry | None],
    free: list[LedgerEntry],
    apart: Mapping[int, Container[str]],
) -> None:
    """Match each remaining item with a remaining entry that has the same neighbours and mentions the same names.

    ``apart``: maps numbers to the digests of wordings that have another meaning. An item that was split, and later
    occurs undivided again, does not match the entry of one of its parts.
    """
    split = {digest for entry in entries if entry.retired for digest in entry.digests}
    for index, item in enumerate(items):
        if found[index] is not None or item.digest in split:
            continue
        before = next((entry for entry in reversed(found[:index]) if entry is not None), None)
        after = next((entry for entry in found[index + 1 :] if entry is not None), None)
        start = entries.index(before) + 1 if before is not None else 0
        end = entries.index(after) if after is not None else len(entries)
        for entry in entries[start:end]:
            alike = tuple(entry.names) == item.names and item.digest not in apart.get(entry.number, ())
            if entry in free and alike:
                found[index] = entry
                free.remove(entry)
                break


def _insert_position(entries: list[LedgerEntry], before: list[LedgerEntry | None]) -> int:
    known = [entry for entry in before if entry is not None]
    return entries.index(known[-1]) + 1 if known else 0


def ledger_folder(folder: Path) -> Path:
    """Return the folder of the ledger for a folder of tables.

    This is the parent folder if it contains several revisions, else the folder itself.
    """
    above = folder.resolve().parent
    return above if not (folder / LEDGER_FILE).exists() and (above / LEDGER_FILE).exists() else folder
