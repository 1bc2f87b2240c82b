"""Collects the rules about alignment with the test values and the results of each rule."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from clconform.reports.escaping import escape_unprintable
from clconform.reports.status_policy import STATUSES

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from clconform.reports.run_result import DeviationResult, RequirementResult

KIND = "alignment-rule"
MAX_VALUES_SHOWN = 12
"""Maximum number of test values that a row lists; further test values are only counted."""


@dataclass(frozen=True)
class AlignmentRow:
    """One rule as a row of a table.

    ``where``: the section of the document. ``more``: the number of test values that are not listed.
    """

    requirement: str
    where: str
    text: str
    status: str
    reason: str
    calls: int
    test_values: list[str]
    more: int
    observed: list[str]


def alignment_rules(
    requirements: Iterable[RequirementResult], deviations: Iterable[DeviationResult]
) -> list[AlignmentRow]:
    """Return the rules that apply to the platform, worst status first; each rule lists its deviating results first."""
    wrong = {deviation.id: deviation.observed for deviation in deviations}
    found = [record for record in requirements if _is_about_alignment(record) and record.status != "not-applicable"]
    return [_make_row(record, wrong) for record in sorted(found, key=lambda record: STATUSES.index(record.status))]


def _is_about_alignment(record: RequirementResult) -> bool:
    """Return whether a requirement is an alignment rule, or a query, a limit or an error condition about alignment."""
    return record.kind == KIND or "ALIGN" in record.id.upper()


def _make_row(record: RequirementResult, deviating: Mapping[str, str]) -> AlignmentRow:
    seen = [deviating[deviation] for deviation in record.deviations if deviation in deviating] + record.observed
    tried = _single_values(record.test_values)[:MAX_VALUES_SHOWN]
    return AlignmentRow(
        escape_unprintable(record.id),
        escape_unprintable(f"{record.section} {record.title}" if record.title != record.section else record.section),
        escape_unprintable(record.condition),
        record.status,
        escape_unprintable(record.reason),
        record.calls,
        [escape_unprintable(boundary) for boundary in tried],
        len(record.test_values) - len(tried),
        [escape_unprintable(observed) for observed in dict.fromkeys(seen)],
    )


def _single_values(boundaries: Sequence[str]) -> Sequence[str]:
    """Return the test values that name a single alignment, or all test values if each combines several."""
    return [boundary for boundary in boundaries if " and " not in boundary] or boundaries
