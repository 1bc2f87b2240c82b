"""Lets the processes of a run make and release contexts one after the other, where that takes long.

The kernel's part of a GPU's driver does so anyway: a context that takes 0.2 s takes 3 s where 16 processes make one at
the same time. Where they wait for each other here, before the call, the time that the driver has for it is its own, and
with many processes none looks as if it never returned. Who waits is decided by the process's last call of this kind: a
driver that refuses a context at once, or makes it as fast, is not waited for.
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
"""The functions that do. A release of another object takes its context along if it has the last reference to it; it
does not wait for its turn, since that is not known here, but is waited for while others have theirs."""
LONG_SECONDS = 0.02
"""The next call waits for its turn if this one took longer."""
LONGEST_WAIT = 30.0
"""After so many seconds of the same turn a call is made anyway: in the process whose turn it is, the driver hangs."""
_LOOKS_EVERY = 0.002
_takes_long = Event()
_NOBODY = b""
_MARK_BYTES = 16


@contextmanager
def turn() -> Iterator[None]:
    """Hold the turn of this run while a call of one of ``TAKES_TURNS`` is made, if that takes long."""
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
        os.close(descriptor)  # which gives the turn to another one


def taken() -> bool:
    """Return whether a process of this run makes or releases a context now, in its turn."""
    try:
        descriptor = os.open(_file(), os.O_RDWR | os.O_CLOEXEC)
    except FileNotFoundError:  # nobody has had a turn yet
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(descriptor)
    return False


def _file() -> Path:
    """Return the file whose lock is the turn."""
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
    """What this process has learnt of others. ``turn``: the mark of the one that it waits for no more."""

    turn: bytes = _NOBODY


def _wait_for(descriptor: int) -> None:
    """Wait for a turn and mark it as a new one; one of another process that lasts too long is waited for only once."""
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
