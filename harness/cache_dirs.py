"""Temporary folders for the driver caches of a run: empty at its start and removed at its end."""

from __future__ import annotations

import atexit
import fcntl
import functools
import os
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path

_PREFIX = "clconform-"
_parents: list[Path] = []


def process_folder() -> Path:
    """Return the folder of this process, created on first use and removed when the process ends.

    The next run removes the folders of runs that were killed.
    """
    return _create_process_folder(os.getpid())


def shared_folder() -> Path:
    """Return the folder that all processes of this run share: the folder of the controlling process."""
    return next((each for each in _parents if each.is_dir()), None) or process_folder()


def create_folder() -> Path:
    """Create a folder inside the folder of this process; the caller may remove it earlier."""
    return Path(tempfile.mkdtemp(dir=process_folder()))


def set_parent_folder(parent: Path) -> None:
    """Let this process create its folder inside ``parent``, the folder of another process.

    The process that owns ``parent`` removes everything in it, even if this process does not.
    """
    _parents[:] = [parent]


@functools.cache
def _create_process_folder(pid: int) -> Path:
    parent = next((each for each in _parents if each.is_dir()), None)
    if parent is None:
        _remove_stale_folders()
    made = Path(tempfile.mkdtemp(prefix=f"{_PREFIX}{pid}-", dir=parent))
    if parent is None:
        _lock_folder(made)  # until this process ends
    atexit.register(_remove_folder, made, pid)
    return made


def _remove_folder(made: Path, pid: int) -> None:
    if os.getpid() == pid:  # not in a forked child
        shutil.rmtree(made, ignore_errors=True)


def _lock_folder(folder: Path) -> int | None:
    """Lock a folder, and return the descriptor that holds the lock; None if another process holds it."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(descriptor)
        return None
    return descriptor


def _remove_stale_folders() -> None:
    """Remove the folders of processes that have ended.

    The lock of a folder shows that its process still runs in another container, where it has another id.
    """
    for left in Path(tempfile.gettempdir()).glob(f"{_PREFIX}[0-9]*-*"):
        pid = left.name.removeprefix(_PREFIX).split("-")[0]
        if not pid.isdecimal() or Path("/proc", pid).exists():
            continue
        with suppress(OSError):
            descriptor = _lock_folder(left)
            if descriptor is not None:
                shutil.rmtree(left, ignore_errors=True)
                os.close(descriptor)
