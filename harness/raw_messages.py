"""The messages between the session and the C program that runs a driver (``driver_worker/requests.c``).

A request is an array: its number, and then its values. An argument of a call is a number (passed as it is), nil (zero),
bytes (the address of a copy), or an array that begins with one of the forms below. A reply is an array as well.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias, Union

import msgspec

if TYPE_CHECKING:
    from collections.abc import Sequence

PROTOCOL_VERSION = 3
CALL, TOGETHER, BEGIN_ON, AWAIT, IN_CALLBACK, WAIT_FOR_CALLBACK, BEGIN_EXAMPLE = range(7)
"""Calls: one, concurrent ones, on a host thread; the end of a call; a call in a callback; a callback; an example."""
ALLOCATE, WRITE, READ, ATOMICS = range(7, 11)
"""Accesses to the memory of the host."""
PEEK, PEEK_TEXT, MAPPINGS, LOAD, SYMBOLS, LIMIT_DATA, REAL_PATH = range(11, 18)
"""Facts about the process, and the loading of libraries."""
IN_TURN = 18
"""Several calls, one after the other."""
OUTPUT, REUSED, BLOCK, REUSED_BLOCK, CALLBACK = range(5)
"""Forms of arguments: an output buffer, bytes that are overwritten after the call, bytes with pointers, a callback."""
TEXT_CONTENT, POINTERS_CONTENT, BLOCK_CONTENT = range(3)
"""The kinds of memory to which a pointer in the arguments of a callback leads."""
MAX_LANES = 1024
"""The number of host threads; they are numbered from 0 to this number."""
MAX_COUNTERS = 4096
"""The number of names that callbacks of one example may have."""
CALLBACKS_PER_SIGNATURE = 1024
MAX_OFFSETS = 256
"""The maximum number of pointers in the argument block of a native kernel."""

Argument: TypeAlias = Union[int, bytes, "Sequence[Argument]", None]
RawRequest: TypeAlias = "Sequence[Argument]"


class RawInvocation(msgspec.Struct, frozen=True, array_like=True):
    """An invocation of a callback: its signature and number, its words, and what their pointers lead to.

    ``contents``: one for each step of the callback's plan; None for what cannot be read. An argument block is followed
    by the first bytes at each of its pointers.
    """

    signature: int
    number: int
    driver_thread: bool
    words: list[int]
    contents: list[bytes | list[bytes | None] | None]


class RawResult(msgspec.Struct, frozen=True, array_like=True):
    """The result of one of several concurrent calls; the fields are as in ``RawReturned``."""

    result: int
    nanoseconds: int
    outputs: list[bytes]
    overrun: list[int]


class RawReturned(msgspec.Struct, frozen=True, array_like=True, tag=0):
    """A call has returned.

    ``entered``, ``returned``: its positions in the order of all host threads; 0 if no other call was in flight.
    ``result``: a machine word. ``outputs``: the output buffers, without the fill pattern at their ends. ``overrun``:
    the indices of those whose guard bytes have changed. ``invocations``: the callbacks since the last reply.
    """

    entered: int
    returned: int
    result: int
    nanoseconds: int
    outputs: list[bytes]
    overrun: list[int]
    invocations: list[RawInvocation]


class RawValue(msgspec.Struct, frozen=True, array_like=True, tag=1):
    """A fact: a number, bytes, a list of mappings (start, end, whether executable, path), or nil."""

    value: int | bytes | list[tuple[int, int, bool, bytes]] | None


class RawPending(msgspec.Struct, frozen=True, array_like=True, tag=2):
    """The call on a host thread has not returned yet."""


class RawBegun(msgspec.Struct, frozen=True, array_like=True, tag=3):
    """A call on a host thread has entered the driver at this position; 0 if a callback will make it."""

    entered: int


class RawGroup(msgspec.Struct, frozen=True, array_like=True, tag=4):
    """All calls of a group have returned."""

    invocations: list[RawInvocation]
    results: list[RawResult]


class RawFailure(msgspec.Struct, frozen=True, array_like=True, tag=5):
    """The system has refused the process something that the worker itself needs: the ``errno``, and for what."""

    number: int
    action: str


class RawRefusal(msgspec.Struct, frozen=True, array_like=True, tag=6):
    """The request is invalid."""

    reason: str


class RawGreeting(msgspec.Struct, frozen=True, array_like=True, tag=7):
    """The first message: the machine of the driver.

    ``null_function``: the address of a function that does nothing and returns 0. ``structures``: their names, sizes,
    and the offsets of their fields.
    """

    version: int
    is_little_endian: bool
    pointer_bytes: int
    long_bytes: int
    null_function: int
    signatures: list[str]
    callback_signatures: list[str]
    structures: list[tuple[str, int, list[int]]]


RawReply = Union[  # noqa: UP007 (msgspec reads it at run time)
    RawReturned, RawValue, RawPending, RawBegun, RawGroup, RawFailure, RawRefusal
]
