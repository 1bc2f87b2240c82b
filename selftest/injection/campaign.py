"""A campaign: record every item once, then try every fault in the items that it affects, in parallel."""

from __future__ import annotations

import random
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from clconform.harness.sharing import end, in_order, sharing, uninterrupted
from clconform.reports.campaign import FaultResult
from clconform.runner.pytest_plugin.items import collect
from clconform.selftest.injection.chapters import chapter_of
from clconform.selftest.injection.made import joined, why_not
from clconform.selftest.injection.trials import FaultTrial, Recording, Tried
from clconform.selftest.injection.verdicts import NOT_TRIED, NOWHERE, Course, settle
from clconform.spec_tables import load, loading

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
    from concurrent.futures import ProcessPoolExecutor
    from pathlib import Path

    from clconform.harness import Target
    from clconform.runner.pytest_plugin.items import Item
    from clconform.selftest.injection.faults import Fault
    from clconform.selftest.injection.made import Made
    from clconform.spec_tables import Tables

TRIED_AT_MOST = 64
"""The number of affected items that are run with a fault before the fault counts as a survivor."""
OPEN_ENOUGH = 16
"""The number of items after which a fault counts as equivalent if all affected calls conform."""
TOGETHER = 8
"""The number of items or faults that a process receives at a time."""


class Plan(NamedTuple):
    """The parameters of a campaign: the suites, the target and the faults.

    ``own_items``: run only items that target a function with a fault; a fault that affects no call of them counts as
    not applied. ``tries``: the number of randomly chosen faults with an effect that are tried, by ``seed``; None for
    all.
    """

    suites: Path
    target: Target
    faults: tuple[Fault, ...]
    device_index: int = 0
    own_items: bool = False
    tries: int | None = None
    seed: int = 0


class Sketch(NamedTuple):
    """The properties of an item that determine the order of trials: its suite module and its target functions."""

    module: str
    functions: frozenset[str]


class Candidate(NamedTuple):
    """An item to run with a fault: its number, its deviations without the fault, and whether the driver dies in it."""

    item: int
    known: frozenset[str]
    dies: bool = False


class Bench:
    """The items and the session of one process."""

    def __init__(self, plan: Plan) -> None:
        self.items = collect(plan.suites)
        if plan.own_items:
            self.items = targeting(self.items, {fault.function for fault in plan.faults})
        self.trial = FaultTrial(plan.target, load(), plan.faults, device_index=plan.device_index)

    def record(self, index: int) -> Recording:
        """Run an item without faults."""
        return self.trial.record(self.items[index])

    def try_in(self, fault: int, candidates: Sequence[Candidate]) -> Course:
        """Run items with a fault until one finds it; return the outcome."""
        noticed, applied, left_open, masked, items = NOWHERE
        left_open = left_open.copy()
        for candidate in candidates:
            item = self.items[candidate.item]
            tried = self._tried(fault, candidate)
            items += 1
            applied += tried.applied
            left_open.update(tried.left_open)
            masked += tried.masked
            if tried.noticed and self._stands(fault, candidate, tried):
                noticed = f"{item.name}: {tried.noticed}"
                break
            if items >= OPEN_ENOUGH and left_open.total() == applied > 0:
                break
        return Course(noticed, applied, left_open, masked, items)

    def _tried(self, fault: int, candidate: Candidate) -> Tried:
        """Run an item with a fault; repeat it in a new process if it affects no call, although it did when recorded.

        Objects left behind by earlier faults may be the cause: some GPUs support only a few contexts.
        """
        item = self.items[candidate.item]
        tried = self.trial.attempt(fault, item, candidate.known, dies=candidate.dies)
        if tried.applied or not self.trial.worn:
            return tried
        self.trial.renew()
        return self.trial.attempt(fault, item, candidate.known, dies=candidate.dies)

    def _stands(self, fault: int, candidate: Candidate, tried: Tried) -> bool:
        """Return whether a deviation is due to the fault; it must be reproducible if all affected calls conform."""
        if sum(tried.left_open.values()) < tried.applied:
            return True
        item = self.items[candidate.item]
        return bool(self.trial.attempt(fault, item, candidate.known, dies=candidate.dies).noticed)


def targeting(items: Iterable[Item], functions: Collection[str]) -> list[Item]:
    """Return the items that target one of these functions."""
    return [item for item in items if not item.functions.isdisjoint(functions)]


_bench: list[Bench] = []
"""The items and the session of this process, after it is set up; at most one element."""


def _set_up(plan: Plan, tables: Path) -> None:
    loading.choose(tables)
    _bench.append(Bench(plan))


def _sketches() -> list[Sketch]:
    return [Sketch(item.name.partition("::")[0], item.functions) for item in _bench[0].items]


