"""Keeps ids stable: which sentence has which number within its family, for good.

A family is what a record's id says before its number (``clCreateBuffer/CL_INVALID_VALUE``). A number is given once
and never again. A sentence that is found again keeps its number; a reworded one keeps it if it is between the
same neighbours and mentions the same names; a new one gets the next free number; a removed one leaves a gap. The number
of an item that turned out to hold several conditions is retired: none of them means what it meant.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from collections.abc import Container, Mapping
    from pathlib import Path

LEDGER = "ledger.json"


class Entry(msgspec.Struct, omit_defaults=True):
    """One number of a family.

    ``digests``: of all wordings seen; the first is the one that the number was given to. ``names``: what the
    wording mentions that was learnt last. ``retired``: the number belongs to nothing any more.
    """

    number: int
    digests: list[str]
    names: list[str]
    retired: bool = False


Ledger = dict[str, list[Entry]]
"""Family to its entries, in the order in which the document last had them."""


class Item(msgspec.Struct, frozen=True):
    """A sentence of a family, as a document has it now; ``part_of``: the digest of what it was split from, or empty."""

    digest: str
    names: tuple[str, ...]
    part_of: str = ""


def assign(
    ledger: Ledger, family: str, items: list[Item], different: Mapping[int, Container[str]] | None = None
) -> list[Entry]:
    """Return the entries of the items of one family, in their order; the ledger learns what is new.

    ``different``: by number the digests of wordings that a person has found to mean something else.
    """
    entries = ledger.setdefault(family, [])
    apart = different or {}
    for known in entries:
        known.digests = [digest for digest in known.digests if digest not in apart.get(known.number, ())]
    wholes = {item.part_of for item in items if item.part_of} - {item.digest for item in items}
    for known in entries:
        known.retired = known.retired or not wholes.isdisjoint(known.digests)
    found: list[Entry | None] = []
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
            entry = Entry(number, [], [])
            entries.insert(_place(entries, found[:index]), entry)
            found[index] = entry
        if item.digest not in entry.digests:
            entry.digests.append(item.digest)
            entry.names = list(item.names)  # those of a known wording change nothing: an older revision is read again
    return [entry for entry in found if entry is not None]


def _match_reworded(
    entries: list[Entry],
    items: list[Item],
    found: list[Entry | None],
    free: list[Entry],
    apart: Mapping[int, Container[str]],
) -> None:
    """Pair what is left over on both sides, between the same neighbours, by the names mentioned.

    What was split before, and is whole again, is no rewording of one of its parts.
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


def _place(entries: list[Entry], before: list[Entry | None]) -> int:
    known = [entry for entry in before if entry is not None]
    return entries.index(known[-1]) + 1 if known else 0


def shared_by(folder: Path) -> Path:
    """Return where the ledger of a folder of tables is: in the folder, or, for one of several revisions, above it."""
    above = folder.resolve().parent
    return above if not (folder / LEDGER).exists() and (above / LEDGER).exists() else folder
