"""Compares two mutation runs by requirement and lists lost kills, regardless of source changes."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from clconform.selftest.mutation.mutant_results import KILLED, STATUSES
from clconform.selftest.mutation.mutants import DROPPED, NEGATED

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from clconform.selftest.mutation.mutant_results import MutantRow, MutationReport

WHOLE_PREDICATE_OPERATORS = (DROPPED, NEGATED)
"""The operators that remove or negate a predicate. Each requirement has one mutant of each, whatever its source."""
GONE = "no longer a mutant"


class MutationChange(NamedTuple):
    """The mutation results of two runs, for one requirement or for all requirements.

    ``before``, ``now``: the number of mutants by status. ``lost``: the operators of ``WHOLE_PREDICATE_OPERATORS`` whose
    mutant was killed before and is not killed now, with its current status.
    """

    requirement: str
    before: Counter[str]
    now: Counter[str]
    lost: dict[str, str]

    def format_counts(self) -> str:
        """Return the counts of both runs for each status that occurs."""
        counts = [
            f"{each} {self.before[each]} -> {self.now[each]}"
            for each in STATUSES
            if self.before[each] or self.now[each]
        ]
        return f"{self.requirement}: {', '.join(counts)}"


def compare_runs(before: MutationReport, now: MutationReport, requirements: Collection[str]) -> list[MutationChange]:
    """Return the differences for each of these requirements, and finally for all of them together."""
    old, new = _group_by_requirement(before.mutants), _group_by_requirement(now.mutants)
    changes = [
        _compare_requirement(requirement, old.get(requirement, []), new.get(requirement, []))
        for requirement in requirements
    ]
    whole = MutationChange(
        "all",
        sum((each.before for each in changes), Counter[str]()),
        sum((each.now for each in changes), Counter[str]()),
        {},
    )
    return [*(each for each in changes if each.before != each.now or each.lost), whole]


def _group_by_requirement(rows: Iterable[MutantRow]) -> dict[str, list[MutantRow]]:
    found: dict[str, list[MutantRow]] = {}
    for row in rows:
        found.setdefault(row.requirement, []).append(row)
    return found


def _compare_requirement(requirement: str, before: list[MutantRow], now: list[MutantRow]) -> MutationChange:
    statuses = {row.operator: row.status for row in now if row.operator in WHOLE_PREDICATE_OPERATORS}
    lost = {
        row.operator: statuses.get(row.operator, GONE)
        for row in before
        if row.operator in WHOLE_PREDICATE_OPERATORS and row.status == KILLED and statuses.get(row.operator) != KILLED
    }
    return MutationChange(requirement, Counter(row.status for row in before), Counter(row.status for row in now), lost)
