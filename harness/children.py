"""Lists the child processes of a process, examines and continues processes, and ends driver processes."""

from __future__ import annotations

import itertools
import os
import signal
from contextlib import suppress
from pathlib import Path

_STATE, _FLAGS = 0, 6
"""Positions of the state and the flags after the name in ``/proc/PID/stat``; see proc(5)."""
_EXITING = 0x4
"""The flag of a thread that is exiting (PF_EXITING in the kernel)."""

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


def continue_process(process: int) -> None:
    """Continue a process that a signal has stopped; do nothing if it has ended."""
    with suppress(OSError):
        os.kill(process, signal.SIGCONT)


def is_stopped(process: int) -> bool:
    """Return whether a signal has stopped a process."""
    return _stat_words(f"/proc/{process}/stat")[_STATE] == "T"


def has_lost_main_thread(process: int) -> bool:
    """Return whether the main thread of a process has ended, while another thread continues."""
    if _stat_words(f"/proc/{process}/stat")[_STATE] != "Z":
        return False
    others = (_stat_words(str(path)) for path in Path(f"/proc/{process}/task").glob("*/stat"))
    return any(words[_STATE] not in "ZX" and not int(words[_FLAGS]) & _EXITING for words in others)


def _stat_words(path: str) -> list[str]:
    """Return the words after the name in a file like ``/proc/PID/stat``; those of an ended process if it is missing."""
    with suppress(OSError):
        words = Path(path).read_text(encoding="ascii", errors="replace").rpartition(")")[2].split()
        if len(words) > _FLAGS:
            return words
    return ["X", *["0"] * _FLAGS]


def is_traced_from_below(process: int) -> bool:
    """Return whether a descendant of this process traces another process, as a debugger does."""
    tracer = _status_number(process, "TracerPid")
    while tracer > 1 and tracer != os.getpid():
        tracer = _status_number(tracer, "PPid")
    return tracer == os.getpid()


def _status_number(process: int, name: str) -> int:
    """Return a number in ``/proc/PID/status``; 0 if it cannot be read."""
    with suppress(OSError, ValueError):
        for line in Path(f"/proc/{process}/status").read_text(encoding="ascii", errors="replace").splitlines():
            if line.startswith(f"{name}:"):
                return int(line.split()[1])
    return 0
