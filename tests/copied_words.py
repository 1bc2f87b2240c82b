"""Finds copied sentences of the documents: runs of more than twelve of their words, without names and values."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from lxml import html

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parent.parent
DOCUMENTS = Path(os.environ.get("CLCONFORM_DOCUMENTS", ROOT.parent / "shared" / "documents"))
MAX_WORDS = 12
needs_documents = pytest.mark.skipif(
    not DOCUMENTS.is_dir(), reason="the documents are not here; name their folder in CLCONFORM_DOCUMENTS"
)
_NAME = re.compile(r"\b\w*(?:_\w*|\d\w*)\b|\bcl[A-Z]\w*")


def extract_words(text: str) -> list[str]:
    """Return the words of a text, without names, values and punctuation."""
    plain = _NAME.sub(" ", text)
    return [word.lower() for word in re.findall(r"[A-Za-z][A-Za-z'\u2019]*", plain)]


def word_runs(words: list[str]) -> Iterator[tuple[str, ...]]:
    return (tuple(words[start : start + MAX_WORDS + 1]) for start in range(len(words) - MAX_WORDS))


def read_documents() -> dict[str, str]:
    found = {path.name: path.read_text(encoding="utf-8", errors="replace") for path in DOCUMENTS.glob("*.txt")}
    for path in DOCUMENTS.glob("*.html"):
        found[path.name] = html.document_fromstring(path.read_bytes()).text_content()
    return found


def known_runs_of_words() -> set[tuple[str, ...]]:
    """Return the runs of words of all documents."""
    return {run for text in read_documents().values() for run in word_runs(extract_words(text))}


def find_copies(known: set[tuple[str, ...]], text: str) -> list[str]:
    return [" ".join(run) for run in word_runs(extract_words(text)) if run in known]
