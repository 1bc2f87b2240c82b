"""Writes a result's requirements as comma-separated values, one per line, for spreadsheets.

Each cell is visible ASCII; a cell that a spreadsheet would treat as a formula is prefixed with an apostrophe.
"""

from __future__ import annotations

import csv
import functools
import io
from typing import TYPE_CHECKING

from clconform.reports.escaping import visible_ascii

if TYPE_CHECKING:
    from clconform.reports.result import RecordResult, Result

COLUMNS = (
    "id",
    "kind",
    "document",
    "section",
    "chapter",
    "function",
    "status",
    "reason",
    "calls",
    "condition",
    "boundaries",
    "observed",
    "deviations",
)
FORMULA = ("=", "+", "-", "@")
"""The first characters of formulas in common programs."""


def records_csv_of(result: Result) -> str:
    """Return the requirements as CSV with a line of titles, every cell quoted."""
    out = io.StringIO()
    writer = csv.writer(out, quoting=csv.QUOTE_ALL, lineterminator="\r\n")
    writer.writerow(COLUMNS)
    cell = functools.cache(_cell)  # most texts occur in many requirements
    writer.writerows([cell(text) for text in _texts(record)] for record in result.records)
    return out.getvalue()


def _texts(record: RecordResult) -> tuple[str, ...]:
    return (
        record.id,
        record.kind,
        record.document,
        record.section,
        record.chapter,
        record.function,
        record.status,
        record.reason,
        str(record.calls),
        record.condition,
        "; ".join(record.boundaries),
        "; ".join(record.observed),
        "; ".join(record.deviations),
    )


def _cell(text: str) -> str:
    shown = visible_ascii(text)
    return f"'{shown}" if shown.lstrip().startswith(FORMULA) else shown
