"""The structure of a document, common to all readers: headings, paragraphs, lists, tables and listings in order."""

from __future__ import annotations

import dataclasses
import re
from typing import TYPE_CHECKING

from clconform.spec_tables.requirements import Section

if TYPE_CHECKING:
    from collections.abc import Iterator

NO_SECTION = Section("", "")


@dataclasses.dataclass(slots=True)
class TableCell:
    """A cell of a table.

    ``paragraphs``: its text. ``anchors``: the names that the cell defines. ``formatted_names``: the words that are
    formatted as names; None if the document does not format names.
    """

    paragraphs: list[str]
    anchors: list[str] = dataclasses.field(default_factory=list)
    rowspan: int = 1
    colspan: int = 1
    formatted_names: frozenset[str] | None = None

    @property
    def text(self) -> str:
        """The text of the cell as one line."""
        return " ".join(self.paragraphs)


@dataclasses.dataclass(slots=True)
class DocumentBlock:
    """A piece of a document.

    ``kind``: ``heading``, ``paragraph``, ``list``, ``table``, ``listing``, ``note`` or ``footnote``. A footnote comes
    after the block that contains its mark.

    ``items``: the items of a list, each a list of blocks; a note has one item with its blocks.

    ``formatted_names``: the words of a paragraph that are formatted as names; None if the document does not format
    names.

    ``scope``: a number that the blocks of a group in the document (an open block) share; 0 outside of groups.

    ``footnotes``: the anchors of the footnotes with marks in this block, in reading order. ``links``: the anchors in
    this document to which a paragraph refers.
    """

    kind: str
    text: str = ""
    anchor: str = ""
    level: int = 0
    items: list[list[DocumentBlock]] = dataclasses.field(default_factory=list)
    header: list[str] = dataclasses.field(default_factory=list)
    rows: list[list[TableCell]] = dataclasses.field(default_factory=list)
    scope: int = 0
    section: Section = NO_SECTION
    formatted_names: frozenset[str] | None = None
    footnotes: tuple[str, ...] = ()
    links: tuple[str, ...] = ()

    def full_text(self) -> str:
        """Return the text of this block and of all blocks in it as one line."""
        parts = [self.text]
        parts += [block.full_text() for item in self.items for block in item]
        parts += [cell.text for row in self.rows for cell in row]
        return " ".join(part for part in parts if part)

    def all_formatted_names(self) -> frozenset[str] | None:
        """Return the words that are formatted as names, in this block and all blocks in it.

        None if the document does not format names.
        """
        inner = [block.all_formatted_names() for item in self.items for block in item]
        known = [marked for marked in (self.formatted_names, *inner) if marked is not None]
        return frozenset().union(*known) if known else None


@dataclasses.dataclass(slots=True)
class SourceDocument:
    """A document as its reader returns it."""

    key: str
    title: str
    revision: str
    digest: str
    blocks: list[DocumentBlock]


_EARLY_TITLES = (
    r"channel[ _]order|access",
    r"num_channels|cl_\w+|api|(?:image|handle|allocation) type|events created by|access qualifier|\w+ bit|enum value",
)
"""Titles of columns that come first in a table."""

_LATE_TITLES = (
    r"input (?:value )?type|(?:(?:return|property|partition|event command) )?(?:type|types|value)|transference",
    r"(?:cl|opencl) image format\b.*|image channel order associated .*",
    r"(?:brief )?description|behavior|info.* returned in \w+",
)
"""Titles of columns that come last in a table."""


def order_columns(block: DocumentBlock) -> DocumentBlock:
    """Return a table with its columns in the usual order: names, types, descriptions.

    Ragged tables stay unchanged.
    """
    titles = [title.lower().strip(" :") for title in block.header]
    order = sorted(range(len(titles)), key=lambda index: _column_rank(titles[index]))
    if order == list(range(len(titles))) or any(len(row) != len(titles) for row in block.rows):
        return block
    rows = [[row[index] for index in order] for row in block.rows]
    return dataclasses.replace(block, header=[block.header[index] for index in order], rows=rows)


def _column_rank(title: str) -> int:
    late = next((rank for rank, known in enumerate(_LATE_TITLES, 1) if re.fullmatch(known, title)), 0)
    return late or next((-rank for rank, known in enumerate(_EARLY_TITLES, 1) if re.fullmatch(known, title)), 0)


def expand_spans(rows: list[list[TableCell]]) -> list[list[TableCell]]:
    """Return rows in which a cell that spans several rows or columns is copied into each of them."""
    waiting: dict[int, tuple[TableCell, int]] = {}
    found = []
    for row in rows:
        cells: list[TableCell] = []
        given = iter(row)
        while True:
            column = len(cells)
            if column in waiting:
                cell, left = waiting.pop(column)
                waiting |= {column: (cell, left - 1)} if left > 1 else {}
                cells.append(cell)
                continue
            own = next(given, None)
            if own is None:
                break
            alone = dataclasses.replace(own, rowspan=1, colspan=1)
            for index in range(column, column + own.colspan):
                waiting |= {index: (alone, own.rowspan - 1)} if own.rowspan > 1 else {}
                cells.append(alone)
        found.append(cells)
    return found


def walk_blocks(blocks: list[DocumentBlock]) -> Iterator[DocumentBlock]:
    """Yield every block and every block in it, in the order of the document."""
    for block in blocks:
        yield block
        for item in block.items:
            yield from walk_blocks(item)
