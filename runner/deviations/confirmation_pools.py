"""The pools of threads and processes that confirm deviations.

Threads of one process share an interpreter: they overlap only while a driver works or hangs, not while the oracle
works. Several processes work in parallel without this limit. Each process confirms one deviation after another.
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

from clconform.calls.deviation_keys import parse_function
from clconform.calls.harness_actions import AWAIT
from clconform.harness import HarnessError, cache_dirs
from clconform.harness.children import kill_harness_children
from clconform.harness.helper_processes import block_interrupts, create_pool, end_pool, kill_helpers
from clconform.runner.deviations.confirmation_steps import ConfirmationOutcome, confirm_deviation
from clconform.runner.deviations.replay import KnownBase, Replayer, ReplayTarget
from clconform.spec_tables import load, loading

if TYPE_CHECKING:
    from collections.abc import Iterator
    from concurrent.futures import ProcessPoolExecutor
    from pathlib import Path

    from clconform.calls.journal import Deviation
    from clconform.harness import Target

THREAD_PREFIX = "clconform-confirming"
"""Prefix of the names of the threads that confirm deviations."""
STOP_SECONDS = 3.0
"""Maximum seconds to wait for running confirmations after an interrupt."""
MAX_THREADS = max(6, min(16, os.cpu_count() or 1))
"""Number of deviations that one process confirms concurrently; repeating a hang takes time but no CPU."""


class InternalFailureError(Exception):
    """An internal error in another process.

    Its message is the traceback.
    """


@dataclass(frozen=True)
class ConfirmationSettings:
    """The settings that all confirmations of a run share.

    ``device_index``: the index of the root device under test. ``processes``: number of processes that confirm
    deviations; 1: only this process. ``scratch``: folder for temporary files. ``tables_folder``: folder from which
    other processes load the tables. ``known_base``: query results that the sessions of one process share.
    """

    target: Target
    device_index: int = 0
    processes: int = 1
    scratch: Path = field(default_factory=cache_dirs.process_folder)
    tables_folder: Path = field(default_factory=loading.selected_folder)
    known_base: KnownBase = field(default_factory=KnownBase)

    def run_first_queries(self) -> None:
        """Run the first queries of a session in advance, so that confirming the first deviation takes less time."""
        with suppress(HarnessError):
            Replayer(self._replay_target(Event())).close()

    def confirm_deviation(
        self, candidates: list[Deviation], seconds: float | None, stopped: Event
    ) -> ConfirmationOutcome:
        """Confirm one deviation, by repeating sequences that show it.

        ``candidates``: the deviation, once for each of these sequences. ``seconds``: as for
        ``ConfirmationPools.submit_deviation``. ``stopped``: once it is set, repetitions end.
        """
        return confirm_deviation(candidates, self._replay_target(stopped), seconds)

    def _replay_target(self, stopped: Event) -> ReplayTarget:
        return ReplayTarget(self.target, load(), self.device_index, stopped, self.known_base)


class ConfirmationPools:
    """The threads and processes that confirm deviations."""

    def __init__(
        self,
        work: ConfirmationSettings,
        threads: ThreadPoolExecutor,
        processes: ProcessPoolExecutor | None,
    ) -> None:
        self._work, self._threads, self._processes = work, threads, processes
        self.stopped = Event()

    def start_processes(self) -> None:
        """Start the processes, so that they are ready for the first deviation."""
        if self._processes is not None:
            with suppress(BrokenProcessPool), block_interrupts():
                for _ in range(self._work.processes):
                    self._processes.submit(_run_first_queries)

    def submit_deviation(self, candidates: list[Deviation], seconds: float | None) -> Future[ConfirmationOutcome]:
        """Start to confirm a deviation, and return the future of the result.

        ``candidates``: the deviation, once for each sequence that shows it. If the repetition mostly waits, it runs in
        a thread, otherwise in another process. ``seconds``: the time for minimising a sequence; 0: only reduce a
        sequence to the calls that its last call needs; None: only repeat a sequence once.
        """
        if self._processes is not None and not mostly_waits(candidates[0]):
            try:
                with block_interrupts():
                    return self._processes.submit(_confirm_in_process, candidates, seconds)
            except BrokenProcessPool:
                self.drop_processes()
        return self._threads.submit(self._work.confirm_deviation, candidates, seconds, self.stopped)

    def drop_processes(self) -> None:
        """Continue in threads only: a process was killed, which makes the pool of processes unusable."""
        self._processes = None


def mostly_waits(deviation: Deviation) -> bool:
    """Return whether a repetition of a deviation mostly waits: for a hang, for a callback, or for running commands."""
    return deviation.verdict == "hangs" or deviation.undecided or parse_function(deviation.key) == AWAIT


@contextmanager
def open_pools(work: ConfirmationSettings) -> Iterator[ConfirmationPools]:
    """Yield the threads and processes that confirm deviations, and shut them down after the block.

    After an exception, such as Ctrl-C, driver processes are killed as well, because threads that wait for a driver
    would delay the end of the run.
    """
    threads = ThreadPoolExecutor(MAX_THREADS, thread_name_prefix=THREAD_PREFIX)
    several = create_pool(work.processes, _initialise_process, work) if work.processes > 1 else None
    both = ConfirmationPools(work, threads, several)
    try:
        yield both
    except BaseException:
        both.stopped.set()
        threads.shutdown(wait=False, cancel_futures=True)
        if several is not None:
            end_pool(several)
        until = time.monotonic() + STOP_SECONDS
        while (kill_helpers() or _has_running_threads()) and time.monotonic() < until:
            kill_harness_children()
            time.sleep(0.02)
        raise
    threads.shutdown()
    if several is not None:
        several.shutdown()


def _has_running_threads() -> bool:
    return any(each.name.startswith(THREAD_PREFIX) for each in threading.enumerate())


# the following functions run in another process

_settings: list[ConfirmationSettings] = []
"""The settings of this process for confirming deviations, after ``_initialise_process``."""


def _initialise_process(work: ConfirmationSettings) -> None:
    cache_dirs.set_parent_folder(work.scratch)
    loading.select_folder(work.tables_folder)
    _settings.append(work)


def _run_first_queries() -> None:
    _settings[0].run_first_queries()


def _confirm_in_process(candidates: list[Deviation], seconds: float | None) -> ConfirmationOutcome:
    ended = _settings[0].confirm_deviation(candidates, seconds, Event())
    if ended.error is not None:
        return replace(ended, error=InternalFailureError("".join(traceback.format_exception(ended.error))))
    return ended
