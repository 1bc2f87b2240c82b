"""The pairs of function and error code in the results of one driver: applicable and observed pairs."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from clconform.reports.status_policy import SITUATION_NOT_OBSERVED

from .unreachable import has

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence

    from clconform.reports.error_codes import FunctionCodePair
    from clconform.reports.run_result import RequirementResult, RunResult

    from .unreachable import Unreachable

CLAUSE, MAIN = "error-clause", "OpenCL"
GONE = ("crashes", "hangs")
"""Statuses of requirements whose call never returned."""


@dataclass
class Reached:
    """The pairs of some sections in the results of one driver.

    ``seen``: the driver returned the code where a condition required it. ``refused``: a condition required it, but the
    driver never returned it, or did not return at all, or lacks the function although it must have it. ``put``:
    calls were made for which a condition with the code may hold by an interpretation, and the driver did something else
    that the interpretation allows. ``unreachable``: pairs that the list names for this driver, with the reason; except
    for pairs that are reachable in one of several runs, and optional codes that the driver returns. ``early``:
    unreachable pairs that were listed before the suites were written. ``stale``: unreachable pairs that were observed.
    """

    applicable: set[FunctionCodePair] = field(default_factory=set)
    seen: set[FunctionCodePair] = field(default_factory=set)
    asked: set[FunctionCodePair] = field(default_factory=set)
    put: set[FunctionCodePair] = field(default_factory=set)
    unreachable: dict[FunctionCodePair, str] = field(default_factory=dict)
    early: set[FunctionCodePair] = field(default_factory=set)

    @property
    def stale(self) -> set[FunctionCodePair]:
        """Return pairs that the list names as unreachable although they were observed."""
        return self.seen & self.unreachable.keys()

    @property
    def reachable(self) -> set[FunctionCodePair]:
        """Return the applicable pairs that the list did not name before the suites were written."""
        return self.applicable - self.early

    @property
    def missing(self) -> set[FunctionCodePair]:
        """Return reachable pairs that were not observed."""
        return self.reachable - self.seen

    @property
    def left(self) -> set[FunctionCodePair]:
        """Return the applicable pairs that the list does not name, neither early nor later."""
        return self.applicable - self.unreachable.keys()

    @property
    def refused(self) -> set[FunctionCodePair]:
        """Return pairs whose code a condition required and the driver never returned."""
        return self.asked - self.seen

    @property
    def allowed(self) -> set[FunctionCodePair]:
        """Return exercised pairs whose code the driver need not return, if they were neither observed nor required."""
        return self.put - self.seen - self.asked

    @property
    def never_asked(self) -> set[FunctionCodePair]:
        """Return the pairs that the list does not name and that were not exercised."""
        return self.left - self.seen - self.asked - self.put

    @property
    def share(self) -> float:
        """Return the observed share of the reachable pairs; 1 if there are none."""
        return _share(len(self.reachable & self.seen), len(self.reachable))

    @property
    def left_share(self) -> float:
        """Return the observed share of the pairs that the list does not name; 1 if there are none."""
        return _share(len(self.left & self.seen), len(self.left))

    @property
    def asked_share(self) -> float:
        """Return the share of the pairs not in the list that were observed, or expected but not observed."""
        return _share(len(self.left & (self.seen | self.asked)), len(self.left))

    @property
    def raw_share(self) -> float:
        """Return the observed share of all applicable pairs; 1 if there are none."""
        return _share(len(self.seen), len(self.applicable))


def reached(
    results: Sequence[RunResult],
    listed: Unreachable,
    chapters: Iterable[str],
    without: Iterable[str] = (),
    readings: Callable[[str], Collection[str]] = lambda _record: (),
) -> Reached:
    """Combine the results of one driver, for the sections and documents in ``chapters`` but not in ``without``.

    A section belongs to the main document and includes its subsections; an extension's document is named by the
    extension. ``readings``: returns the interpretations by which an error condition may hold, for the condition's id.
    """
    found, wanted, left_out = Reached(), tuple(chapters), tuple(without)
    for result in results:
        decided = {entry.id for entry in result.left_open if entry.seen}
        lacking = _lacking(result)
        for record in result.records:
            if record.kind == CLAUSE and within(record, wanted) and not within(record, left_out):
                _count(record, found)
                if record.function in lacking and record.status != "not-applicable":
                    found.asked.add(_pair(record))
                if record.reason == SITUATION_NOT_OBSERVED and not decided.isdisjoint(readings(record.id)):
                    found.put.add(_pair(record))
    told = [listed.reasons(result) for result in results]
    certain = [listed.without_choice(result) for result in results]
    for pair in found.applicable:
        chosen = pair in found.seen and not all(pair in pairs for pairs in certain)
        if told and all(pair in reasons for reasons in told) and not chosen:
            found.unreachable[pair] = told[0][pair]
    found.early = {pair for result in results for pair in listed.early(result)} & found.unreachable.keys()
    return found


def _lacking(result: RunResult) -> set[str]:
    """Return the required functions that a driver lacks, which is a deviation of their success."""
    return {
        record.function
        for record in result.records
        if record.id == f"{record.function}/success"
        and record.evidence.get("deviates")
        and not has(record.function, result)
    }


def within(record: RequirementResult, chapters: Iterable[str]) -> bool:
    """Return whether a requirement is in one of these sections of the main document or in one of these documents."""
    if "/via/" in record.id:
        return False
    where = f"{record.section}." if record.document == MAIN else f"{record.document}."
    return any(where.startswith(f"{chapter}.") for chapter in chapters)


def _count(record: RequirementResult, found: Reached) -> None:
    if record.status == "not-applicable":
        return
    pair = _pair(record)
    found.applicable.add(pair)
    if record.evidence.get("conforms"):
        found.seen.add(pair)
    if record.evidence.get("deviates") or record.status in GONE:
        found.asked.add(pair)


def _pair(record: RequirementResult) -> FunctionCodePair:
    return record.function, record.id.split("/")[1]


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 1.0
