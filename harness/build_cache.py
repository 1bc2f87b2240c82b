"""The user's cache of files that a C compiler has built."""

from __future__ import annotations

import fcntl
import os
import tempfile
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


def cache_folder() -> Path:
    """Return the user's cache folder; OSError if the user has no home folder."""
    named = os.environ.get("XDG_CACHE_HOME", "")
    try:
        return (Path(named) if named.startswith("/") else Path.home() / ".cache") / "clconform"
    except RuntimeError:
        raise FileNotFoundError(0, "the user has no home folder") from None


def build_once(target: Path, build: Callable[[Path], None]) -> Path:
    """Return a file, which is built unless it exists.

    ``build`` writes the file with the given path, in a temporary folder. One process builds, while others that need the
    file wait. OSError if the folder cannot be written.
    """
    if target.is_file():
        return target
    target.parent.mkdir(parents=True, exist_ok=True)
    with _lock_folder(target.parent):
        if not target.is_file():
            with tempfile.TemporaryDirectory(dir=target.parent) as work:
                built = Path(work, target.name)
                build(built)
                built.replace(target)
    return target


@contextmanager
def _lock_folder(folder: Path) -> Iterator[None]:
    """Lock a folder; without the lock, on file systems that have none, each process builds its own copy."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        with suppress(OSError):
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)
