"""Packs the journal of a run that is over, for a tenth of the space or less, and unpacks what a reader is given.

A packed journal is a gzip file of several members (``zcat`` prints it). Each member holds whole lines and can be read
without the others. While a run goes on its journal is plain, so that a kill loses nothing; it is packed at the end.
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

from clconform.reports.given_files import LARGEST, GivenFileError, TooLargeError

if TYPE_CHECKING:
    from collections.abc import Iterator

SUFFIX = ".gz"
"""What the name of a packed journal ends with."""
MAGIC = b"\x1f\x8b"
"""The first bytes of a gzip file."""
PIECE = 1 << 20
"""Each member but the last holds at least so many bytes of lines."""
LEVEL = 6
"""How hard to compress: of a run's journal, 9 takes three times as long for a hundredth less."""
SECONDS_BETWEEN_LOOKS = 0.1
"""How often a journal that is not complete is looked at for a further piece."""
_WITH_HEADER = 16 + zlib.MAX_WBITS


def packed_name(path: Path) -> Path:
    """Return where the packed journal of ``path`` lies."""
    return Path(f"{path}{SUFFIX}")


def pieces(file: IO[bytes]) -> Iterator[bytes]:
    """Yield the lines of a file, as many together as go into one member."""
    while piece := file.read(PIECE):
        yield piece + file.readline()


def packed(content: bytes) -> bytes:
    """Return lines as a gzip file; the same lines always give the same bytes."""
    return _packed_from(io.BytesIO(content))


def _packed_from(file: IO[bytes]) -> bytes:
    return b"".join(map(_member, pieces(file)))


def _member(piece: bytes) -> bytes:
    return gzip.compress(piece, LEVEL, mtime=0)


def unpacked(content: bytes, largest: int = LARGEST) -> bytes:
    """Return the content of a file as it was before it was packed, if it is.

    A last member that is cut short counts as far as it goes, like the last line of a plain journal. GivenFileError if
    a member is damaged; TooLargeError for more bytes than ``largest``.
    """
    if not content.startswith(MAGIC):
        return content
    found: list[bytes] = []
    size, rest = 0, content
    while rest:
        member = zlib.decompressobj(_WITH_HEADER)
        try:
            found.append(member.decompress(rest, largest - size + 1))
        except zlib.error as error:
            at = len(content) - len(rest)
            raise GivenFileError(f"the gzip member at byte {at} is damaged ({error})") from None
        size += len(found[-1])
        if size > largest:
            raise TooLargeError(size, largest)
        rest = member.unused_data if member.eof else b""
    return b"".join(found)


class Packing:
    """Packs a journal in a thread, as far as it goes, while its last lines and the reports are written."""

    def __init__(self, path: Path) -> None:
        """Begin; nothing is written before ``finish``, and one of ``finish`` and ``abandon`` must be called."""
        self._path = path
        self._packed: list[bytes] = []
        self._error: Exception | None = None
        self._complete, self._abandoned = threading.Event(), False
        self._thread = threading.Thread(target=self._pack, name="clconform-packing", daemon=True)
        self._thread.start()

    def abandon(self) -> None:
        """Leave the journal as it is."""
        self._abandoned = True
        self._complete.set()
        self._thread.join()

    def finish(self) -> Path:
        """Replace the journal, which is complete, by the packed one, and return its path; OSError leaves it."""
        self._complete.set()
        self._thread.join()
        if self._error is not None:
            raise self._error
        there = packed_name(self._path)
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
                self._packed += map(_member, self._pieces(file))
        except Exception as error:  # noqa: BLE001 (raised where it is waited for)
            self._error = error

    def _pieces(self, file: IO[bytes]) -> Iterator[bytes]:
        """Yield what ``pieces`` yields of the complete file, each piece as soon as it is there."""
        while not self._complete.is_set():
            begin = file.tell()
            piece = file.read(PIECE)
            last = file.readline() if len(piece) == PIECE else b""
            if last.endswith(b"\n"):
                yield piece + last
            else:
                file.seek(begin)
                self._complete.wait(SECONDS_BETWEEN_LOOKS)
        if not self._abandoned:
            yield from pieces(file)


def unpack(path: Path) -> None:
    """Write the plain journal where only its packed one is, so that a run can append to it; OSError if that fails."""
    there = packed_name(path)
    if path.exists() or not there.exists():
        return
    fresh = path.with_name(path.name + ".unfinished")
    fresh.write_bytes(unpacked(there.read_bytes()))
    fresh.replace(path)
    there.unlink()
