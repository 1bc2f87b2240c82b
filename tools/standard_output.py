"""Makes standard output robust: closed output, a full disk, or a pipe closed by its reader cannot end a command.

The results of a command are also in files and in its exit code. If standard output accepts no more data, the rest is
therefore dropped and the command continues. Characters that its encoding lacks become escapes.
"""

from __future__ import annotations

import io
import os
import sys
from typing import TextIO

from clconform.runner.output_descriptor import OutputDescriptor

_STANDARD = (0, 1, 2)
_output_errors: list[OSError] = []


def replace_standard_streams() -> None:
    """Replace standard output and standard error of this process, unless a test has already replaced them."""
    for descriptor in _STANDARD:
        _open_null(descriptor)
    for name, descriptor in (("stdout", 1), ("stderr", 2)):
        stream: TextIO | None = getattr(sys, name)
        if stream is None or (stream is getattr(sys, f"__{name}__") and not isinstance(stream, _RobustStream)):
            setattr(sys, name, _RobustStream(descriptor, stream))


def output_error() -> str:
    """Return why standard output cannot be written; empty if it can, or if the reader of the pipe has closed it."""
    return next((error.strerror or "" for error in _output_errors if not isinstance(error, BrokenPipeError)), "")


def _open_null(descriptor: int) -> None:
    """Open /dev/null at a closed standard descriptor, so that no other file gets this number."""
    try:
        os.fstat(descriptor)
    except OSError as error:
        null = os.open(os.devnull, os.O_RDWR)
        if null != descriptor:
            os.dup2(null, descriptor)
            os.close(null)
        if descriptor == 1:
            _output_errors.append(error)


class _StandardDescriptor(OutputDescriptor):
    """Standard output or standard error; after a write has failed, further output is dropped."""

    def handle_error(self, error: OSError) -> None:
        if self.fileno() == 1:
            _output_errors.append(error)
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, self.fileno())
        os.close(null)


class _RobustStream(io.TextIOWrapper):
    """A text stream on a robust file descriptor, with the encoding of the stream that it replaces."""

    def __init__(self, descriptor: int, replaced: TextIO | None) -> None:
        encoding = getattr(replaced, "encoding", None) or "utf-8"
        raw = _StandardDescriptor(descriptor)
        by_line = descriptor != 1 or raw.isatty()
        super().__init__(io.BufferedWriter(raw), encoding, errors="backslashreplace", line_buffering=by_line)
