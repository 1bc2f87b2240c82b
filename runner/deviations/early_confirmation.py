"""Confirms deviations while a run with several processes still runs its items.

The journal is read while it grows. A deviation whose repetition mostly waits is confirmed immediately, because a
repetition that waits for a hang or a callback leaves its core idle. All other deviations are confirmed as soon as there
are more processes than remaining items, or from the beginning in a smoke test. An early confirmation counts only if the
confirmation after the items would have the same result. This is the case if the shortest sequence with the deviation
was repeated, and each repetition has shown the deviation. All other deviations are confirmed again after the items.
"""

from __future__ import annotations

import threading
from contextlib import contextmanager, suppress
from threading import Event
from typing import TYPE_CHECKING

from clconform.calls.journal import Deviation
from clconform.reports import JournalError
from clconform.reports.status_policy import UNPROVED_STATUSES
from clconform.runner.deviations.confirmation_pools import (
    STOP_SECONDS,
    ConfirmationPools,
    mostly_waits,
    open_pools,
)
from clconform.runner.deviations.replay import RunStoppedError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from concurrent.futures import Future

    from clconform.calls.journal import Confirmation
    from clconform.reports import JournalReader
    from clconform.runner.deviations.confirmation_pools import ConfirmationSettings
    from clconform.runner.deviations.confirmation_steps import ConfirmationOutcome

POLL_SECONDS = 0.25
"""Interval in seconds at which the journal is read for new lines."""


class EarlyConfirmation:
    """Confirms deviations while items run.

    After the items, its processes confirm the remaining deviations.
    """

    def __init__(
        self,
        journal: JournalReader,
        settings: ConfirmationSettings,
        *,
        from_start: bool,
        seconds_each: Callable[[int], float],
        known: Callable[[Deviation], Confirmation | None],
    ) -> None:
        """Start a thread that reads the journal.

        ``settings``: at least 2 processes. ``from_start``: confirm all deviations from the beginning, in half of the
        processes. Otherwise, only deviations whose repetition mostly waits are confirmed from the beginning; all others
        are confirmed when fewer items than processes remain. ``seconds_each``: returns the seconds for minimising each
        of the given number of deviations. ``known``: returns the confirmation of a deviation that need not be repeated,
        or None.
        """
        self._journal, self._known = journal, known
        self._settings, self._from_start, self._seconds_each = settings, from_start, seconds_each
        self._queued: dict[str, Deviation] = {}
        self._seen_in: set[tuple[str, str]] = set()
        self._futures_by_key: dict[str, tuple[Deviation, Future[ConfirmationOutcome]]] = {}
        self._futures: set[Future[ConfirmationOutcome]] = set()
        self._items_over, self._pools_ready, self._over = Event(), Event(), Event()
        self._is_abandoned = self._is_started = False
        self._pools: ConfirmationPools | None = None
        self._error: BaseException | None = None
        # the processes die with the thread that starts them, so this thread lives as long as they are needed
        self._thread = threading.Thread(target=self._run, name="clconform-ahead", daemon=True)
        self._thread.start()

    def future_of(self, deviation: Deviation) -> Future[ConfirmationOutcome] | None:
        """Return the future of the early confirmation of this deviation; None if none was started with its sequence."""
        seen, future = self._futures_by_key.get(deviation.key, (None, None))
        return future if seen == deviation else None

    def is_sufficient(self, future: Future[ConfirmationOutcome], ended: ConfirmationOutcome) -> bool:
        """Return whether a finished confirmation counts, so that the deviation need not be confirmed again.

        It counts if it was started after the items, or if each of its repetitions has shown the deviation. ``ended``:
        the result of ``future``.
        """
        end = ended.confirmation
        whole = ended.error is None and end.verdict not in UNPROVED_STATUSES and 0 < end.repeated == end.attempts
        return future not in self._futures or whole

    @contextmanager
    def lend_pools(self) -> Iterator[ConfirmationPools]:
        """Yield the threads and processes for deviations that remain after the items; end them after the block."""
        self._items_over.set()
        self._pools_ready.wait()
        if self._pools is None or self._error is not None or self._is_abandoned:
            raise RuntimeError("deviations could not be confirmed while items ran") from self._error
        try:
            yield self._pools
        except BaseException:
            self.abandon()
            raise
        self._over.set()
        self._thread.join()

    def abandon(self) -> None:
        """Request that all confirmations stop; do nothing if they have ended."""
        self._is_abandoned = True
        self._items_over.set()
        self._over.set()
        self._thread.join(2 * STOP_SECONDS)

    # the following functions run in the thread

    def _run(self) -> None:
        try:
            with suppress(RunStoppedError), open_pools(self._settings) as self._pools:
                while not self._items_over.wait(POLL_SECONDS):
                    self._read_journal(self._pools)
                self._pools_ready.set()
                self._wait_for_end()
        except BaseException as error:  # noqa: BLE001 (``lend_pools`` raises it)
            self._error = error
        finally:
            self._pools_ready.set()

    def _wait_for_end(self) -> None:
        """Wait until all confirmations have ended; RunStoppedError if they were abandoned."""
        self._over.wait()
        if self._is_abandoned:
            raise RunStoppedError

    def _read_journal(self, pools: ConfirmationPools) -> None:
        """Read the new lines of the journal, and start the confirmations that are due."""
        try:
            lines = self._journal.read_new_lines()
        except JournalError:
            return  # the reader at the end of the run reports the error
        for line in lines:
            if isinstance(line, Deviation):
                self._queue_deviation(line)
        idle = self._settings.processes - self._journal.items_left
        if idle >= 0 and not self._is_started:
            self._is_started = True
            pools.start_processes()
        self._start_confirmations(pools, max(idle, self._settings.processes // 2 if self._from_start else 0))

    def _queue_deviation(self, line: Deviation) -> None:
        """Queue a deviation for confirmation, with the shortest of its sequences so far.

        A line for a further test value of an item does not count, because its sequence may be shortened.
        """
        if line.key in self._futures_by_key or len(line.requirements) > 1 or self._known(line) is not None:
            return  # a later item may show which one of several requirements is violated
        if line.test_value and (line.item, line.key) in self._seen_in:
            return
        self._seen_in.add((line.item, line.key))
        waiting = self._queued.get(line.key)
        if waiting is None or len(line.sequence) < len(waiting.sequence):
            self._queued[line.key] = line

    def _start_confirmations(self, pools: ConfirmationPools, processes: float) -> None:
        """Start all queued confirmations that mostly wait, and as many others as ``processes`` processes can run."""
        busy = sum(not future.done() and not mostly_waits(line) for line, future in self._futures_by_key.values())
        for line in list(self._queued.values()):
            if mostly_waits(line) or busy < processes:
                busy += not mostly_waits(line)
                future = pools.submit_deviation(
                    [line], self._seconds_each(len(self._futures_by_key) + len(self._queued))
                )
                del self._queued[line.key]
                self._futures_by_key[line.key] = line, future
                self._futures.add(future)
