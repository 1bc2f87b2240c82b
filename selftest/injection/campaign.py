"""A campaign: every item is recorded once, then every fault is tried in the items that it affects, in parallel."""

from __future__ import annotations

import multiprocessing
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from clconform.harness.confinement import die_with_parent
from clconform.reports.campaign import FaultResult
from clconform.runner.pytest_plugin.items import collect
from clconform.selftest.injection.chapters import chapter_of
from clconform.selftest.injection.trials import FaultTrial, Recording, Tried
from clconform.selftest.injection.verdicts import NOWHERE, Course, settle
from clconform.spec_tables import load

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence
    from pathlib import Path

    from clconform.harness import Target
    from clconform.runner.pytest_plugin.items import Item
    from clconform.selftest.injection.faults import Fault
    from clconform.spec_tables import Tables

TRIED_AT_MOST = 64
"""Number of affected items that are run with a fault before it counts as a survivor."""
OPEN_ENOUGH = 16
"""Number of them that are run if all affected calls still conform, before the fault counts as equivalent."""
TOGETHER = 8
"""Number of items or faults that a process gets at a time."""


class Plan(NamedTuple):
    """The parameters of a campaign: the suites, the target and the faults.

    ``own_items``: only items that target a function with a fault are run. A fault that would affect no call of them
    counts as not applied.
    """

    suites: Path
    target: Target
    faults: tuple[Fault, ...]
    device_index: int = 0
    own_items: bool = False


class Sketch(NamedTuple):
    """What determines which items are tried first: the suite module, and the functions that an item targets."""

    module: str
    functions: frozenset[str]


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

    def try_in(self, fault: int, candidates: Sequence[tuple[int, frozenset[str]]]) -> Course:
        """Run items with a fault until one notices it; return the outcome."""
        noticed, applied, left_open, masked, items = NOWHERE
        left_open = left_open.copy()
        for index, known in candidates:
            item = self.items[index]
            tried = self.trial.attempt(fault, item, known)
            items += 1
            applied += tried.applied
            left_open.update(tried.left_open)
            masked += tried.masked
            if tried.noticed and self._stands(fault, index, known, tried):
                noticed = f"{item.name}: {tried.noticed}"
                break
            if items >= OPEN_ENOUGH and left_open.total() == applied > 0:
                break
        return Course(noticed, applied, left_open, masked, items)

    def _stands(self, fault: int, index: int, known: frozenset[str], tried: Tried) -> bool:
        """Return whether a deviation is due to the fault; if all that it changed conforms, it must be reproduced."""
        if sum(tried.left_open.values()) < tried.applied:
            return True
        return bool(self.trial.attempt(fault, self.items[index], known).noticed)


def targeting(items: Iterable[Item], functions: Collection[str]) -> list[Item]:
    """Return the items that target one of some functions."""
    return [item for item in items if not item.functions.isdisjoint(functions)]


_bench: list[Bench] = []
"""The items and the session of this process, once set up."""


def _set_up(plan: Plan) -> None:
    die_with_parent()
    _bench.append(Bench(plan))


def _sketches() -> list[Sketch]:
    return [Sketch(item.name.partition("::")[0], item.functions) for item in _bench[0].items]


def _record(index: int) -> Recording:
    return _bench[0].record(index)


def _try(fault: int, candidates: Sequence[tuple[int, frozenset[str]]]) -> Course:
    return _bench[0].try_in(fault, candidates)


def carry_out(
    plan: Plan,
    processes: int,
    progress: Callable[[str], None] = lambda _words: None,
    tell: Callable[[FaultResult], None] = lambda _result: None,
) -> list[FaultResult]:
    """Try every fault of a plan, and return the result of each; HarnessError if the target cannot be tested."""
    tables = load()
    results = {}
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(processes, context, _set_up, (plan,)) as pool:
        items = pool.submit(_sketches).result()
        recordings = []
        for recording in pool.map(_record, range(len(items)), chunksize=TOGETHER):
            recordings.append(recording)
            progress(f"item {len(recordings)} of {len(items)} without faults")
        reached = reaching(recordings)
        order = sorted(reached)
        chosen = [candidates(each, plan.faults[each], reached[each], items, recordings) for each in order]
        for index, tried in zip(order, pool.map(_try, order, chosen, chunksize=TOGETHER), strict=True):
            results[index] = result_of(plan.faults[index], tried, len(reached[index]), tables)
            progress(f"fault {len(results)} of {len(order)}")
            tell(results[index])
    return [results.get(index) or result_of(fault, NOWHERE, 0, tables) for index, fault in enumerate(plan.faults)]


def reaching(recordings: Sequence[Recording]) -> dict[int, list[int]]:
    """Return each fault that has an effect with the items that it affects, except those in which the driver dies."""
    found: dict[int, list[int]] = {}
    for index, recording in enumerate(recordings):
        for fault in () if recording.lost else recording.shows:
            found.setdefault(fault, []).append(index)
    return found


def candidates(
    index: int, fault: Fault, there: Sequence[int], items: Sequence[Sketch], recordings: Sequence[Recording]
) -> list[tuple[int, frozenset[str]]]:
    """Return the items to run with a fault, with their deviations without it: those about its function first.

    Within these, the suite modules take turns, each with its item in which the fault takes effect first.
    """
    turns: Counter[tuple[bool, str]] = Counter()
    ranked = []
    for item in sorted(there, key=lambda each: (recordings[each].shows[index], each)):
        foreign = fault.function not in items[item].functions
        module = items[item].module
        ranked.append((foreign, turns[foreign, module], recordings[item].shows[index], item))
        turns[foreign, module] += 1
    return [(item, recordings[item].keys) for *_, item in sorted(ranked)[:TRIED_AT_MOST]]


def result_of(fault: Fault, course: Course, reached: int, tables: Tables) -> FaultResult:
    """Return the result of a fault."""
    status, why = settle(course)
    return FaultResult(
        name=fault.name,
        **msgspec.structs.asdict(fault),
        chapter=chapter_of(fault, tables),
        status=status,
        reason=why,
        applied=course.applied,
        items=course.items,
        reached=reached,
    )
