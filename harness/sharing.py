"""Processes of ours that share a command's work: they are ended with it, and an interrupt is the command's alone."""

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
    """Return processes that begin with ``set_up`` and what is given, which can be pickled.

    They are started by what is submitted within ``uninterrupted``.
    """
    context = multiprocessing.get_context("spawn")
    return ProcessPoolExecutor(processes, mp_context=context, initializer=functools.partial(_begin, set_up, *given))


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Hold interrupts back while processes may be started, which inherit that: none must die of one with words."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def end(pool: ProcessPoolExecutor) -> None:
    """End the processes at once, and the drivers' processes with them; what was submitted is dropped."""
    pool.shutdown(wait=False, cancel_futures=True)
    end_those_left()


def end_those_left() -> bool:
    """End the processes of ours that have been started; return whether there was one."""
    left = multiprocessing.active_children()
    for process in left:
        process.kill()
    return bool(left)


def _begin(set_up: Callable[..., None], *given: Any) -> None:
    die_with_parent()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # whoever has started this process ends it
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    set_up(*given)
