"""Converts a journal into reports for people and programs: HTML, JUnit, JSON, a terminal summary, C programs.

``write_reports`` writes all reports of a run into one folder. The other modules have one task each:

- ``journal_reader``: reads journals.
- ``status_policy``: determines the status of each requirement.
- ``result_builder``, ``run_result``: create the result and define its types.
- ``html_report``, ``junit_report``, ``terminal_summary``, ``c_program``: each writes a result in one format.
- ``interpretations_page``: writes the page of interpretations.
- ``result_matrix``: compares several results.
- ``fault_campaign``: defines the results of fault injection.
- ``call_formatting``, ``escaping``: format calls, and make text from drivers safe.
"""

from clconform.reports.c_program import CProgramError, c_program
from clconform.reports.call_formatting import format_call, format_steps
from clconform.reports.interpretations_page import format_interpretations
from clconform.reports.journal_reader import JournalContents, JournalError, JournalReader, read_journal
from clconform.reports.json_documents import ResultError
from clconform.reports.known_deviations import KnownDeviationsError
from clconform.reports.matrix_text import print_matrix
from clconform.reports.result_builder import assemble_result, result_of
from clconform.reports.run_result import DeviationResult, RequirementResult, RunResult, load_result
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
