"""A folder for driver caches in one run: fresh, separate from the user's, and removed at the end."""

from __future__ import annotations

import atexit
import functools
import os
import shutil
import tempfile
from pathlib import Path

_PREFIX = "clconform-"
_parents: list[Path] = []


def folder() -> Path:
    """Return this process's folder, created on first use and removed when the process ends.

    Folders of killed runs are removed when the next one starts.
    """
    return _folder_of(os.getpid())


def common() -> Path:
    """Return the folder of the process that the others of this run share theirs with."""
    return next((each for each in _parents if each.is_dir()), None) or folder()


def fresh() -> Path:
    """Return a new folder inside this process's, for a user that removes it before the process ends."""
    return Path(tempfile.mkdtemp(dir=folder()))


def share(parent: Path) -> None:
    """Make this process's folder inside that of another process, which removes it even if this process is killed."""
    _parents[:] = [parent]


@functools.cache
def _folder_of(pid: int) -> Path:
    parent = next((each for each in _parents if each.is_dir()), None)
    if parent is None:
        _sweep()
    made = Path(tempfile.mkdtemp(prefix=f"{_PREFIX}{pid}-", dir=parent))
    atexit.register(_remove, made, pid)
    return made


def _remove(made: Path, pid: int) -> None:
    if os.getpid() == pid:  # a forked child leaves it to its parent
        shutil.rmtree(made, ignore_errors=True)


def _sweep() -> None:
    """Remove the folders of processes that have ended."""
    for left in Path(tempfile.gettempdir()).glob(f"{_PREFIX}[0-9]*-*"):
        pid = left.name.removeprefix(_PREFIX).split("-")[0]
        if pid.isdecimal() and not Path("/proc", pid).exists():
            shutil.rmtree(left, ignore_errors=True)
