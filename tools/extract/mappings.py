"""Reads small tables that map names to names or properties: qualifiers, handles, access to allocations."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from clconform.spec_tables.records import AccessQualifier, AllocationAccess, HandleTransference
from clconform.tools.extract.drafts import Draft
from clconform.tools.extract.queries import names_of
from clconform.tools.extract.wording import digest, symbols_in

if TYPE_CHECKING:
    from clconform.tools.extract.blocks import Block

_NAME = re.compile(r"CL_\w*[A-Za-z0-9]")
_FUNCTION = re.compile(r"\bcl[A-Z]\w+")
_FIRST_WORD = re.compile(r"(?:yes|no|optional|n/a)\b")
_ACCESS_COLUMNS = 6


def base_of(block: Block, document: str, text: str) -> dict[str, Any]:
    """Return the common fields of all requirements of a table; ``text`` represents the row."""
    return {
        "id": "",
        "document": document,
        "section": block.section,
        "digest": digest(text),
        "symbols": symbols_in(text),
    }


def unnumbered(caption: str) -> str:
    """Return a caption without its number, which changes with every table inserted before it."""
    return re.sub(r"^Table \d+\. ", "", caption)


def is_qualifiers(header: list[str]) -> bool:
    """Return whether a table maps kernel image qualifiers to the flags whose formats can back them."""
    return header == ["access qualifier", "memory flags"]


def qualifiers(block: Block, document: str) -> list[Draft]:
    """Return the flags for each qualifier."""
    named = _FUNCTION.findall(block.text)
    found = []
    for qualifier, flags in block.rows:
        for name in _NAME.findall(flags.text):
            facts = base_of(block, document, f"{qualifier.text} {name}")
            record = AccessQualifier(**facts, function=named[0] if named else "", qualifier=qualifier.text, name=name)
            found.append(Draft(f"{qualifier.text}/{name}", record, numbered=False))
    return found


def is_transference(header: list[str]) -> bool:
    """Return whether a table lists the transference of handles."""
    return header == ["handle type", "transference"]


def transference(block: Block, document: str) -> list[Draft]:
    """Return the transference of each type of handle."""
    found = []
    for handle, carried in block.rows:
        for name, (gates, _) in names_of(handle, "platform-version").items():
            facts = {**base_of(block, document, f"{name} {carried.text}"), "gates": gates}
            record = HandleTransference(**facts, name=name, transference=carried.text.lower())
            found.append(Draft(f"{name}/transference", record, numbered=False))
    return found


def is_access(header: list[str]) -> bool:
    """Return whether a table lists who may access which allocation, and where it may migrate."""
    return header == ["name", "initial location", "accessible by", "migratable to"]


def access(block: Block, document: str) -> list[Draft]:
    """Return who may access each kind of allocation; a cell that spans rows counts for each of them."""
    found = []
    for cells in block.rows:
        if len(cells) != _ACCESS_COLUMNS:
            return []
        allocation, initial, accessor, accessible, _, migratable = (cell.text.lower() for cell in cells)
        facts = base_of(block, document, " ".join(cell.text for cell in cells))
        record = AllocationAccess(
            **facts,
            allocation=allocation,
            initial=initial,
            accessor=accessor,
            accessible=_answer(accessible),
            migratable=_answer(migratable),
        )
        family = re.sub(r"[^a-z/]+", "-", f"{allocation}/access/{accessor}")
        found.append(Draft(f"{document}:{family}", record, numbered=False))
    return found


def _answer(text: str) -> str:
    first = _FIRST_WORD.match(text)
    return first[0] if first else text
