"""Serialises the creation and release of contexts across the processes of a run, where these calls are slow.

The kernel driver of a GPU serialises these calls anyway: with 16 concurrent processes, a context that takes 0.2 s takes
3 s. If a process instead waits before the call, the time of other processes does not count towards its deadline, so the
call does not look like a hang. A process waits if its last call of this kind was slow; calls that return quickly are
not serialised.
"""

from __future__ import annotations

import fcntl
import os
import time
from contextlib import contextmanager
from threading import Event
from typing import TYPE_CHECKING

from clconform.harness import cache_dirs

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SERIALISED_FUNCTIONS = frozenset({"clCreateContext", "clCreateContextFromType", "clReleaseContext"})
"""The serialised functions. The release of another object also releases its context if it holds the last reference.
Such a call is not serialised, because the harness cannot know it. Instead, its deadline is extended while another
process holds the lock."""
SLOW_CALL_SECONDS = 0.02
"""If a call takes longer than this many seconds, the next call of the process waits for the lock."""
MAX_WAIT_SECONDS = 30.0
"""Seconds to wait for one holder of the lock; then the call is made anyway, because the holder's driver hangs."""
_POLL_SECONDS = 0.002
_is_slow = Event()
_NO_HOLDER = b""
_MARK_BYTES = 16


@contextmanager
def hold_context_lock() -> Iterator[None]:
    """Hold the run's context lock during the block, if calls of ``SERIALISED_FUNCTIONS`` are slow in this process."""
    if not _is_slow.is_set():
        with _time_call():
            yield
        return
    descriptor = os.open(_lock_file(), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        _acquire_lock(descriptor)
        with _time_call():
            yield
    finally:
        os.close(descriptor)  # releases the lock


def is_context_lock_held() -> bool:
    """Return whether a process of this run holds the context lock now."""
    try:
        descriptor = os.open(_lock_file(), os.O_RDWR | os.O_CLOEXEC)
    except FileNotFoundError:  # the lock has never been used
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(descriptor)
    return False


def _lock_file() -> Path:
    """Return the path of the lock file."""
    return cache_dirs.shared_folder() / "contexts"


@contextmanager
def _time_call() -> Iterator[None]:
    began = time.perf_counter()
    yield
    if time.perf_counter() - began > SLOW_CALL_SECONDS:
        _is_slow.set()
    else:
        _is_slow.clear()


class _IgnoredHolder:
    """The lock holder for which this process no longer waits. ``mark``: the mark that this holder has written."""

    mark: bytes = _NO_HOLDER


def _acquire_lock(descriptor: int) -> None:
    """Wait for the lock and write a new mark; stop waiting for a holder that keeps the lock too long."""
    seen, until = _NO_HOLDER, time.monotonic() + MAX_WAIT_SECONDS
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            marked = os.pread(descriptor, _MARK_BYTES, 0)
            if marked != seen:
                seen, until = marked, time.monotonic() + MAX_WAIT_SECONDS
            if time.monotonic() >= until or marked == _IgnoredHolder.mark != _NO_HOLDER:
                _IgnoredHolder.mark = marked
                return
            time.sleep(_POLL_SECONDS)
        else:
            os.pwrite(descriptor, os.urandom(_MARK_BYTES), 0)
            return
