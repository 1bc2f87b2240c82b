"""The job summary, the badge and the table of requirements: readable by other tools, with all text escaped."""

from __future__ import annotations

import csv
import io
import json
from typing import TYPE_CHECKING

import jsonschema
import msgspec
import pytest

from clconform.reports.badge import badge_of
from clconform.reports.journal_reader import parse_journal
from clconform.reports.markdown import bounded_lines, code_span, escape_prose
from clconform.reports.markdown_summary import format_summary
from clconform.reports.requirements_csv import COLUMNS, format_csv
from clconform.reports.result_builder import assemble_result
from clconform.reports.run_result import GateResult

from . import fabricated_journals
from .rendered_markdown import parse_markdown

if TYPE_CHECKING:
    from clconform.reports.run_result import RunResult

TABLES = fabricated_journals.create_tables()
BADGE = {
    "type": "object",
    "required": ["schemaVersion", "label", "message"],
    "properties": {
        "schemaVersion": {"const": 1},
        "label": {"type": "string", "minLength": 1},
        "message": {"type": "string", "minLength": 1},
        "color": {"enum": ["brightgreen", "green", "yellow", "orange", "red", "blue", "lightgrey"]},
    },
    "additionalProperties": False,
}
"""The fields that shields.io reads from its endpoints, limited to those that we write."""


def create_result(*, hostile: bool = False, upto: int | None = None) -> RunResult:
    journal = fabricated_journals.encode_journal(fabricated_journals.journal_lines(hostile=hostile)[:upto])
    return assemble_result(parse_journal(journal, "j"), fabricated_journals.create_tables())


def test_job_summary_contains_verdict_counts_and_deviations() -> None:
    result = create_result()
    page = parse_markdown(format_summary(result, TABLES))
    assert page.headings == [f"clconform: {result.summary.verdict}", "Deviations: 3"]
    assert ["deviates", "1"] in page.rows
    (row,) = [row for row in page.rows if fabricated_journals.CRASHED in row]
    assert row[:4] == ["577c2a37", "deviates", "incorrect programs", "-"]
    assert row[5:] == [
        (
            "out_devices is not NULL and num_devices is less than the number of sub-devices of the scheme."
            " where out_devices = <1-element output buffer>, num_devices = 1"
        ),
        "CL_INVALID_VALUE",
        "CL_SUCCESS",
    ]
    assert {"crashes", "hangs", "flaky"} & {row[1] for row in page.rows}
    assert page.html == page.links == []


def test_job_summary_contains_known_deviations_and_gate_findings() -> None:
    page = parse_markdown(format_summary(fabricated_journals.add_gate(create_result(), "new"), TABLES))
    assert "Known deviations known.toml: 1 new, 1 fixed, 2 known, 1 not-tested, exit code 12" in page.headings
    assert {row[0]: row[3] for row in page.rows if len(row) > 3}["577c2a37"] == "new"
    assert "fixed, line 11: clSomething/*, tested and conforming: |" in page.text
    assert "clOther" not in page.text
    assert page.html == page.links == []


def test_hostile_text_is_escaped_in_the_job_summary() -> None:
    text = format_summary(create_result(hostile=True), TABLES)
    page = parse_markdown(text)
    assert page.html == page.links == []
    assert [len(row) for row in page.rows] == [
        len(row) for row in parse_markdown(format_summary(create_result(), TABLES)).rows
    ]
    assert all(character.isprintable() or character == "\n" for character in text)
    assert "<script>alert(1)</script>" in page.text


@pytest.mark.parametrize(
    "text",
    [
        "`a` ``b`` ```",
        "a | b",
        "<b>bold</b> &amp; <!-- no -->",
        "[x](http://e.example) ![y](z) <http://e.example> http://e.example www.e.example",
        "# title",
        "*a* _b_ ~~c~~ \\",
        "| --- |",
        "line\n\n# other",
        "@everyone #1",
        "\\`",
    ],
)
def test_markdown_markup_in_text_is_escaped(text: str) -> None:
    for put in (code_span, escape_prose):
        page = parse_markdown(f"| a | b |\n| --- | --- |\n| {put(text)} | end |\n")
        assert [len(row) for row in page.rows] == [2, 2]
        assert page.rows[1][1] == "end"
        assert page.html == page.links == page.headings == []
    assert parse_markdown(escape_prose("a * b < c | d_e_f")).text == "a * b < c | d_e_f\n"
    assert "@" not in escape_prose(text)


