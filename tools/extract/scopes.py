"""Groups a document's blocks by the functions that they describe."""

from __future__ import annotations

import dataclasses
import re
from typing import TYPE_CHECKING

import msgspec

from clconform.spec_tables.records import Function, Gate, Section
from clconform.tools.extract.blocks import NOWHERE, Block, ordered, walk
from clconform.tools.extract.gates import deprecated_in, gates_in, gates_provided, is_note
from clconform.tools.extract.prototypes import function_of, prototypes_in
from clconform.tools.extract.wording import symbols_in

if TYPE_CHECKING:
    from collections.abc import Iterator


_REFERS = re.compile(r"((?:\w+(?:,? and |, ))*\w+) (?:is|are) (?:as )?described in (cl[A-Z]\w+)\b")


@dataclasses.dataclass(slots=True)
class Scope:
    """The blocks that belong together, and the functions whose prototypes they contain (often one, rarely two)."""

    section: Section = NOWHERE
    functions: list[Function] = dataclasses.field(default_factory=list)
    blocks: list[Block] = dataclasses.field(default_factory=list)

    def parameter_names(self) -> tuple[str, ...]:
        """Return the parameter names of all the functions."""
        return tuple(dict.fromkeys(p.name for f in self.functions for p in f.parameters))


def scopes_of(blocks: list[Block], document: str) -> list[Scope]:
    """Split a document at boundaries of open blocks, at headings, and outside open blocks at each prototype."""
    scopes: list[Scope] = []
    current: Scope | None = None
    number = 0
    for block in _lifted(blocks):
        found = _functions(block, document)
        begins = (
            current is None
            or block.kind == "heading"
            or block.scope != number
            or (found and not block.scope and _is_described(current))
        )
        if begins:
            current = Scope(block.section)
            scopes.append(current)
        if current is not None:
            number = block.scope
            current.functions += found
            current.blocks.append(block)
    for scope in scopes:
        _apply_notes(scope)
        _apply_descriptions(scope)
    return scopes


def _lifted(blocks: list[Block]) -> Iterator[Block]:
    """Yield every block, and after a list the tables from its items, removed from it; order the columns as usual."""
    for block in blocks:
        tables = [inner for inner in walk([block]) if inner.kind == "table" and inner is not block]
        yield _without_tables(block) if tables else ordered(block)
        yield from map(ordered, tables)


def _without_tables(block: Block) -> Block:
    items = [[_without_tables(inner) for inner in item if inner.kind != "table"] for item in block.items]
    return dataclasses.replace(block, items=items)


def _is_described(scope: Scope) -> bool:
    """Return whether the functions of a scope already have their lists; until then prototypes come in pairs."""
    return bool(scope.functions) and any(block.kind == "list" for block in scope.blocks)


def _functions(block: Block, document: str) -> list[Function]:
    if block.kind != "listing":
        return []
    found = []
    for prototype in prototypes_in(block.text):
        anchor = block.anchor or block.section.anchor
        section = Section(block.section.number, block.section.title, anchor)
        function = function_of(prototype, document, section)
        found.append(msgspec.structs.replace(function, gates=gates_provided(prototype.provided)))
    return found


def referred_in(scope: Scope) -> Iterator[tuple[Function, str, frozenset[str]]]:
    """Yield the parameters of a function that another, named function describes."""
    items = [item[0].text for block in scope.blocks if block.kind == "list" for item in block.items if item]
    for described in filter(None, map(_REFERS.match, items)):
        for function in scope.functions:
            names = {parameter.name for parameter in function.parameters}.intersection(re.findall(r"\w+", described[1]))
            if names and described[2] != function.name:
                yield function, described[2], frozenset(names)


def _apply_notes(scope: Scope) -> None:
    """Apply the notes: a note with names applies to these functions, one without to all."""
    notes = [block.words() for block in scope.blocks if block.kind == "note" and is_note(block.words())]
    for index, function in enumerate(scope.functions):
        gates = list(function.gates)
        deprecated = function.deprecated_by
        for note in notes:
            named = [name for name in symbols_in(note) if name.startswith("cl") and not name.startswith("cl_")]
            if named and function.name not in named:
                continue
            gates += [gate for gate in gates_in(note) if not _stated(gate, gates)]
            deprecated = deprecated_in(note) or deprecated
        scope.functions[index] = msgspec.structs.replace(function, gates=tuple(gates), deprecated_by=deprecated)


def _apply_descriptions(scope: Scope) -> None:
    """Change the direction of a parameter that the prose describes as an input list, though its type is not const."""
    items = [item[0].text for block in scope.blocks if block.kind == "list" for item in block.items if item]
    for index, function in enumerate(scope.functions):
        parameters = tuple(
            msgspec.structs.replace(parameter, direction="in")
            if parameter.direction == "out" and any(_is_read(parameter.name, item) for item in items)
            else parameter
            for parameter in function.parameters
        )
        scope.functions[index] = msgspec.structs.replace(function, parameters=parameters)


def _is_read(name: str, item: str) -> bool:
    described = re.match(rf"{name} (?:is|specifies|points to) [^.]*\blist of\b", item)
    return bool(described) and not re.search(r"\breturn|\bwill be\b|\bwritten\b", item)


def _stated(gate: Gate, gates: list[Gate]) -> bool:
    """Return whether a condition is already stated; the version in a note repeats that of the comment."""
    return any(gate.subject == known.subject and gate.name == known.name for known in gates)
