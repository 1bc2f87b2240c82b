"""Counts the error codes that a run covers, as distinct pairs of a function and a code that the function returned.

A code counts if a judged call returned it, whether it was allowed or not. The pairs in the tables are those of error
conditions, except for out-of-resources codes, which no test can cause. The count thus measures how many error paths of
a driver were exercised, whatever the verdicts are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from clconform.spec_tables.conditions import ABOUT_RESOURCES
from clconform.spec_tables.requirements import ErrorCondition

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from clconform.reports.journal_reader import JournalContents
    from clconform.spec_tables.requirements import Requirement

FunctionCodePair = tuple[str, str]


class ErrorCodeCounts(msgspec.Struct, frozen=True):
    """Numbers of pairs of a function and an error code.

    ``listed``: pairs in the tables, except for out-of-resources codes. ``applicable``: listed pairs with an applicable
    error condition. ``seen``: listed pairs that the driver returned. ``seen_of_core``: seen pairs of functions of the
    main document. ``unlisted``: pairs that the driver returned although no error condition of the function has the
    code.
    """

    listed: int
    applicable: int
    seen: int
    seen_of_core: int
    unlisted: int

    @property
    def summary_line(self) -> str:
        """The counts as one line of text."""
        pairs = f"{self.seen} of {self.applicable} applicable (function, code) pairs"
        return f"Error codes covered: {pairs}; core functions: {self.seen_of_core}; in the tables: {self.listed}"


def count_error_codes(journal: JournalContents, requirements: Mapping[str, Requirement]) -> ErrorCodeCounts:
    """Return the counts of the run with this journal."""
    gates = journal.platform.not_applicable if journal.platform else {}
    clauses = [
        requirement
        for requirement in requirements.values()
        if isinstance(requirement, ErrorCondition) and _is_testable(requirement)
    ]
    listed = _condition_pairs(clauses)
    came = seen_pairs(journal)
    core = {requirement.function for requirement in clauses if not requirement.document.startswith("cl_")}
    return ErrorCodeCounts(
        listed=len(listed),
        applicable=len(_condition_pairs(clause for clause in clauses if clause.id not in gates)),
        seen=len(came & listed),
        seen_of_core=sum(function in core for function, _ in came & listed),
        unlisted=len(came - listed),
    )


def seen_pairs(journal: JournalContents) -> set[FunctionCodePair]:
    """Return the pairs that the first observations and the deviations of a journal contain."""
    pairs = {(first_seen.call.function, first_seen.observed) for first_seen in journal.first_seen}
    pairs |= {(line.sequence[-1].call.function, line.observed) for line in journal.deviations if line.sequence}
    return {(function, code) for function, code in pairs if code.startswith("CL_") and code != "CL_SUCCESS"}


def _is_testable(clause: ErrorCondition) -> bool:
    return clause.condition.kind not in ABOUT_RESOURCES


def _condition_pairs(clauses: Iterable[ErrorCondition]) -> set[FunctionCodePair]:
    return {(clause.function, clause.code) for clause in clauses}
