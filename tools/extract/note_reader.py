"""Reads a design note in plain text: short headings, paragraphs, lists, and tables with one line per row."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from clconform.spec_tables.requirements import Document, Section
from clconform.tools.extract.prose_sentences import ProseSentence
from clconform.tools.extract.safe_reading import read_document
from clconform.tools.extract.sentence_text import single_line, split_sentences

if TYPE_CHECKING:
    from pathlib import Path

_HEADING_WORDS = 8
_CODE = re.compile(r"[;{}]\s*(?://.*)?$|^\s*//", re.MULTILINE)


def read_note(path: Path) -> tuple[Document, list[ProseSentence]]:
    """Return a note and its sentences, except for code.

    The name of the note is its first line. The context of a sentence is the heading above it. A paragraph of several
    long lines is a table: each line is a row and counts as one sentence.
    """
    content = read_document(path)
    blocks = [block for block in re.split(r"\n\s*\n", content.text) if block.strip()]
    title = single_line(blocks[0])
    key = re.sub(r"\W+", "-", title.lower()).strip("-")
    found: list[ProseSentence] = []
    heading = title
    for block in blocks[1:]:
        text = single_line(block)
        if _is_heading(block):
            heading = text
        elif not _CODE.search(block):
            section = Section("", heading)
            rows = [single_line(line) for line in block.splitlines()]
            parts = rows if len(rows) > 1 and not block.lstrip().startswith("•") else split_sentences(text.lstrip("• "))
            found += [ProseSentence(heading, part, section, key) for part in parts]
    return Document(key, title, "", content.digest), found


def _is_heading(block: str) -> bool:
    text = block.strip()
    return "\n" not in text and len(text.split()) <= _HEADING_WORDS and text[-1].isalnum() and text[0].isupper()
