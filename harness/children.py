"""Lists the child processes of a process, and ends the driver processes among them."""

from __future__ import annotations

import itertools
import os
import signal
from contextlib import suppress
from pathlib import Path

_MODULE_OPTION, _PACKAGE_PREFIX = b"-m", b"clconform."
"""Two consecutive words on the command line of every harness process: an option, and the prefix of its value."""


def child_processes() -> list[int]:
    """Return the process ids of the children of all threads of this process."""
    lists = list(Path("/proc/self/task").glob("*/children"))
    if not lists:  # the kernel is built without these files
        processes = (int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdecimal())
        return [process for process in processes if is_child(process, os.getpid())]
    found: list[int] = []
    for listed in lists:
        with suppress(OSError):
            found += [int(word) for word in listed.read_text(encoding="ascii").split()]
    return found


def is_child(process: int, parent: int) -> bool:
    """Return whether ``process`` exists and is a child of ``parent``; both are process ids."""
    try:
        stat = Path(f"/proc/{process}/stat").read_text(encoding="ascii", errors="replace")
        return int(stat.rpartition(")")[2].split()[1]) == parent
    except (OSError, IndexError, ValueError):
        return False


def _is_harness_process(command_line: bytes) -> bool:
    """Return whether a command line runs a module of clconform; paths that contain this name do not count."""
    return any(
        word == _MODULE_OPTION and module.startswith(_PACKAGE_PREFIX)
        for word, module in itertools.pairwise(command_line.split(b"\0"))
    )


def kill_harness_children() -> None:
    """Terminate every harness process that is a child of this process; a call in flight in one ends as ``Died``.

    Children that are not harness processes continue. Processes that start concurrently may be missed: call the function
    again.
    """
    for pid in child_processes():
        with suppress(OSError):
            if _is_harness_process(Path(f"/proc/{pid}/cmdline").read_bytes()):
                os.kill(pid, signal.SIGTERM)  # its reaper then ends the driver's process and its descendants
