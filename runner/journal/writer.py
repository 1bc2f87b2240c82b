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
_encode_lines = msgspec.json.Encoder().encode_lines


class JournalWriteError(Exception):
    """A journal cannot be written any further (disk full, for example); the message is one line with what to do."""


class JournalWriter:
    """Appends lines to a journal; what was written is in the file even if the process is killed next.

    ``broken``: why no further line can be written; empty while all is well.
    """

    def __init__(self, path: Path, *, keep: int | None = None) -> None:
        """Open for appending; OSError if that fails.

        ``keep``: the first process of a run says how many existing bytes to keep; BlockingIOError if
        another run is still writing. Other processes of the run pass None.
        """
        self.path = path
        self.broken = ""
        how = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY
        self._descriptor = os.open(path, how, 0o644)
        try:
            self._prepare(keep)
        except OSError:
            os.close(self._descriptor)
            raise

    def _prepare(self, keep: int | None) -> None:
        """Check that it is a file, and take it for this run if this is its first process."""
        if not stat.S_ISREG(os.fstat(self._descriptor).st_mode):  # a pipe would block, and keeps nothing
            raise OSError(errno.EINVAL, "it is no regular file", str(self.path))
        if keep is not None:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            os.ftruncate(self._descriptor, keep)

    def write(self, *lines: Line | CallLine) -> None:
        """Append lines with a single write, which is atomic with respect to other processes.

        JournalWriteError if that fails. Then none of these lines is in the file, and no later one will be: a line
        must not be missing before others that depend on it.
        """
        if self.broken:
            raise JournalWriteError(self.broken)
        whole = _encode_lines(lines)
        written = 0
        try:
            while written < len(whole):
                written += os.write(self._descriptor, whole[written:])
        except OSError as error:
            self._take_back(written)
            self.broken = (
                f"cannot write {self.path} ({error.strerror}); it is good to its last line: once that is mended, "
                f"continue with clconform run --resume {self.path}"
            )
            raise JournalWriteError(self.broken) from error

    def _take_back(self, written: int) -> None:
        """Remove the first bytes of an incomplete write, unless another process has written after them."""
        end = os.lseek(self._descriptor, 0, os.SEEK_CUR)
        if written and os.fstat(self._descriptor).st_size == end:
            os.ftruncate(self._descriptor, end - written)

    def close(self) -> None:
        """Close the file."""
        os.close(self._descriptor)
