"""Host threads that each execute one action at the same moment."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, TypeVar

from clconform.harness.errors import BadCall

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

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
