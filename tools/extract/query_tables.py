"""Reads the tables of queries, partition schemes and properties, with one requirement for each name in them."""

from __future__ import annotations

import dataclasses
import re
from typing import TYPE_CHECKING

from clconform.spec_tables.requirements import ApplicabilityCondition, Function, Section
from clconform.tools.extract.applicability_notes import (
    alternative_extension,
    conditions_in_note,
    deprecating_version,
    is_note,
    with_alternative,
)
from clconform.tools.extract.sentence_text import find_symbols

if TYPE_CHECKING:
    from collections.abc import Container, Mapping

    from clconform.tools.extract.document_blocks import DocumentBlock, TableCell
    from clconform.tools.extract.scopes import FunctionScope

_FUNCTION = re.compile(r"\bcl[A-Z]\w+")
_TYPE = re.compile(r"\bcl_[a-z]\w+")
_NAME = re.compile(r"CL_[A-Z][A-Za-z0-9_]*[A-Za-z0-9]")
_NAMES = re.compile(rf"(?:{_NAME.pattern}[, ]*)+")
_EQUIVALENT = re.compile(rf"[Tt]he equivalent ({_NAME.pattern}) may be used if the (cl_\w+) extension is supported")
_FOOTNOTE = re.compile(r"(?<=[\]\w]) \[\d+\]$")
_CHOICE = re.compile(rf"^({_NAME.pattern}) - ")
_CODE = re.compile(r"^Returns? (?:the )?(?:\w+ )?(?:IL|SPIR-V|binary|binaries|bytes)\b")
_TEXT = re.compile(r"\b(?:string|separated|null[- ]terminat\w+)", re.IGNORECASE)
_SUPPORTED = re.compile(r"^(\w+) .*\blist of supported properties\b.* described in\b")
_C_TYPES = ("char", "void", "size_t")
_FOREIGN = re.compile(r"GL[a-z]+|ID3D\w+")
"""Matches types of other APIs, which the registry does not contain."""
_LIST_END = re.compile(r"\bCL_\w*LIST_END\w*\b")


@dataclasses.dataclass(frozen=True, slots=True)
class NameRow:
    """One name in a table with its row.

    ``type``: the type as printed. ``description``: the paragraphs of the last column. ``row_names``: all names of the
    row. ``is_shared``: the row is from the table of another function, to which the function refers.
    """

    kind: str
    name: str
    function: str
    type: str
    description: tuple[str, ...]
    section: Section
    applicability: tuple[ApplicabilityCondition, ...]
    deprecated_by: str = ""
    row_names: tuple[str, ...] = ()
    is_shared: bool = False


@dataclasses.dataclass(slots=True)
class ScopeRows:
    """The rows in the tables of one scope.

    ``unread``: rows without a name or a type. ``embedded``: rows that differ for the embedded profile.
    """

    rows: list[NameRow] = dataclasses.field(default_factory=list)
    unread: list[str] = dataclasses.field(default_factory=list)
    embedded: list[NameRow] = dataclasses.field(default_factory=list)
    read_blocks: list[DocumentBlock] = dataclasses.field(default_factory=list)


def read_rows(
    scope: FunctionScope, functions: dict[str, Function], sharing: Mapping[str, list[str]] | None = None
) -> ScopeRows:
    """Read the tables of queries, schemes and properties in a scope, which are recognised by their columns.

    ``sharing``: maps the anchors of tables to the functions whose property lists they describe, as returned by
    ``find_shared_tables``.
    """
    found = ScopeRows()
    for block in scope.blocks:
        if block.kind == "table":
            before = len(found.rows)
            _read_table(block, scope, functions, found)
            own = found.rows[before:]
            others = [
                name for name in (sharing or {}).get(block.anchor, ()) if name not in {row.function for row in own}
            ]
            first = [row for row in own if row.kind == "property" and row.function == own[0].function]
            found.rows += [dataclasses.replace(row, function=name, is_shared=True) for name in others for row in first]
    return found


def find_shared_tables(scopes: list[FunctionScope]) -> dict[str, list[str]]:
    """Map the anchors of tables to the functions whose description of a property list refers to the table."""
    found: dict[str, list[str]] = {}
    for scope in scopes:
        items = [item[0] for block in scope.blocks if block.kind == "list" for item in block.items if item]
        for item in items:
            described = _SUPPORTED.match(item.text)
            for function in scope.functions:
                if described and any(parameter.name == described[1] for parameter in function.parameters):
                    for link in item.links:
                        found.setdefault(link, []).append(function.name)
    return found


def _read_table(block: DocumentBlock, scope: FunctionScope, functions: dict[str, Function], found: ScopeRows) -> None:
    header = [title.lower() for title in block.header]
    kind, column = _table_kind(block.text.lower(), header)
    if not kind:
        return
    if "embedded profile" in block.text:
        again = ScopeRows()
        _read_rows(block, (kind, column), _table_functions(block, scope, functions, kind), functions, again)
        found.embedded, found.unread = again.rows, found.unread + again.unread
        found.read_blocks.append(block)
        return
    _read_rows(block, (kind, column), _table_functions(block, scope, functions, kind), functions, found)


def _read_rows(
    block: DocumentBlock, shape: tuple[str, int], subjects: list[str], functions: dict[str, Function], found: ScopeRows
) -> None:
    kind, column = shape
    for function in subjects:
        found.read_blocks.append(block)
        subject = _version_subject(functions.get(function))
        for cells in block.rows:
            _read_row(cells, column, NameRow(kind, "", function, "", (), block.section, ()), subject, found)


