"""Converts a journal into reports for people and programs: HTML, JUnit, JSON, a terminal summary, C programs.

``journal_reader`` reads journals, ``result_builder`` combines a journal and the tables into a result (``run_result``),
and ``write_reports`` writes all reports of a result into one folder. Further modules compare results.

The names of ``__all__`` are imported when they are first used, because most commands need few of the modules.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.spec_tables.lazy_names import import_on_use

if TYPE_CHECKING:
    from clconform.reports.call_formatting import format_call, format_steps
    from clconform.reports.interpretations_page import format_interpretations
    from clconform.reports.journal_reader import JournalContents, JournalError, JournalReader, read_journal
    from clconform.reports.json_documents import ResultError
    from clconform.reports.known_deviations import KnownDeviationsError
    from clconform.reports.matrix_text import print_matrix
    from clconform.reports.result_builder import assemble_result, result_of
    from clconform.reports.result_consistency import load_result
    from clconform.reports.run_result import DeviationResult, RequirementResult, RunResult
    from clconform.reports.terminal_summary import print_summary
    from clconform.reports.writer import ReportError, write_matrix, write_reports

__all__ = [
    "DeviationResult",
    "JournalContents",
    "JournalError",
    "JournalReader",
    "KnownDeviationsError",
    "ReportError",
    "RequirementResult",
    "ResultError",
    "RunResult",
    "assemble_result",
    "format_call",
    "format_interpretations",
    "format_steps",
    "load_result",
    "print_matrix",
    "print_summary",
    "read_journal",
    "result_of",
    "write_matrix",
    "write_reports",
]

_MODULES = {
    "DeviationResult": "run_result",
    "JournalContents": "journal_reader",
    "JournalError": "journal_reader",
    "JournalReader": "journal_reader",
    "KnownDeviationsError": "known_deviations",
    "ReportError": "writer",
    "RequirementResult": "run_result",
    "ResultError": "json_documents",
    "RunResult": "run_result",
    "assemble_result": "result_builder",
    "format_call": "call_formatting",
    "format_interpretations": "interpretations_page",
    "format_steps": "call_formatting",
    "load_result": "result_consistency",
    "print_matrix": "matrix_text",
    "print_summary": "terminal_summary",
    "read_journal": "journal_reader",
    "result_of": "result_builder",
    "write_matrix": "writer",
    "write_reports": "writer",
}
"""The module of each name."""

if not TYPE_CHECKING:  # otherwise every name would have a type
    __getattr__ = import_on_use(__name__, _MODULES)
