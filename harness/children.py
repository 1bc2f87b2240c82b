"""The children of a process: which they are, and the end of the drivers' processes among them."""

from __future__ import annotations

import itertools
import os
import signal
from contextlib import suppress
from pathlib import Path

_MODULE, _OURS = b"-m", b"clconform."
"""What stands in the command line of every process that the harness starts, and how the next word begins there."""


def children() -> list[int]:
    """Return the ids of the children of this process, of all its threads."""
    lists = list(Path("/proc/self/task").glob("*/children"))
    if not lists:  # a kernel that does not list them
        processes = (int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdecimal())
        return [process for process in processes if is_child(process, os.getpid())]
    found: list[int] = []
    for listed in lists:
        with suppress(OSError):
            found += [int(word) for word in listed.read_text(encoding="ascii").split()]
    return found


def is_child(process: int, parent: int) -> bool:
    """Return whether a process is there and a child of another one, both by their ids."""
    try:
        stat = Path(f"/proc/{process}/stat").read_text(encoding="ascii", errors="replace")
        return int(stat.rpartition(")")[2].split()[1]) == parent
    except (OSError, IndexError, ValueError):
        return False


def _is_ours(command_line: bytes) -> bool:
    """Return whether a process runs a module of ours; the path of its interpreter, or a file's, says nothing."""
    return any(
        word == _MODULE and module.startswith(_OURS) for word, module in itertools.pairwise(command_line.split(b"\0"))
    )


def kill_children() -> None:
    """End every process of the harness that is a child of this process; each of its calls then ends as died.

    Other children are left alone. Processes that are started at the same time may be missed: call it again.
    """
    for pid in children():
        with suppress(OSError):
            if _is_ours(Path(f"/proc/{pid}/cmdline").read_bytes()):
                os.kill(pid, signal.SIGTERM)  # its reaper then ends all of it
