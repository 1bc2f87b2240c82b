"""The messages between the session and a worker process, and their framing on a pipe.

A worker is started with two file descriptors. It first sends ``Reached`` or ``Unreachable``; then it answers every
``Ask`` with one ``Outcome`` and every ``AskTogether`` with one ``Together``, or with ``Refused`` if the call itself
is invalid. ``Begin`` and ``Forget`` have no answer. A closed pipe ends the worker.
"""

from __future__ import annotations

import os
import struct
from typing import Union

import msgspec

from clconform.calls.call import Absent, Call, Died, Hung, Returned

_LENGTH = struct.Struct("<I")
_CHUNK_BYTES = 1 << 14
_LONGEST_READ_BYTES = 1 << 20


class Ask(msgspec.Struct, frozen=True, tag_field="say", tag="ask"):
    """Make this call."""

    call: Call


class AskTogether(msgspec.Struct, frozen=True, tag_field="say", tag="ask-together"):
    """Make these calls, at least one, concurrently, each from its own host thread; all of them or none."""

    calls: list[Call]


class AskWitness(msgspec.Struct, frozen=True, tag_field="say", tag="ask-witness"):
    """Have pyopencl make this query on the same handle."""

    handle: str
    param_name: int


class Begin(msgspec.Struct, frozen=True, tag_field="say", tag="begin"):
    """A new example starts: forget every name but those of the platforms and root devices, and count from one."""


class Forget(msgspec.Struct, frozen=True, tag_field="say", tag="forget"):
    """These objects no longer exist in the model: an address seen again is a new object with a new name."""

    names: list[str]


Request = Union[Ask, AskTogether, AskWitness, Begin, Forget]  # noqa: UP007 (msgspec reads it at run time)


class Refused(msgspec.Struct, frozen=True, tag_field="is", tag="refused"):
    """The call was not made because it cannot be expressed in C: a bug of the caller. ``reason`` is one line."""

    reason: str


class Together(msgspec.Struct, frozen=True, tag_field="is", tag="together"):
    """The outcomes of concurrent calls, in the order of the request."""

    outcomes: list[Union[Returned, Absent]]  # noqa: UP007 (msgspec reads it at run time)


class Witnessed(msgspec.Struct, frozen=True, tag_field="is", tag="witnessed"):
    """What pyopencl returned: numbers, strings and handles' names; None if it does not support this query."""

    values: list[int | str | None] | None = None


class DeviceSeen(msgspec.Struct, frozen=True):
    """A root device as it presents itself; ``handle`` is its name in calls. Strings may be hostile."""

    handle: str
    name: str
    type: int
    version: str
    driver_version: str
    compute_units: int


class PlatformSeen(msgspec.Struct, frozen=True):
    """A platform as it presents itself; ``handle`` is its name in calls. Strings may be hostile."""

    handle: str
    name: str
    vendor: str
    version: str
    profile: str
    extensions: str
    devices: list[DeviceSeen]


class Reached(msgspec.Struct, frozen=True, tag_field="say", tag="reached"):
    """The platforms found. ``access``: ``loader``, ``direct``, ``simulated``; ``loader``, ``libraries``: file paths.

    ``missing``: functions whose address the loader returns although the driver left their entry of the dispatch table
    empty, each with what was found there: a call of one would end the process.
    """

    access: str
    loader: str
    libraries: list[str]
    platforms: list[PlatformSeen]
    missing: dict[str, str] = {}


class Unreachable(msgspec.Struct, frozen=True, tag_field="say", tag="unreachable"):
    """Nothing that could be tested was found; ``reason`` is one line that says what to do."""

    reason: str


Greeting = Union[Reached, Unreachable]  # noqa: UP007 (msgspec reads it at run time)
Answer = Union[Returned, Died, Hung, Absent, Refused, Together, Witnessed]  # noqa: UP007 (msgspec reads it at run time)


class Closed(EOFError):  # noqa: N818 (what has happened, not what went wrong)
    """The other side has closed its end, between two messages or within one."""


class Channel:
    """One end of the two pipes. A message takes one write, and one read unless it is long.

    ``reading``: the descriptor that is readable when a message comes in.
    """

    reading: int

    def __init__(self, reading: int, writing: int) -> None:
        """Take the descriptors for reading and writing; ``close`` closes them."""
        self.reading = reading
        self._writing = writing
        self._put_off = b""
        self._rest = b""

    def put_off(self, message: msgspec.Struct) -> None:
        """Queue a message without an answer for the next ``send``, so that the other side is not woken for it."""
        self._put_off += _framed(message)

    def send(self, message: msgspec.Struct) -> None:
        """Send one message, after the queued ones; BrokenPipeError if the other side has closed."""
        content, self._put_off = self._put_off + _framed(message), b""
        sent = os.write(self._writing, content)
        while sent < len(content):
            sent += os.write(self._writing, memoryview(content)[sent:])

    def receive(self) -> bytes:
        """Return the next message's bytes; Closed if the other side has closed."""
        content = self._rest
        while len(content) < _LENGTH.size:
            content += self._read(_CHUNK_BYTES)
        end = _LENGTH.size + _LENGTH.unpack_from(content)[0]
        if len(content) < end:
            parts, missing = [content], end - len(content)
            while missing:
                parts.append(self._read(min(missing, _LONGEST_READ_BYTES)))
                missing -= len(parts[-1])
            content = b"".join(parts)
        self._rest = content[end:]
        return content[_LENGTH.size : end]

    def close(self) -> None:
        """Close both pipes."""
        os.close(self._writing)
        os.close(self.reading)

    def _read(self, most: int) -> bytes:
        part = os.read(self.reading, most)
        if not part:
            raise Closed("the other side closed the pipe")
        return part


def _framed(message: msgspec.Struct) -> bytes:
    body = msgspec.msgpack.encode(message)
    return _LENGTH.pack(len(body)) + body
