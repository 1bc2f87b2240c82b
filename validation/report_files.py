"""Writes the report files of a validation into a folder; separate, since it imports the code that renders pages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.reports.json_documents import encode_document
from clconform.reports.writer import replace_file
from clconform.validation.findings import ValidationDocument
from clconform.validation.printer import validation_junit
from clconform.validation.validation_page import render_validations

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from clconform.spec_tables import Tables
    from clconform.validation.findings import Validation


def write_report_files(folder: Path, found: Sequence[Validation], tables: Tables) -> None:
    """Write validation.json, validation.html and a JUnit file for each process; OSError if that fails."""
    folder.mkdir(parents=True, exist_ok=True)
    replace_file(folder / "validation.json", encode_document(ValidationDocument(list(found))))
    replace_file(folder / "validation.html", render_validations(found, tables))
    for number, each in enumerate(found):
        ending = f"-{number}" if number else ""
        replace_file(folder / f"junit{ending}.xml", validation_junit(each, tables))
