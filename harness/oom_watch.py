"""Detects whether the kernel may have killed a process for lack of memory; otherwise the driver killed itself."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from clconform.harness.control_groups import free_group_memory, kill_counters, read_counts

SPARE_BYTES = 1 << 30
"""Free bytes before and after a call above which a kill is not attributed to lack of memory."""
AMPLE_BYTES = 16 << 30
"""Free bytes that a driver cannot exhaust, because its data is limited to half of them."""
_VMSTAT = Path("/proc/vmstat")
_MEMINFO = Path("/proc/meminfo")


class MemoryWatch:
    """Compares the free memory and the OOM kills of the machine at two points in time."""

    def __init__(self) -> None:
        self._kills, self._free = count_oom_kills(), free_bytes()

    def had_spare_memory(self) -> bool:
        """Return whether memory has certainly sufficed since the start; False if unknown."""
        free = free_bytes()
        if self._free is None or free is None or min(self._free, free) < SPARE_BYTES:
            return False
        kills = count_oom_kills()
        if kills is None or self._kills is None:
            return min(self._free, free) >= AMPLE_BYTES
        return kills == self._kills


def count_oom_kills() -> int | None:
    """Return the number of processes that the kernel has killed for lack of memory since boot; None if unknown.

    The counts of the machine and of the control groups of this process are added, since a container may hide one of
    them.
    """
    every = (read_counts(file).get("oom_kill") for file in (_VMSTAT, *kill_counters()))
    counts = [count for count in every if count is not None]
    return sum(counts) if counts else None


def free_bytes() -> int | None:
    """Return the free memory in bytes within the limits of the machine and its containers; None if unknown."""
    free = None
    with suppress(OSError, ValueError):
        for line in _MEMINFO.read_text(encoding="ascii").splitlines():
            if line.startswith("MemAvailable:"):
                free = int(line.split()[1]) << 10
    return min([*free_group_memory(), *([] if free is None else [free])], default=None)
