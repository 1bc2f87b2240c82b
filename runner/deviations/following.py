"""Confirms all deviations of a run in parallel."""

from __future__ import annotations

from concurrent.futures import FIRST_COMPLETED, Future, wait
from concurrent.futures.process import BrokenProcessPool
from typing import TYPE_CHECKING

from clconform.harness import scratch
from clconform.runner.deviations.confirming import SEQUENCES_TRIED
from clconform.runner.deviations.pools import MOST_THREADS, Pools, Work, pools
from clconform.spec_tables import loading

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from clconform.calls.journal import Confirmation, Deviation
    from clconform.harness import Target
    from clconform.runner.deviations.ahead import Ahead
    from clconform.runner.deviations.confirming import Followed
    from clconform.spec_tables import Tables

MOST_OTHERS = 50
"""Maximum number of confirmed deviations that were seen only in repetitions and that are not attributions."""


def rounds_of(deviations: int, processes: int) -> int:
    """Return the number of consecutive rounds in which so many deviations without hangs are confirmed."""
    return max(1, -(-deviations // (processes if processes > 1 else MOST_THREADS)))


def confirm_all(
    deviations: Iterable[Deviation],
    target: Target,
    tables: Tables,
    *,
    device_index: int = 0,
    processes: int = 1,
    seconds_each: float = 10.0,
    once: bool = False,
    tell: Callable[[Deviation | Confirmation], None] = lambda _line: None,
    fail: Callable[[str, Exception], None] | None = None,
    known: Callable[[Deviation], Confirmation | None] = lambda _line: None,
    ahead: Ahead | None = None,
) -> list[Confirmation]:
    """Return one confirmation for each distinct key, in the order of their first appearance.

    ``processes``: number of processes that confirm deviations, with the tables that ``load`` returns; 1: only this one.
    ``seconds_each``: the time for minimising one sequence; 0: repeat each once, if possible with only the calls that
    its last call needs. ``once``: repeat one sequence with each key once, and store none. ``tell`` is called with each
    confirmation, and before it with each new deviation that was seen only in a repetition: a use after free may crash
    one process and return unexpected values in another. ``fail`` is called with the key of a deviation and an internal
    error, and the deviation stays unconfirmed; without ``fail``, the error is raised. ``known`` returns the result for
    a deviation that need not be repeated. ``ahead``: the early confirmations while items ran, with the same target and
    processes and a similar ``seconds_each``.
    """
    by_key: dict[str, list[Deviation]] = {}
    for deviation in deviations:
        by_key.setdefault(deviation.key, []).append(deviation)
    work = Work(target, device_index, scratch.folder(), loading.chosen())
    with pools(work, tables, processes) if ahead is None else ahead.lent() as lent:
        findings = _Findings(by_key, lent, None if once else seconds_each, tell, known, ahead)
        for seen in sorted(by_key.values(), key=lambda seen: seen[0].verdict != "crashes"):  # these take longest
            findings.take(seen)
        while findings.under_way:
            for ended in findings.next():
                if ended.error is not None and fail is None:
                    raise ended.error
                if ended.error is not None and fail is not None:
                    fail(ended.end.key, ended.error)
                findings.add(ended)
    return [findings.ends[key] for key in findings.keys]


class _Findings:
    """The confirmations so far (``ends``), the ``keys`` in the order of their appearance, and those ``under_way``."""

    def __init__(
        self,
        keys: Iterable[str],
        pools: Pools,
        seconds: float | None,
        tell: Callable[[Deviation | Confirmation], None],
        known: Callable[[Deviation], Confirmation | None],
        ahead: Ahead | None,
    ) -> None:
        self._pools, self._seconds, self._tell, self._known, self._ahead = pools, seconds, tell, known, ahead
        self.keys = dict.fromkeys(keys)
        self.ends: dict[str, Confirmation] = {}
        self.under_way: dict[Future[Followed], list[Deviation]] = {}
        self._others = 0

    def take(self, seen: list[Deviation]) -> None:
        """Start the confirmation of one key, with the sequences that no known deviation accepts; or end it if none."""
        self.keys[seen[0].key] = None
        known = [self._known(line) for line in seen]
        if known[0] is not None and all(known):
            self._end(known[0])
        else:
            self._follow([line for line, end in zip(seen, known, strict=True) if end is None])

    def next(self) -> Iterator[Followed]:
        """Wait, and yield finished confirmations; restart those that a killed process was running."""
        for future in wait(self.under_way, return_when=FIRST_COMPLETED).done:
            seen = self.under_way.pop(future)
            try:
                ended = future.result()
            except BrokenProcessPool:
                self._pools.without_processes()
                self._follow(seen, again=True)
            else:
                if self._ahead is not None and not self._ahead.suffices(future, ended):
                    self._follow(seen, again=True)
                else:
                    yield ended

    def add(self, ended: Followed) -> None:
        """Add the confirmation of one key, and start those of other deviations seen in its repetitions."""
        for other in ended.others:
            counts = other.key != ended.end.instead
            if other.key not in self.keys and (not counts or self._others < MOST_OTHERS):
                self._others += counts
                self._tell(other)
                self.take([other])
        if ended.spoilt is not None and ended.spoilt.deviation.key not in self.keys:
            self.keys[ended.spoilt.deviation.key] = None
            self._tell(ended.spoilt.deviation)
            self._end(ended.spoilt.confirmation)
        self._end(ended.end)

    def _follow(self, seen: list[Deviation], *, again: bool = False) -> None:
        tried = 1 if self._seconds is None else SEQUENCES_TRIED
        candidates = sorted(seen, key=lambda each: len(each.sequence))[:tried]
        begun = None if self._ahead is None or again else self._ahead.begun(candidates[0])
        self.under_way[begun or self._pools.follow(candidates, self._seconds)] = seen

    def _end(self, end: Confirmation) -> None:
        self.ends[end.key] = end
        self._tell(end)
