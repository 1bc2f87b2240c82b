"""Serialises the creation and release of contexts across the processes of a run, where these calls are slow.

The kernel driver of a GPU serialises them anyway: with 16 concurrent processes, a context that takes 0.2 s takes 3 s.
Waiting before the call instead keeps other processes out of its deadline, so that it does not look like a hang. A
process waits if its last call of this kind was slow; calls that return quickly are not serialised.
"""

from __future__ import annotations

import fcntl
import os
import time
from contextlib import contextmanager
from threading import Event
from typing import TYPE_CHECKING

from clconform.harness import scratch

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

TAKES_TURNS = frozenset({"clCreateContext", "clCreateContextFromType", "clReleaseContext"})
"""The serialised functions. The release of another object also releases its context if it holds the last reference.
Such a call is not serialised, because the harness cannot know it. Instead, its deadline is extended while another
process holds the lock."""
LONG_SECONDS = 0.02
"""If a call takes longer than this many seconds, the next one waits for the lock."""
LONGEST_WAIT = 30.0
"""Seconds to wait for one holder of the lock; then the call is made anyway, because the holder's driver hangs."""
_LOOKS_EVERY = 0.002
_takes_long = Event()
_NOBODY = b""
_MARK_BYTES = 16


@contextmanager
def turn() -> Iterator[None]:
    """Hold the run's context lock during a call of a function in ``TAKES_TURNS``, if such calls are slow."""
    if not _takes_long.is_set():
        with _timed():
            yield
        return
    descriptor = os.open(_file(), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        _wait_for(descriptor)
        with _timed():
            yield
    finally:
        os.close(descriptor)  # releases the lock


def taken() -> bool:
    """Return whether a process of this run holds the context lock now."""
    try:
        descriptor = os.open(_file(), os.O_RDWR | os.O_CLOEXEC)
    except FileNotFoundError:  # the lock has never been used
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(descriptor)
    return False


def _file() -> Path:
    """Return the path of the lock file."""
    return scratch.common() / "contexts"


@contextmanager
def _timed() -> Iterator[None]:
    began = time.perf_counter()
    yield
    if time.perf_counter() - began > LONG_SECONDS:
        _takes_long.set()
    else:
        _takes_long.clear()


class _TooLong:
    """State of this process. ``turn``: the mark of the holder for which it no longer waits."""

    turn: bytes = _NOBODY


def _wait_for(descriptor: int) -> None:
    """Wait for the lock and write a new mark; stop waiting for a holder that keeps the lock too long."""
    seen, until = _NOBODY, time.monotonic() + LONGEST_WAIT
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            marked = os.pread(descriptor, _MARK_BYTES, 0)
            if marked != seen:
                seen, until = marked, time.monotonic() + LONGEST_WAIT
            if time.monotonic() >= until or marked == _TooLong.turn != _NOBODY:
                _TooLong.turn = marked
                return
            time.sleep(_LOOKS_EVERY)
        else:
            os.pwrite(descriptor, os.urandom(_MARK_BYTES), 0)
            return
