"""Records before they have an id: a family, what the ledger needs to number them, and the record itself."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import msgspec

from clconform.tools.extract.ledger import Item, Ledger, assign

if TYPE_CHECKING:
    from clconform.spec_tables.records import Record


@dataclasses.dataclass(slots=True)
class Draft:
    """``numbered``: the id is the family with a number; else the family is the id."""

    family: str
    record: Record
    numbered: bool = True


def number(drafts: list[Draft], ledger: Ledger) -> list[Record]:
    """Give every record its id; the ledger decides the numbers and learns the new ones."""
    families: dict[str, list[Draft]] = {}
    for draft in drafts:
        if draft.numbered:
            families.setdefault(draft.family, []).append(draft)
    numbers: dict[int, int] = {}
    for family, members in families.items():
        items = [Item(member.record.digest, member.record.symbols + member.record.parameters) for member in members]
        for member, value in zip(members, assign(ledger, family, items), strict=True):
            numbers[id(member)] = value
    return [
        msgspec.structs.replace(
            draft.record, id=f"{draft.family}/{numbers[id(draft)]}" if draft.numbered else draft.family
        )
        for draft in drafts
    ]
