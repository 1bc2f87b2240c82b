"""Groups the blocks of a document by the functions that they describe."""

from __future__ import annotations

import dataclasses
import re
from typing import TYPE_CHECKING

import msgspec

from clconform.spec_tables.requirements import ApplicabilityCondition, Function, Section
from clconform.tools.extract.applicability_notes import (
    conditions_in_comment,
    conditions_in_note,
    deprecating_version,
    is_note,
)
from clconform.tools.extract.document_blocks import NO_SECTION, DocumentBlock, order_columns, walk_blocks
from clconform.tools.extract.prototypes import function_from_prototype, parse_prototypes
from clconform.tools.extract.sentence_text import find_symbols

if TYPE_CHECKING:
    from collections.abc import Iterator


_REFERS = re.compile(r"((?:\w+(?:,? and |, ))*\w+) (?:is|are) (?:as )?described in (cl[A-Z]\w+)\b")


@dataclasses.dataclass(slots=True)
class FunctionScope:
    """Blocks that describe the same functions, and these functions: often one, rarely two."""

    section: Section = NO_SECTION
    functions: list[Function] = dataclasses.field(default_factory=list)
    blocks: list[DocumentBlock] = dataclasses.field(default_factory=list)

    def parameter_names(self) -> tuple[str, ...]:
        """Return the names of the parameters of all functions in the scope."""
        return tuple(dict.fromkeys(p.name for f in self.functions for p in f.parameters))


def split_scopes(blocks: list[DocumentBlock], document: str) -> list[FunctionScope]:
    """Split a document at the ends of open blocks and at headings; outside open blocks, also at each prototype."""
    scopes: list[FunctionScope] = []
    current: FunctionScope | None = None
    number = 0
    for block in _lift_tables(blocks):
        found = _declared_functions(block, document)
        begins = (
            current is None
            or block.kind == "heading"
            or block.scope != number
            or (found and not block.scope and _has_lists(current))
        )
        if begins:
            current = FunctionScope(block.section)
            scopes.append(current)
        if current is not None:
            number = block.scope
            current.functions += found
            current.blocks.append(block)
    for scope in scopes:
        _apply_notes(scope)
        _apply_descriptions(scope)
    return scopes


def _lift_tables(blocks: list[DocumentBlock]) -> Iterator[DocumentBlock]:
    """Yield every block with its columns in the usual order; tables in the items of a list come after the list."""
    for block in blocks:
        tables = [inner for inner in walk_blocks([block]) if inner.kind == "table" and inner is not block]
        yield _without_tables(block) if tables else order_columns(block)
        yield from map(order_columns, tables)


def _without_tables(block: DocumentBlock) -> DocumentBlock:
    items = [[_without_tables(inner) for inner in item if inner.kind != "table"] for item in block.items]
    return dataclasses.replace(block, items=items)


def _has_lists(scope: FunctionScope) -> bool:
    """Return whether the scope has functions and already contains a list.

    Before the first list, further prototypes belong to the same scope.
    """
    return bool(scope.functions) and any(block.kind == "list" for block in scope.blocks)


def _declared_functions(block: DocumentBlock, document: str) -> list[Function]:
    if block.kind != "listing":
        return []
    found = []
    for prototype in parse_prototypes(block.text):
        anchor = block.anchor or block.section.anchor
        section = Section(block.section.number, block.section.title, anchor)
        function = function_from_prototype(prototype, document, section)
        found.append(msgspec.structs.replace(function, applicability=conditions_in_comment(prototype.provided)))
    return found


def find_referred_parameters(scope: FunctionScope) -> Iterator[tuple[Function, str, frozenset[str]]]:
    """Yield a function, another function that describes some of its parameters, and the names of these parameters."""
    items = [item[0].text for block in scope.blocks if block.kind == "list" for item in block.items if item]
    for described in filter(None, map(_REFERS.match, items)):
        for function in scope.functions:
            names = {parameter.name for parameter in function.parameters}.intersection(re.findall(r"\w+", described[1]))
            if names and described[2] != function.name:
                yield function, described[2], frozenset(names)


def _apply_notes(scope: FunctionScope) -> None:
    """Apply each note to the functions that it names, or to all functions if it names none."""
    notes = [block.full_text() for block in scope.blocks if block.kind == "note" and is_note(block.full_text())]
    for index, function in enumerate(scope.functions):
        applicability = list(function.applicability)
        deprecated = function.deprecated_by
        for note in notes:
            named = [name for name in find_symbols(note) if name.startswith("cl") and not name.startswith("cl_")]
            if named and function.name not in named:
                continue
            applicability += [gate for gate in conditions_in_note(note) if not _is_stated(gate, applicability)]
            deprecated = deprecating_version(note) or deprecated
        scope.functions[index] = msgspec.structs.replace(
            function, applicability=tuple(applicability), deprecated_by=deprecated
        )


def _apply_descriptions(scope: FunctionScope) -> None:
    """Change parameters to inputs if the prose describes them as input lists, although their type is not const."""
    items = [item[0].text for block in scope.blocks if block.kind == "list" for item in block.items if item]
    for index, function in enumerate(scope.functions):
        parameters = tuple(
            msgspec.structs.replace(parameter, direction="in")
            if parameter.direction == "out" and any(_is_input_list(parameter.name, item) for item in items)
            else parameter
            for parameter in function.parameters
        )
        scope.functions[index] = msgspec.structs.replace(function, parameters=parameters)


def _is_input_list(name: str, item: str) -> bool:
    described = re.match(rf"{name} (?:is|specifies|points to) [^.]*\blist of\b", item)
    return bool(described) and not re.search(r"\breturn|\bwill be\b|\bwritten\b", item)


def _is_stated(gate: ApplicabilityCondition, applicability: list[ApplicabilityCondition]) -> bool:
    """Return whether ``applicability`` already states a condition, since notes repeat the version in the comment."""
    return any(gate.subject == known.subject and gate.name == known.name for known in applicability)
