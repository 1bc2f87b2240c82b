"""What a run in several processes does while its items still run, so that less is left for the end.

The journal is read as it grows. A deviation whose repetition is mostly waiting is followed up at once, all others when
there are more processes than items left, or in a smoke test from the beginning: items leave cores idle at the end, and
where a call hangs or a callback is waited for. What is found out meanwhile counts only if it is what would be found
out at the end: the shortest of all sequences with a deviation was repeated, and has shown it each time. All else is
followed up again when the items are over.
"""

from __future__ import annotations

import threading
from contextlib import contextmanager, suppress
from threading import Event
from typing import TYPE_CHECKING

from clconform.calls.journal import Deviation
from clconform.harness import scratch
from clconform.reports import JournalError
from clconform.runner.deviations.pools import SECONDS_TO_STOP, Pools, Work, mostly_waits, pools
from clconform.runner.deviations.replay import StoppedError
from clconform.spec_tables import loading

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from concurrent.futures import Future

    from clconform.calls.journal import Confirmation
    from clconform.harness import Target
    from clconform.reports import JournalReader
    from clconform.runner.deviations.confirming import Followed
    from clconform.spec_tables import Tables

SECONDS_BETWEEN_LOOKS = 0.25
"""How often the journal is looked at for new lines."""


class Ahead:
    """What is done while items run, in processes that go on with the rest afterwards."""

    def __init__(
        self,
        journal: JournalReader,
        target: Target,
        tables: Tables,
        *,
        device_index: int,
        processes: int,
        early: bool,
        seconds_each: Callable[[int], float],
        known: Callable[[Deviation], Confirmation | None],
    ) -> None:
        """Begin to read the journal; ``processes``: more than 1.

        ``early``: all deviations are followed up from the beginning, in half of the processes; else those that do not
        mostly wait in as many as no item is left for. ``seconds_each``: returns the budget for minimising one of so
        many deviations, as in ``confirm_all``. ``known``: returns the finding on what need not be repeated.
        """
        self._journal, self._known = journal, known
        self._tables, self._processes, self._early, self._seconds_each = tables, processes, early, seconds_each
        self._work = Work(target, device_index, scratch.folder(), loading.chosen())
        self._waiting: dict[str, Deviation] = {}
        self._begun: dict[str, tuple[Deviation, Future[Followed]]] = {}
        self._futures: set[Future[Followed]] = set()
        self._items_over, self._handed_over, self._over = Event(), Event(), Event()
        self._abandoned = self._started = False
        self._pools: Pools | None = None
        self._error: BaseException | None = None
        # the processes die with the thread that has started them, so it lives as long as they are needed
        self._thread = threading.Thread(target=self._run, name="clconform-ahead", daemon=True)
        self._thread.start()

    def begun(self, deviation: Deviation) -> Future[Followed] | None:
        """Return what this deviation was begun to be followed up with, by this sequence; None if it was not."""
        seen, future = self._begun.get(deviation.key, (None, None))
        return future if seen == deviation else None

    def suffices(self, future: Future[Followed], ended: Followed) -> bool:
        """Return whether a result counts: it was found at the end, or each repetition has shown the deviation."""
        end = ended.end
        whole = ended.error is None and end.verdict != "flaky" and 0 < end.repeated == end.attempts
        return future not in self._futures or whole

    @contextmanager
    def lent(self) -> Iterator[Pools]:
        """Yield the threads and processes to follow up the rest, now that the items are over; they end afterwards."""
        self._items_over.set()
        self._handed_over.wait()
        if self._pools is None or self._error is not None or self._abandoned:
            raise RuntimeError("deviations could not be followed up while items ran") from self._error
        try:
            yield self._pools
        except BaseException:
            self.abandon()
            raise
        self._over.set()
        self._thread.join()

    def abandon(self) -> None:
        """End everything soon; harmless if it has ended."""
        self._abandoned = True
        self._items_over.set()
        self._over.set()
        self._thread.join(2 * SECONDS_TO_STOP)

    # in the thread

    def _run(self) -> None:
        try:
            with suppress(StoppedError), pools(self._work, self._tables, self._processes) as self._pools:
                while not self._items_over.wait(SECONDS_BETWEEN_LOOKS):
                    self._look(self._pools)
                self._handed_over.set()
                self._wait_for_the_end()
        except BaseException as error:  # noqa: BLE001 (whoever waits for the rest is told)
            self._error = error
        finally:
            self._handed_over.set()

    def _wait_for_the_end(self) -> None:
        """Return when nothing more will be followed up; StoppedError if everything is to end at once."""
        self._over.wait()
        if self._abandoned:
            raise StoppedError

    def _look(self, lent: Pools) -> None:
        """Read what is new, and begin what is due."""
        try:
            lines = self._journal.added()
        except JournalError:
            return  # whoever reads the journal at the end is told
        for line in lines:
            if isinstance(line, Deviation):
                self._take(line)
        idle = self._processes - self._journal.left
        if idle >= 0 and not self._started:
            self._started = True
            lent.start()
        self._follow_up(lent, max(idle, self._processes // 2 if self._early else 0))

    def _take(self, line: Deviation) -> None:
        """Keep a deviation to follow it up, by the shortest of its sequences so far."""
        if line.key in self._begun or len(line.records) > 1 or self._known(line) is not None:
            return  # of several records one may turn out to be to blame, by a later item
        waiting = self._waiting.get(line.key)
        if waiting is None or len(line.sequence) < len(waiting.sequence):
            self._waiting[line.key] = line

    def _follow_up(self, lent: Pools, processes: float) -> None:
        """Begin to follow up what waits for an answer at once, all else in so many processes."""
        busy = sum(not future.done() and not mostly_waits(line) for line, future in self._begun.values())
        for line in list(self._waiting.values()):
            if mostly_waits(line) or busy < processes:
                busy += not mostly_waits(line)
                future = lent.follow([line], self._seconds_each(len(self._begun) + len(self._waiting)))
                del self._waiting[line.key]
                self._begun[line.key] = line, future
                self._futures.add(future)
