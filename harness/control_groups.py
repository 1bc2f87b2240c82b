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
_FILE_MEMORY = ("total_inactive_file", "total_active_file", "inactive_file", "active_file")
"""Entries of ``memory.stat`` that count memory for the contents of files, which the kernel frees when it is needed."""


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
    found = 0
    for folder in _group_folders("pids"):
        with suppress(OSError, ValueError, IndexError):
            found += int((folder / "pids.events").read_text(encoding="ascii").split("max ", 1)[1].split()[0])
    return found


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
    found: dict[str, int] = {}
    with suppress(OSError, ValueError):
        for line in statistics.read_text(encoding="ascii").splitlines():
            name, _, count = line.partition(" ")
            found[name] = int(count)
    inactive, active, *_ = [found[name] for name in _FILE_MEMORY if name in found] or [0, 0]
    return inactive + active


def _read_number(path: Path) -> int | None:
    """Return the number in a file; None if the file is missing, or has another text such as "max"."""
    with suppress(OSError, ValueError):
        return int(path.read_text(encoding="ascii"))
    return None
