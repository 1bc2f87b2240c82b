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


class Pools:
    """The threads and processes that follow deviations up."""

    def __init__(
        self, work: Work, tables: Tables, threads: ThreadPoolExecutor, processes: ProcessPoolExecutor | None
    ) -> None:
        self._work, self._tables, self._threads, self._processes = work, tables, threads, processes
        self.stopped = Event()

    def candidates(self, seen: list[Deviation]) -> list[Deviation]:
        """Return what is repeated of all that was seen with one key, in this order."""
        tried = 1 if self._work.seconds is None else SEQUENCES_TRIED
        return sorted(seen, key=lambda each: len(each.sequence))[:tried]

    def follow(self, candidates: list[Deviation]) -> Future[Followed]:
        """Begin to follow a deviation up by some of its sequences; what waits does so in a thread, in no one's way."""
        if self._processes is not None and not mostly_waits(candidates[0]):
            try:
                with uninterrupted():
                    return self._processes.submit(_follow, candidates)
            except BrokenProcessPool:
                self.without_processes()
        return self._threads.submit(self._work.follow, candidates, self._tables, self.stopped)

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
    both = Pools(work, tables, threads, several)
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


def _follow(candidates: list[Deviation]) -> Followed:
    ended = _works[0].follow(candidates, load(), Event())
    if ended.error is not None:
        return replace(ended, error=OurFailureError("".join(traceback.format_exception(ended.error))))
    return ended