def test_long_job_summary_is_cut_and_counts_omitted_rows() -> None:
    lines, tables = fabricated_journals.create_large_journal(4000)
    result = assemble_result(parse_journal(fabricated_journals.encode_journal(lines), "j"), tables)
    whole, cut = format_summary(result, tables), format_summary(result, tables, limit=6000)
    assert len(cut.encode()) <= 6000 < len(whole.encode())
    shown = len([line for line in cut.splitlines() if line.startswith("| `") and "deviates" in line])
    assert 0 < shown < len(result.deviations)
    left_out = len(result.deviations) - len([line for line in cut.splitlines() if line.startswith("| `")])
    assert f"{left_out} more rows are not shown" in cut
    assert "left out" not in whole


def test_rows_beyond_the_size_limit_are_counted_in_a_note() -> None:
    assert bounded_lines(["head"], ["row"] * 3, [], limit=5)[1:] == [
        "",
        "3 more rows are not shown; `result.json` has all of them.",
    ]


def test_run_without_platform_has_job_summary_and_badge() -> None:
    result = create_result(upto=1)
    assert "The run ended before a platform was found" in format_summary(result, TABLES)
    assert json.loads(badge_of(result))["message"] == "nothing was tested (incomplete)"


def create_expected_result(result: RunResult) -> RunResult:
    """Return the result with gate findings of kind ``known`` only."""
    gated = fabricated_journals.add_gate(result)
    assert gated.gate is not None
    known = [finding for finding in gated.gate.findings if finding.kind == "known"]
    return msgspec.structs.replace(gated, gate=msgspec.structs.replace(gated.gate, findings=known, exit_code=0))


def test_badge_matches_the_schema_of_shields_io() -> None:
    clean = fabricated_journals.conforming_lines()
    fine = assemble_result(
        parse_journal(fabricated_journals.encode_journal(clean), "j"), fabricated_journals.create_tables()
    )
    wanted = [
        (create_result(), "1 crash, 1 wrong result, 1 flaky deviation", "red"),
        (create_result(hostile=True), "1 crash, 1 wrong result, 1 flaky deviation", "red"),
        (fine, "4 requirements conform", "brightgreen"),
        (fabricated_journals.add_gate(create_result()), "1 fixed", "yellow"),
        (fabricated_journals.add_gate(create_result(), "new"), "1 new, 1 fixed", "orange"),
        (
            msgspec.structs.replace(fine, gate=GateResult("f", "2026-11-21", 0, 0, [])),
            "4 requirements conform",
            "brightgreen",
        ),
        (create_expected_result(create_result()), "as expected, 3 known", "brightgreen"),
        (create_result(upto=2), "nothing was tested (incomplete)", "lightgrey"),
    ]
    for result, message, color in wanted:
        badge = json.loads(badge_of(result))
        jsonschema.Draft202012Validator(BADGE).validate(badge)
        assert (badge["message"], badge["color"]) == (message, color)


def test_requirements_csv_has_no_formulas_or_hidden_characters() -> None:
    result = create_result(hostile=True)
    words = ["=1+1", "+cmd", "-2", "@sum", " =x", "\t=y", "plain"]
    requirements = [
        msgspec.structs.replace(requirement, reason=word)
        for requirement, word in zip(result.requirements, words, strict=False)
    ]
    text = format_csv(msgspec.structs.replace(result, requirements=requirements))
    assert all(" " <= character <= "~" or character in "\r\n" for character in text)
    read = list(csv.DictReader(io.StringIO(text, newline="")))
    assert [row["reason"] for row in read] == ["'=1+1", "'+cmd", "'-2", "'@sum", "' =x", "\\x09=y", "plain"]
    assert tuple(read[0]) == COLUMNS
