"""A campaign: record every item once, then try every fault in the items that it affects, in parallel."""

from __future__ import annotations

import random
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from clconform.harness.helper_processes import block_interrupts, create_pool, end_pool, in_order
from clconform.reports.fault_campaign import FaultResult
from clconform.runner.pytest_plugin.item_collection import collect_table_items
from clconform.selftest.injection.baseline import explain_no_effect, merge_summaries
from clconform.selftest.injection.fault_chapters import chapter_of
from clconform.selftest.injection.fault_results import NO_COURSE, NOT_TRIED, FaultCourse, evaluate
from clconform.selftest.injection.injection_trials import FaultTrial, FaultTrialResult, ItemRecording
from clconform.spec_tables import load, loading

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
    from concurrent.futures import ProcessPoolExecutor
    from pathlib import Path

    from clconform.harness import Target
    from clconform.runner.pytest_plugin.item_collection import SuiteItem
    from clconform.selftest.injection.baseline import FunctionCalls
    from clconform.selftest.injection.fault import Fault
    from clconform.spec_tables import Tables

MAX_TRIED_ITEMS = 64
"""The number of affected items that are run with a fault before the fault counts as a survivor."""
EQUIVALENCE_ITEMS = 16
"""The number of items after which a fault counts as equivalent if all affected calls conform."""
CHUNK_SIZE = 8
"""The number of items or faults that a process receives at a time."""


class CampaignPlan(NamedTuple):
    """The parameters of a campaign: the suites, the target and the faults.

    ``own_items``: run only items that target a function with a fault; a fault that does not affect any call of these
    items counts as not applied. ``tries``: the number of faults to try; None for all. They are chosen at random by
    ``seed`` among the faults that have an effect.
    """

    suites: Path
    target: Target
    faults: tuple[Fault, ...]
    device_index: int = 0
    own_items: bool = False
    tries: int | None = None
    seed: int = 0


class ItemSummary(NamedTuple):
    """The properties of an item that determine the order of trials: its suite module and its target functions."""

    module: str
    functions: frozenset[str]


class CandidateItem(NamedTuple):
    """An item to run with a fault: its number, its deviations without the fault, and whether the driver dies in it."""

    item: int
    known: frozenset[str]
    dies: bool = False


class CampaignWorker:
    """Runs test items in one process of a campaign. It contains the items and the session of the process."""

    def __init__(self, plan: CampaignPlan) -> None:
        self.items = collect_table_items(plan.suites)
        if plan.own_items:
            self.items = select_targeting_items(self.items, {fault.function for fault in plan.faults})
        self.trial = FaultTrial(plan.target, load(), plan.faults, device_index=plan.device_index)

    def record(self, index: int) -> ItemRecording:
        """Run an item without faults."""
        return self.trial.record(self.items[index])

    def try_in(self, fault: int, candidates: Sequence[CandidateItem]) -> FaultCourse:
        """Run items with a fault until one of them finds the fault; return the observations."""
        noticed, applied, left_open, masked, items = NO_COURSE
        left_open = left_open.copy()
        for candidate in candidates:
            item = self.items[candidate.item]
            tried = self._attempt(fault, candidate)
            items += 1
            applied += tried.applied
            left_open.update(tried.equivalent)
            masked += tried.masked
            if tried.noticed and self._is_confirmed(fault, candidate, tried):
                noticed = f"{item.name}: {tried.noticed}"
                break
            if items >= EQUIVALENCE_ITEMS and left_open.total() == applied > 0:
                break
        return FaultCourse(noticed, applied, left_open, masked, items)

    def _attempt(self, fault: int, candidate: CandidateItem) -> FaultTrialResult:
        """Run an item with a fault.

        If the fault does not affect any call, contrary to the recording, repeat the item in a new process. Remaining
        objects of earlier faults may be the cause: some GPUs support only a few contexts.
        """
        item = self.items[candidate.item]
        tried = self.trial.attempt(fault, item, candidate.known, dies=candidate.dies)
        if tried.applied or not self.trial.has_leftovers:
            return tried
        self.trial.restart_process()
        return self.trial.attempt(fault, item, candidate.known, dies=candidate.dies)

    def _is_confirmed(self, fault: int, candidate: CandidateItem, tried: FaultTrialResult) -> bool:
        """Return whether the fault causes a deviation.

        If all affected calls conform, the deviation must be reproducible.
        """
        if sum(tried.equivalent.values()) < tried.applied:
            return True
        item = self.items[candidate.item]
        return bool(self.trial.attempt(fault, item, candidate.known, dies=candidate.dies).noticed)


def select_targeting_items(items: Iterable[SuiteItem], functions: Collection[str]) -> list[SuiteItem]:
    """Return the items that target one of these functions."""
    return [item for item in items if not item.target_functions.isdisjoint(functions)]


_workers: list[CampaignWorker] = []
"""The items and the session of this process, as the only element; empty before the process is set up."""


def _set_up_worker(plan: CampaignPlan, tables: Path) -> None:
    loading.select_folder(tables)
    _workers.append(CampaignWorker(plan))


def _summarize_items() -> list[ItemSummary]:
    return [ItemSummary(item.name.partition("::")[0], item.target_functions) for item in _workers[0].items]


