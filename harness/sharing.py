"""Pools of helper processes for one command: they end with it, and only the command itself handles interrupts."""

from __future__ import annotations

import functools
import multiprocessing
import signal
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from clconform.harness.confinement import die_with_parent

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


def sharing(processes: int, set_up: Callable[..., None], *given: object) -> ProcessPoolExecutor:
    """Return a pool of processes that first call ``set_up`` with the given arguments, which must be picklable.

    Submitting work starts the processes; do it within ``uninterrupted``.
    """
    context = multiprocessing.get_context("spawn")
    return ProcessPoolExecutor(processes, mp_context=context, initializer=functools.partial(_begin, set_up, *given))


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Block SIGINT while processes may start and inherit the mask, so that none of them prints a traceback."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def end(pool: ProcessPoolExecutor) -> None:
    """Kill the processes immediately, together with their driver processes; drop submitted work."""
    pool.shutdown(wait=False, cancel_futures=True)
    end_those_left()


def end_those_left() -> bool:
    """Kill all running helper processes; return whether there were any."""
    left = multiprocessing.active_children()
    for process in left:
        process.kill()
    return bool(left)


def _begin(set_up: Callable[..., None], *given: Any) -> None:
    die_with_parent()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent ends this process
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    set_up(*given)
