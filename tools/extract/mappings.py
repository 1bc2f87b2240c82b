"""Reads small tables that map names to names or properties: image qualifiers, handles, access to allocations."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from clconform.spec_tables.requirements import AccessQualifier, AllocationAccess, HandleTransference
from clconform.tools.extract.drafts import RequirementDraft
from clconform.tools.extract.query_tables import names_with_conditions
from clconform.tools.extract.sentence_text import find_symbols, sentence_digest

if TYPE_CHECKING:
    from clconform.tools.extract.document_blocks import DocumentBlock

_NAME = re.compile(r"CL_\w*[A-Za-z0-9]")
_FUNCTION = re.compile(r"\bcl[A-Z]\w+")
_FIRST_WORD = re.compile(r"(?:yes|no|optional|n/a)\b")
_ACCESS_COLUMNS = 6


def common_fields(block: DocumentBlock, document: str, text: str) -> dict[str, Any]:
    """Return the fields that all requirements of a table share; ``text``: the text that represents the row."""
    return {
        "id": "",
        "document": document,
        "section": block.section,
        "digest": sentence_digest(text),
        "symbols": find_symbols(text),
    }


def without_table_number(caption: str) -> str:
    """Return a caption without its number, because every inserted table changes the following numbers."""
    return re.sub(r"^Table \d+\. ", "", caption)


def is_qualifier_table(header: list[str]) -> bool:
    """Return whether a table maps the image qualifiers of kernels to flags of formats."""
    return header == ["access qualifier", "memory flags"]


def read_qualifiers(block: DocumentBlock, document: str) -> list[RequirementDraft]:
    """Return the requirements of a table that maps image qualifiers to flags."""
    named = _FUNCTION.findall(block.text)
    found = []
    for qualifier, flags in block.rows:
        for name in _NAME.findall(flags.text):
            facts = common_fields(block, document, f"{qualifier.text} {name}")
            requirement = AccessQualifier(
                **facts, function=named[0] if named else "", qualifier=qualifier.text, name=name
            )
            found.append(RequirementDraft(f"{qualifier.text}/{name}", requirement, numbered=False))
    return found


def is_transference_table(header: list[str]) -> bool:
    """Return whether a table of handle types states if an import refers to a state or copies it (transference)."""
    return header == ["handle type", "transference"]


def read_transference(block: DocumentBlock, document: str) -> list[RequirementDraft]:
    """Return the requirements of a transference table.

    For each type of handle, the table states whether an import refers to the underlying state or copies it.
    """
    found = []
    for handle, carried in block.rows:
        for name, (applicability, _) in names_with_conditions(handle, "platform-version").items():
            facts = {**common_fields(block, document, f"{name} {carried.text}"), "applicability": applicability}
            requirement = HandleTransference(**facts, name=name, transference=carried.text.lower())
            found.append(RequirementDraft(f"{name}/transference", requirement, numbered=False))
    return found


def is_access_table(header: list[str]) -> bool:
    """Return whether a table lists the access to allocations, and where allocations may migrate."""
    return header == ["name", "initial location", "accessible by", "migratable to"]


def read_access(block: DocumentBlock, document: str) -> list[RequirementDraft]:
    """Return the requirements about access to each kind of allocation.

    A cell that spans rows counts for each row.
    """
    found = []
    for cells in block.rows:
        if len(cells) != _ACCESS_COLUMNS:
            return []
        allocation, initial, accessor, accessible, _, migratable = (cell.text.lower() for cell in cells)
        facts = common_fields(block, document, " ".join(cell.text for cell in cells))
        requirement = AllocationAccess(
            **facts,
            allocation=allocation,
            initial=initial,
            accessor=accessor,
            accessible=_access_value(accessible),
            migratable=_access_value(migratable),
        )
        family = re.sub(r"[^a-z/]+", "-", f"{allocation}/access/{accessor}")
        found.append(RequirementDraft(f"{document}:{family}", requirement, numbered=False))
    return found


def _access_value(text: str) -> str:
    first = _FIRST_WORD.match(text)
    return first[0] if first else text
