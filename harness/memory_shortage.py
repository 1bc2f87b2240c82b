"""Tells whether the system may have killed a process because memory was short, or somebody else has."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

_COUNTERS = ("/proc/vmstat", "/sys/fs/cgroup/memory.events")
_ENOUGH = 0.1
"""Share of all memory that must be available for the system not to have killed anything."""


class MemoryShortage:
    """Compares the system's count of processes killed for memory with that of the beginning."""

    def __init__(self) -> None:
        self._killed = _kills()

    def may_have_killed(self) -> bool:
        """Return whether a process that ended by SIGKILL since the beginning may have ended for lack of memory."""
        killed = _kills()
        if killed is not None and self._killed is not None:
            return killed > self._killed
        return _short()


def _kills() -> int | None:
    """Return how many processes the system has killed for memory, or None if it does not count them."""
    counts = []
    for path in _COUNTERS:
        with suppress(OSError, ValueError):
            pairs = (line.split() for line in Path(path).read_text(encoding="ascii").splitlines())
            counts += [int(pair[1]) for pair in pairs if pair[0] == "oom_kill"]
    return sum(counts) if counts else None


def _short() -> bool:
    """Return whether little memory is available now, or that is not known."""
    try:
        lines = (line.split() for line in Path("/proc/meminfo").read_text(encoding="ascii").splitlines())
        sizes = {words[0]: int(words[1]) for words in lines}
        return sizes["MemAvailable:"] < _ENOUGH * sizes["MemTotal:"]
    except (OSError, ValueError, KeyError, IndexError):
        return True
