"""Writes the requirements of a result as comma-separated values for spreadsheets, one line each.

Each cell is visible ASCII. A cell that a spreadsheet would interpret as a formula starts with an apostrophe.
"""

from __future__ import annotations

import csv
import functools
import io
from typing import TYPE_CHECKING

from clconform.reports.escaping import escape_non_ascii

if TYPE_CHECKING:
    from clconform.reports.run_result import RequirementResult, RunResult

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
    "test_values",
    "observed",
    "deviations",
)
FORMULA_STARTS = ("=", "+", "-", "@")
"""The first characters that make a cell a formula in common spreadsheets."""


def format_csv(result: RunResult) -> str:
    """Return the requirements as CSV: a line of titles, then one line for each requirement, with all cells quoted."""
    out = io.StringIO()
    writer = csv.writer(out, quoting=csv.QUOTE_ALL, lineterminator="\r\n")
    writer.writerow(COLUMNS)
    cell = functools.cache(_cell)  # most texts occur in many requirements
    writer.writerows([cell(text) for text in _requirement_cells(requirement)] for requirement in result.requirements)
    return out.getvalue()


def _requirement_cells(requirement: RequirementResult) -> tuple[str, ...]:
    return (
        requirement.id,
        requirement.kind,
        requirement.document,
        requirement.section,
        requirement.chapter,
        requirement.function,
        requirement.status,
        requirement.reason,
        str(requirement.calls),
        requirement.condition,
        "; ".join(requirement.test_values),
        "; ".join(requirement.observed),
        "; ".join(requirement.deviations),
    )


def _cell(text: str) -> str:
    shown = escape_non_ascii(text)
    return f"'{shown}" if shown.lstrip().startswith(FORMULA_STARTS) else shown
