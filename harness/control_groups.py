"""Finds the files of the control groups that limit this process, such as those of its container."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_CGROUPS = Path("/sys/fs/cgroup")
_OWN_CGROUPS = Path("/proc/self/cgroup")
_UNIFIED = "unified"
"""The folder of version 2 on a machine that uses both versions."""
_FILE_MEMORY_PREFIXES = ("total_", "")
"""Prefixes, in versions 1 and 2, of the two entries of ``memory.stat`` for the contents of files.

The kernel frees this memory when it is needed.
"""


def free_group_memory() -> Iterator[int]:
    """Yield the free bytes of each control group that limits the memory of this process."""
    for folder in _group_folders("memory"):
        for limit, used in (("memory.max", "memory.current"), ("memory.limit_in_bytes", "memory.usage_in_bytes")):
            most, now = _read_number(folder / limit), _read_number(folder / used)
            if most is not None and now is not None:
                yield most - now + _count_file_memory(folder / "memory.stat")


def kill_counters() -> Iterator[Path]:
    """Yield the files that count the killed processes of each control group of this process; some may not exist."""
    for folder in _group_folders("memory"):
        yield folder / "memory.events"
        yield folder / "memory.oom_control"


def count_refused_tasks() -> int:
    """Return how often a control group of this process has refused a new process or thread."""
    return sum(read_counts(folder / "pids.events").get("max", 0) for folder in _group_folders("pids"))


def _group_folders(controller: str) -> Iterator[Path]:
    """Yield the folders of the groups of this process and of all groups around them; some may not exist."""
    groups = {PurePosixPath("/")}
    with suppress(OSError, ValueError):
        for line in _OWN_CGROUPS.read_text(encoding="utf-8").splitlines():
            _, controllers, path = line.split(":", 2)
            if not controllers or controller in controllers.split(","):
                own = PurePosixPath(path)
                groups.update([] if ".." in own.parts else [own, *own.parents])
    for root in (_CGROUPS, _CGROUPS / _UNIFIED, _CGROUPS / controller):
        for group in sorted(groups):
            yield root / str(group).strip("/")


def _count_file_memory(statistics: Path) -> int:
    """Return the bytes of file contents in a group; 0 if they are unknown."""
    found = read_counts(statistics)
    prefix = next((each for each in _FILE_MEMORY_PREFIXES if f"{each}inactive_file" in found), "")
    return found.get(f"{prefix}inactive_file", 0) + found.get(f"{prefix}active_file", 0)


def read_counts(path: Path) -> dict[str, int]:
    """Return the numbers in a file with a name and a number in each line; empty if it cannot be read."""
    with suppress(OSError, ValueError):
        lines = (line.partition(" ") for line in path.read_text(encoding="ascii").splitlines())
        return {name: int(count) for name, _, count in lines}
    return {}


def _read_number(path: Path) -> int | None:
    """Return the number in a file; None if the file is missing, or has another text such as "max"."""
    with suppress(OSError, ValueError):
        return int(path.read_text(encoding="ascii"))
    return None
