"""Host threads of the worker: for groups of concurrent calls, and numbered threads that make one call after another.

A numbered host thread inside a callback is not a thread of the worker: the thread that runs the callback makes its
call.
"""

from __future__ import annotations

import errno
import itertools
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, TypeVar

from clconform.harness.errors import BadCall

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from clconform.harness.prototypes import Prepared

_T = TypeVar("_T")


def at_once(actions: Sequence[Callable[[], _T]]) -> list[_T]:
    """Run each action on its own host thread, all concurrently, and return their results in order.

    OSError: not enough threads can be started; no action was run. An exception of an action is raised after all actions
    have finished.
    """
    if not actions:
        return []
    start = threading.Barrier(len(actions))
    with ThreadPoolExecutor(len(actions)) as threads:
        try:
            running = [threads.submit(_when_all_are_there, start, action) for action in actions]
        except RuntimeError as error:
            start.abort()  # otherwise the threads already started would wait forever
            raise OSError(errno.EAGAIN, f"cannot start {len(actions)} host threads: {error}") from None
    return [one.result() for one in running]


def _when_all_are_there(start: threading.Barrier, action: Callable[[], _T]) -> _T:
    start.wait()
    return action()


class Order:
    """Numbers the times at which calls enter and leave the driver, in one order of all host threads."""

    def __init__(self) -> None:
        self._positions = itertools.count(1)

    def next(self) -> int:
        """Return the next position, from 1; positions are unique across threads."""
        return next(self._positions)


class AnyLane:
    """Holds the call in flight on a host thread, and its result.

    ``entered``, ``returned``: the positions of the last call in the order of all host threads; 0 before it has entered
    the driver or returned.
    """

    def __init__(self, order: Order) -> None:
        self.entered = self.returned = 0
        self._order = order
        self._prepared: Prepared | None = None
        self._result: tuple[Any, float] = (None, 0.0)
        self._error: BaseException | None = None
        self._over = threading.Event()

    @property
    def busy(self) -> bool:
        """Whether a call has been started and not yet joined."""
        return self._prepared is not None

    def end(self, seconds: float) -> tuple[Prepared, Any, float] | None:
        """Wait up to ``seconds`` for the call; return the call, its result and its duration, or None if it is pending.

        BadCall: there is no call in flight. An exception of the call is raised here.
        """
        if self._prepared is None:
            raise BadCall("this host thread has no call in flight")
        if not self._over.wait(seconds):
            return None
        prepared, self._prepared = self._prepared, None
        if self._error is not None:
            raise self._error
        return (prepared, *self._result)

    def _keep(self, prepared: Prepared) -> None:
        self._prepared, self.entered, self.returned, self._error = prepared, 0, 0, None
        self._over.clear()

    def _make(self, prepared: Prepared) -> None:
        """Make a call that already has its position ``entered``, and store its result."""
        try:
            self._result = prepared.make()
        except BaseException as error:  # noqa: BLE001 (the thread that waits for the call must receive it)
            self._error = error
        self.returned = self._order.next()
        self._over.set()


class Lane(AnyLane):
    """A host thread that makes one call after another, concurrently with other threads.

    ``ident``: its thread identifier.
    """

    def __init__(self, number: int, order: Order) -> None:
        """Start the thread; OSError if that fails."""
        super().__init__(order)
        self._begun, self._ready = threading.Event(), threading.Event()
        thread = threading.Thread(target=self._work, name=f"lane {number}", daemon=True)
        try:
            thread.start()
        except RuntimeError as error:
            raise OSError(errno.EAGAIN, f"cannot start host thread {number}: {error}") from None
        self.ident = thread.ident

    def begin(self, prepared: Prepared) -> int:
        """Start a call on the thread, and return its position in the order in which calls enter the driver."""
        self._begun.clear()
        self._keep(prepared)
        self._ready.set()
        self._begun.wait()
        return self.entered

    def _work(self) -> None:
        while True:
            self._ready.wait()
            self._ready.clear()
            prepared = self._prepared
            self.entered = self._order.next()
            self._begun.set()
            if prepared is not None:
                self._make(prepared)


class LaneInCallback(AnyLane):
    """A host thread with a single call, which the thread that runs a callback makes inside the callback."""

    def begin(self, prepared: Prepared) -> int:
        """Store a call until the callback makes it.

        Return 0: the call does not have a position yet in the order in which calls enter the driver.
        """
        self._keep(prepared)
        return 0

    def make(self) -> None:
        """Make the stored call, if any; invocations of the callback after the first one do nothing."""
        if self._prepared is not None and not self.entered:
            self.entered = self._order.next()
            self._make(self._prepared)
