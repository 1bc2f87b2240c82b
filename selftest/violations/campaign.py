"""A campaign: the items of the suites are searched for violations of records in parallel, on one platform."""

from __future__ import annotations

import itertools
from concurrent.futures import FIRST_COMPLETED, wait
from typing import TYPE_CHECKING, NamedTuple

from clconform.harness.sharing import end, sharing, uninterrupted
from clconform.runner.pytest_plugin.items import collect
from clconform.selftest.violations.searching import Search, Searched
from clconform.spec_tables import load, loading

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence
    from concurrent.futures import Future
    from pathlib import Path

    from clconform.harness import Target
    from clconform.selftest.violations.searching import Ledger, Violation

TOGETHER = 4
"""Number of items that a process gets at a time."""
AHEAD = 2
"""How often that many are waiting for a process."""


class Plan(NamedTuple):
    """The parameters of a campaign: the suites, and a platform by its name and target."""

    suites: Path
    name: str
    target: Target


class Sketch(NamedTuple):
    """An item by its name, and the records that it aims at."""

    name: str
    records: tuple[str, ...]

    def open_by(self, settled: Collection[str]) -> bool:
        """Return whether it aims at a record that is not settled."""
        return not self.records or any(record not in settled for record in self.records)


class Bench:
    """The items and the session of one process."""

    def __init__(self, plan: Plan) -> None:
        self.items = {item.name: item for item in collect(plan.suites)}
        self.search = Search(plan.name, plan.target, load())


_bench: list[Bench] = []
"""The items and the session of this process, once set up."""


def _set_up(plan: Plan, tables: Path) -> None:
    loading.choose(tables)
    _bench.append(Bench(plan))


def _sketches() -> list[Sketch]:
    return [Sketch(item.name, item.records) for item in _bench[0].items.values()]


def _search(names: Sequence[str], settled: Collection[str]) -> list[Searched]:
    bench = _bench[0]
    return [bench.search.search(bench.items[name], settled) for name in names]


def _again(violation: Violation) -> frozenset[str]:
    bench = _bench[0]
    item = bench.items.get(violation.item)
    return bench.search.named_by(item, violation.altered) if item is not None else frozenset()


def carry_out(
    plan: Plan,
    ledger: Ledger,
    processes: int,
    chosen: Callable[[Sketch], bool] = lambda _sketch: True,
    tell: Callable[[Sequence[str]], None] = lambda _names: None,
) -> None:
    """Search items, and add what is found to a ledger; HarnessError if the target cannot be tested.

    An item is left out if all records that it aims at are settled. ``chosen``: says which items are searched. ``tell``
    is called with the names of items when they are done.
    """
    pool = sharing(processes, _set_up, plan, loading.chosen())
    under_way: dict[Future[list[Searched]], list[str]] = {}
    try:
        with uninterrupted():
            asked = [pool.submit(_sketches) for _ in range(processes)]  # so that all are started at once
        left = iter([sketch for sketch in asked[0].result() if chosen(sketch)])
        more = True
        while more or under_way:
            while more and len(under_way) < AHEAD * processes:
                settled = ledger.settled
                part = list(itertools.islice((each.name for each in left if each.open_by(settled)), TOGETHER))
                more = bool(part)
                if more:
                    with uninterrupted():
                        under_way[pool.submit(_search, part, settled)] = part
            for future in wait(under_way, return_when=FIRST_COMPLETED).done if under_way else ():
                done = under_way.pop(future)
                for searched in future.result():
                    ledger.add(searched)
                tell(done)
    except BaseException:
        end(pool)
        raise
    pool.shutdown()


def made_again(
    plan: Plan, violations: Sequence[Violation], processes: int
) -> Iterator[tuple[Violation, frozenset[str]]]:
    """Yield each violation with the records that are named when the answer is altered in truth."""
    pool = sharing(processes, _set_up, plan, loading.chosen())
    try:
        with uninterrupted():
            found = pool.map(_again, violations)
        yield from zip(violations, found, strict=True)
    except BaseException:
        end(pool)
        raise
    pool.shutdown()
