"""Converts a journal into reports for people and programs: HTML, JUnit, JSON, a terminal summary, C programs.

``journal_reader`` reads journals, ``result_builder`` combines a journal and the tables into a result (``run_result``),
and ``write_reports`` writes all reports of a result into one folder. Further modules compare results.
"""

from clconform.reports.c_program import CProgramError, c_program
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
    "CProgramError",
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
    "c_program",
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
