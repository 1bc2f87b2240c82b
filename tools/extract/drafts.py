"""Requirements before they have an id: the requirement, its family, and the data by which the ledger numbers it."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import msgspec

from clconform.spec_tables.requirements import ErrorCondition
from clconform.spec_tables.rewordings import PART, SAME
from clconform.tools.extract.id_ledger import Ledger, LedgerEntry, LedgerItem, assign_numbers

if TYPE_CHECKING:
    from clconform.spec_tables.requirements import Function, Requirement, Section
    from clconform.spec_tables.rewordings import Rewordings


@dataclasses.dataclass(slots=True)
class RequirementDraft:
    """A requirement without an id.

    ``numbered``: the id is the family with a number; otherwise the family is the id. ``part_of``: the digest of the
    list item, if the item also contains other conditions; else empty.
    """

    family: str
    requirement: Requirement
    numbered: bool = True
    part_of: str = ""


def inherit_conditions(
    requirements: list[Requirement],
    function: Function,
    others: tuple[str, ...],
    replaced: tuple[str, ...],
    section: Section,
) -> list[Requirement]:
    """Return the error conditions that a function inherits from the functions ``others``.

    Conditions with a code in ``replaced`` are excluded.
    """
    found: list[Requirement] = []
    for requirement in requirements:
        if (
            not isinstance(requirement, ErrorCondition)
            or requirement.function not in others
            or requirement.code in replaced
        ):
            continue
        own = tuple(gate for gate in function.applicability if gate not in requirement.applicability)
        found.append(
            msgspec.structs.replace(
                requirement,
                id=f"{function.name}/via/{requirement.id}",
                section=section,
                applicability=(*own, *requirement.applicability),
                function=function.name,
                inherited_from=requirement.id,
                part_of="",
            )
        )
    return found


def assign_ids(drafts: list[RequirementDraft], ledger: Ledger, read: Rewordings) -> list[Requirement]:
    """Return the requirements with ids.

    Numbers come from the ledger, which also stores new numbers. ``read``: the decisions about later wordings. An error
    condition with a later wording is marked as reworded until a decision confirms its meaning. A wording with another
    meaning, or with a part of the meaning, gets its own number.
    """
    add_known_wordings(ledger, read)
    families: dict[str, list[RequirementDraft]] = {}
    for draft in drafts:
        if draft.numbered:
            families.setdefault(draft.family, []).append(draft)
    different: dict[str, dict[int, list[str]]] = {}
    for name, wordings in read.items():
        family, _, ordinal = name.rpartition("/")
        different.setdefault(family, {})[int(ordinal)] = [key for key, each in wordings.items() if each.verdict != SAME]
    entries: dict[int, LedgerEntry] = {}
    for family, members in families.items():
        items = [
            LedgerItem(
                member.requirement.digest, member.requirement.symbols + member.requirement.parameters, member.part_of
            )
            for member in members
        ]
        for member, entry in zip(members, assign_numbers(ledger, family, items, different.get(family)), strict=True):
            entries[id(member)] = entry
    return [_with_id(draft, entries.get(id(draft)), read) for draft in drafts]


def add_known_wordings(ledger: Ledger, read: Rewordings) -> None:
    """Add each later wording that was reviewed as equal in meaning to the ledger entry of its id.

    Remove the wording from all other entries of the same family.
    """
    for name, wordings in read.items():
        family, _, ordinal = name.rpartition("/")
        for entry in ledger.get(family, ()):
            for key in (key for key, each in wordings.items() if each.verdict == SAME):
                if entry.number != int(ordinal):
                    entry.digests = [each for each in entry.digests if each != key]
                elif key not in entry.digests:
                    entry.digests.append(key)


def _with_id(draft: RequirementDraft, entry: LedgerEntry | None, read: Rewordings) -> Requirement:
    if entry is None:
        return msgspec.structs.replace(draft.requirement, id=draft.family)
    name = f"{draft.family}/{entry.number}"
    if isinstance(draft.requirement, ErrorCondition):
        digest, older = draft.requirement.digest, range(1, entry.number)
        whole = next((each for n in older if _decision_of(read, each := f"{draft.family}/{n}", digest) == PART), "")
        known = digest == entry.digests[0] or _decision_of(read, name, digest) == SAME
        return msgspec.structs.replace(draft.requirement, id=name, reworded=not known, part_of=whole)
    return msgspec.structs.replace(draft.requirement, id=name)


def _decision_of(read: Rewordings, name: str, key: str) -> str:
    """Return the verdict of the reviewer on a wording of the requirement with the id ``name``.

    ``key``: the digest of the wording. Empty if the wording was not reviewed.
    """
    reading = read.get(name, {}).get(key)
    return reading.verdict if reading is not None else ""
