"""Reads the plain text of an extension: functions, tokens, error conditions, queries, partition schemes, prose."""

from __future__ import annotations

import dataclasses
import re
from typing import TYPE_CHECKING

import msgspec

from clconform.spec_tables.requirements import ApplicabilityCondition, Erratum, Function, Section, Type
from clconform.tools.extract.document_blocks import TableCell
from clconform.tools.extract.error_conditions import FoundCondition
from clconform.tools.extract.prototypes import function_from_prototype, parse_prototypes
from clconform.tools.extract.query_tables import NameRow
from clconform.tools.extract.sentence_text import single_line, split_sentences

if TYPE_CHECKING:
    from clconform.tools.extract.document_blocks import DocumentBlock, SourceDocument

_TOKEN = re.compile(r"^(CL_\w+)\s+\(?(-?(?:0x[0-9a-fA-F]{1,16}|0|[1-9]\d{0,19}))(?:\s*<<\s*(\d{1,2}))?\)?$")
_VALUED = re.compile(r"^CL_\w+\s+\(?-?\d")
_ENTRY = re.compile(r"^((?:CL_|cl)\w+)\s*(?:\(\))?\s+- +(.*)$")
_QUERY = re.compile(r"^(CL_\w+) (?:- a selector to get|Return) (.*)$")
_RETURNED_BY = re.compile(r"values may be returned by (cl\w+)|errors are added to (cl\w+)")
_RETURNS = re.compile(r"\b(These commands|cl[A-Z]\w+) returns? CL_SUCCESS .*\berrors:$")
_GENERATED = re.compile(r"^(CL_\w+)\s+(?:is generated )?(if .*)$")
_STRUCTURE = re.compile(r"typedef struct \w+\s*\{(.*?)\}\s*(\w+)\s*;", re.DOTALL)
_MEMBER = re.compile(r"(\w+) (\w+)\s*(?:;|$)", re.MULTILINE)
_SELECTORS = re.compile(r"selectors are added for (cl\w+)")
_INLINE = re.compile(r"\b[Ii]t returns (CL_\w+) (if .*)$")
_INSTEAD = re.compile(r"On an OpenCL (\d+)\.(\d+) implementation, these cases return (CL_\w+) instead")
_ELEMENT = re.compile(r"(an array of |type is |get the )(?:an array of )?(cl_\w+)")
_CHANGES = re.compile(r"^(?:Changes to|Clarification)")


@dataclasses.dataclass(slots=True)
class ExtensionText:
    """The contents of the plain text of one extension.

    ``introduced``: maps tokens to the sentence above their list. ``prose``: context, sentence and section of all
    sentences that are not part of another requirement.
    """

    functions: list[Function] = dataclasses.field(default_factory=list)
    tokens: dict[str, int] = dataclasses.field(default_factory=dict)
    introduced: dict[str, str] = dataclasses.field(default_factory=dict)
    clauses: list[FoundCondition] = dataclasses.field(default_factory=list)
    success: dict[str, str] = dataclasses.field(default_factory=dict)
    rows: list[NameRow] = dataclasses.field(default_factory=list)
    prose: list[tuple[str, str, Section]] = dataclasses.field(default_factory=list)
    types: list[Type] = dataclasses.field(default_factory=list)
    tables: list[DocumentBlock] = dataclasses.field(default_factory=list)
    unread: list[str] = dataclasses.field(default_factory=list)
    disagreements: list[str] = dataclasses.field(default_factory=list)


def correct_misprints(source: SourceDocument, errata: tuple[Erratum, ...]) -> SourceDocument:
    """Return a document without the known misprints, each corrected wherever it occurs."""
    known = [erratum for erratum in errata if erratum.document == source.key and erratum.everywhere]
    blocks = []
    for block in source.blocks:
        text = block.text
        for erratum in known:
            text = re.sub(rf"(?<!\w){re.escape(erratum.printed)}(?!\w)", erratum.corrected, text)
        blocks.append(dataclasses.replace(block, text=text))
    return dataclasses.replace(source, blocks=blocks)


def parse_extension(source: SourceDocument) -> ExtensionText:
    """Return the contents of a document without misprints."""
    return _ExtensionParser(source).parse()


