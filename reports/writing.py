"""Writes the reports of a run into one folder, for people, CI and programs (``docs/formats.md``)."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from clconform.reports.badge import badge_of
from clconform.reports.html import html_of
from clconform.reports.html_matrix import html_of_matrix, own_page
from clconform.reports.json_documents import encode
from clconform.reports.junit import junit_of
from clconform.reports.matrix import agreement, matrix_of
from clconform.reports.records_csv import records_csv_of
from clconform.reports.summary import summary_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from clconform.reports.campaign import Campaign
    from clconform.reports.facts import Facts
    from clconform.reports.matrix import Matrix
    from clconform.reports.result import Result

HTML = "report.html"
MATRIX = "matrix.html"
MATRIX_JSON = "matrix.json"
JUNIT = "junit.xml"
RESULT = "result.json"
SUMMARY = "summary.md"
BADGE = "badge.json"
RECORDS = "records.csv"
REPORTS = (HTML, JUNIT, RESULT, SUMMARY, BADGE, RECORDS)
"""Every file that is written next to a journal."""


class ReportError(Exception):
    """A report cannot be written; the message is one line with a remedy."""


def write_reports(result: Result, out: Path, tables: Facts, campaign: Campaign | None = None) -> None:
    """Write the reports of ``result`` into the folder ``out``; ReportError if that fails.

    ``campaign``: fault injection on the same platform, for the HTML report.
    """
    _write(
        out,
        {
            RESULT: encode(result),
            JUNIT: junit_of(result, tables),
            SUMMARY: summary_of(result, tables),
            BADGE: badge_of(result),
            RECORDS: records_csv_of(result),
            HTML: html_of(result, tables, campaign=campaign),
        },
    )


def write_matrix(results: Sequence[Result], out: Path, tables: Facts) -> Matrix:
    """Write a matrix of several results into the folder ``out`` and return it; ReportError as above.

    Each platform gets its own page, which shows the platforms that share its deviations.
    """
    matrix = matrix_of(results)
    contents = {MATRIX_JSON: encode(matrix), MATRIX: html_of_matrix(matrix)}
    for place, result in enumerate(results):
        page, own = own_page(place), own_page(place).replace(".html", ".json")
        contents[own] = encode(result)
        contents[page] = html_of(result, tables, result_name=own, agreement=agreement(matrix, place))
    _write(out, contents)
    return matrix


def write_anew(path: Path, content: str) -> None:
    """Write a file and replace the existing one, also a link or a pipe; OSError if that fails.

    A folder may be untrusted: nothing is written through a link in it.
    """
    path.unlink(missing_ok=True)
    with path.open("x", encoding="utf-8", newline="") as file:
        file.write(content)


def _write(out: Path, contents: Mapping[str, str]) -> None:
    for name, content in contents.items():
        path = out / name
        unfinished = path.with_name(f".{name}.unfinished")
        try:
            out.mkdir(parents=True, exist_ok=True)
            write_anew(unfinished, content)
            unfinished.replace(path)
        except OSError as error:
            with suppress(OSError):
                unfinished.unlink(missing_ok=True)
            raise ReportError(f"{path}: cannot write the report: {error.strerror}; choose another folder") from error
