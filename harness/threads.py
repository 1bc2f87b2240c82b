"""Host threads that do one thing each at the same moment."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, TypeVar

from clconform.harness.errors import BadCall

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_T = TypeVar("_T")


def at_once(actions: Sequence[Callable[[], _T]]) -> list[_T]:
    """Run each action on a host thread of its own, all let go together, and return what they gave, in their order.

    BadCall: so many threads cannot be started, and none of the actions was run. An action's own error is raised when
    all are over.
    """
    if not actions:
        return []
    start = threading.Barrier(len(actions))
    with ThreadPoolExecutor(len(actions)) as threads:
        try:
            running = [threads.submit(_when_all_are_there, start, action) for action in actions]
        except RuntimeError as error:
            start.abort()  # or those that are there would wait for ever
            raise BadCall(f"{len(actions)} host threads cannot be started: {error}") from None
    return [one.result() for one in running]


def _when_all_are_there(start: threading.Barrier, action: Callable[[], _T]) -> _T:
    start.wait()
    return action()
