"""Keeps a copy of the journal in memory while it grows, because a driver or a user may remove, move or change the file.

The copy is compressed. It is updated after each item, so that at most the lines of the running items are lost. At the
end of the run the file is compared with the copy. If they differ, the lines of the copy are saved in a new folder.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
import zlib
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from clconform.calls.journal import CapabilityLine, PlatformLine, RunHeader
from clconform.calls.line_kinds import JournalLine
from clconform.reports.journal_reader import EmptyJournalError, JournalError
from clconform.runner.journal.writer import JOURNAL_FILE

if TYPE_CHECKING:
    from clconform.reports import JournalReader

_PIECE_BYTES = 1 << 20
_FASTEST = 1
_ONCE = (RunHeader, PlatformLine, CapabilityLine)
"""The kinds of lines of which a journal may have only one."""


class SafeCopy:
    """The copy of a journal that is being written."""

    def __init__(self, path: Path) -> None:
        """Open the journal for reading; OSError if that fails."""
        self._path = path
        self._descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOCTTY)
        self._begin()
        self._earlier = b""
        self._changed = False

    def _begin(self) -> None:
        """Begin a copy of the file from its first byte."""
        self._offset, self._packed, self._digest = 0, bytearray(), hashlib.blake2b()
        self._compressor = zlib.compressobj(_FASTEST)

    def update(self) -> None:
        """Copy the bytes that were appended since the last call."""
        with suppress(OSError):
            if os.fstat(self._descriptor).st_size < self._offset:
                self._begin_after_cut()
            while piece := os.pread(self._descriptor, _PIECE_BYTES, self._offset):
                self._offset += len(piece)
                self._digest.update(piece)
                self._packed += self._compressor.compress(piece)

    def _begin_after_cut(self) -> None:
        """Keep what was copied of a file that was shortened, and copy the remaining file again."""
        self._earlier, self._changed = self.content(), True
        self._begin()

    def content(self) -> bytes:
        """Return all copied bytes, those before a cut first."""
        ended = self._compressor.copy()
        return self._earlier + zlib.decompress(bytes(self._packed) + ended.flush())

    def find_damage(self, reader: JournalReader) -> str:
        """Return, as one line, how the file differs from what was written to it; empty if it does not.

        ``reader``: of the journal.
        """
        self.update()
        try:
            there, opened = os.stat(self._path), os.fstat(self._descriptor)  # noqa: PTH116 (like ``os.fstat``)
        except OSError as error:
            return f"{self._path} was removed or moved during the run ({error.strerror})"
        if (there.st_dev, there.st_ino) != (opened.st_dev, opened.st_ino):
            return f"{self._path} was replaced during the run"
        if self._changed or self._hash_file() != self._digest.digest():
            return f"{self._path} was changed by another process during the run"
        try:
            reader.journal()
        except EmptyJournalError:
            return ""
        except JournalError as error:
            return f"{self._path} was changed by another process during the run ({error})"
        return ""

    def _hash_file(self) -> bytes:
        """Return the digest of the bytes of the file that were copied."""
        digest, at = hashlib.blake2b(), 0
        with suppress(OSError):
            while at < self._offset and (piece := os.pread(self._descriptor, min(_PIECE_BYTES, self._offset - at), at)):
                digest.update(piece)
                at += len(piece)
        return digest.digest()

    def save(self) -> Path:
        """Write the valid lines to a journal in a new folder, and return its path; OSError if that fails."""
        path = _create_folder(self._path.absolute().parent) / JOURNAL_FILE
        path.write_bytes(b"".join(line + b"\n" for line in _select_valid_lines(self.content())))
        return path

    def close(self) -> None:
        """Close the file."""
        os.close(self._descriptor)


def _create_folder(results: Path) -> Path:
    """Create a folder next to the folder of the results, else in one for temporary files; OSError if that fails."""
    for parent in (results.parent, Path(tempfile.gettempdir())):
        with suppress(OSError):
            return Path(tempfile.mkdtemp(prefix=f"{results.name}-saved-", dir=parent))
    return Path(tempfile.mkdtemp(prefix=f"{results.name}-saved-", dir=Path.home()))


def _select_valid_lines(content: bytes) -> list[bytes]:
    """Return the lines that a journal may contain, each once, in order."""
    decode = msgspec.json.Decoder(JournalLine).decode
    found: dict[bytes, None] = {}
    single: set[type] = set()
    for text in content.split(b"\n"):
        try:
            kind = type(decode(text))
        except (msgspec.MsgspecError, ValueError, RecursionError):
            continue
        if kind in single or bool(found) == (kind is RunHeader):
            continue
        single |= {kind} if kind in _ONCE else set()
        found[text] = None
    return list(found)
