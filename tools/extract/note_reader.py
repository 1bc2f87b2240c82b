"""Reads a design note in plain text: short headings, paragraphs, lists, and tables with one row per line."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from clconform.spec_tables.records import Document, Section
from clconform.tools.extract.prose import Sentence
from clconform.tools.extract.reading import read_file
from clconform.tools.extract.wording import sentences, squeeze

if TYPE_CHECKING:
    from pathlib import Path

_HEADING_WORDS = 8
_CODE = re.compile(r"[;{}]\s*(?://.*)?$|^\s*//", re.MULTILINE)


def read_note(path: Path) -> tuple[Document, list[Sentence]]:
    """Return a note's name, from its first line, and its sentences by heading, without code.

    A paragraph of several long lines is a table: each line is a row, and counts as one sentence.
    """
    content = read_file(path)
    blocks = [block for block in re.split(r"\n\s*\n", content.text) if block.strip()]
    title = squeeze(blocks[0])
    key = re.sub(r"\W+", "-", title.lower()).strip("-")
    found: list[Sentence] = []
    heading = title
    for block in blocks[1:]:
        text = squeeze(block)
        if _is_heading(block):
            heading = text
        elif not _CODE.search(block):
            section = Section("", heading)
            rows = [squeeze(line) for line in block.splitlines()]
            parts = rows if len(rows) > 1 and not block.lstrip().startswith("•") else sentences(text.lstrip("• "))
            found += [Sentence(heading, part, section, key) for part in parts]
    return Document(key, title, "", content.digest), found


def _is_heading(block: str) -> bool:
    text = block.strip()
    return "\n" not in text and len(text.split()) <= _HEADING_WORDS and text[-1].isalnum() and text[0].isupper()
