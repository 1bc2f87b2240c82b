"""A campaign: search items for violations of requirements in parallel, on one platform after another."""

from __future__ import annotations

import itertools
from concurrent.futures import FIRST_COMPLETED, wait
from typing import TYPE_CHECKING, NamedTuple, Self

from clconform.harness.sharing import end, in_order, sharing, uninterrupted
from clconform.runner.pytest_plugin.items import collect
from clconform.selftest.violations.searching import Search
from clconform.spec_tables import load, loading

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence
    from concurrent.futures import Future
    from pathlib import Path
    from types import TracebackType

    from clconform.harness import Target
    from clconform.selftest.violations.ledger import Ledger, Searched
    from clconform.selftest.violations.violation import Violation

TOGETHER = 4
"""The number of items that a process receives at a time."""
AHEAD = 2
"""The number of waiting chunks per process."""


class Sketch(NamedTuple):
    """An item by name, and the requirements that it targets."""

    name: str
    records: tuple[str, ...]

    def open_by(self, settled: Collection[str]) -> bool:
        """Return whether the item targets a requirement that is not settled, or does not declare targets."""
        return not self.records or any(record not in settled for record in self.records)


class Place(NamedTuple):
    """A platform by name and target."""

    name: str
    target: Target


class Bench:
    """The items of one process, and its session on the current platform."""

    def __init__(self, suites: Path) -> None:
        self.items = {item.name: item for item in collect(suites)}
        self._place: Place | None = None
        self._search: Search | None = None

    def on(self, place: Place) -> Search:
        """Return the search on a platform; HarnessError if the platform cannot be tested."""
        if self._search is None or place != self._place:
            if self._search is not None:
                self._search.close()
            self._place, self._search = place, None
            self._search = Search(place.name, place.target, load())
        return self._search


_bench: list[Bench] = []
"""The items and the session of this process, after it is set up; at most one element."""


def _set_up(suites: Path, tables: Path) -> None:
    loading.choose(tables)
    _bench.append(Bench(suites))


def _sketches() -> list[Sketch]:
    return [Sketch(item.name, item.records) for item in _bench[0].items.values()]


def _search(place: Place, names: Sequence[str], settled: Collection[str], unfound: Collection[str]) -> list[Searched]:
    bench, found = _bench[0], []
    for name in names:
        searched = bench.on(place).search(bench.items[name], settled, unfound)
        found.append(searched)
        settled = {*settled, *searched.exact}
    return found


def _again(place: Place, violation: Violation) -> frozenset[str]:
    bench = _bench[0]
    item = bench.items.get(violation.item)
    return bench.on(place).named_by(item, violation.altered) if item is not None else frozenset()


class Campaign:
    """Processes that have collected the suites' items; they end with the ``with`` block."""

    def __init__(self, suites: Path, processes: int) -> None:
        self._processes = processes
        self._pool = sharing(processes, _set_up, suites, loading.chosen())
        with uninterrupted():
            asked = [self._pool.submit(_sketches) for _ in range(processes)]  # starts all processes immediately
        self._asked = asked[0]

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is None:
            self._pool.shutdown()
        else:
            end(self._pool)

    def carry_out(
        self,
        place: Place,
        ledger: Ledger,
        chosen: Callable[[Sketch], bool] = lambda _sketch: True,
        tell: Callable[[Sequence[str]], None] = lambda _names: None,
        *,
        every_item: bool = False,
        asked: Collection[str] = (),
    ) -> None:
        """Search items, and add the results to a ledger; HarnessError if the target cannot be tested.

        ``chosen`` selects the items to search. ``tell`` is called with the names of finished items. ``every_item``:
        also search items whose targets are all settled. ``asked``: requirements that may have been tested only together
        with others.
        """
        under_way: dict[Future[list[Searched]], list[str]] = {}
        left = iter([sketch for sketch in self._asked.result() if chosen(sketch)])
        more = True
        while more or under_way:
            while more and len(under_way) < AHEAD * self._processes:
                settled = ledger.settled
                still_open = (each.name for each in left if every_item or each.open_by(settled))
                part = list(itertools.islice(still_open, TOGETHER))
                more = bool(part)
                if more:
                    with uninterrupted():
                        unfound = ledger.unfound | {record for record in asked if record not in ledger.found}
                        under_way[self._pool.submit(_search, place, part, settled, unfound)] = part
            for future in wait(under_way, return_when=FIRST_COMPLETED).done if under_way else ():
                done = under_way.pop(future)
                for searched in future.result():
                    ledger.add(searched)
                tell(done)

    def made_again(self, place: Place, violations: Sequence[Violation]) -> Iterator[tuple[Violation, frozenset[str]]]:
        """Yield each violation with the records that are named when the answer is wrong in truth."""
        found = in_order(self._pool, _again, [place] * len(violations), violations)
        yield from zip(violations, found, strict=True)