def _record(index: int) -> Recording:
    return _bench[0].record(index)


def _try(fault: int, candidates: Sequence[Candidate]) -> Course:
    return _bench[0].try_in(fault, candidates)


def carry_out(
    plan: Plan,
    processes: int,
    progress: Callable[[str], None] = lambda _words: None,
    tell: Callable[[FaultResult], None] = lambda _result: None,
) -> list[FaultResult]:
    """Try every fault of a plan, and return the result of each; HarnessError if the target cannot be tested.

    ``tell`` is called with the result of each fault that has an effect, as soon as the result is known.
    """
    pool = sharing(processes, _set_up, plan, loading.chosen())
    try:
        results, made = _carried_out(pool, plan, progress, tell)
    except BaseException:
        end(pool)
        raise
    pool.shutdown()
    tables = load()
    return [results.get(index) or result_of(fault, NOWHERE, 0, tables, made) for index, fault in enumerate(plan.faults)]


def _carried_out(
    pool: ProcessPoolExecutor, plan: Plan, progress: Callable[[str], None], tell: Callable[[FaultResult], None]
) -> tuple[dict[int, FaultResult], dict[str, Made]]:
    """Return the results of faults that have an effect, by index in the plan, and the calls without faults."""
    tables, results = load(), {}
    with uninterrupted():
        asked = pool.submit(_sketches)
    items = asked.result()
    recordings: list[Recording] = []
    for recording in in_order(pool, _record, range(len(items)), together=TOGETHER):
        recordings.append(recording)
        progress(f"item {len(recordings)} of {len(items)} without faults")
    reached = reaching(recordings)
    order = drawn(plan, reached)
    made = joined(recording.made for recording in recordings)
    chosen = [candidates(each, plan.faults[each], reached[each], items, recordings) for each in order]
    trials = in_order(pool, _try, order, chosen, together=TOGETHER)
    for index, tried in zip(order, trials, strict=True):
        results[index] = result_of(plan.faults[index], tried, len(reached[index]), tables, made)
        progress(f"fault {len(results)} of {len(order)}")
        tell(results[index])
    for index in reached.keys() - results.keys():
        results[index] = result_of(plan.faults[index], None, len(reached[index]), tables)
    return results, made


def drawn(plan: Plan, reached: Collection[int]) -> list[int]:
    """Return the indices in the plan of the faults with an effect that are tried."""
    order = sorted(reached)
    if plan.tries is None or plan.tries >= len(order):
        return order
    return sorted(random.Random(plan.seed).sample(order, plan.tries))  # noqa: S311 (not for security)


def reaching(recordings: Sequence[Recording]) -> dict[int, list[int]]:
    """Map each fault that has an effect to the items that it affects, without items whose end is not reproducible."""
    found: dict[int, list[int]] = {}
    for index, recording in enumerate(recordings):
        for fault in () if recording.lost else recording.shows:
            found.setdefault(fault, []).append(index)
    return found


def candidates(
    index: int, fault: Fault, there: Sequence[int], items: Sequence[Sketch], recordings: Sequence[Recording]
) -> list[Candidate]:
    """Return the items to run with a fault: items that target its function first, items in which the driver dies last.

    Within each group, the suite modules alternate; of each module, the item in which the fault takes effect first is
    next.
    """
    turns: Counter[tuple[bool, bool, str]] = Counter()
    ranked = []
    for item in sorted(there, key=lambda each: (recordings[each].shows[index], each)):
        foreign = fault.function not in items[item].functions
        module, dies = items[item].module, recordings[item].dies
        ranked.append((dies, foreign, turns[dies, foreign, module], recordings[item].shows[index], item))
        turns[dies, foreign, module] += 1
    chosen = [item for *_, item in sorted(ranked)[:TRIED_AT_MOST]]
    return [Candidate(item, recordings[item].keys, recordings[item].dies) for item in chosen]


def result_of(
    fault: Fault, course: Course | None, reached: int, tables: Tables, made: Mapping[str, Made] | None = None
) -> FaultResult:
    """Return the result of a fault; ``course`` is None if it was not tried.

    ``made``: the calls without faults, which determine the reason for a fault that is not applied.
    """
    status, why = settle(course) if course is not None else NOT_TRIED
    if status == "not-applied" and made is not None:
        why = why_not(fault, made.get(fault.function), tables)
    return FaultResult(
        name=fault.name,
        **msgspec.structs.asdict(fault),
        chapter=chapter_of(fault, tables),
        status=status,
        reason=why,
        applied=course.applied if course is not None else 0,
        items=course.items if course is not None else 0,
        reached=reached,
    )
