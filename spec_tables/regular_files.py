"""Opens only regular files: a named pipe, a socket or a device could block a command, or never end."""

from __future__ import annotations

import errno
import os
import stat
from typing import TYPE_CHECKING, BinaryIO

if TYPE_CHECKING:
    from pathlib import Path

KINDS = (
    (stat.S_ISDIR, "folder"),
    (stat.S_ISFIFO, "named pipe"),
    (stat.S_ISSOCK, "socket"),
    (stat.S_ISCHR, "device"),
    (stat.S_ISBLK, "device"),
)
"""The functions that detect each kind of file that is not regular, and its name."""


def describe_kind(mode: int) -> str:
    """Return the kind of a file that is not regular by its mode; empty for a regular file."""
    if stat.S_ISREG(mode):
        return ""
    return next((name for is_one, name in KINDS if is_one(mode)), "special file")


def find_irregular_kind(path: Path | str) -> str:
    """Return the kind of an existing file that is neither regular nor a folder; empty for every other path."""
    try:
        mode = os.stat(path).st_mode  # noqa: PTH116 (a path may be any text)
    except (OSError, ValueError):
        return ""
    return "" if stat.S_ISDIR(mode) else describe_kind(mode)


def open_regular_file(path: Path, *, buffering: int = -1) -> BinaryIO:
    """Open a regular file for reading, without ever blocking; OSError if it is not regular or cannot be opened."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
    kind = describe_kind(os.fstat(descriptor).st_mode)
    if kind:
        os.close(descriptor)
        raise OSError(errno.EINVAL, f"it is a {kind}, not a file")
    return os.fdopen(descriptor, "rb", buffering)


def read_regular_file(path: Path) -> bytes:
    """Return the content of a regular file; OSError as for ``open_regular_file``."""
    with open_regular_file(path) as file:
        return file.read()


def write_given_file(path: Path, content: str | bytes) -> None:
    """Write to a new or existing file, also to a device or a pipe that is being read; OSError if that fails.

    A pipe that is not being read is an error, because opening it would block.
    """
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
    descriptor = os.open(path, flags, 0o666)
    with os.fdopen(descriptor, "wb") as file:
        os.set_blocking(file.fileno(), True)
        file.write(content.encode("utf-8", "backslashreplace") if isinstance(content, str) else content)
