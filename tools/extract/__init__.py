"""Converts the specification documents into tables: reads and combines them, compares stored tables, and writes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.tools.extract.document_files import ExtractError, find_documents
from clconform.tools.extract.extraction import ExtractionResult, extract_documents
from clconform.tools.extract.html_reader import revision_in
from clconform.tools.extract.revision_changes import RevisionChanges, compare_folders, compare_revisions
from clconform.tools.extract.revision_match import version_in
from clconform.tools.extract.table_files import (
    HAND_KEPT,
    compare_tables,
    copy_committed_input,
    keep_used_reasons,
    render_files,
    write_tables,
)

if TYPE_CHECKING:
    from pathlib import Path

__all__ = [
    "HAND_KEPT",
    "ExtractError",
    "ExtractionResult",
    "RevisionChanges",
    "compare_folders",
    "compare_revisions",
    "compare_tables",
    "copy_committed_input",
    "extract_documents",
    "keep_used_reasons",
    "render_files",
    "revision_of",
    "write_tables",
]


def revision_of(documents: Path) -> str:
    """Return the revision of the main document in a folder, such as ``3.0.17``; empty if the document lacks one."""
    return version_in(revision_in(find_documents(documents).main))
