"""Reads the state, parent and processor time of processes and threads from ``/proc/PID/stat`` (Linux, see proc(5))."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

_EXITING = 0x4
"""The flag of a thread that is exiting (PF_EXITING in the kernel)."""
_STATE, _PARENT, _FLAGS, _TIMES = 0, 1, 6, slice(11, 15)
"""Positions of the state, the parent, the flags and the processor times after the name."""
_TICKS_PER_SECOND = os.sysconf("SC_CLK_TCK")


class ProcessStat(NamedTuple):
    """Facts about a process or thread.

    ``state``: the letter of its state. ``parent``: the id of its parent. ``is_exiting``: its end has begun.
    ``used_seconds``: the processor time that it and its ended children have used.
    """

    state: str
    parent: int
    is_exiting: bool
    used_seconds: float

    @property
    def has_ended(self) -> bool:
        """Whether it has ended, but its parent may not have read its exit status."""
        return self.state in ("Z", "X")


_ENDED = ProcessStat("X", 0, is_exiting=False, used_seconds=0.0)


def parse_stat(text: str) -> ProcessStat:
    """Return the facts in the content of a ``stat`` file; those of an ended process if it is incomplete."""
    fields = text.rpartition(")")[2].split()  # the name before these fields may contain any character
    try:
        exiting, ticks = int(fields[_FLAGS]) & _EXITING, sum(map(int, fields[_TIMES]))
        return ProcessStat(fields[_STATE], int(fields[_PARENT]), bool(exiting), ticks / _TICKS_PER_SECOND)
    except (IndexError, ValueError):
        return _ENDED


def read_stat(path: Path) -> ProcessStat:
    """Return the facts in a ``stat`` file of a process or thread; those of an ended one if it cannot be read."""
    with suppress(OSError):
        return parse_stat(path.read_text(encoding="ascii", errors="replace"))
    return _ENDED


def read_process_stat(process: int) -> ProcessStat:
    """Return the facts about a process and its main thread; those of an ended process if it does not exist."""
    return read_stat(Path(f"/proc/{process}/stat"))


def thread_stat_files(process: int) -> list[Path]:
    """Return the ``stat`` files of all threads of a process."""
    return list(Path(f"/proc/{process}/task").glob("*/stat"))