def _read_row(cells: list[TableCell], column: int, row: NameRow, subject: str, found: ScopeRows) -> None:
    if len(cells) <= column:
        found.unread.append(f"a row of {len(cells)} cells: {cells[0].text}")
        return
    names = names_with_conditions(cells[0], subject)
    printed = _FOOTNOTE.sub("", cells[column].text).strip()
    if not names or not printed:
        found.unread.append(cells[0].text)
    for name, (applicability, deprecated) in names.items():
        found.rows.append(
            dataclasses.replace(
                row,
                name=name,
                type=_select_spelling(printed, name),
                description=tuple(cells[-1].paragraphs),
                applicability=applicability,
                deprecated_by=deprecated,
                row_names=tuple(names),
            )
        )


def _table_kind(caption: str, header: list[str]) -> tuple[str, int]:
    """Return the kind of entries in a table and the index of its type column, from its caption and its headings."""
    for index, title in enumerate(header):
        if title in ("return type", "return types"):
            return "query", index
        if (
            title in ("property value", "property type", "partition value", "type")
            and len(header) > index + 1
            and index > 0
        ):
            return "partition" if "partition" in caption or "partition" in title else "property", index
    return "", 0


def _table_functions(
    block: DocumentBlock, scope: FunctionScope, functions: dict[str, Function], kind: str
) -> list[str]:
    """Return the functions that a table describes.

    This is the function that the caption names, or else the function above the table. Without either, a table of
    properties describes all functions with a pointer to a type that the caption names.
    """
    named: list[str] = [name for name in _FUNCTION.findall(block.text) if name in functions]
    if named:
        return named[:1]
    if kind == "query":
        near = [function.name for function in scope.functions if function.queries]
    else:
        near = [f.name for f in scope.functions if any(p.name == "properties" for p in f.parameters)]
    types = set(_TYPE.findall(block.text))
    taking = [f.name for f in functions.values() if any(p.base in types and p.pointers for p in f.parameters)]
    return near[:1] or (taking if kind == "property" else [])


def _version_subject(function: Function | None) -> str:
    """Return the version that a query depends on: the device's for queries of a device, else the platform's."""
    about_device = function is not None and any(
        p.base == "cl_device_id" and not p.pointers for p in function.parameters
    )
    return "device-version" if about_device else "platform-version"


def names_with_conditions(cell: TableCell, subject: str) -> dict[str, tuple[tuple[ApplicabilityCondition, ...], str]]:
    """Return the names of a row with their applicability conditions and deprecations.

    A note applies to the names that it contains, or else to the names above it.
    """
    names: dict[str, tuple[tuple[ApplicabilityCondition, ...], str]] = {}
    last: list[str] = []
    for paragraph in cell.paragraphs:
        equivalent = _EQUIVALENT.search(paragraph)
        leading = _NAMES.match(paragraph)
        if equivalent:
            names[equivalent[1]] = ((ApplicabilityCondition("extension", name=equivalent[2]),), "")
        elif is_note(paragraph):
            named = [name for name in find_symbols(paragraph) if name in names]
            fresh = [name for name in find_symbols(paragraph) if name.startswith("CL_") and name not in names]
            for name in named or fresh or last:
                applicability, deprecated = names.get(name, ((), ""))
                names[name] = (
                    (*applicability, *conditions_in_note(paragraph, subject)),
                    deprecating_version(paragraph) or deprecated,
                )
        elif alternative_extension(paragraph):
            for name in last:
                applicability, deprecated = names[name]
                names[name] = (with_alternative(applicability, paragraph), deprecated)
        elif leading:
            last = _NAME.findall(leading[0])
            names |= {name: ((), "") for name in last if name not in names}
    return names


def _select_spelling(printed: str, name: str) -> str:
    """Return the type that a table prints.

    If the table prints two alternative spellings, return the one that fits the suffix of ``name``.
    """
    options = printed.split(" or ")
    if all(option.startswith("cl_") for option in options):
        fitting = [option for option in options if name.endswith("_KHR") == ("_khr" in option.lower())]
        return fitting[0] if len(fitting) == 1 else printed
    return printed


def parse_return_type(printed: str, description: tuple[str, ...] = ()) -> tuple[str, str]:
    """Return the C type of the elements, and the shape of the value, for a return type as printed.

    An array of characters is a string, unless the description mentions code of a program and no text.
    """
    match = re.fullmatch(r"(.*?)\s*\[\w*\]", printed)
    if match:
        code = bool(_CODE.search(" ".join(description))) and not _TEXT.search(" ".join(description))
        return ("char", "string") if match[1] == "char" and not code else (match[1], "array")
    return printed, "scalar"


def is_known_type(element: str, types: Container[str]) -> bool:
    """Return whether values of a type can be decoded: a type of C, of the registry, or of another API."""
    base = element.removeprefix("const ").removeprefix("unsigned ").rstrip("* ")
    return base in types or base in _C_TYPES or bool(_FOREIGN.fullmatch(base))


def listed_values(description: tuple[str, ...]) -> tuple[str, ...]:
    """Return the names among which a value is chosen: those that begin the paragraphs of the description."""
    return tuple(match[1] for match in map(_CHOICE.match, description) if match)


def find_list_end(description: tuple[str, ...]) -> str:
    """Return the name that ends a list of values; empty if the value is not a list."""
    found = [name for name in _LIST_END.findall(" ".join(description)) if not name.startswith("CL_PROPERTIES_")]
    return found[0] if found else ""
