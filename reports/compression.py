"""Compresses the journal of a finished run to at most a tenth of its size, and decompresses files for readers.

A packed journal is a gzip file of several members (``zcat`` prints it). Each member contains whole lines and can be
read without the others. The journal of a running run is plain, so that a kill loses nothing; it is packed at the end.
"""

from __future__ import annotations

import gzip
import io
import os
import threading
import zlib
from contextlib import suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING

from clconform.reports.untrusted_files import MAX_BYTES, GivenFileError, TooLargeError

if TYPE_CHECKING:
    from collections.abc import Iterator

SUFFIX = ".gz"
"""Suffix of the name of a packed journal."""
GZIP_MAGIC = b"\x1f\x8b"
"""The first bytes of a gzip file."""
MEMBER_BYTES = 1 << 20
"""Minimum number of bytes of lines in each member except the last."""
COMPRESSION_LEVEL = 6
"""Compression level; for a journal, level 9 takes three times as long and saves one percent."""
POLL_INTERVAL = 0.1
"""Seconds between two checks whether an incomplete journal has grown by a piece."""
FIRST_PIECE_BYTES = 256
"""Length of the first compressed piece of a member that is decompressed."""
_WITH_HEADER = 16 + zlib.MAX_WBITS


def packed_path(path: Path) -> Path:
    """Return the path of the packed form of the journal at ``path``."""
    return Path(f"{path}{SUFFIX}")


def read_pieces(file: IO[bytes]) -> Iterator[bytes]:
    """Yield the lines of a file in pieces, one piece for each member of the gzip file."""
    while piece := file.read(MEMBER_BYTES):
        yield piece + file.readline()


def compress_lines(content: bytes) -> bytes:
    """Return lines as a gzip file.

    The bytes depend only on the lines.
    """
    return _compress_file(io.BytesIO(content))


def _compress_file(file: IO[bytes]) -> bytes:
    return b"".join(map(_compress_member, read_pieces(file)))


def _compress_member(piece: bytes) -> bytes:
    return gzip.compress(piece, COMPRESSION_LEVEL, mtime=0)


def decompress(content: bytes, largest: int = MAX_BYTES) -> bytes:
    """Return the content of a file after decompression.

    A plain file is returned unchanged. Of an incomplete last member, the readable beginning is returned. GivenFileError
    if a member is damaged; TooLargeError if the content has more than ``largest`` bytes.
    """
    if not content.startswith(GZIP_MAGIC):
        return content
    found, position = bytearray(), 0
    while position < len(content):
        try:
            end = _decompress_member(content, position, found, largest)
        except zlib.error as error:
            raise GivenFileError(f"the gzip member at byte {position} is damaged ({error})") from None
        if len(found) > largest:
            raise TooLargeError(len(found), largest)
        position = end
    return bytes(found)


def _decompress_member(content: bytes, start: int, found: bytearray, largest: int) -> int:
    """Append the content of the gzip member at byte ``start``, and return the end of the member.

    The end is that of ``content`` for an incomplete member. zlib copies everything after the member that it was given.
    So it is given pieces, each twice as long as the last one; the time for many small members is then linear.
    """
    member, position, length = zlib.decompressobj(_WITH_HEADER), start, FIRST_PIECE_BYTES
    while position < len(content):
        piece = content[position : position + length]
        found += member.decompress(piece, largest - len(found) + 1)
        position += len(piece)
        if member.eof:
            return position - len(member.unused_data)
        if len(found) > largest:
            break
        length *= 2
    return len(content)


class JournalPacking:
    """Packs a journal in a thread while the last lines of the journal and the reports are written."""

    def __init__(self, path: Path) -> None:
        """Start to compress. ``finish`` writes the packed file; either ``finish`` or ``abandon`` must be called."""
        self._path = path
        self._packed: list[bytes] = []
        self._error: Exception | None = None
        self._complete, self._abandoned = threading.Event(), False
        self._thread = threading.Thread(target=self._pack, name="clconform-packing", daemon=True)
        self._thread.start()

    def abandon(self) -> None:
        """Stop compressing, and leave the journal unchanged."""
        self._abandoned = True
        self._complete.set()
        self._thread.join()

    def finish(self) -> Path:
        """Replace the complete journal by the packed file and return its path; on OSError the plain journal remains."""
        self._complete.set()
        self._thread.join()
        if self._error is not None:
            raise self._error
        there = packed_path(self._path)
        fresh = there.with_name(there.name + ".unfinished")
        try:
            with fresh.open("wb") as file:
                file.writelines(self._packed)
                file.flush()
                os.fsync(file.fileno())
            fresh.replace(there)
        except OSError:
            with suppress(OSError):
                fresh.unlink()
            raise
        self._path.unlink()
        return there

    def _pack(self) -> None:
        try:
            with self._path.open("rb") as file:
                self._packed += map(_compress_member, self._pieces(file))
        except Exception as error:  # noqa: BLE001 (raised by ``finish``)
            self._error = error

    def _pieces(self, file: IO[bytes]) -> Iterator[bytes]:
        """Yield the pieces of the complete file, each piece as soon as it is available."""
        while not self._complete.is_set():
            begin = file.tell()
            piece = file.read(MEMBER_BYTES)
            last = file.readline() if len(piece) == MEMBER_BYTES else b""
            if last.endswith(b"\n"):
                yield piece + last
            else:
                file.seek(begin)
                self._complete.wait(POLL_INTERVAL)
        if not self._abandoned:
            yield from read_pieces(file)


def restore_plain(path: Path) -> None:
    """Restore the plain journal if only the packed file exists, so that a run can append to it; OSError on failure."""
    there = packed_path(path)
    if path.exists() or not there.exists():
        return
    fresh = path.with_name(path.name + ".unfinished")
    fresh.write_bytes(decompress(there.read_bytes()))
    fresh.replace(path)
    there.unlink()
