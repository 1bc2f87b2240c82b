"""The pools of threads and processes that confirm deviations.

Threads of one process share an interpreter: they overlap only while a driver works or hangs, not while the oracle
works. Several processes work fully in parallel: each confirms one deviation after another.
"""

from __future__ import annotations

import os
import threading
import time
import traceback
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from threading import Event
from typing import TYPE_CHECKING

from clconform.calls.deviation_keys import function_in
from clconform.calls.host import AWAIT
from clconform.harness import HarnessError, scratch
from clconform.harness.children import kill_children
from clconform.harness.sharing import end, end_those_left, sharing, uninterrupted
from clconform.runner.deviations.confirming import Followed, followed
from clconform.runner.deviations.replay import Opening, Replayer
from clconform.spec_tables import load, loading

if TYPE_CHECKING:
    from collections.abc import Iterator
    from concurrent.futures import ProcessPoolExecutor
    from pathlib import Path

    from clconform.calls.journal import Deviation
    from clconform.harness import Target
    from clconform.spec_tables import Tables

THREADS = "clconform-confirming"
"""Prefix of the names of the threads that confirm deviations."""
SECONDS_TO_STOP = 3.0
"""Maximum seconds to wait for running confirmations after an interrupt."""
MOST_THREADS = max(6, min(16, os.cpu_count() or 1))
"""Number of deviations that one process confirms concurrently; repeating a hang takes time but no CPU."""


class OurFailureError(Exception):
    """An internal error in another process; its message is the traceback."""


@dataclass(frozen=True)
class Work:
    """The common settings for confirming deviations.

    ``scratch``: folder for temporary files. ``folder``: folder of the tables, for other processes. ``opening``: query
    results of the sessions of one process.
    """

    target: Target
    device_index: int
    scratch: Path
    folder: Path
    opening: Opening = field(default_factory=Opening)

    def prepare(self, tables: Tables) -> None:
        """Run the first queries of a session in advance, so that the first deviation takes less time."""
        with suppress(HarnessError):
            Replayer(self.target, tables, device_index=self.device_index, opening=self.opening).close()

    def follow(self, candidates: list[Deviation], seconds: float | None, tables: Tables, stopped: Event) -> Followed:
        """Confirm one deviation by some of its sequences; ``seconds`` as for ``Pools.follow``."""
        return followed(candidates, self.target, tables, self.device_index, seconds, stopped, self.opening)


class Pools:
    """The threads and processes that confirm deviations."""

    def __init__(
        self,
        work: Work,
        tables: Tables,
        threads: ThreadPoolExecutor,
        processes: ProcessPoolExecutor | None,
        number: int,
    ) -> None:
        self._work, self._tables, self._threads, self._processes = work, tables, threads, processes
        self._number = number
        self.stopped = Event()

    def start(self) -> None:
        """Start the processes, so that they are ready for the first deviation."""
        if self._processes is not None:
            with suppress(BrokenProcessPool), uninterrupted():
                for _ in range(self._number):
                    self._processes.submit(_prepare)

    def follow(self, candidates: list[Deviation], seconds: float | None) -> Future[Followed]:
        """Start the confirmation of a deviation by some of its sequences; one that mostly waits runs in a thread.

        ``seconds``: the time for minimising a sequence; 0 to keep only the calls that its last call needs, None to
        repeat it once.
        """
        if self._processes is not None and not mostly_waits(candidates[0]):
            try:
                with uninterrupted():
                    return self._processes.submit(_follow, candidates, seconds)
            except BrokenProcessPool:
                self.without_processes()
        return self._threads.submit(self._work.follow, candidates, seconds, self._tables, self.stopped)

    def without_processes(self) -> None:
        """Continue in threads only: a process was killed, which makes the pool of processes unusable."""
        self._processes = None


def mostly_waits(deviation: Deviation) -> bool:
    """Return whether repeating a deviation mostly waits: for a hang, a callback, or running commands."""
    return deviation.verdict == "hangs" or deviation.undecided or function_in(deviation.key) == AWAIT


@contextmanager
def pools(work: Work, tables: Tables, processes: int) -> Iterator[Pools]:
    """Yield threads and processes that confirm deviations.

    After an exception (Ctrl-C) the driver processes for which they wait are killed, so that the run can end soon.
    """
    threads = ThreadPoolExecutor(MOST_THREADS, thread_name_prefix=THREADS)
    several = sharing(processes, _set_up, work) if processes > 1 else None
    both = Pools(work, tables, threads, several, processes)
    try:
        yield both
    except BaseException:
        both.stopped.set()
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

_works: list[Work] = []
"""The settings of this process for confirming deviations, after ``_set_up``."""


def _set_up(work: Work) -> None:
    scratch.share(work.scratch)
    loading.choose(work.folder)
    _works.append(work)


def _prepare() -> None:
    _works[0].prepare(load())


def _follow(candidates: list[Deviation], seconds: float | None) -> Followed:
    ended = _works[0].follow(candidates, seconds, load(), Event())
    if ended.error is not None:
        return replace(ended, error=OurFailureError("".join(traceback.format_exception(ended.error))))
    return ended
