"""Writes a journal in complete lines, from any number of concurrent processes."""

from __future__ import annotations

import errno
import fcntl
import os
import stat
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from pathlib import Path

    from clconform.calls.journal import CallLine
    from clconform.calls.line_kinds import JournalLine

JOURNAL_FILE = "journal.jsonl"
"""The name of a journal in the folder of its run."""
_encode_lines = msgspec.json.Encoder().encode_lines


class JournalWriteError(Exception):
    """The journal can no longer be written, for example because the disk is full.

    The message contains the remedy.
    """


class JournalWriter:
    """Appends lines to a journal.

    Written lines stay in the file even if the process is killed immediately afterwards. ``write_error``: why lines can
    no longer be written, or empty.
    """

    def __init__(self, path: Path, *, keep: int | None = None) -> None:
        """Open the file for appending; OSError if that fails.

        ``keep``: in the first process of a run, the number of existing bytes to keep; None in its other processes.
        BlockingIOError if another run is still writing to the file.
        """
        self.path = path
        self.write_error = ""
        how = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY
        self._descriptor = os.open(path, how, 0o644)
        try:
            self._lock_file(keep)
        except OSError:
            os.close(self._descriptor)
            raise

    def _lock_file(self, keep: int | None) -> None:
        """Check that the journal is a regular file.

        The first process of a run also locks and truncates the file.
        """
        if not stat.S_ISREG(os.fstat(self._descriptor).st_mode):  # a pipe would block, and would store nothing
            raise OSError(errno.EINVAL, "it is not a regular file", str(self.path))
        if keep is not None:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            os.ftruncate(self._descriptor, keep)

    def write(self, *lines: JournalLine | CallLine) -> None:
        """Append lines with a single write, which is atomic with respect to other processes.

        JournalWriteError if that fails. In that case none of these lines is in the file, and later calls fail as well,
        because their lines may depend on the missing lines.
        """
        if self.write_error:
            raise JournalWriteError(self.write_error)
        whole = _encode_lines(lines)
        written = 0
        try:
            while written < len(whole):
                written += os.write(self._descriptor, whole[written:])
        except OSError as error:
            self._remove_incomplete(written)
            self.write_error = (
                f"cannot write {self.path} ({error.strerror}); it is valid up to its last line: fix the cause, then "
                f"continue with clconform run --resume {self.path}"
            )
            raise JournalWriteError(self.write_error) from error

    def _remove_incomplete(self, written: int) -> None:
        """Remove the bytes of an incomplete write, unless another process has written bytes after them."""
        end = os.lseek(self._descriptor, 0, os.SEEK_CUR)
        if written and os.fstat(self._descriptor).st_size == end:
            os.ftruncate(self._descriptor, end - written)

    def close(self) -> None:
        """Close the file."""
        os.close(self._descriptor)
