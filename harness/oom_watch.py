"""Detects whether the kernel may have killed a process for lack of memory; otherwise the driver killed itself."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

SPARE_BYTES = 1 << 30
"""Free bytes before and after a call above which a kill is not attributed to lack of memory."""
AMPLE_BYTES = 16 << 30
"""Free bytes that a driver cannot exhaust, because its data is limited to half of them."""
_VMSTAT = Path("/proc/vmstat")
_MEMINFO = Path("/proc/meminfo")
_CGROUPS = Path("/sys/fs/cgroup")
_OWN_CGROUPS = Path("/proc/self/cgroup")


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
    counts = [count for file in (_VMSTAT, *_kill_counters()) if (count := _read_oom_kills(file)) is not None]
    return sum(counts) if counts else None


def _read_oom_kills(file: Path) -> int | None:
    with suppress(OSError, ValueError):
        for line in file.read_text(encoding="ascii").splitlines():
            name, _, count = line.partition(" ")
            if name == "oom_kill":
                return int(count)
    return None


def free_bytes() -> int | None:
    """Return the free memory in bytes within the limits of the machine and its containers; None if unknown."""
    free = None
    with suppress(OSError, ValueError):
        for line in _MEMINFO.read_text(encoding="ascii").splitlines():
            if line.startswith("MemAvailable:"):
                free = int(line.split()[1]) << 10
    for limit, used in _memory_limits():
        with suppress(OSError, ValueError):  # "max" instead of a number: unlimited
            left = int(limit.read_text(encoding="ascii")) - int(used.read_text(encoding="ascii"))
            free = left if free is None else min(free, left)
    return free


def _memory_limits() -> Iterator[tuple[Path, Path]]:
    """Yield the files with the limit and the usage of each control group that may limit this process."""
    for second, first in _memory_groups():
        yield second / "memory.max", second / "memory.current"
        yield first / "memory.limit_in_bytes", first / "memory.usage_in_bytes"


def _kill_counters() -> Iterator[Path]:
    """Yield the files that count the killed processes of each control group that may limit this process."""
    for second, first in _memory_groups():
        yield second / "memory.events"
        yield first / "memory.oom_control"


def _memory_groups() -> Iterator[tuple[Path, Path]]:
    """Yield the folders of each control group that may limit this process, in versions 2 and 1 of their interface."""
    groups = [""]
    with suppress(OSError):
        groups += [line.rpartition(":")[2] for line in _OWN_CGROUPS.read_text(encoding="utf-8").splitlines()]
    for group in dict.fromkeys(groups):
        inner = group.strip("/")
        yield _CGROUPS / inner, _CGROUPS / "memory" / inner
