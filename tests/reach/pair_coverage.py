"""The pairs of function and error code in the results of one driver: applicable and observed pairs."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from clconform.reports.status_policy import SITUATION_NOT_OBSERVED

from .listed_pairs import has_function, list_early_pairs, list_impossible_pairs, map_reasons

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence

    from clconform.findings.unreachable import UnreachableList
    from clconform.reports.error_codes import FunctionCodePair
    from clconform.reports.run_result import RequirementResult, RunResult


CONDITION_KIND, MAIN_DOCUMENT = "error-clause", "OpenCL"
NO_RETURN_STATUSES = ("crashes", "hangs")
"""Statuses of requirements whose call never returned."""


@dataclass
class PairCoverage:
    """The pairs of some sections in the results of one driver.

    ``observed``: the driver returned the code where a condition required the code. ``required``: a condition required
    the code, but the driver returned another result, did not return, or lacks a function that it must have.
    ``permitted``: calls were made for which a condition with the code may hold by an interpretation, and the driver
    returned another result that the interpretation allows. ``unreachable``: pairs that the list names for this driver,
    with the reason; except for pairs that are reachable in one of several runs, and optional codes that the driver
    returns. ``listed_early``: unreachable pairs that were listed before the suites were written.
    """

    applicable: set[FunctionCodePair] = field(default_factory=set)
    observed: set[FunctionCodePair] = field(default_factory=set)
    required: set[FunctionCodePair] = field(default_factory=set)
    permitted: set[FunctionCodePair] = field(default_factory=set)
    unreachable: dict[FunctionCodePair, str] = field(default_factory=dict)
    listed_early: set[FunctionCodePair] = field(default_factory=set)

    @property
    def stale(self) -> set[FunctionCodePair]:
        """Return pairs that the list names as unreachable although they were observed."""
        return self.observed & self.unreachable.keys()

    @property
    def reachable(self) -> set[FunctionCodePair]:
        """Return the applicable pairs that the list did not name before the suites were written."""
        return self.applicable - self.listed_early

    @property
    def missing(self) -> set[FunctionCodePair]:
        """Return reachable pairs that were not observed."""
        return self.reachable - self.observed

    @property
    def unlisted(self) -> set[FunctionCodePair]:
        """Return the applicable pairs that the list does not name, neither early nor later."""
        return self.applicable - self.unreachable.keys()

    @property
    def not_observed(self) -> set[FunctionCodePair]:
        """Return pairs whose code a condition required and the driver never returned."""
        return self.required - self.observed

    @property
    def optional(self) -> set[FunctionCodePair]:
        """Return exercised pairs whose code the driver need not return, if they were neither observed nor required."""
        return self.permitted - self.observed - self.required

    @property
    def not_covered(self) -> set[FunctionCodePair]:
        """Return the pairs that the list does not name and that were not exercised."""
        return self.unlisted - self.observed - self.required - self.permitted

    @property
    def share(self) -> float:
        """Return the observed share of the reachable pairs, or 1 if there are none."""
        return _compute_share(len(self.reachable & self.observed), len(self.reachable))

    @property
    def unlisted_share(self) -> float:
        """Return the observed share of the pairs that the list does not name, or 1 if there are none."""
        return _compute_share(len(self.unlisted & self.observed), len(self.unlisted))

    @property
    def tried_share(self) -> float:
        """Return the share of the pairs not in the list that were observed, or expected but not observed."""
        return _compute_share(len(self.unlisted & (self.observed | self.required)), len(self.unlisted))

    @property
    def raw_share(self) -> float:
        """Return the observed share of all applicable pairs, or 1 if there are none."""
        return _compute_share(len(self.observed), len(self.applicable))


def collect_pairs(
    results: Sequence[RunResult],
    listed: UnreachableList,
    chapters: Iterable[str],
    without: Iterable[str] = (),
    find_interpretations: Callable[[str], Collection[str]] = lambda _record: (),
) -> PairCoverage:
    """Combine the results of one driver, for the sections and documents in ``chapters`` but not in ``without``.

    A section belongs to the main document and includes its subsections; an extension's document is named by the
    extension. ``find_interpretations``: returns, for the id of an error condition, the interpretations by
    which the condition may hold.
    """
    found, wanted, left_out = PairCoverage(), tuple(chapters), tuple(without)
    for result in results:
        decided = {entry.id for entry in result.interpretations if entry.observed}
        lacking = _find_missing_functions(result)
        for requirement in result.requirements:
            if (
                requirement.kind == CONDITION_KIND
                and is_within(requirement, wanted)
                and not is_within(requirement, left_out)
            ):
                _count_requirement(requirement, found)
                if requirement.function in lacking and requirement.status != "not-applicable":
                    found.required.add(_get_pair(requirement))
                if requirement.reason == SITUATION_NOT_OBSERVED and not decided.isdisjoint(
                    find_interpretations(requirement.id)
                ):
                    found.permitted.add(_get_pair(requirement))
    told = [map_reasons(listed, result) for result in results]
    certain = [list_impossible_pairs(listed, result) for result in results]
    for pair in found.applicable:
        chosen = pair in found.observed and not all(pair in pairs for pairs in certain)
        if told and all(pair in reasons for reasons in told) and not chosen:
            found.unreachable[pair] = told[0][pair]
    found.listed_early = {
        pair for result in results for pair in list_early_pairs(listed, result)
    } & found.unreachable.keys()
    return found


def _find_missing_functions(result: RunResult) -> set[str]:
    """Return the required functions that a driver lacks, which is a deviation of their success."""
    return {
        requirement.function
        for requirement in result.requirements
        if requirement.id == f"{requirement.function}/success"
        and requirement.evidence.get("deviates")
        and not has_function(requirement.function, result)
    }


def is_within(requirement: RequirementResult, chapters: Iterable[str]) -> bool:
    """Return whether a requirement is in one of these sections of the main document or in one of these documents."""
    if "/via/" in requirement.id:
        return False
    where = f"{requirement.section}." if requirement.document == MAIN_DOCUMENT else f"{requirement.document}."
    return any(where.startswith(f"{chapter}.") for chapter in chapters)


def _count_requirement(requirement: RequirementResult, found: PairCoverage) -> None:
    if requirement.status == "not-applicable":
        return
    pair = _get_pair(requirement)
    found.applicable.add(pair)
    if requirement.evidence.get("conforms"):
        found.observed.add(pair)
    if requirement.evidence.get("deviates") or requirement.status in NO_RETURN_STATUSES:
        found.required.add(pair)


def _get_pair(requirement: RequirementResult) -> FunctionCodePair:
    return requirement.function, requirement.id.split("/")[1]


def _compute_share(part: int, whole: int) -> float:
    return part / whole if whole else 1.0
