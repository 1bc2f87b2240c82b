"""Keeps ids stable: which sentence has which number within its family, for good.

A family is what a record's id says before its number (``clCreateBuffer/CL_INVALID_VALUE``). A number is given once
and never again. A sentence that is found again keeps its number; a reworded one keeps it if it is between the
same neighbours and mentions the same names; a new one gets the next free number; a removed one leaves a gap.
"""

from __future__ import annotations

import msgspec


class Entry(msgspec.Struct):
    """One number of a family: the digests of all wordings seen, the latest last, and the names they mention."""

    number: int
    digests: list[str]
    names: list[str]


Ledger = dict[str, list[Entry]]
"""Family to its entries, in the order in which the document last had them."""


class Item(msgspec.Struct, frozen=True):
    """A sentence of a family, as a document has it now."""

    digest: str
    names: tuple[str, ...]


def assign(ledger: Ledger, family: str, items: list[Item]) -> list[int]:
    """Return the numbers of the items of one family, in their order; the ledger learns what is new."""
    entries = ledger.setdefault(family, [])
    found: list[Entry | None] = []
    free = list(entries)
    for item in items:
        entry = next((known for known in free if item.digest in known.digests), None)
        if entry is not None:
            free.remove(entry)
        found.append(entry)
    _match_reworded(entries, items, found, free)
    for index, item in enumerate(items):
        entry = found[index]
        if entry is None:
            number = max((known.number for known in entries), default=0) + 1
            entry = Entry(number, [], [])
            entries.insert(_place(entries, found[:index]), entry)
            found[index] = entry
        if item.digest in entry.digests:
            entry.digests.remove(item.digest)
        entry.digests.append(item.digest)
        entry.names = list(item.names)
    return [entry.number for entry in found if entry is not None]


def _match_reworded(entries: list[Entry], items: list[Item], found: list[Entry | None], free: list[Entry]) -> None:
    """Pair what is left over on both sides, between the same neighbours, by the names mentioned."""
    for index, item in enumerate(items):
        if found[index] is not None:
            continue
        before = next((entry for entry in reversed(found[:index]) if entry is not None), None)
        after = next((entry for entry in found[index + 1 :] if entry is not None), None)
        start = entries.index(before) + 1 if before is not None else 0
        end = entries.index(after) if after is not None else len(entries)
        for entry in entries[start:end]:
            if entry in free and tuple(entry.names) == item.names:
                found[index] = entry
                free.remove(entry)
                break


def _place(entries: list[Entry], before: list[Entry | None]) -> int:
    known = [entry for entry in before if entry is not None]
    return entries.index(known[-1]) + 1 if known else 0
