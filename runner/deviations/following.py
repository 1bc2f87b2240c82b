"""Follows all deviations of a run up at the same time, each of which becomes a finding.

One process follows several up in threads, which do not overlap where the oracle works, only where a driver does or
hangs. Several processes do: each has an interpreter of its own, and follows one deviation up after the other.
"""

from __future__ import annotations

import os
import threading
import time
import traceback
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from threading import Event
from typing import TYPE_CHECKING

from clconform.calls.deviation_keys import function_in
from clconform.calls.host import AWAIT
from clconform.harness import scratch
from clconform.harness.children import kill_children
from clconform.harness.sharing import end, end_those_left, sharing, uninterrupted
from clconform.runner.deviations.confirming import SEQUENCES_TRIED, Followed, followed
from clconform.runner.deviations.replay import Opening
from clconform.spec_tables import load, loading

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from concurrent.futures import ProcessPoolExecutor
    from pathlib import Path

    from clconform.calls.journal import Confirmation, Deviation
    from clconform.harness import Target
    from clconform.spec_tables import Tables

MOST_KEYS = 200
"""Maximum number of distinct deviations followed up, including those seen only in repetitions."""
THREADS = "clconform-confirming"
"""How the names of the threads that follow deviations up begin."""
SECONDS_TO_STOP = 3.0
"""How long an interrupt waits for the deviations that are being followed up."""
_THREADS = max(6, min(16, os.cpu_count() or 1))
"""Number of deviations that one process follows up concurrently; those that hang cost time, but no CPU."""


def at_once(processes: int) -> int:
    """Return how many deviations that do not hang are followed up concurrently, in that many processes."""
    return processes if processes > 1 else _THREADS


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
) -> list[Confirmation]:
    """Return one finding for each distinct key, in the order of their first appearance.

    ``processes``: how many follow deviations up, which have the tables that ``load`` returns; 1: this one does.
    ``seconds_each``: the budget for minimising one sequence; 0: repeat each once, with no more calls than the last one
    needs where these show it.
    ``once``: repeat one sequence with each key once, and keep none. ``tell`` is called with each finding as it is made,
    and before it with each new deviation that was seen only in a repetition: a use after free is a crash in one process
    and a wrong answer in another. ``fail`` is called with the key of a deviation and an exception of our own, after
    which the deviation stays as it was seen; without it, the exception is raised.
    ``known`` returns the finding on what was seen, if it need not be repeated.
    """
    by_key: dict[str, list[Deviation]] = {}
    for deviation in deviations:
        by_key.setdefault(deviation.key, []).append(deviation)
    work = _Work(target, device_index, None if once else seconds_each, scratch.folder(), loading.chosen())
    with _pools(work, tables, processes) as pools:
        findings = _Findings(pools, tell, known)
        for seen in by_key.values():
            findings.take(seen)
        while findings.under_way:
            for ended in findings.next():
                if ended.error is not None and fail is None:
                    raise ended.error
                if ended.error is not None and fail is not None:
                    fail(ended.end.key, ended.error)
                findings.add(ended)
    return [findings.ends[key] for key in findings.keys]


class OurFailureError(Exception):
    """An exception of our own in another process; its text is the traceback."""


@dataclass(frozen=True)
class _Work:
    """What all deviations are followed up with.

    ``seconds``: the budget for minimising one, None to repeat it once. ``scratch``: the folder for temporary files, and
    ``folder`` that of the tables, for other processes. ``opening``: what the sessions of one process have found out.
    """

    target: Target
    device_index: int
    seconds: float | None
    scratch: Path
    folder: Path
    opening: Opening = field(default_factory=Opening)

    def follow(self, candidates: list[Deviation], tables: Tables, stopped: Event) -> Followed:
        """Follow one deviation up by some of the sequences that show it."""
        return followed(candidates, self.target, tables, self.device_index, self.seconds, stopped, self.opening)


