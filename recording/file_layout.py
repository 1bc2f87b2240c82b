"""Defines the layout of a recording, and its checksums.

A file begins with a head: ``MAGIC``, the length and the checksum of a text in JSON, a mark if the layer stopped
recording before the program ended, and the number that the next record gets. The text follows. Then, at the next page,
the chunks follow, each with ``CHUNK_MAGIC``, a checksum of the following numbers but for the used part, its size, its
position in the file, the used part twice (the second one combined with the checksum), the process and the thread. Two
chunks that begin with the same record are copies, and pages between chunks are unused. A chunk consists of records,
each with its checksum, a number in the order of all threads, its length, its kind and its function.

A checksum is the remainder of the bytes, read as a little-endian number, by a prime; that of a whole record is 0. So
each change of a bit, and of up to seven bytes in a row, is detected.

All other data are numbers of 8 bytes, little-endian; bytes of the program are preceded by their number, or
``NO_CONTENT``, and are padded to 8. The bytes of a long source or binary are preceded by ``WITH_DIGEST`` and a digest
of 16 bytes; if the recording already has them, ``KNOWN_DIGEST`` and the digest replace them.
"""

from __future__ import annotations

import errno
import os
import struct
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

MAGIC, CHUNK_MAGIC = b"CLREC\0\0\0", b"CLCH"
MODULUS = (1 << 61) - 1
"""The prime of checksums; multiplication by a power of 2 is a rotation of 61 bits."""
PAGE = 4096
NO_CONTENT = (1 << 64) - 1
KNOWN_DIGEST, WITH_DIGEST = NO_CONTENT - 1, NO_CONTENT - 2
FILE_HEAD = struct.Struct("<8sQQ4sI32xQ56x")
"""The magic, the length and the checksum of the text, the mark of a stop and its error number, and the next number."""
CHUNK_HEAD = struct.Struct("<4sIQQIIII")
"""The magic, the checksum, the size, the position, the used part and its combination, the process and the thread."""
RECORD_HEAD = struct.Struct("<QQIHH")
"""The checksum, the number, the length, the kind and the function."""
_CHECKED = struct.Struct("<QQII")
_NUMBER = struct.Struct("<Q")
_MARK_POSITION = struct.calcsize("<8sQQ")
_LOST = b"LOST"
"""The mark of a recording that was fetched from another machine whose connection was lost."""


def compute_checksum(content: bytes | bytearray | memoryview) -> int:
    """Return the checksum of bytes."""
    return int.from_bytes(content, "little") % MODULUS


def encode_file_head(text: bytes, following: int = 1) -> bytes:
    """Return the head of a recording, and its text; ``following``: the number of the next record."""
    return FILE_HEAD.pack(MAGIC, len(text), text_checksum(text), b"", 0, following) + text


def text_checksum(text: bytes) -> int:
    """Return the checksum of the text of a head, and of its length."""
    return compute_checksum(_NUMBER.pack(len(text)) + text)


def first_chunk_position(text_length: int) -> int:
    """Return the position of the first chunk after a text of this length."""
    return (FILE_HEAD.size + text_length + PAGE - 1) // PAGE * PAGE


def encode_chunk_head(size: int, position: int, used: int, process: int, thread: int) -> bytes:
    """Return the head of a chunk."""
    check = chunk_checksum(size, position, process, thread)
    return CHUNK_HEAD.pack(CHUNK_MAGIC, check, size, position, used, used ^ check, process, thread)


def chunk_checksum(size: int, position: int, process: int, thread: int) -> int:
    """Return the checksum of a chunk, of 32 bits; its used part changes with each record and is not included."""
    whole = compute_checksum(_CHECKED.pack(size, position, process, thread))
    return (whole ^ whole >> 32) & 0xFFFFFFFF


def seal_record(record: bytes | bytearray) -> bytes:
    """Return a record with its checksum in place of its first 8 bytes."""
    rest = bytes(record[_NUMBER.size :])
    return _NUMBER.pack(-compute_checksum(bytes(_NUMBER.size) + rest) % MODULUS) + rest


def mark_lost_connection(path: Path) -> None:
    """Mark a recording as incomplete: the connection to the machine of its program was lost.

    A file without a complete head is not changed; it is incomplete in any case.
    """
    with path.open("r+b") as file:
        if os.fstat(file.fileno()).st_size >= FILE_HEAD.size:
            file.seek(_MARK_POSITION)
            file.write(_LOST)


def describe_stop(mark: bytes, number: int) -> str:
    """Return why the layer stopped recording; empty if it did not. ``number``: the number of the system's error."""
    if not any(mark):
        return ""
    if mark == _LOST:
        return "the connection to the machine of the program was lost"
    reason = os.strerror(number) if number in errno.errorcode else "unknown error"
    return f"the layer could not write more of it: {reason}"
