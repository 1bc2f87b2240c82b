"""The sections of the report about one subject: one for each kind of extra line, shown only if there are such lines."""

from __future__ import annotations

from typing import get_args

from clconform.calls.line_kinds import ExtraLine
from clconform.reports.html_report import render_report
from clconform.reports.journal_reader import parse_journal
from clconform.reports.report_sections import SECTIONS
from clconform.reports.result_builder import assemble_result
from clconform.reports.run_result import RunResult

from . import fabricated_journals


def test_each_kind_of_extra_line_has_one_section() -> None:
    assert sorted(map(repr, (section.line for section in SECTIONS))) == sorted(map(repr, get_args(ExtraLine)))
    assert {section.field for section in SECTIONS} < set(RunResult.__struct_fields__)


def test_page_without_extra_lines_has_no_section_about_one_subject() -> None:
    journal = [line for line in fabricated_journals.journal_lines() if not isinstance(line, ExtraLine)]
    tables = fabricated_journals.create_tables()
    result = assemble_result(parse_journal(fabricated_journals.encode_journal(journal), "j"), tables)
    page = render_report(result, tables)
    assert not [section.anchor for section in SECTIONS if f'id="{section.anchor}"' in page]