class _Pools:
    """The threads and processes that follow deviations up."""

    def __init__(
        self, work: _Work, tables: Tables, threads: ThreadPoolExecutor, processes: ProcessPoolExecutor | None
    ) -> None:
        self._work, self._tables, self._threads, self._processes = work, tables, threads, processes
        self.stopped = Event()

    def follow(self, seen: list[Deviation]) -> Future[Followed]:
        """Begin to follow up what was seen with one key; what waits does so in a thread, in no one's way."""
        tried = 1 if self._work.seconds is None else SEQUENCES_TRIED
        candidates = sorted(seen, key=lambda each: len(each.sequence))[:tried]
        if self._processes is not None and not _mostly_waits(candidates[0]):
            with uninterrupted():
                return self._processes.submit(_follow, candidates)
        return self._threads.submit(self._work.follow, candidates, self._tables, self.stopped)

    def without_processes(self) -> None:
        """Go on in threads only: a process was ended from outside, and the others are of no more use."""
        self._processes = None


def _mostly_waits(deviation: Deviation) -> bool:
    """Return whether repeating a deviation is mostly waiting: for an answer, a callback, or what commands may do."""
    return deviation.verdict == "hangs" or deviation.undecided or function_in(deviation.key) == AWAIT


class _Findings:
    """The findings made so far (``ends``), for ``keys`` in the order of their appearance, and those ``under_way``."""

    def __init__(
        self,
        pools: _Pools,
        tell: Callable[[Deviation | Confirmation], None],
        known: Callable[[Deviation], Confirmation | None],
    ) -> None:
        self._pools, self._tell, self._known = pools, tell, known
        self.keys: dict[str, None] = {}
        self.ends: dict[str, Confirmation] = {}
        self.under_way: dict[Future[Followed], list[Deviation]] = {}

    def take(self, seen: list[Deviation]) -> None:
        """Follow up what was seen with one key, unless each time it looked as it is known."""
        self.keys[seen[0].key] = None
        known = [self._known(line) for line in seen]
        if known[0] is not None and all(known):
            self._end(known[0])
        else:
            self._follow(seen)

    def next(self) -> Iterator[Followed]:
        """Wait, and yield what has been followed up; what a process had begun that was ended is begun again."""
        for future in wait(self.under_way, return_when=FIRST_COMPLETED).done:
            seen = self.under_way.pop(future)
            try:
                ended = future.result()
            except BrokenProcessPool:
                self._pools.without_processes()
                self._follow(seen)
            else:
                yield ended

    def add(self, ended: Followed) -> None:
        """Add the finding on one key, and follow up what else was seen in its repetitions."""
        for other in ended.others:
            if other.key not in self.keys and len(self.keys) < MOST_KEYS:
                self._tell(other)
                self.take([other])
        if ended.spoilt is not None and ended.spoilt.deviation.key not in self.keys:
            self.keys[ended.spoilt.deviation.key] = None
            self._tell(ended.spoilt.deviation)
            self._end(ended.spoilt.confirmation)
        self._end(ended.end)

    def _follow(self, seen: list[Deviation]) -> None:
        self.under_way[self._pools.follow(seen)] = seen

    def _end(self, end: Confirmation) -> None:
        self.ends[end.key] = end
        self._tell(end)


@contextmanager
def _pools(work: _Work, tables: Tables, processes: int) -> Iterator[_Pools]:
    """Yield threads and processes to follow deviations up.

    After an exception (Ctrl-C) the processes that they wait for are ended, so that the run can end soon.
    """
    threads = ThreadPoolExecutor(_THREADS, thread_name_prefix=THREADS)
    several = sharing(processes, _set_up, work) if processes > 1 else None
    pools = _Pools(work, tables, threads, several)
    try:
        yield pools
    except BaseException:
        pools.stopped.set()
        threads.shutdown(wait=False, cancel_futures=True)
        if several is not None:
            end(several)
        until = time.monotonic() + SECONDS_TO_STOP
        while (end_those_left() or _is_following()) and time.monotonic() < until:
            kill_children()
            time.sleep(0.02)
        raise
    threads.shutdown()
    if several is not None:
        several.shutdown()


def _is_following() -> bool:
    return any(each.name.startswith(THREADS) for each in threading.enumerate())


# in another process

_works: list[_Work] = []
"""What this process follows deviations up with, once set up."""


def _set_up(work: _Work) -> None:
    scratch.share(work.scratch)
    loading.choose(work.folder)
    _works.append(work)


def _follow(candidates: list[Deviation]) -> Followed:
    ended = _works[0].follow(candidates, load(), Event())
    if ended.error is not None:
        return replace(ended, error=OurFailureError("".join(traceback.format_exception(ended.error))))
    return ended
