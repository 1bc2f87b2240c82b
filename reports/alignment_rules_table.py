"""Collects the alignment rules, each with its test values and its results."""

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
    """Return the alignment rules that apply to the platform, worst status first.

    Each rule lists the results of its deviations first.
    """
    wrong = {deviation.id: deviation.observed for deviation in deviations}
    found = [
        requirement
        for requirement in requirements
        if _is_about_alignment(requirement) and requirement.status != "not-applicable"
    ]
    return [
        _make_row(requirement, wrong)
        for requirement in sorted(found, key=lambda requirement: STATUSES.index(requirement.status))
    ]


def _is_about_alignment(requirement: RequirementResult) -> bool:
    """Return whether a requirement is an alignment rule, or a query, a limit or an error condition about alignment."""
    return requirement.kind == KIND or "ALIGN" in requirement.id.upper()


def _make_row(requirement: RequirementResult, deviating: Mapping[str, str]) -> AlignmentRow:
    seen = [
        deviating[deviation] for deviation in requirement.deviations if deviation in deviating
    ] + requirement.observed
    tried = _single_values(requirement.test_values)[:MAX_VALUES_SHOWN]
    return AlignmentRow(
        escape_unprintable(requirement.id),
        escape_unprintable(
            f"{requirement.section} {requirement.title}"
            if requirement.title != requirement.section
            else requirement.section
        ),
        escape_unprintable(requirement.condition),
        requirement.status,
        escape_unprintable(requirement.reason),
        requirement.calls,
        [escape_unprintable(test_value) for test_value in tried],
        len(requirement.test_values) - len(tried),
        [escape_unprintable(observed) for observed in dict.fromkeys(seen)],
    )


def _single_values(test_values: Sequence[str]) -> Sequence[str]:
    """Return the test values that name a single alignment; all test values if each combines several alignments."""
    return [test_value for test_value in test_values if " and " not in test_value] or test_values
