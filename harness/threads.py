"""Host threads of the worker: some that each make one call at the same moment, and lanes, which make calls in turn.

A lane inside a callback has no thread of its own: the thread that calls the callback makes its call.
"""

from __future__ import annotations

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
    """Run each action on its own host thread, all started together, and return their results in order.

    BadCall: not enough threads can be started, and none of the actions was run. An action's own error is raised when
    all have finished.
    """
    if not actions:
        return []
    start = threading.Barrier(len(actions))
    with ThreadPoolExecutor(len(actions)) as threads:
        try:
            running = [threads.submit(_when_all_are_there, start, action) for action in actions]
        except RuntimeError as error:
            start.abort()  # or those already started would wait for ever
            raise BadCall(f"cannot start {len(actions)} host threads: {error}") from None
    return [one.result() for one in running]


def _when_all_are_there(start: threading.Barrier, action: Callable[[], _T]) -> _T:
    start.wait()
    return action()


class Order:
    """The order in which calls are entered and returned, over all host threads."""

    def __init__(self) -> None:
        self._positions = itertools.count(1)

    def next(self) -> int:
        """Return the next position, from 1; threads never get the same."""
        return next(self._positions)


class AnyLane:
    """Keeps the one call that is under way on a lane, and what came of it.

    ``entered``, ``returned``: positions of the last call, 0 before it was entered or has returned.
    """

    def __init__(self, order: Order) -> None:
        self.entered = self.returned = 0
        self._order = order
        self._prepared: Prepared | None = None
        self._result: tuple[Any, float] = (None, 0.0)
        self._over = threading.Event()

    @property
    def busy(self) -> bool:
        """Whether a call was begun that has not been ended."""
        return self._prepared is not None

    def end(self, seconds: float) -> tuple[Prepared, Any, float] | None:
        """Wait until the call has returned; return it with its result and its seconds, or None if it has not.

        BadCall: there is none.
        """
        if self._prepared is None:
            raise BadCall("no call is under way on this lane")
        if not self._over.wait(seconds):
            return None
        prepared, self._prepared = self._prepared, None
        return (prepared, *self._result)

    def _keep(self, prepared: Prepared) -> None:
        self._prepared, self.entered, self.returned = prepared, 0, 0
        self._over.clear()

    def _make(self, prepared: Prepared) -> None:
        """Make a call that was entered."""
        self._result = prepared.make()
        self.returned = self._order.next()
        self._over.set()


class Lane(AnyLane):
    """A host thread that makes one call after the other, while other threads make calls, too.

    ``ident``: the thread's.
    """

    def __init__(self, number: int, order: Order) -> None:
        """Start the thread; BadCall if that is not possible."""
        super().__init__(order)
        self._begun, self._ready = threading.Event(), threading.Event()
        thread = threading.Thread(target=self._work, name=f"lane {number}", daemon=True)
        try:
            thread.start()
        except RuntimeError as error:
            raise BadCall(f"cannot start host thread {number}: {error}") from None
        self.ident = thread.ident

    def begin(self, prepared: Prepared) -> int:
        """Begin a call, and return the position at which it is entered."""
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
    """A lane whose one call is made by the thread that calls a callback, from inside that."""

    def begin(self, prepared: Prepared) -> int:
        """Keep a call until the callback makes it; it is entered then, and has no position yet, which is 0."""
        self._keep(prepared)
        return 0

    def make(self) -> None:
        """Make the call, if there is one: inside the callback, and in the first call of it alone."""
        if self._prepared is not None and not self.entered:
            self.entered = self._order.next()
            self._make(self._prepared)
