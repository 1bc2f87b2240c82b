"""The frames between a session and the server on another machine (``driver_worker/server.c``).

A frame has a head of 12 bytes: the size of its content, that size inverted, and the checksum of the content. The
content is an array in MessagePack: the kind, the number of the frame, and values. Each frame of a session gets one
answer with its number.
"""

from __future__ import annotations

import struct
import zlib
from typing import Any, Union

import msgspec

SERVER_VERSION = 1
"""The version of the frames."""
HEAD_BYTES = 12
MAX_FRAME_BYTES = (1 << 28) + 4096
START, MESSAGE, WAIT, OUTPUT, END, PING, FACTS = range(7)
"""The kinds of frames that a session sends."""
_HEAD = struct.Struct("<III")
_WORD_MASK = 0xFFFFFFFF
_encode = msgspec.msgpack.Encoder().encode


class Hello(msgspec.Struct, frozen=True, array_like=True, tag=0):
    """The first frame: the version of the frames, the server's folder for files, and the machine's current boot."""

    number: int
    version: int
    folder: str
    boot: str


class Reply(msgspec.Struct, frozen=True, array_like=True, tag=1):
    """A message of the driver's process."""

    number: int
    body: bytes


class Overdue(msgspec.Struct, frozen=True, array_like=True, tag=2):
    """The driver's process has not replied in time.

    ``used_nanoseconds``: processor time of its processes so far. ``is_blocked``: the kernel blocks one of its threads.
    ``is_runnable``: a thread needs a processor.
    """

    number: int
    used_nanoseconds: int
    is_blocked: bool
    is_runnable: bool


class Ended(msgspec.Struct, frozen=True, array_like=True, tag=3):
    """The driver's process has ended: how, with which number, the end of its output, and the log of the kernel.

    ``how``: ``exit``, ``signal``, ``exception``, ``main thread``, ``garbage`` or ``request``.
    """

    number: int
    how: str
    code: int
    output: bytes
    kernel_log: bytes


class OutputTail(msgspec.Struct, frozen=True, array_like=True, tag=4):
    """The end of the output of the driver's process."""

    number: int
    text: bytes


class Time(msgspec.Struct, frozen=True, array_like=True, tag=5):
    """The clock of the machine, in nanoseconds."""

    number: int
    nanoseconds: int


class Facts(msgspec.Struct, frozen=True, array_like=True, tag=6):
    """Facts about the machine: names and texts."""

    number: int
    facts: list[tuple[str, bytes]]


class Refused(msgspec.Struct, frozen=True, array_like=True, tag=7):
    """The server rejects a frame."""

    number: int
    reason: str


Answer = Union[Hello, Reply, Overdue, Ended, OutputTail, Time, Facts, Refused]  # noqa: UP007 (msgspec reads it at run time)
_decode = msgspec.msgpack.Decoder(Answer).decode


class InvalidFrameError(Exception):
    """The received bytes are not a frame of the server."""


def encode_frame(kind: int, number: int, *values: Any) -> bytes:
    """Return a frame of a session."""
    content = _encode([kind, number, *values])
    size = len(content)
    return _HEAD.pack(size, size ^ _WORD_MASK, zlib.crc32(content)) + content


def content_size(head: bytes) -> int:
    """Return the size of the content that follows a head; InvalidFrameError if it is not a head."""
    size, inverted, _ = _HEAD.unpack(head)
    if size ^ inverted != _WORD_MASK or size > MAX_FRAME_BYTES:
        raise InvalidFrameError
    return int(size)


def decode_frame(head: bytes, content: bytes) -> Answer:
    """Return the answer in a frame; InvalidFrameError if the content was changed on the way."""
    if zlib.crc32(content) != _HEAD.unpack(head)[2]:
        raise InvalidFrameError
    try:
        return _decode(content)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        raise InvalidFrameError from None
