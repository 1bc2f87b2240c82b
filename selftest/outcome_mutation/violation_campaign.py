"""A campaign: search items for violations of requirements in parallel, on one platform after another."""

from __future__ import annotations

import itertools
from concurrent.futures import FIRST_COMPLETED, wait
from typing import TYPE_CHECKING, NamedTuple, Self

from clconform.harness.helper_processes import block_interrupts, create_pool, end_pool, in_order
from clconform.runner.pytest_plugin.item_collection import collect_table_items
from clconform.selftest.outcome_mutation.violation_search import PlatformSearch
from clconform.spec_tables import load, loading

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence
    from concurrent.futures import Future
    from pathlib import Path
    from types import TracebackType

    from clconform.harness import Target
    from clconform.selftest.outcome_mutation.search_ledger import ItemSearch, Ledger
    from clconform.selftest.outcome_mutation.violation import RequirementViolation

CHUNK_SIZE = 4
"""The number of items that a process receives at a time."""
QUEUE_FACTOR = 2
"""The number of waiting chunks per process."""


class ItemTargets(NamedTuple):
    """The name of an item, and the requirements that it targets."""

    name: str
    requirements: tuple[str, ...]

    def has_open_target(self, settled: Collection[str]) -> bool:
        """Return whether the item targets a requirement that is not settled, or does not declare targets."""
        return not self.requirements or any(requirement not in settled for requirement in self.requirements)


class SearchPlatform(NamedTuple):
    """The name and the target of a platform."""

    name: str
    target: Target


class SearchWorker:
    """The items of one process, and its session on the current platform."""

    def __init__(self, suites: Path) -> None:
        self.items = {item.name: item for item in collect_table_items(suites)}
        self._place: SearchPlatform | None = None
        self._search: PlatformSearch | None = None

    def get_search(self, place: SearchPlatform) -> PlatformSearch:
        """Return the search on a platform; HarnessError if the platform cannot be tested."""
        if self._search is None or place != self._place:
            if self._search is not None:
                self._search.close()
            self._place, self._search = place, None
            self._search = PlatformSearch(place.name, place.target, load())
        return self._search


_workers: list[SearchWorker] = []
"""The items and the session of this process, as the only element; empty before the process is set up."""


def _set_up_worker(suites: Path, tables: Path) -> None:
    loading.select_folder(tables)
    _workers.append(SearchWorker(suites))


def _list_targets() -> list[ItemTargets]:
    return [ItemTargets(item.name, item.requirements) for item in _workers[0].items.values()]


def _search_items(
    place: SearchPlatform, names: Sequence[str], settled: Collection[str], unfound: Collection[str]
) -> list[ItemSearch]:
    bench, found = _workers[0], []
    for name in names:
        searched = bench.get_search(place).search_item(bench.items[name], settled, unfound)
        found.append(searched)
        settled = {*settled, *searched.exact}
    return found


def _repeat_violation(place: SearchPlatform, violation: RequirementViolation) -> frozenset[str]:
    bench = _workers[0]
    item = bench.items.get(violation.item)
    return bench.get_search(place).run_altered(item, violation.altered) if item is not None else frozenset()


class ViolationCampaign:
    """Processes that have collected the suites' items. The processes end when the ``with`` block is left."""

    def __init__(self, suites: Path, processes: int) -> None:
        self._processes = processes
        self._pool = create_pool(processes, _set_up_worker, suites, loading.selected_folder())
        with block_interrupts():
            asked = [self._pool.submit(_list_targets) for _ in range(processes)]  # starts all processes immediately
        self._asked = asked[0]

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is None:
            self._pool.shutdown()
        else:
            end_pool(self._pool)

    def search_platform(
        self,
        place: SearchPlatform,
        ledger: Ledger,
        chosen: Callable[[ItemTargets], bool] = lambda _sketch: True,
        tell: Callable[[Sequence[str]], None] = lambda _names: None,
        *,
        every_item: bool = False,
        asked: Collection[str] = (),
    ) -> None:
        """Search items, and add the results to a ledger; HarnessError if the target cannot be tested.

        ``chosen`` selects the items to search. ``tell`` is called with the names of finished items. ``every_item``:
        also search items whose targets are all settled. ``asked``: requirements that are searched even if no call has
        tested them alone so far.
        """
        under_way: dict[Future[list[ItemSearch]], list[str]] = {}
        left = iter([sketch for sketch in self._asked.result() if chosen(sketch)])
        more = True
        while more or under_way:
            while more and len(under_way) < QUEUE_FACTOR * self._processes:
                settled = ledger.settled
                still_open = (each.name for each in left if every_item or each.has_open_target(settled))
                part = list(itertools.islice(still_open, CHUNK_SIZE))
                more = bool(part)
                if more:
                    with block_interrupts():
                        unfound = ledger.unfound | {
                            requirement for requirement in asked if requirement not in ledger.found
                        }
                        under_way[self._pool.submit(_search_items, place, part, settled, unfound)] = part
            for future in wait(under_way, return_when=FIRST_COMPLETED).done if under_way else ():
                done = under_way.pop(future)
                for searched in future.result():
                    ledger.add(searched)
                tell(done)

    def repeat_violations(
        self, place: SearchPlatform, violations: Sequence[RequirementViolation]
    ) -> Iterator[tuple[RequirementViolation, frozenset[str]]]:
        """Run the item of each violation with the altered outcome; yield the violation and the requirements named."""
        found = in_order(self._pool, _repeat_violation, [place] * len(violations), violations)
        yield from zip(violations, found, strict=True)
