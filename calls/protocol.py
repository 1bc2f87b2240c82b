"""What the session and a worker process say to each other, and how a message is framed on a pipe.

A worker is started with two file descriptors. It first says ``Reached`` or ``Unreachable``; then it answers every
``Ask`` with one ``Outcome`` and every ``AskTogether`` with one ``Together``, or with ``Refused`` where the call itself
makes no sense. ``Begin`` and ``Forget`` have no answer. A closed pipe ends the worker.
"""

from __future__ import annotations

import os
import struct
from typing import Union

import msgspec

from clconform.calls.call import Absent, Call, Died, Hung, Returned

_LENGTH = struct.Struct("<I")


class Ask(msgspec.Struct, frozen=True, tag_field="say", tag="ask"):
    """Make this call."""

    call: Call


class AskTogether(msgspec.Struct, frozen=True, tag_field="say", tag="ask-together"):
    """Make these calls, at least one, at the same time, each from a host thread of its own; all of them or none."""

    calls: list[Call]


class AskWitness(msgspec.Struct, frozen=True, tag_field="say", tag="ask-witness"):
    """Have pyopencl read this query of the object, on the same handle."""

    handle: str
    param_name: int


class Begin(msgspec.Struct, frozen=True, tag_field="say", tag="begin"):
    """A new example starts: forget every name but those of the platforms and root devices, and count from one."""


class Forget(msgspec.Struct, frozen=True, tag_field="say", tag="forget"):
    """These objects are gone by the model's account: an address seen again is a new object with a new name."""

    names: list[str]


Request = Union[Ask, AskTogether, AskWitness, Begin, Forget]  # noqa: UP007 (msgspec reads it at run time)


class Refused(msgspec.Struct, frozen=True, tag_field="is", tag="refused"):
    """The call was not made because it cannot be put into C: a bug of the asker. ``reason`` is one line."""

    reason: str


class Together(msgspec.Struct, frozen=True, tag_field="is", tag="together"):
    """What became of calls made at the same time, in the order in which they were asked for."""

    outcomes: list[Union[Returned, Absent]]  # noqa: UP007 (msgspec reads it at run time)


class Witnessed(msgspec.Struct, frozen=True, tag_field="is", tag="witnessed"):
    """What pyopencl has read: numbers, strings and handles' names; None where it cannot read this query."""

    values: list[int | str | None] | None = None


class DeviceSeen(msgspec.Struct, frozen=True):
    """A root device as it presents itself; ``handle`` is its name in calls. Strings are the driver's: hostile."""

    handle: str
    name: str
    type: int
    version: str
    driver_version: str
    compute_units: int


class PlatformSeen(msgspec.Struct, frozen=True):
    """A platform as it presents itself; ``handle`` is its name in calls. Strings are the driver's: hostile."""

    handle: str
    name: str
    vendor: str
    version: str
    profile: str
    extensions: str
    devices: list[DeviceSeen]


class Reached(msgspec.Struct, frozen=True, tag_field="say", tag="reached"):
    """What answers. ``way``: ``loader``, ``direct`` or ``simulated``; ``loader`` and ``libraries``: file paths.

    ``empty``: functions whose address the loader hands out although the driver left their entry of the dispatch table
    empty, each with what was found there: a call of one would end the process.
    """

    way: str
    loader: str
    libraries: list[str]
    platforms: list[PlatformSeen]
    empty: dict[str, str] = {}


class Unreachable(msgspec.Struct, frozen=True, tag_field="say", tag="unreachable"):
    """Nothing that could be tested was found; ``reason`` is one line that says what to do."""

    reason: str


Greeting = Union[Reached, Unreachable]  # noqa: UP007 (msgspec reads it at run time)
Answer = Union[Returned, Died, Hung, Absent, Refused, Together, Witnessed]  # noqa: UP007 (msgspec reads it at run time)


class Closed(EOFError):  # noqa: N818 (what has happened, not what went wrong)
    """The other side has closed its end, between two messages or within one."""


def write_message(descriptor: int, message: msgspec.Struct) -> None:
    """Send one message; BrokenPipeError where nobody listens any more."""
    body = msgspec.msgpack.encode(message)
    view = memoryview(_LENGTH.pack(len(body)) + body)
    while view:
        view = view[os.write(descriptor, view) :]


def read_body(descriptor: int) -> bytes:
    """Receive one message's bytes; Closed where the other side has gone."""
    (length,) = _LENGTH.unpack(_read_exactly(descriptor, _LENGTH.size))
    return _read_exactly(descriptor, length)


def _read_exactly(descriptor: int, length: int) -> bytes:
    parts = []
    while length:
        part = os.read(descriptor, min(length, 1 << 20))
        if not part:
            raise Closed("the other side of the pipe has gone")
        parts.append(part)
        length -= len(part)
    return b"".join(parts)
