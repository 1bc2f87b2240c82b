"""Compares two results, of two runs or two versions of a driver: requirements that are worse, better or different.

``kind_of_change`` contains the policy: a pure, total function of the two statuses, with a table of tests. A requirement
that one run did not test or cover is not evidence about the driver: the change is a ``selection``, never a regression
or a fix. If a version, an extension or a feature was added or removed, the change is ``scope``. If only one of the runs
has made the calls that deviate, because its tier, its seed or its tests differ, the change is ``further-tests`` or
``selection``.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Literal

import msgspec

from clconform.calls.journal import QUERY_SEPARATOR
from clconform.calls.run_verdict import ROWS, Circumstance, Verdict, decide_verdict
from clconform.reports.deviation_values import find_new_values
from clconform.reports.known_deviations import observed_verdict
from clconform.reports.result_verdict import SEVERE_VERDICTS, verdict_of
from clconform.reports.run_gaps import is_complete
from clconform.reports.run_result import item_digest
from clconform.reports.status_policy import DEVIATING_STATUSES, UNPROVED_STATUSES
from clconform.spec_tables import loading

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from clconform.reports.run_result import DeviationResult, RequirementResult, RunResult

FORMAT = 3
TITLE = "Comparison of two clconform results"
ChangeKindName = Literal["regression", "further-tests", "fix", "changed", "new", "gone", "scope", "selection"]
KINDS: tuple[ChangeKindName, ...] = (
    "regression",
    "further-tests",
    "fix",
    "changed",
    "new",
    "gone",
    "scope",
    "selection",
)
"""All kinds of changes, in the order of display."""
SEVERITY = {"deviates": 1, "hangs": 2, "crashes": 3}
"""Maps the statuses that count against a driver to their severity; unconfirmed and flaky do not count."""
TESTED_BEFORE = ("conforms", "inconclusive", "deviates")
"""Statuses after which a crash or a hang that did not repeat is a regression."""
NOT_TESTED_STATUSES = ("not-covered", "not-run")
OUT_OF_SCOPE_STATUSES = ("not-applicable", "untestable")


class ComparedSide(msgspec.Struct, frozen=True):
    """One of the two results: the tested driver and the options of its run."""

    platform: str
    version: str
    device: str
    driver_version: str
    access: str
    started: str
    seed: int
    tier: str
    clconform: str
    tables: str
    verdict: str


class RequirementChange(msgspec.Struct, frozen=True):
    """A requirement whose result has changed.

    ``old``, ``new``: the statuses; empty if that result does not contain the requirement. ``old_observed``,
    ``new_observed``: the observations; if the requirement deviates, only those of the deviations. ``old_deviations``,
    ``new_deviations``: the ids of the deviations. ``new_tests``, ``new_test_values``: tests and test values that show a
    deviation only in the new result, although both results contain the deviation. ``reason``: the reason for the new
    status.
    """

    id: str
    kind: ChangeKindName
    old: str
    new: str
    section: str
    condition: str
    old_observed: list[str]
    new_observed: list[str]
    old_deviations: list[str]
    new_deviations: list[str]
    reason: str
    new_tests: list[str] = []
    new_test_values: list[str] = []


class QueryResultChange(msgspec.Struct, frozen=True):
    """A query whose result has changed; ``of``: the handle of the platform or device."""

    of: str
    query: str
    old: str
    new: str


class ResultComparison(msgspec.Struct, frozen=True):
    """The comparison of two results.

    ``counts``: number of requirements for each kind of change. ``deviations``: number of distinct deviations that the
    changes of a kind add or remove. ``losses``: why a run has no conclusion about some requirements. ``remarks``: other
    differences, which may explain the changes.
    """

    old: ComparedSide
    new: ComparedSide
    counts: dict[str, int]
    remarks: list[str]
    requirements: list[RequirementChange]
    query_results: list[QueryResultChange]
    deviations: dict[str, int] = {}
    losses: list[str] = []
    format: int = FORMAT

    def of_kind(self, kind: ChangeKindName) -> list[RequirementChange]:
        """Return the changes of one kind, in the order of the requirements."""
        return [change for change in self.requirements if change.kind == kind]


def kind_of_change(old: str, new: str) -> ChangeKindName | None:
    """Return the kind of change from the status ``old`` to the status ``new``; None if they are equal."""
    if old == new:
        return None
    if old in OUT_OF_SCOPE_STATUSES or new in OUT_OF_SCOPE_STATUSES:
        return "scope"
    if old in NOT_TESTED_STATUSES or new in NOT_TESTED_STATUSES:
        return "selection"
    if SEVERITY.get(new, 0) > SEVERITY.get(old, 0):
        return "regression"
    return "fix" if old in SEVERITY and new == "conforms" else "changed"


def comparison_verdict(comparison: ResultComparison) -> Verdict:
    """Return the verdict on a comparison: regressions count like new deviations, losses like those of a run."""
    return decide_verdict(_circumstances(comparison))


def _circumstances(comparison: ResultComparison) -> Iterator[Circumstance]:
    for change in comparison.requirements:
        if change.kind == "regression":
            yield "new-deviation" if change.new == "deviates" else "new-crash"
        elif change.kind == "changed" and (change.old, change.new) == ("conforms", "flaky"):
            yield "flaky"
        elif change.kind == "changed" and (change.old, change.new) == ("conforms", "inconclusive"):
            yield "incomplete"
    if comparison.losses:
        yield "incomplete"


def compare_results(old: RunResult, new: RunResult) -> ResultComparison:
    """Return the comparison of two results."""
    changes = list(_requirement_changes(old, new))
    counts = Counter(change.kind for change in changes)
    return ResultComparison(
        deviations={kind: _count_deviations(changes, kind) for kind in KINDS},
        losses=[
            f"the {name} run: {loss}" for name, result in (("old", old), ("new", new)) for loss in _losses_of(result)
        ],
        old=_make_side(old),
        new=_make_side(new),
        counts={kind: counts[kind] for kind in KINDS},
        remarks=_remarks(old, new),
        requirements=changes,
        query_results=list(_query_result_changes(old, new)),
    )


def _losses_of(result: RunResult) -> tuple[str, ...]:
    """Return why a run is incomplete, or that it had no test."""
    verdict, row = verdict_of(result), ROWS["nothing-selected"]
    return verdict.losses or ((row.text,) if verdict.exit_code == row.code else ())


def _count_deviations(changes: Iterable[RequirementChange], kind: ChangeKindName) -> int:
    """Return the number of distinct deviations that only one of the results has, for changes of this kind."""
    ids = {
        id_
        for change in changes
        if change.kind == kind
        for id_ in set(change.old_deviations).symmetric_difference(change.new_deviations)
    }
    return len(ids)


def _requirement_changes(old: RunResult, new: RunResult) -> Iterator[RequirementChange]:
    """Yield the changes in the order of the requirements in the new result.

    Removed requirements come last.
    """
    before = {requirement.id: requirement for requirement in old.requirements}
    old_found = {deviation.id: deviation for deviation in old.deviations}
    new_found = {deviation.id: deviation for deviation in new.deviations}
    told = _revision_differences(old, new)
    further_tests, further_values = _further_tests(old, new), _further_values(old, new)
    made_before, made_again = MadeCalls(old, new), MadeCalls(new, old)
    for requirement in new.requirements:
        was = before.pop(requirement.id, None)
        seen_in = sorted({test for short in requirement.deviations for test in further_tests.get(short, ())})
        seen_at = sorted({value for short in requirement.deviations for value in further_values.get(short, ())})
        kind = (
            _change_kind(was, requirement, old_found, new_found, made_before, made_again) if was is not None else "new"
        )
        if (seen_in or seen_at) and kind in (None, "changed", "selection"):
            kind = "regression"
        if kind is not None:
            change = _make_change(kind, was, requirement, old_found, new_found)
            change = msgspec.structs.replace(change, new_tests=seen_in, new_test_values=seen_at)
            yield _with_reason(change, told.get(requirement.id, ""))
    for requirement in before.values():
        yield _with_reason(_make_change("gone", requirement, None, old_found, new_found), told.get(requirement.id, ""))


def _further_tests(old: RunResult, new: RunResult) -> dict[str, list[str]]:
    """Map the id of each deviation that both runs have to the tests in which only the new run shows the deviation.

    Empty if the runs did not have the same tests.
    """
    runs = [result.run for result in (old, new)]
    alike = len({(run.revision, run.tables, run.tier, run.shard, run.planned) for run in runs}) == 1
    if not alike or not all(map(is_complete, runs)):
        return {}
    before = {each.id: each.tests for each in old.deviations if each.verdict not in UNPROVED_STATUSES}
    found = {
        each.id: sorted(set(each.tests).difference(before[each.id]))
        for each in new.deviations
        if each.verdict not in UNPROVED_STATUSES and before.get(each.id)
    }
    return {short: tests for short, tests in found.items() if tests}


def _further_values(old: RunResult, new: RunResult) -> dict[str, list[str]]:
    """Map the id of each deviation that both runs have to the test values at which only the new run shows it.

    A test value counts only if the old run has used it for a requirement of the deviation, or has made its query.
    """
    used = {requirement.id: requirement.test_values for requirement in old.requirements}
    queries = {requirement.id for requirement in old.requirements if requirement.calls}
    before = {each.id: each.test_values for each in old.deviations if each.verdict not in UNPROVED_STATUSES}
    found = {}
    for each in new.deviations:
        if each.verdict not in UNPROVED_STATUSES and each.id in before:
            tried = {value for requirement in each.requirements for value in used.get(requirement, ())}
            found[each.id] = [
                value
                for value in find_new_values(each.test_values, before[each.id])
                if value in tried or value.partition(QUERY_SEPARATOR)[0] in queries
            ]
    return found


def _with_reason(change: RequirementChange, text: str) -> RequirementChange:
    reason = "; ".join(each for each in (change.reason, text) if each)
    return change if not text else msgspec.structs.replace(change, reason=reason)


def _revision_differences(old: RunResult, new: RunResult) -> dict[str, str]:
    """Map each requirement that differs between two revisions to a text: split into parts, reworded, or removed."""
    revisions = [result.run.documents.get("OpenCL", "") for result in (old, new)]
    if revisions[0] == revisions[1] or not set(revisions) <= set(loading.list_revisions()):
        return {}
    before, after = (loading.read_tables(loading.REVISIONS / revision) for revision in revisions)
    statuses = {requirement.id: requirement.status for requirement in new.requirements}
    told = {}
    for name, requirement in before.requirements.items():
        there = after.requirements.get(name)
        if there is not None:
            if there.digest != requirement.digest:
                told[name] = f"OpenCL {revisions[1]} words it differently"
            continue
        parts = [f"{each} ({statuses.get(each, 'no result')})" for each in after.parts_of(name)]
        told[name] = f"in OpenCL {revisions[1]} " + (
            f"it is {', '.join(parts)}" if parts else "there is no such requirement"
        )
    return told


class MadeCalls:
    """The calls of one run that another run shows to deviate."""

    def __init__(self, run: RunResult, other: RunResult) -> None:
        """``run``: the run whose calls are in question. ``other``: the run with the deviations."""
        self._items = set(run.item_digests)
        self._has_items = bool(run.item_digests) or not run.run.items
        self._values = {requirement.id: set(requirement.test_values) for requirement in run.requirements}
        self._like = (run.run.seed, run.run.tier) == (other.run.seed, other.run.tier)

    def include(self, deviation: DeviationResult, requirement: str) -> bool:
        """Return whether the run has made calls in which the other run shows a deviation of this requirement.

        Items that make the same calls in each run are compared by their ids, and by their test values if runs of
        different tiers or seeds know any. Random items make the same calls only for the same seed and tier. Of a result
        without a list of its items, all items are assumed.
        """
        if self._has_items and self._items.isdisjoint(map(item_digest, deviation.tests or [deviation.item])):
            return False
        if self._like:
            return True
        used = self._values.get(requirement, set())
        return bool(deviation.tests) and (
            not deviation.test_values or not used or not used.isdisjoint(deviation.test_values)
        )


def _change_kind(
    old: RequirementResult,
    new: RequirementResult,
    old_found: dict[str, DeviationResult],
    new_found: dict[str, DeviationResult],
    made_before: MadeCalls,
    made_again: MadeCalls,
) -> ChangeKindName | None:
    """Return the kind of change between two results for a requirement; None if nothing has changed."""
    kind = _kind_of_statuses(old, new, new_found)
    more = [new_found[short] for short in new.deviations if short in new_found and short not in old.deviations]
    if kind == "selection" and new.status in SEVERITY and any(made_before.include(each, new.id) for each in more):
        return "regression"
    if kind == "regression":
        return kind if not more or any(made_before.include(each, new.id) for each in more) else "further-tests"
    if kind == "fix":
        gone = [old_found[short] for short in old.deviations if short in old_found]
        return kind if not gone or any(made_again.include(each, new.id) for each in gone) else "selection"
    return kind


def _is_flaky_crash(deviation: DeviationResult) -> bool:
    """Return whether a deviation is a crash or a hang that did not repeat."""
    return deviation.verdict == "flaky" and observed_verdict(deviation) in SEVERE_VERDICTS


def _kind_of_statuses(
    old: RequirementResult, new: RequirementResult, new_found: dict[str, DeviationResult]
) -> ChangeKindName | None:
    """Return the kind of change as far as it follows from the statuses and the ids of deviations.

    A further crash or hang that did not repeat is a regression of a requirement that conformed, was inconclusive or
    deviated. A further deviation of a requirement that still has all of its earlier ones is also a regression.
    """
    before, now = set(old.deviations), set(new.deviations)
    more = [new_found[short] for short in now - before if short in new_found]
    if old.status != new.status:
        if new.status == "flaky" and old.status in TESTED_BEFORE and any(map(_is_flaky_crash, more)):
            return "regression"
        return kind_of_change(old.status, new.status)
    if new.status in DEVIATING_STATUSES:
        further = any(each.verdict not in UNPROVED_STATUSES or _is_flaky_crash(each) for each in more)
        return None if before == now else "regression" if before < now and further else "changed"
    if set(old.observed) == set(new.observed):
        return None
    return "changed" if set(old.test_values) == set(new.test_values) else "selection"


def _make_change(
    kind: ChangeKindName,
    old: RequirementResult | None,
    new: RequirementResult | None,
    old_found: dict[str, DeviationResult],
    new_found: dict[str, DeviationResult],
) -> RequirementChange:
    there = new or old
    if there is None:
        raise ValueError("a change without a requirement")
    return RequirementChange(
        id=there.id,
        kind=kind,
        old=old.status if old else "",
        new=new.status if new else "",
        section=f"{there.document} {there.section}",
        condition=there.condition,
        old_observed=_observed(old, old_found),
        new_observed=_observed(new, new_found),
        old_deviations=old.deviations if old else [],
        new_deviations=new.deviations if new else [],
        reason=there.reason,
    )


def _observed(requirement: RequirementResult | None, found: dict[str, DeviationResult]) -> list[str]:
    if requirement is None:
        return []
    deviating = [found[short].observed for short in requirement.deviations if short in found]
    return list(dict.fromkeys(deviating if requirement.status in DEVIATING_STATUSES else requirement.observed))


def _query_result_changes(old: RunResult, new: RunResult) -> Iterator[QueryResultChange]:
    before = {(each.handle, row.query): row.value for each in old.capabilities for row in each.values}
    for each in new.capabilities:
        for row in each.values:
            was = before.get((each.handle, row.query))
            if was is not None and was != row.value:
                yield QueryResultChange(each.handle, row.query, was, row.value)


def _make_side(result: RunResult) -> ComparedSide:
    platform, run = result.platform, result.run
    tested = next((each for each in platform.devices if each.handle == platform.device), None) if platform else None
    return ComparedSide(
        platform=platform.name if platform else "",
        version=platform.version if platform else "",
        device=tested.name if tested else "",
        driver_version=tested.driver_version if tested else "",
        access=platform.access if platform else "",
        started=run.started,
        seed=run.seed,
        tier=run.tier,
        clconform=run.clconform,
        tables=run.tables,
        verdict=verdict_of(result).headline,
    )


def _remarks(old: RunResult, new: RunResult) -> list[str]:
    sides = _make_side(old), _make_side(new)
    told = [
        f"{words}: {one} and {other}"
        for words, one, other in (
            ("different access to the driver", sides[0].access, sides[1].access),
            ("different seeds, so that random tests drew different calls", sides[0].seed, sides[1].seed),
            ("different tiers", sides[0].tier, sides[1].tier),
            ("different versions of clconform", sides[0].clconform, sides[1].clconform),
        )
        if one != other
    ]
    if sides[0].tables != sides[1].tables:
        told.append(_tables_remark(old, new))
    return told


def _tables_remark(old: RunResult, new: RunResult) -> str:
    """Return a remark on the different tables by which two results were judged."""
    before, after = ({requirement.id for requirement in result.requirements} for result in (old, new))
    revisions = [result.run.documents.get("OpenCL", "unknown") for result in (old, new)]
    told = f"the tables are from different documents, OpenCL {revisions[0]} and {revisions[1]}"
    return (
        f"{told}: {len(before - after)} requirements are only in the old one and {len(after - before)} only in the "
        "new one (gone and new below); changes of common requirements may come from their text"
    )


def count_transitions(changes: Sequence[RequirementChange]) -> dict[str, int]:
    """Return the number of changes for each pair of statuses, the most frequent first."""
    return dict(Counter(f"{change.old} -> {change.new}" for change in changes).most_common())
