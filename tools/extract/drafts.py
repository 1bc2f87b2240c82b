"""Records before they have an id: a family, what the ledger needs to number them, and the record itself."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import msgspec

from clconform.spec_tables.records import ErrorClause
from clconform.tools.extract.ledger import Entry, Item, Ledger, assign

if TYPE_CHECKING:
    from clconform.spec_tables.records import Function, Record, Section

SAME, PART, DIFFERENT = "same", "part", "different"
"""What a person can find of a later wording: that it means what the id stands for, a part of that, or something else.
"""


class Reading(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a person found when a later wording was read beside the older one.

    ``found``: ``SAME``, ``PART`` or ``DIFFERENT``; ``read``: the day on which both texts were read, empty where nobody
    has; ``note``: what the two texts say differently, in our own words, where the word alone does not say enough.
    """

    found: str
    read: str = ""
    note: str = ""


Rewordings = dict[str, dict[str, Reading]]
"""By id and digest of a later wording: what was found of it."""


@dataclasses.dataclass(slots=True)
class Draft:
    """``numbered``: the id is the family with a number; else the family is the id.

    ``part_of``: the digest of the item of a list that holds this and other conditions, or empty.
    """

    family: str
    record: Record
    numbered: bool = True
    part_of: str = ""


def inherited(
    records: list[Record], function: Function, others: tuple[str, ...], replaced: tuple[str, ...], section: Section
) -> list[Record]:
    """Return the clauses of other functions that hold for a function too, but for those whose code is replaced."""
    found: list[Record] = []
    for record in records:
        if not isinstance(record, ErrorClause) or record.function not in others or record.code in replaced:
            continue
        own = tuple(gate for gate in function.gates if gate not in record.gates)
        found.append(
            msgspec.structs.replace(
                record,
                id=f"{function.name}/via/{record.id}",
                section=section,
                gates=(*own, *record.gates),
                function=function.name,
                same_as=record.id,
                part_of="",
            )
        )
    return found


def number(drafts: list[Draft], ledger: Ledger, read: Rewordings) -> list[Record]:
    """Give every record its id; the ledger decides the numbers and learns the new ones.

    ``read``: what a person has found of later wordings. An error clause in any other wording than its first is marked
    as reworded until it is known to mean the same; one that means something else, or a part, has a number of its own.
    """
    teach(ledger, read)
    families: dict[str, list[Draft]] = {}
    for draft in drafts:
        if draft.numbered:
            families.setdefault(draft.family, []).append(draft)
    different: dict[str, dict[int, list[str]]] = {}
    for name, wordings in read.items():
        family, _, ordinal = name.rpartition("/")
        different.setdefault(family, {})[int(ordinal)] = [key for key, each in wordings.items() if each.found != SAME]
    entries: dict[int, Entry] = {}
    for family, members in families.items():
        items = [
            Item(member.record.digest, member.record.symbols + member.record.parameters, member.part_of)
            for member in members
        ]
        for member, entry in zip(members, assign(ledger, family, items, different.get(family)), strict=True):
            entries[id(member)] = entry
    return [_numbered(draft, entries.get(id(draft)), read) for draft in drafts]


def teach(ledger: Ledger, read: Rewordings) -> None:
    """Let the ledger know the later wordings that mean what an id stands for, wherever they stand in their list."""
    for name, wordings in read.items():
        family, _, ordinal = name.rpartition("/")
        for entry in ledger.get(family, ()):
            for key in (key for key, each in wordings.items() if each.found == SAME):
                if entry.number != int(ordinal):
                    entry.digests = [each for each in entry.digests if each != key]
                elif key not in entry.digests:
                    entry.digests.append(key)


def _numbered(draft: Draft, entry: Entry | None, read: Rewordings) -> Record:
    if entry is None:
        return msgspec.structs.replace(draft.record, id=draft.family)
    name = f"{draft.family}/{entry.number}"
    if isinstance(draft.record, ErrorClause):
        digest, older = draft.record.digest, range(1, entry.number)
        whole = next((each for n in older if _found(read, each := f"{draft.family}/{n}", digest) == PART), "")
        known = digest == entry.digests[0] or _found(read, name, digest) == SAME
        return msgspec.structs.replace(draft.record, id=name, reworded=not known, part_of=whole)
    return msgspec.structs.replace(draft.record, id=name)


def _found(read: Rewordings, name: str, key: str) -> str:
    """Return what was found of a wording of an id, or nothing."""
    reading = read.get(name, {}).get(key)
    return reading.found if reading is not None else ""
