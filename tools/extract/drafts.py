"""Records before they have an id: a family, what the ledger needs to number them, and the record itself."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import msgspec

from clconform.spec_tables.records import ErrorClause
from clconform.tools.extract.ledger import Item, Ledger, assign

if TYPE_CHECKING:
    from clconform.spec_tables.records import Function, Record, Section


@dataclasses.dataclass(slots=True)
class Draft:
    """``numbered``: the id is the family with a number; else the family is the id."""

    family: str
    record: Record
    numbered: bool = True


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
