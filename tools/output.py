"""Standard output that cannot end a command: closed, on a full disk, or of a reader that has seen enough.

A command says what it has to say into files and by its exit code, too. So where standard output takes no more, the rest
is dropped, and the command goes on to its own end. Characters that its encoding lacks become escapes.
"""

from __future__ import annotations

import io
import os
import sys
from typing import Any, TextIO

_STANDARD = (0, 1, 2)
_lost: list[OSError] = []


def make_lasting() -> None:
    """Replace standard output and standard error of this process, unless something else did already (a test)."""
    for descriptor in _STANDARD:
        _fill(descriptor)
    for name, descriptor in (("stdout", 1), ("stderr", 2)):
        stream: TextIO | None = getattr(sys, name)
        if stream is None or (stream is getattr(sys, f"__{name}__") and not isinstance(stream, _Lasting)):
            setattr(sys, name, _Lasting(descriptor, stream))


def lost_output() -> str:
    """Return why standard output takes no more; empty if it does, or if its reader has closed the pipe."""
    return next((error.strerror or "" for error in _lost if not isinstance(error, BrokenPipeError)), "")


def _fill(descriptor: int) -> None:
    """Open /dev/null under a standard descriptor that is closed, so that no other file takes its number."""
    try:
        os.fstat(descriptor)
    except OSError as error:
        null = os.open(os.devnull, os.O_RDWR)
        if null != descriptor:
            os.dup2(null, descriptor)
            os.close(null)
        if descriptor == 1:
            _lost.append(error)


class _Pipe(io.RawIOBase):
    """A descriptor that takes everything: once a write fails, what follows is dropped."""

    def __init__(self, descriptor: int) -> None:
        super().__init__()
        self._descriptor = descriptor

    def writable(self) -> bool:
        return True

    def fileno(self) -> int:
        return self._descriptor

    def isatty(self) -> bool:
        return os.isatty(self._descriptor)

    def write(self, content: Any, /) -> int:
        try:
            return os.write(self._descriptor, content)
        except OSError as error:
            if self._descriptor == 1:
                _lost.append(error)
            null = os.open(os.devnull, os.O_WRONLY)
            os.dup2(null, self._descriptor)
            os.close(null)
            return len(content)


class _Lasting(io.TextIOWrapper):
    """A text stream on such a descriptor, with the encoding of the one that it replaces."""

    def __init__(self, descriptor: int, replaced: TextIO | None) -> None:
        encoding = getattr(replaced, "encoding", None) or "utf-8"
        raw = _Pipe(descriptor)
        by_line = descriptor != 1 or raw.isatty()
        super().__init__(io.BufferedWriter(raw), encoding, errors="backslashreplace", line_buffering=by_line)
