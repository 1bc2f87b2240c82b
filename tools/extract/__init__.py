"""Converts the specification documents into tables: reads, joins, compares with committed tables, and writes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.tools.extract.extraction import Extraction, extract
from clconform.tools.extract.files import HAND_KEPT, adopt, check, keep_reasons, render, write
from clconform.tools.extract.html_reader import revision_in
from clconform.tools.extract.matching import version_in
from clconform.tools.extract.revisions import Changes, compare_folders, compare_revisions
from clconform.tools.extract.sources import ExtractError, documents_in

if TYPE_CHECKING:
    from pathlib import Path

__all__ = [
    "HAND_KEPT",
    "Changes",
    "ExtractError",
    "Extraction",
    "adopt",
    "check",
    "compare_folders",
    "compare_revisions",
    "extract",
    "keep_reasons",
    "render",
    "revision_of",
    "write",
]


def revision_of(documents: Path) -> str:
    """Return the revision of the main document in a folder, such as ``3.0.17``; empty if it does not state one."""
    return version_in(revision_in(documents_in(documents).main))
