"""Pools of helper processes for one command: they end with the command, and only the command handles interrupts."""

from __future__ import annotations

import functools
import multiprocessing
import os
import signal
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from clconform.harness.inherited_settings import exclude_current_folder
from clconform.harness.sandbox import die_with_parent

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator


def create_pool(processes: int, set_up: Callable[..., None], *given: object) -> ProcessPoolExecutor:
    """Return a pool of processes that first call ``set_up`` with the given arguments, which must be picklable.

    Submitting work starts the processes; do it within ``block_interrupts``.
    """
    exclude_current_folder()
    context = multiprocessing.get_context("spawn")
    return ProcessPoolExecutor(
        processes, mp_context=context, initializer=functools.partial(_initialise_helper, os.getpid(), set_up, *given)
    )


@contextmanager
def block_interrupts() -> Iterator[None]:
    """Block SIGINT while processes may start and inherit the mask, so that none of them prints a traceback."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def in_order(
    pool: ProcessPoolExecutor, function: Callable[..., Any], *given: Iterable[Any], together: int = 1
) -> Iterator[Any]:
    """Return an iterator over the results of a function for each set of arguments, in order.

    A process receives ``together`` sets of arguments at a time. All calls are submitted before the iterator is
    returned. Unlike ``Executor.map``, the iterator never cancels a future: the executor's thread fails when it
    completes a future that was cancelled before.
    """
    every = list(zip(*given, strict=True))
    with block_interrupts():
        parts = [
            pool.submit(_each, function, every[first : first + together]) for first in range(0, len(every), together)
        ]
    return (result for part in parts for result in part.result())


def _each(function: Callable[..., Any], calls: list[tuple[Any, ...]]) -> list[Any]:
    return [function(*given) for given in calls]


def end_pool(pool: ProcessPoolExecutor) -> None:
    """Kill the processes of a pool and their drivers; submitted calls that have not ended fail.

    The executor's thread has ended when the function returns, so that nothing is written or started afterwards.
    """
    kill_helpers()
    pool.shutdown()


def kill_helpers() -> bool:
    """Kill all running helper processes; return whether there were any."""
    left = multiprocessing.active_children()
    for process in left:
        process.kill()
    return bool(left)


def _initialise_helper(parent: int, set_up: Callable[..., None], *given: Any) -> None:
    die_with_parent()
    if os.getppid() != parent:  # the parent ended before prctl requested the signal
        os._exit(1)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent ends this process
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    set_up(*given)
