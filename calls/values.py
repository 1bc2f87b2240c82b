"""What may stand for an argument of a call: plain numbers, and names instead of addresses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Union

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterator

FILL = 0xA5
"""The byte that memory for a driver to write into is filled with."""


class Handle(msgspec.Struct, frozen=True, omit_defaults=True, tag_field="is", tag="handle"):
    """A live OpenCL object, by the name that the worker gave it: ``device1``, ``context3``.

    ``epoch``: in a recording, how many objects had this handle before; 0 where names are given once.
    """

    name: str
    epoch: int = 0


class Inside(msgspec.Struct, frozen=True, tag_field="is", tag="inside"):
    """An address inside memory that is known by its first one (an area, a map, an allocation): ``offset`` bytes on."""

    handle: Handle
    offset: int


class BusAddresses(msgspec.Struct, frozen=True, tag_field="is", tag="bus-addresses"):
    """Where a buffer of another device and its signals lie on the bus, as ``clCreateBuffer`` wants to be told of them.

    Each by the name under which a driver has told it, or inside of what it begins, or as a plain number.
    """

    surface: int | Handle | Inside
    signal: int | Handle | Inside


class Items(msgspec.Struct, frozen=True, tag_field="is", tag="items"):
    """An array handed to the driver; the prototype's parameter says what the elements are.

    Nothing is added: a terminator, where one is wanted, is an element like the others.
    """

    values: tuple[int | Handle | None, ...]


class OutputBuffer(msgspec.Struct, frozen=True, tag_field="is", tag="output-buffer"):
    """Memory for the driver to write into.

    ``count`` counts elements of the parameter's type, or bytes where that type is ``void`` or ``char``.
    Guard bytes lie on both sides, and the memory is filled with ``FILL`` before the call.
    """

    count: int


class OutputBuffers(msgspec.Struct, frozen=True, tag_field="is", tag="output-buffers"):
    """A list of pointers, each to an output buffer of that many bytes, as ``clGetProgramInfo`` wants them for binaries.

    Its output holds one value for each buffer: the bytes up to the last one written, as hexadecimal digits.
    """

    counts: tuple[int, ...]


class Data(msgspec.Struct, frozen=True, omit_defaults=True, tag_field="is", tag="data"):
    """Bytes for the driver to read (a kernel's argument, a host area to write from).

    ``unknown``: pairs of an offset and a length in bytes, where a recording lacks the content; zeros stand there.
    """

    content: bytes
    unknown: tuple[tuple[int, int], ...] = ()


class HandleBytes(msgspec.Struct, frozen=True, tag_field="is", tag="handle-bytes"):
    """The bytes of one object's handle, as ``clSetKernelArg`` wants a memory object."""

    handle: Handle


class Pointers(msgspec.Struct, frozen=True, tag_field="is", tag="pointers"):
    """The bytes of addresses of memory, one after the other: a list of pointers, or what is put where one is to lie."""

    values: tuple[Handle | Inside | None, ...]


class Text(msgspec.Struct, frozen=True, tag_field="is", tag="text"):
    """A string with its terminator."""

    content: str


class Texts(msgspec.Struct, frozen=True, tag_field="is", tag="texts"):
    """An array of strings, as ``clCreateProgramWithSource`` wants them."""

    contents: tuple[str, ...]


class Callback(msgspec.Struct, frozen=True, tag_field="is", tag="callback"):
    """A host function that notes, under this name, that it was called."""

    name: str


Value = Union[  # noqa: UP007 (msgspec reads it at run time)
    None,
    int,
    Handle,
    Inside,
    BusAddresses,
    Items,
    OutputBuffer,
    OutputBuffers,
    Data,
    HandleBytes,
    Pointers,
    Text,
    Texts,
    Callback,
]

Operand = Union[Value, str]  # noqa: UP007 (msgspec reads it at run time)
"""The value of what the words of a condition name: as in a call, or a text that says what is too long to be shown."""


def handles_in(value: Value) -> Iterator[Handle]:
    """Yield the names of what a value mentions: in a list, as bytes, or to count from."""
    parts: tuple[object, ...] = value.values if isinstance(value, Items | Pointers) else (value,)
    if isinstance(value, BusAddresses):
        parts = (value.surface, value.signal)
    for one in parts:
        handle = one.handle if isinstance(one, HandleBytes | Inside) else one
        if isinstance(handle, Handle):
            yield handle
