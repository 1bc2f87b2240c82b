"""Writes a journal: complete lines only, from any number of concurrent processes."""

from __future__ import annotations

import errno
import fcntl
import os
import stat
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from pathlib import Path

    from clconform.calls.journal import CallLine, Line

JOURNAL = "journal.jsonl"
"""The name of a journal in the folder of its run."""
_encode = msgspec.json.Encoder().encode


class JournalWriter:
    """Appends lines to a journal; what was written is in the file even if the process is killed next."""

    def __init__(self, path: Path, *, keep: int | None = None) -> None:
        """Open for appending; OSError if that fails.

        ``keep``: the first process of a run says how many existing bytes to keep; BlockingIOError if
        another run is still writing. Other processes of the run pass None.
        """
        self.path = path
        how = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY
        self._descriptor = os.open(path, how, 0o644)
        if not stat.S_ISREG(os.fstat(self._descriptor).st_mode):  # a pipe would block, and keeps nothing
            os.close(self._descriptor)
            raise OSError(errno.EINVAL, "it is no regular file", str(path))
        if keep is not None:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            os.ftruncate(self._descriptor, keep)

    def write(self, *lines: Line | CallLine) -> None:
        """Append lines with a single write, which is atomic with respect to other processes."""
        whole = b"".join(_encode(line) + b"\n" for line in lines)
        written = os.write(self._descriptor, whole)
        while written < len(whole):
            written += os.write(self._descriptor, whole[written:])

    def close(self) -> None:
        """Close the file."""
        os.close(self._descriptor)