class _ExtensionParser:
    """Reads the blocks of an extension's text once.

    ``function``: the last declared function. ``target``: the function of the current list.
    """

    def __init__(self, source: SourceDocument) -> None:
        self.source = source
        self.found = ExtensionText()
        self.function = ""
        self.mode = ""
        self.target = ""
        self.targets: tuple[str, ...] = ()
        self.described: list[str] = []
        self.spoken = False
        self.entry: tuple[str, int] = ("", 0)
        self.schemes: list[str] = []
        self.gate = (ApplicabilityCondition("extension", name=source.key),)

    def parse(self) -> ExtensionText:
        self._declare()
        element = re.search(
            r"\{property-value, (\w+)\[\]\} pairs", single_line(" ".join(b.text for b in self.source.blocks))
        )
        for block in self.source.blocks:
            if block.kind == "heading":
                self.mode = "changes" if _CHANGES.match(block.text) else ""
                self.mode = (
                    "additions"
                    if block.text.startswith(("Additions to section", "Additions to Section", "New section"))
                    else self.mode
                )
                self.function, self.target, self.entry, self.described = "", "", ("", 0), []
            elif self.mode and block.kind == "listing":
                self._listing(block)
            elif self.mode:
                self._paragraph(block)
            elif block.section.title.startswith("Additions to Table") and "|" in block.text:
                self.found.tables.append(parse_drawn_table(block))
        typed = [dataclasses.replace(r, type=element[1]) if element and not r.type else r for r in self.found.rows]
        self.found.rows = typed
        return self.found

    def _listing(self, block: DocumentBlock) -> None:
        """Read a prototype, which begins the description of its function, or a structure, which defines a type."""
        prototypes = parse_prototypes(block.text)
        structure = _STRUCTURE.search(block.text)
        if structure:
            fields = tuple((match[2], match[1]) for match in _MEMBER.finditer(structure[1]))
            self.found.types.append(Type(structure[2], "struct", fields=fields))
        elif not prototypes and "typedef" not in block.text:
            self.found.unread.append(f"{self.source.key}: a listing: {single_line(block.text)[:60]}")
        for prototype in prototypes:
            self.described = (
                [*self.described, prototype.name] if self.described and not self.spoken else [prototype.name]
            )
            self.spoken = False
            self.function = prototype.name
            declared = next((f for f in self.found.functions if f.name == prototype.name), None)
            here = function_from_prototype(prototype, self.source.key, block.section)
            if declared is None or _parameter_shape(declared) != _parameter_shape(here):
                self.found.disagreements.append(f"{prototype.name}: {self.source.key} prints two prototypes")
                self._keep_last_prototype(here)

    def _keep_last_prototype(self, function: Function) -> None:
        """Keep the later of two prototypes of a function, because its description follows."""
        known = [f.name for f in self.found.functions]
        kept = msgspec.structs.replace(function, applicability=self.gate)
        if function.name in known:
            self.found.functions[known.index(function.name)] = kept
        else:
            self.found.functions.append(kept)

    def _declare(self) -> None:
        """Read functions and tokens from the sections that list new names."""
        title = introduction = ""
        for block in self.source.blocks:
            title = block.text if block.kind == "heading" else title
            if block.kind == "listing" and title.startswith("New Procedures"):
                for prototype in parse_prototypes(block.text):
                    section = Section(block.section.number, block.section.title, prototype.name)
                    function = function_from_prototype(prototype, self.source.key, section)
                    self.found.functions.append(msgspec.structs.replace(function, applicability=self.gate))
            elif block.kind == "paragraph" and title.startswith("New Tokens"):
                self._tokens(block, introduction)
                introduction = single_line(block.text)

    def _tokens(self, block: DocumentBlock, introduction: str) -> None:
        lines = block.text.splitlines()
        tokens = [match for match in map(_TOKEN.match, lines) if match]
        if any(map(_VALUED.match, lines)) and len(tokens) != len(lines):
            self.found.unread.append(f"{self.source.key}: {single_line(block.text)[:60]}")
        for match in tokens:
            self.found.introduced[match[1]] = introduction
            self.found.tokens[match[1]] = int(match[2], 0) << int(match[3] or 0)
        if "property name in the" in introduction:
            self.schemes += [match[1] for match in tokens]

    def _paragraph(self, block: DocumentBlock) -> None:
        text = single_line(block.text)
        if returned := _RETURNED_BY.search(text):
            self.mode, self.targets = "values", (returned[1] or returned[2],)
            return
        if returns := _RETURNS.search(text):
            self.mode = "values"
            self.targets = (returns[1],) if returns[1].startswith("cl") else tuple(self.described)
            self.found.success.update(dict.fromkeys(self.targets, text))
            return
        if selectors := _SELECTORS.search(text):
            self.mode, self.target = "selectors", selectors[1]
            return
        if self.mode == "values" and (entry := _ENTRY.match(text) or _GENERATED.match(text)):
            self._value(entry[1], text, block.section)
        elif self.mode == "selectors" and (query := _QUERY.match(text)):
            self.entry = (query[1], block.level)
            self._query(query[1], text, block.section)
        elif self.mode == "changes" and (entry := _ENTRY.match(text)) and entry[1][2].isupper():
            self.entry = (entry[1], block.level)
            self._prose(entry[1], entry[2], block.section)
        elif self.mode == "additions" and (entry := _ENTRY.match(text)) and entry[1] in self.schemes:
            self.entry = (entry[1], block.level)
            self.found.rows.append(NameRow("partition", entry[1], self.function, "", (text,), block.section, self.gate))
            self._prose(entry[1], text, block.section)
        else:
            if block.level <= self.entry[1]:
                self.entry = ("", 0)
            self._scheme_line(text)
            self._prose(self.entry[0] or self.function or block.section.title, text, block.section)

    def _value(self, code: str, text: str, section: Section) -> None:
        if code == "CL_SUCCESS":
            self.found.success.update(dict.fromkeys(self.targets, text))
            return
        named = tuple(name for name in self.targets if re.search(rf"\b{name}\b", text))
        targets = named or self.targets
        applicability: tuple[ApplicabilityCondition, ...] = self.gate
        instead = _INSTEAD.search(text)
        if instead:
            following = f"{instead[1]}.{int(instead[2]) + 1}"
            only = ApplicabilityCondition("platform-version", before=following)
            self.found.clauses.append(FoundCondition(targets, instead[3], text, section, (*applicability, only)))
            applicability = (*applicability, ApplicabilityCondition("platform-version", since=following))
        self.found.clauses.append(FoundCondition(targets, code, text, section, applicability))

    def _query(self, name: str, text: str, section: Section) -> None:
        element = _ELEMENT.search(text)
        self.found.rows.append(NameRow("query", name, self.target, _printed_type(element), (text,), section, self.gate))
        self._prose(name, text, section)

    def _prose(self, context: str, text: str, section: Section) -> None:
        self.spoken = self.spoken or "errors:" in text
        self._read_late_type(context, text)
        for sentence in split_sentences(text):
            inline = _INLINE.search(sentence)
            if self.function and "returns CL_SUCCESS" in sentence:
                self.found.success[self.function] = sentence
            elif inline and self.function:
                text = f"{inline[1]} {inline[2]}"
                self.found.clauses.append(FoundCondition((self.function,), inline[1], text, section, self.gate))
            else:
                self.found.prose.append((context, sentence, section))

    def _scheme_line(self, text: str) -> None:
        """Append text below a partition scheme to the description of the scheme."""
        for index, row in enumerate(self.found.rows):
            if row.kind == "partition" and row.name == self.entry[0]:
                self.found.rows[index] = dataclasses.replace(row, description=(*row.description, text))

    def _read_late_type(self, context: str, text: str) -> None:
        """Read the return type of a query from a separate sentence, some paragraphs after the name of the query."""
        for index, row in enumerate(self.found.rows):
            said = re.search(r"(?:return type is|returned value is) (an array of )?(cl_\w+)", text)
            if row.name == context and said:
                printed = said[2] + ("[]" if said[1] else "")
                self.found.rows[index] = dataclasses.replace(row, type=printed)


def parse_drawn_table(block: DocumentBlock) -> DocumentBlock:
    """Return a table that is drawn with bars.

    A row with an empty first cell continues the previous row.
    """
    lines = [[cell.strip() for cell in line.split("|")] for line in block.text.splitlines() if "|" in line]
    rows: list[list[str]] = []
    for cells in lines[1:]:
        if cells[0] or not rows:
            rows.append(cells)
        else:
            rows[-1] = [single_line(f"{above} {below}") for above, below in zip(rows[-1], cells, strict=False)]
    table_rows = [[TableCell([text]) for text in row] for row in rows]
    return dataclasses.replace(block, kind="table", text=block.section.title, header=lines[0], rows=table_rows)


def _parameter_shape(function: Function) -> list[tuple[str, str]]:
    return [(parameter.type, parameter.name) for parameter in function.parameters]


def _printed_type(element: re.Match[str] | None) -> str:
    return "" if element is None else element[2] + ("[]" if "array" in element[0] else "")
