"""Reads an extension's specification in plain text into blocks; headings are at the margin, all else is indented."""

from __future__ import annotations

import itertools
import re
from typing import TYPE_CHECKING

from clconform.spec_tables.requirements import Section
from clconform.tools.extract.document_blocks import NO_SECTION, DocumentBlock, SourceDocument
from clconform.tools.extract.safe_reading import (
    MAX_CHARACTERS,
    ExtractError,
    check_count,
    escape_path,
    excerpt,
    read_document,
)
from clconform.tools.extract.sentence_text import single_line

if TYPE_CHECKING:
    from pathlib import Path

_SECTION = re.compile(r"\bSection (\d+(?:\.\d+)*)")


def read_plain_text(path: Path) -> SourceDocument:
    """Read a document.

    Its key is the name below ``Name Strings``, and its revision is below ``Version``.
    """
    content = read_document(path)
    blocks = _blocks(content.text.expandtabs(8).splitlines())
    longest = max((len(block.text) for block in blocks), default=0)
    check_count(path, longest, MAX_CHARACTERS, "characters in one paragraph")
    key = _first_below(blocks, "Name Strings") or path.stem
    if not re.fullmatch(r"\w+", key, re.ASCII):
        raise ExtractError(
            f"{escape_path(path)}: not a single extension below 'Name Strings', but {excerpt(key)!r}; give "
            f"each extension "
            "a file"
        )
    version = _first_below(blocks, "Version")
    number = re.search(r"[Vv]ersion:? (\d+(?:\.\d+)*)|^(\d+(?:\.\d+)*)|[Rr]evision:? *(\d+)", version)
    revision = next((group for group in number.groups() if group), "") if number else ""
    return SourceDocument(key, key, revision, content.digest, blocks)


def _blocks(lines: list[str]) -> list[DocumentBlock]:
    blocks: list[DocumentBlock] = []
    section = NO_SECTION
    paragraph: list[str] = []
    for line in [*lines, ""]:
        at_margin = bool(line) and not line[0].isspace()
        if paragraph and (not line.strip() or at_margin):
            blocks.append(_paragraph(paragraph, section))
            paragraph = []
        if at_margin:
            number = _SECTION.search(line)
            section = Section(number[1] if number else "", single_line(line))
            blocks.append(DocumentBlock("heading", single_line(line), level=1, section=section))
        elif line.strip():
            paragraph.append(line)
    return blocks


def _paragraph(lines: list[str], section: Section) -> DocumentBlock:
    """Return lines as a block.

    Its level is the indentation of the first line, and its text keeps the line ends.
    """
    indent = len(lines[0]) - len(lines[0].lstrip())
    kind = "listing" if _is_code(lines) else "paragraph"
    return DocumentBlock(kind, "\n".join(line.strip() for line in lines), level=indent, section=section)


def _is_code(lines: list[str]) -> bool:
    return lines[-1].rstrip().endswith(";") and ("(" in "".join(lines) or lines[0].lstrip().startswith("typedef"))


def _first_below(blocks: list[DocumentBlock], title: str) -> str:
    for heading, block in itertools.pairwise(blocks):
        if heading.kind == "heading" and heading.text == title and block.kind != "heading":
            return single_line(block.text)
    return ""
