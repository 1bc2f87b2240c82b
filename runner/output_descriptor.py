"""An output descriptor for which a failed write is not an error: the output of a command is dropped instead."""

from __future__ import annotations

import io
import os
from typing import Any


class OutputDescriptor(io.RawIOBase):
    """A file descriptor that accepts all writes; output that cannot be written is dropped."""

    def __init__(self, descriptor: int) -> None:
        super().__init__()
        self._descriptor = descriptor

    def writable(self) -> bool:
        """Return True, as for every output."""
        return True

    def fileno(self) -> int:
        """Return the descriptor."""
        return self._descriptor

    def isatty(self) -> bool:
        """Return whether the descriptor is a terminal."""
        return os.isatty(self._descriptor)

    def write(self, content: Any, /) -> int:
        """Write bytes, and return how many were written or dropped."""
        try:
            return os.write(self._descriptor, content)
        except OSError as error:
            self.handle_error(error)
            return len(content)

    def handle_error(self, error: OSError) -> None:
        """Handle a failed write; do nothing by default."""
