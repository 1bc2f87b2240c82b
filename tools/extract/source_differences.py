"""Compares two sources that define the same names: values, prototypes, and mentions."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import msgspec

from clconform.spec_tables.requirements import Enumerant, Function
from clconform.tools.extract.sentence_text import find_symbols

if TYPE_CHECKING:
    from clconform.tools.extract.document_blocks import SourceDocument

_DEFINED = re.compile(
    r"#define (CL_\w+)\s+\(?(-?(?:0x[0-9a-fA-F]{1,16}(?![0-9a-fA-F])|\d{1,20}(?!\d)))(?:\s*<<\s*(\d{1,2})\))?"
)


def compare_values(source: SourceDocument, enumerants: dict[str, Enumerant]) -> list[str]:
    """Return the differences between the values that a document lists and the registry.

    Add the document to the documents of each enumerant whose value it lists.
    """
    differences = []
    for block in source.blocks:
        if block.kind != "listing":
            continue
        for match in _DEFINED.finditer(block.text):
            name, value = match[1], int(match[2], 0) << int(match[3] or 0)
            known = enumerants.get(name)
            if known is None:
                enumerants[name] = Enumerant(name, value, source.key, (source.key,))
                differences.append(f"{name}: in {source.key} only")
            elif known.value != value:
                differences.append(f"{name}: {source.key} has {value}, {known.documents[0]} has {known.value}")
            else:
                enumerants[name] = msgspec.structs.replace(known, documents=(source.key, *known.documents))
    return differences


def add_mentions(source: SourceDocument, enumerants: dict[str, Enumerant]) -> None:
    """Add a document to the documents of each enumerant that it mentions.

    The main document mentions enumerants without their values.
    """
    mentioned = {name for block in source.blocks for name in find_symbols(block.full_text())}
    for name in mentioned & enumerants.keys():
        known = enumerants[name]
        if source.key not in known.documents:
            enumerants[name] = msgspec.structs.replace(known, documents=(source.key, *known.documents))


def compare_prototypes(ours: Function, theirs: Function) -> list[str]:
    """Return the differences between a prototype in a document and the prototype in the registry."""
    differences = []
    if ours.returns != theirs.returns:
        differences.append(f"{ours.name}: returns {ours.returns}, in the registry {theirs.returns}")
    if len(ours.parameters) != len(theirs.parameters):
        differences.append(f"{ours.name}: {len(ours.parameters)} parameters, in the registry {len(theirs.parameters)}")
        return differences
    for mine, other in zip(ours.parameters, theirs.parameters, strict=True):
        if mine.name != other.name:
            differences.append(f"{ours.name}: parameter {mine.name}, in the registry {other.name}")
        if (mine.base, mine.pointers, mine.const) != (other.base, other.pointers, other.const):
            differences.append(f"{ours.name}: {mine.name} is {mine.type}, in the registry {other.type}")
    return differences
