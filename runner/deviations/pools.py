"""The threads and processes that follow deviations up.

One process follows several up in threads, which do not overlap where the oracle works, only where a driver does or
hangs. Several processes do: each has an interpreter of its own, and follows one deviation up after the other.
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
"""How the names of the threads that follow deviations up begin."""
SECONDS_TO_STOP = 3.0
"""How long an interrupt waits for the deviations that are being followed up."""
MOST_THREADS = max(6, min(16, os.cpu_count() or 1))
"""Number of deviations that one process follows up concurrently; those that hang cost time, but no CPU."""


class OurFailureError(Exception):
    """An exception of our own in another process; its text is the traceback."""


@dataclass(frozen=True)
class Work:
    """What all deviations are followed up with.

    ``scratch``: the folder for temporary files, and ``folder`` that of the tables, for other processes. ``opening``:
    what the sessions of one process have found out.
    """

    target: Target
    device_index: int
    scratch: Path
    folder: Path
    opening: Opening = field(default_factory=Opening)

    def prepare(self, tables: Tables) -> None:
        """Find out what each session needs to know: in a process that has done so, the first deviation takes less."""
        with suppress(HarnessError):
            Replayer(self.target, tables, device_index=self.device_index, opening=self.opening).close()

    def follow(self, candidates: list[Deviation], seconds: float | None, tables: Tables, stopped: Event) -> Followed:
        """Follow one deviation up by some of the sequences that show it; ``seconds`` as for ``Pools.follow``."""
        return followed(candidates, self.target, tables, self.device_index, seconds, stopped, self.opening)


class Pools:
    """The threads and processes that follow deviations up."""

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
        """Start the processes, so that they are ready when the first deviation is followed up."""
        if self._processes is not None:
            with suppress(BrokenProcessPool), uninterrupted():
                for _ in range(self._number):
                    self._processes.submit(_prepare)

    def follow(self, candidates: list[Deviation], seconds: float | None) -> Future[Followed]:
        """Begin to follow a deviation up by some of its sequences; what waits does so in a thread, in no one's way.

        ``seconds``: the budget for minimising one, 0 for nothing but what its last call needs, None to repeat it once.
        """
        if self._processes is not None and not mostly_waits(candidates[0]):
            try:
                with uninterrupted():
                    return self._processes.submit(_follow, candidates, seconds)
            except BrokenProcessPool:
                self.without_processes()
        return self._threads.submit(self._work.follow, candidates, seconds, self._tables, self.stopped)

    def without_processes(self) -> None:
        """Go on in threads only: a process was ended from outside, and the others are of no more use."""
        self._processes = None


def mostly_waits(deviation: Deviation) -> bool:
    """Return whether repeating a deviation is mostly waiting: for an answer, a callback, or what commands may do."""
    return deviation.verdict == "hangs" or deviation.undecided or function_in(deviation.key) == AWAIT


@contextmanager
def pools(work: Work, tables: Tables, processes: int) -> Iterator[Pools]:
    """Yield threads and processes to follow deviations up.

    After an exception (Ctrl-C) the processes that they wait for are ended, so that the run can end soon.
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
"""What this process follows deviations up with, once set up."""


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
