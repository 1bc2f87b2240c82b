"""Tells a call that the kernel holds up from one that hangs, by what the threads of its process do (Linux, ``/proc``).

A driver that waits for something that does not happen sleeps so that a signal can end the sleep, or it runs. A thread
that the kernel lets sleep uninterruptibly waits for a lock or a device, which others give up by themselves: a GPU's
driver makes one context after the other for all processes of a machine. And a process that dies is held up there, too,
until its contexts are gone; who does not wait for that takes a crash for a hang.
"""

from __future__ import annotations

import time
from contextlib import suppress
from pathlib import Path

LONGEST_SECONDS = 60.0
"""How long after its deadline a call is waited for at most while the kernel holds it up."""
LOOKS, PAUSE_SECONDS = 20, 0.01
"""How often is looked at the threads, and how long between two looks: between two locks a thread runs for a moment."""
_UNINTERRUPTIBLE = "D"
_EXITING = 0x4
"""The bit among a thread's flags that the kernel sets when its end begins (PF_EXITING)."""
_STATE, _FLAGS = 0, 6
"""Where both are in ``/proc/PID/task/TID/stat`` behind the name in parentheses, by proc(5)."""


def held_up(process: int) -> bool:
    """Return whether the kernel holds up a thread of a process, or lets the process die; False if it has gone."""
    for look in range(LOOKS):
        if look:
            time.sleep(PAUSE_SECONDS)
        for thread in Path(f"/proc/{process}/task").glob("*/stat"):
            with suppress(OSError):
                if shows_held_up(thread.read_text(encoding="ascii", errors="replace")):
                    return True
    return False


def shows_held_up(stat: str) -> bool:
    """Return whether a line as in ``/proc/PID/task/TID/stat`` is of a thread that the kernel holds up, or lets die."""
    words = stat.rpartition(")")[2].split()
    try:
        return words[_STATE] == _UNINTERRUPTIBLE or bool(int(words[_FLAGS]) & _EXITING)
    except (IndexError, ValueError):
        return False
