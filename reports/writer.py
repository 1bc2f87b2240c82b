"""Writes the reports of a run into one folder for people, CI and programs; ``docs/formats.md`` describes them."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from clconform.reports.badge import badge_of
from clconform.reports.html_matrix import page_name, render_matrix
from clconform.reports.html_report import render_report
from clconform.reports.json_documents import encode_document
from clconform.reports.junit_report import render_junit
from clconform.reports.markdown_summary import format_summary
from clconform.reports.requirements_csv import format_csv
from clconform.reports.result_matrix import agreement_texts, make_matrix

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from clconform.reports.fault_campaign import FaultCampaign
    from clconform.reports.report_tables import ReportTables
    from clconform.reports.result_matrix import ResultMatrix
    from clconform.reports.run_result import RunResult

HTML = "report.html"
MATRIX = "matrix.html"
MATRIX_JSON = "matrix.json"
JUNIT = "junit.xml"
RESULT = "result.json"
SUMMARY = "summary.md"
BADGE = "badge.json"
REQUIREMENTS_CSV = "requirements.csv"
REPORTS = (HTML, JUNIT, RESULT, SUMMARY, BADGE, REQUIREMENTS_CSV)
"""All files that are written next to a journal."""


class ReportError(Exception):
    """A report cannot be written; the message is one line with a remedy."""


def write_reports(result: RunResult, out: Path, tables: ReportTables, campaign: FaultCampaign | None = None) -> None:
    """Write the reports of ``result`` into the folder ``out``; ReportError if that fails.

    ``campaign``: fault injection on the same platform, for the HTML report.
    """
    _write_files(
        out,
        {
            RESULT: encode_document(result),
            JUNIT: render_junit(result, tables),
            SUMMARY: format_summary(result, tables),
            BADGE: badge_of(result),
            REQUIREMENTS_CSV: format_csv(result),
            HTML: render_report(result, tables, campaign=campaign),
        },
    )


def write_matrix(results: Sequence[RunResult], out: Path, tables: ReportTables) -> ResultMatrix:
    """Write a matrix of several results into the folder ``out`` and return it; ReportError if that fails.

    Each platform gets its own page. For each deviation, the page shows the platforms that share it.
    """
    matrix = make_matrix(results)
    contents = {MATRIX_JSON: encode_document(matrix), MATRIX: render_matrix(matrix)}
    for place, result in enumerate(results):
        page, own = page_name(place), page_name(place).replace(".html", ".json")
        contents[own] = encode_document(result)
        contents[page] = render_report(result, tables, result_name=own, agreement=agreement_texts(matrix, place))
    _write_files(out, contents)
    return matrix


def replace_file(path: Path, content: str) -> None:
    """Write a file in place of an existing file, link or pipe; OSError if that fails.

    The folder may be untrusted, so content is never written through a link.
    """
    path.unlink(missing_ok=True)
    with path.open("x", encoding="utf-8", newline="") as file:
        file.write(content)


def _write_files(out: Path, contents: Mapping[str, str]) -> None:
    for name, content in contents.items():
        path = out / name
        unfinished = path.with_name(f".{name}.unfinished")
        try:
            out.mkdir(parents=True, exist_ok=True)
            replace_file(unfinished, content)
            unfinished.replace(path)
        except OSError as error:
            with suppress(OSError):
                unfinished.unlink(missing_ok=True)
            raise ReportError(f"{path}: cannot write the report: {error.strerror}; choose another folder") from error
