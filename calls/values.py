"""The values of a call's arguments: plain numbers, and names instead of addresses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Union

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterator

FILL = 0xA5
"""The byte with which output buffers are filled before a call."""


class Handle(msgspec.Struct, frozen=True, omit_defaults=True, tag_field="is", tag="handle"):
    """A live OpenCL object, by the name that the worker assigned: ``device1``, ``context3``.

    ``epoch``: in a recording, how many objects had this handle before; 0 if names are unique.
    """

    name: str
    epoch: int = 0


class Inside(msgspec.Struct, frozen=True, tag_field="is", tag="inside"):
    """An address ``offset`` bytes into named memory (an area, a map, an allocation)."""

    handle: Handle
    offset: int


class BusAddresses(msgspec.Struct, frozen=True, tag_field="is", tag="bus-addresses"):
    """The bus addresses of another device's buffer and its signals, as an argument of ``clCreateBuffer``.

    Each is the name of an address that a driver returned, an offset into it, or a plain number.
    """

    surface: int | Handle | Inside
    signal: int | Handle | Inside


class Items(msgspec.Struct, frozen=True, tag_field="is", tag="items"):
    """An array passed to the driver; the prototype's parameter gives the element type.

    Nothing is added: a terminator, if required, is an element like the others.
    """

    values: tuple[int | Handle | None, ...]


class OutputBuffer(msgspec.Struct, frozen=True, tag_field="is", tag="output-buffer"):
    """Memory for the driver to write into.

    ``count`` counts elements of the parameter's type, or bytes where that type is ``void`` or ``char``.
    Guard bytes lie on both sides, and the memory is filled with ``FILL`` before the call.
    """

    count: int


class OutputBuffers(msgspec.Struct, frozen=True, tag_field="is", tag="output-buffers"):
    """A list of pointers, each to an output buffer of that many bytes, as ``clGetProgramInfo`` takes them for binaries.

    Its output holds one value for each buffer: the bytes up to the last one written, as hexadecimal digits.
    """

    counts: tuple[int, ...]


class Data(msgspec.Struct, frozen=True, omit_defaults=True, tag_field="is", tag="data"):
    """Bytes for the driver to read (a kernel's argument, a host area to write from).

    ``unrecorded``: in a recording, the number of bytes after ``content`` of which it does not have the content.
    """

    content: bytes
    unrecorded: int = 0

    @property
    def size(self) -> int:
        """Return the number of all bytes."""
        return len(self.content) + self.unrecorded


class HandleBytes(msgspec.Struct, frozen=True, tag_field="is", tag="handle-bytes"):
    """The bytes of one object's handle, as ``clSetKernelArg`` takes a memory object."""

    handle: Handle


class Pointers(msgspec.Struct, frozen=True, tag_field="is", tag="pointers"):
    """The bytes of memory addresses, in sequence: a list of pointers, or the content of a pointer variable."""

    values: tuple[Handle | Inside | None, ...]


class Text(msgspec.Struct, frozen=True, tag_field="is", tag="text"):
    """A string with its terminator."""

    content: str


class Texts(msgspec.Struct, frozen=True, tag_field="is", tag="texts"):
    """An array of strings, as ``clCreateProgramWithSource`` takes them."""

    contents: tuple[str, ...]


class Callback(msgspec.Struct, frozen=True, tag_field="is", tag="callback"):
    """A host function that records its calls under this name."""

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
"""The value of an operand of a condition: as in a call, or a text that describes what is too long to be shown."""


def handles_in(value: Value) -> Iterator[Handle]:
    """Yield the names that a value mentions: in a list, as bytes, or as a base address."""
    parts: tuple[object, ...] = value.values if isinstance(value, Items | Pointers) else (value,)
    if isinstance(value, BusAddresses):
        parts = (value.surface, value.signal)
    for one in parts:
        handle = one.handle if isinstance(one, HandleBytes | Inside) else one
        if isinstance(handle, Handle):
            yield handle
