"""Distinguishes calls that are blocked in the kernel from calls that hang, by thread states in ``/proc`` (Linux).

A driver that waits for an event that never comes either runs or sleeps interruptibly. A thread in uninterruptible sleep
waits for a lock or a device that other threads release: a GPU's kernel driver creates the contexts of all processes of
a machine one after the other. A dying process is also blocked, until the kernel has released its contexts; unless the
harness waits for its end, a crash would look like a hang.
"""

from __future__ import annotations

import time
from contextlib import suppress
from pathlib import Path

MAX_WAIT_SECONDS = 60.0
"""Maximum seconds to wait for a call after its deadline while it is blocked in the kernel."""
SAMPLES, PAUSE_SECONDS = 20, 0.01
"""Number of samples of the thread states, and seconds between them: between two locks a thread runs briefly."""
_UNINTERRUPTIBLE = "D"
_EXITING = 0x4
"""The flag of a thread that is exiting (PF_EXITING in the kernel)."""
_STATE_FIELD, _FLAGS_FIELD = 0, 6
"""Positions of a thread's state and flags after the name in ``/proc/PID/task/TID/stat``; see proc(5)."""


def is_blocked(process: int) -> bool:
    """Return whether a thread of the process is blocked in the kernel or exiting; False if the process has ended."""
    for look in range(SAMPLES):
        if look:
            time.sleep(PAUSE_SECONDS)
        for thread in Path(f"/proc/{process}/task").glob("*/stat"):
            with suppress(OSError):
                if has_blocked_state(thread.read_text(encoding="ascii", errors="replace")):
                    return True
    return False


def has_blocked_state(stat: str) -> bool:
    """Return whether the content of a ``/proc/PID/task/TID/stat`` shows a thread that is blocked or exiting."""
    words = stat.rpartition(")")[2].split()
    try:
        return words[_STATE_FIELD] == _UNINTERRUPTIBLE or bool(int(words[_FLAGS_FIELD]) & _EXITING)
    except (IndexError, ValueError):
        return False