def _record_item(index: int) -> ItemRecording:
    return _workers[0].record(index)


def _try_fault(fault: int, candidates: Sequence[CandidateItem]) -> FaultCourse:
    return _workers[0].try_in(fault, candidates)


def run_campaign(
    plan: CampaignPlan,
    processes: int,
    progress: Callable[[str], None] = lambda _words: None,
    on_result: Callable[[FaultResult], None] = lambda _result: None,
) -> list[FaultResult]:
    """Try every fault of a plan, and return the result of each; HarnessError if the target cannot be tested.

    ``on_result`` is called with the result of each fault that has an effect, as soon as the result is known.
    """
    pool = create_pool(processes, _set_up_worker, plan, loading.selected_folder())
    try:
        results, made = _run_trials(pool, plan, progress, on_result)
    except BaseException:
        end_pool(pool)
        raise
    pool.shutdown()
    tables = load()
    return [
        results.get(index) or make_result(fault, NO_COURSE, 0, tables, made) for index, fault in enumerate(plan.faults)
    ]


def _run_trials(
    pool: ProcessPoolExecutor, plan: CampaignPlan, progress: Callable[[str], None], tell: Callable[[FaultResult], None]
) -> tuple[dict[int, FaultResult], dict[str, FunctionCalls]]:
    """Map the index of each fault that has an effect to its result; also return the calls without faults."""
    tables, results = load(), {}
    with block_interrupts():
        asked = pool.submit(_summarize_items)
    items = asked.result()
    recordings: list[ItemRecording] = []
    for recording in in_order(pool, _record_item, range(len(items)), together=CHUNK_SIZE):
        recordings.append(recording)
        progress(f"item {len(recordings)} of {len(items)} without faults")
    reached = find_affected_items(recordings)
    order = choose_faults(plan, reached)
    made = merge_summaries(recording.calls for recording in recordings)
    chosen = [rank_candidates(each, plan.faults[each], reached[each], items, recordings) for each in order]
    trials = in_order(pool, _try_fault, order, chosen, together=CHUNK_SIZE)
    for index, tried in zip(order, trials, strict=True):
        results[index] = make_result(plan.faults[index], tried, len(reached[index]), tables, made)
        progress(f"fault {len(results)} of {len(order)}")
        tell(results[index])
    for index in reached.keys() - results.keys():
        results[index] = make_result(plan.faults[index], None, len(reached[index]), tables)
    return results, made


def choose_faults(plan: CampaignPlan, reached: Collection[int]) -> list[int]:
    """Return the indices of the faults to try: all faults that have an effect, or a random sample of ``plan.tries``.

    The indices refer to ``plan.faults``. ``reached``: the indices of the faults that have an effect.
    """
    order = sorted(reached)
    if plan.tries is None or plan.tries >= len(order):
        return order
    return sorted(random.Random(plan.seed).sample(order, plan.tries))  # noqa: S311 (not for security)


def find_affected_items(recordings: Sequence[ItemRecording]) -> dict[int, list[int]]:
    """Map each fault that has an effect to the items that it affects.

    Items whose end is not reproducible are left out.
    """
    found: dict[int, list[int]] = {}
    for index, recording in enumerate(recordings):
        for fault in () if recording.lost else recording.effects:
            found.setdefault(fault, []).append(index)
    return found


def rank_candidates(
    index: int, fault: Fault, there: Sequence[int], items: Sequence[ItemSummary], recordings: Sequence[ItemRecording]
) -> list[CandidateItem]:
    """Return the items to run with a fault, in order.

    Items that target the fault's function come first, and items in which the driver dies come last.

    Within each group, the suite modules alternate. The items of one module are ordered by the number of calls before
    the first affected call.
    """
    turns: Counter[tuple[bool, bool, str]] = Counter()
    ranked = []
    for item in sorted(there, key=lambda each: (recordings[each].effects[index], each)):
        foreign = fault.function not in items[item].functions
        module, dies = items[item].module, recordings[item].dies
        ranked.append((dies, foreign, turns[dies, foreign, module], recordings[item].effects[index], item))
        turns[dies, foreign, module] += 1
    chosen = [item for *_, item in sorted(ranked)[:MAX_TRIED_ITEMS]]
    return [CandidateItem(item, recordings[item].keys, recordings[item].dies) for item in chosen]


def make_result(
    fault: Fault,
    course: FaultCourse | None,
    reached: int,
    tables: Tables,
    made: Mapping[str, FunctionCalls] | None = None,
) -> FaultResult:
    """Return the result of a fault; ``course`` is None if it was not tried.

    ``made``: the calls without faults, which determine the reason for a fault that is not applied.
    """
    status, why = evaluate(course) if course is not None else NOT_TRIED
    if status == "not-applied" and made is not None:
        why = explain_no_effect(fault, made.get(fault.function), tables)
    return FaultResult(
        name=fault.name,
        **msgspec.structs.asdict(fault),
        chapter=chapter_of(fault, tables),
        status=status,
        reason=why,
        affected_calls=course.applied if course is not None else 0,
        items=course.items if course is not None else 0,
        affected_items=reached,
    )
