"""Ends the drivers' processes that this process has started, whichever thread waits for them."""

from __future__ import annotations

import os
import signal
from contextlib import suppress
from pathlib import Path

_OURS = b"clconform"
"""Stands in the command line of every process that the harness starts."""


def kill_children() -> None:
    """End every process of the harness that is a child of this process; each of its calls then ends as died.

    Other children are left alone. Processes that are started at the same time may be missed: call it again.
    """
    for pid in _children():
        with suppress(OSError):
            if _OURS in Path(f"/proc/{pid}/cmdline").read_bytes():
                os.kill(pid, signal.SIGTERM)  # its reaper then ends all of it


def _children() -> list[int]:
    """Return the ids of the children of all threads; empty on kernels that do not list them."""
    found: list[int] = []
    for task in Path("/proc/self/task").glob("*/children"):
        with suppress(OSError):
            found += [int(word) for word in task.read_text(encoding="ascii").split()]
    return found
