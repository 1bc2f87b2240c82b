"""Records before they have an id: a family, what the ledger needs to number them, and the record itself."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import msgspec

from clconform.spec_tables.records import ErrorClause
from clconform.tools.extract.ledger import Entry, Item, Ledger, assign

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from clconform.spec_tables.records import Function, Record, Section


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
            )
        )
    return found


def number(drafts: list[Draft], ledger: Ledger, same: Mapping[str, Sequence[str]]) -> list[Record]:
    """Give every record its id; the ledger decides the numbers and learns the new ones.

    ``same``: by id the digests of later wordings that a person has read and found to mean the same. An error clause in
    any other wording than its first is marked as reworded.
    """
    families: dict[str, list[Draft]] = {}
    for draft in drafts:
        if draft.numbered:
            families.setdefault(draft.family, []).append(draft)
    entries: dict[int, Entry] = {}
    for family, members in families.items():
        items = [
            Item(member.record.digest, member.record.symbols + member.record.parameters, member.part_of)
            for member in members
        ]
        for member, entry in zip(members, assign(ledger, family, items), strict=True):
            entries[id(member)] = entry
    return [_numbered(draft, entries.get(id(draft)), same) for draft in drafts]


def _numbered(draft: Draft, entry: Entry | None, same: Mapping[str, Sequence[str]]) -> Record:
    if entry is None:
        return msgspec.structs.replace(draft.record, id=draft.family)
    name = f"{draft.family}/{entry.number}"
    if isinstance(draft.record, ErrorClause):
        known = (entry.digests[0], *same.get(name, ()))
        return msgspec.structs.replace(draft.record, id=name, reworded=draft.record.digest not in known)
    return msgspec.structs.replace(draft.record, id=name)
