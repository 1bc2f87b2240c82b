"""Collects the rules about alignment: the requirement, the boundary values tested, and the results."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from clconform.reports.escaping import visible
from clconform.reports.status import STATUSES

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from clconform.reports.result import DeviationResult, RecordResult

KIND = "alignment-rule"
TRIED = 12
"""Maximum number of boundary values listed in a row; the others are counted."""


@dataclass(frozen=True)
class Rule:
    """One rule for display. ``more``: the number of further boundary values tested."""

    record: str
    where: str
    words: str
    status: str
    reason: str
    calls: int
    tried: list[str]
    more: int
    seen: list[str]


def alignment_rules(records: Iterable[RecordResult], deviations: Iterable[DeviationResult]) -> list[Rule]:
    """Return the rules that apply to the platform, worst first; deviating results are listed first."""
    wrong = {deviation.id: deviation.observed for deviation in deviations}
    found = [record for record in records if _of_alignment(record) and record.status != "not-applicable"]
    return [_rule(record, wrong) for record in sorted(found, key=lambda record: STATUSES.index(record.status))]


def _of_alignment(record: RecordResult) -> bool:
    """Return whether a requirement is an alignment rule, or a query, limit or error condition about alignment."""
    return record.kind == KIND or "ALIGN" in record.id.upper()


def _rule(record: RecordResult, wrong: Mapping[str, str]) -> Rule:
    seen = [wrong[deviation] for deviation in record.deviations if deviation in wrong] + record.observed
    tried = _alone(record.boundaries)[:TRIED]
    return Rule(
        visible(record.id),
        visible(f"{record.section} {record.title}" if record.title != record.section else record.section),
        visible(record.condition),
        record.status,
        visible(record.reason),
        record.calls,
        [visible(boundary) for boundary in tried],
        len(record.boundaries) - len(tried),
        [visible(observed) for observed in dict.fromkeys(seen)],
    )


def _alone(boundaries: Sequence[str]) -> Sequence[str]:
    """Return the boundary values that were tested alone, or all if each was tested together with another one."""
    return [boundary for boundary in boundaries if " and " not in boundary] or boundaries
