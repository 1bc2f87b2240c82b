"""Lists and kills the children of this process, examines and continues processes, and ends driver processes."""

from __future__ import annotations

import itertools
import os
import signal
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from clconform.harness.process_stats import read_process_stat, read_stat, thread_stat_files

if TYPE_CHECKING:
    from collections.abc import Collection

_MODULE_OPTION, _PACKAGE_PREFIX = b"-m", b"clconform."
"""Two consecutive words on the command line of every harness process in Python: an option, and its value's prefix."""
_MAILBOX_OPTION = b"--mailbox"


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
    return read_process_stat(process).parent == parent


def kill_children(seconds: float, spared: Collection[int] = ()) -> None:
    """Kill all children except the spared ones, and orphans that become children; give up after ``seconds``."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        found = [process for process in child_processes() if process not in spared]
        if not found and (spared or not _has_children()):  # the list may lack a child while another one ends
            return
        for process in found:
            kill_process(process)
            with suppress(OSError):
                os.waitpid(process, os.WNOHANG)
        time.sleep(0.001)


def _has_children() -> bool:
    try:
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return False
    return True


def kill_process(process: int) -> None:
    """Kill a process; do nothing if it has ended, or belongs to another user."""
    with suppress(ProcessLookupError, PermissionError):
        os.kill(process, signal.SIGKILL)


def _is_harness_process(command_line: bytes) -> bool:
    """Return whether a command line runs a module of clconform or a worker; paths that contain this name do not count.

    The worker is a program of any name, perhaps below a wrapper; its last option is the mailbox.
    """
    words = command_line.rstrip(b"\0").split(b"\0")
    return (words[-2:-1] == [_MAILBOX_OPTION] and words[-1].isdigit()) or any(
        word == _MODULE_OPTION and module.startswith(_PACKAGE_PREFIX) for word, module in itertools.pairwise(words)
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
    return read_process_stat(process).state == "T"


def has_lost_main_thread(process: int) -> bool:
    """Return whether the main thread of a process has ended, while another thread continues."""
    return read_process_stat(process).state == "Z" and not all(
        thread.has_ended or thread.is_exiting for thread in map(read_stat, thread_stat_files(process))
    )


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
