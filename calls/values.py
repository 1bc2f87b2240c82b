"""The values of a call's arguments: plain numbers, and names instead of addresses."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, TypeVar, Union

import msgspec

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

FILL_BYTE = 0xA5
"""The byte that fills output buffers before a call."""


class Handle(msgspec.Struct, frozen=True, omit_defaults=True, tag_field="is", tag="handle"):
    """A live OpenCL object, by the name that the worker assigned: ``device1``, ``context3``.

    ``epoch``: in a recording, the number of earlier objects with this handle; 0 if names are unique.
    """

    name: str
    epoch: int = 0


class OffsetPointer(msgspec.Struct, frozen=True, tag_field="is", tag="inside"):
    """An address ``offset`` bytes into named memory (an area, a mapped region, an allocation)."""

    handle: Handle
    offset: int


class BusAddresses(msgspec.Struct, frozen=True, tag_field="is", tag="bus-addresses"):
    """The bus addresses of another device's buffer and its signals, as an argument of ``clCreateBuffer``.

    Each address is the name of an address that a driver returned, an offset into it, or a plain number.
    """

    surface: int | Handle | OffsetPointer
    signal: int | Handle | OffsetPointer


class ElementList(msgspec.Struct, frozen=True, tag_field="is", tag="items"):
    """An array passed to the driver; the prototype's parameter determines the element type.

    Nothing is appended: a required terminator is an ordinary element.
    """

    values: tuple[int | Handle | None, ...]


class OutputBuffer(msgspec.Struct, frozen=True, tag_field="is", tag="output-buffer"):
    """Memory that the driver writes to.

    ``count``: the number of elements of the parameter's type, or of bytes if that type is ``void`` or ``char``. Guard
    bytes surround the memory, and it is filled with ``FILL_BYTE`` before the call.
    """

    count: int


class OutputBuffers(msgspec.Struct, frozen=True, tag_field="is", tag="output-buffers"):
    """A list of pointers, each to an output buffer of that many bytes, as ``clGetProgramInfo`` takes for binaries.

    Its output has one value for each buffer: the bytes up to the last one written, as hexadecimal digits.
    """

    counts: tuple[int, ...]


class BinaryOrigin(msgspec.Struct, frozen=True):
    """The program that was built elsewhere to a binary, by the manifest of the user's folder.

    ``source``, ``options``: the source and the build options. ``sha256``: the digest of the binary, in hexadecimal
    digits.
    """

    source: str
    options: str
    sha256: str


class Data(msgspec.Struct, frozen=True, omit_defaults=True, tag_field="is", tag="data"):
    """Bytes that the driver reads (a kernel's argument, the source of a write).

    ``unrecorded``: in a recording, the number of bytes after ``content`` whose values are not recorded. ``origin``: the
    program of a binary that the user supplies; the driver does not get it.
    """

    content: bytes
    unrecorded: int = 0
    origin: BinaryOrigin | None = None

    @property
    def known_origin(self) -> BinaryOrigin | None:
        """Return the origin, if ``content`` is exactly the binary that it describes; else None."""
        if self.origin is None or self.unrecorded:
            return None
        return self.origin if hashlib.sha256(self.content).hexdigest() == self.origin.sha256 else None

    @property
    def size(self) -> int:
        """Return the number of all bytes."""
        return len(self.content) + self.unrecorded


class HandleBytes(msgspec.Struct, frozen=True, tag_field="is", tag="handle-bytes"):
    """The bytes of one object's handle, as ``clSetKernelArg`` takes them for a memory object."""

    handle: Handle


class Pointers(msgspec.Struct, frozen=True, tag_field="is", tag="pointers"):
    """The bytes of consecutive memory addresses: a list of pointers, or the content of a pointer variable."""

    values: tuple[Handle | OffsetPointer | None, ...]


class ArgumentUpdate(msgspec.Struct, frozen=True):
    """A kernel argument in an update of a recorded kernel command: as for ``clSetKernelArg``, or an SVM pointer."""

    index: int
    size: int
    value: Handle | OffsetPointer | Data | HandleBytes | None

    @property
    def key(self) -> int:
        """The first field of the C structure: the index of the argument."""
        return self.index


class InfoUpdate(msgspec.Struct, frozen=True):
    """An execution info in an update of a recorded kernel command, as ``clSetKernelExecInfo`` takes it."""

    name: int
    size: int
    value: Data | Pointers | None

    @property
    def key(self) -> int:
        """The first field of the C structure: the name of the execution info."""
        return self.name


class DispatchConfig(msgspec.Struct, frozen=True, omit_defaults=True):
    """A ``cl_mutable_dispatch_config_khr``, with the names of its fields; None stands for NULL."""

    command: Handle | None
    num_args: int = 0
    num_svm_args: int = 0
    num_exec_infos: int = 0
    work_dim: int = 0
    arg_list: tuple[ArgumentUpdate, ...] | None = None
    arg_svm_list: tuple[ArgumentUpdate, ...] | None = None
    exec_info_list: tuple[InfoUpdate, ...] | None = None
    global_work_offset: tuple[int, ...] | None = None
    global_work_size: tuple[int, ...] | None = None
    local_work_size: tuple[int, ...] | None = None

    @property
    def handles(self) -> Iterator[Handle]:
        """The objects that the structure refers to."""
        if self.command is not None:
            yield self.command
        for argument in (*(self.arg_list or ()), *(self.arg_svm_list or ())):
            yield from find_handles(argument.value)
        for info in self.exec_info_list or ():
            yield from find_handles(info.value)

    def map_values(self, rename: Callable[[Value], Value]) -> DispatchConfig:
        """Return the same structure with a function applied to each of its handles and values."""

        def arguments(listed: tuple[ArgumentUpdate, ...] | None) -> tuple[ArgumentUpdate, ...] | None:
            return None if listed is None else tuple(_map_value(each, rename) for each in listed)

        infos = self.exec_info_list
        return msgspec.structs.replace(
            self,
            command=rename(self.command),
            arg_list=arguments(self.arg_list),
            arg_svm_list=arguments(self.arg_svm_list),
            exec_info_list=None if infos is None else tuple(_map_value(each, rename) for each in infos),
        )


_U = TypeVar("_U", ArgumentUpdate, InfoUpdate)


def _map_value(update: _U, rename: Callable[[Value], Value]) -> _U:
    return msgspec.structs.replace(update, value=rename(update.value))


class DispatchConfigs(msgspec.Struct, frozen=True, tag_field="is", tag="dispatch-configs"):
    """A list of pointers to updates of recorded kernel commands, as for ``clUpdateMutableCommandsKHR``."""

    values: tuple[DispatchConfig | None, ...]


class Text(msgspec.Struct, frozen=True, tag_field="is", tag="text"):
    """A string with its terminator."""

    content: str


class Texts(msgspec.Struct, frozen=True, tag_field="is", tag="texts"):
    """An array of strings, as ``clCreateProgramWithSource`` takes them."""

    contents: tuple[str, ...]


class HostCallback(msgspec.Struct, frozen=True, tag_field="is", tag="callback"):
    """A host function that records its invocations under this name."""

    name: str


ObjectArgument = Union[Handle, None]  # noqa: UP007 (msgspec reads it at run time)
"""An argument for a parameter of a handle type."""

CallbackArgument = Union[HostCallback, None]  # noqa: UP007
"""An argument for a parameter that is a pointer to a host function."""

MemoryArgument = Union[  # noqa: UP007
    BusAddresses,
    ElementList,
    OutputBuffer,
    OutputBuffers,
    Data,
    HandleBytes,
    Pointers,
    DispatchConfigs,
    Text,
    Texts,
    None,
]
"""An argument for a parameter that is a pointer to a type."""

PointerArgument = Union[MemoryArgument, int, Handle, OffsetPointer]  # noqa: UP007
"""An argument for a parameter that is a pointer to ``void``: it may also be an address."""

Value = Union[PointerArgument, HostCallback]  # noqa: UP007
"""An argument of a call."""

Operand = Union[Value, str]  # noqa: UP007 (msgspec reads it at run time)
"""The value of an operand of a condition: as in a call, or a text that describes a value too long to be shown."""


def find_handles(value: Value) -> Iterator[Handle]:
    """Yield the handles in a value.

    These are a handle itself, handles among list elements, the bytes of a handle, and the base of a pointer with an
    offset.
    """
    if isinstance(value, Handle):
        yield value
        return
    if isinstance(value, DispatchConfigs):
        for config in value.values:
            yield from config.handles if config is not None else ()
        return
    parts: tuple[object, ...] = value.values if isinstance(value, ElementList | Pointers) else (value,)
    if isinstance(value, BusAddresses):
        parts = (value.surface, value.signal)
    for one in parts:
        handle = one.handle if isinstance(one, HandleBytes | OffsetPointer) else one
        if isinstance(handle, Handle):
            yield handle
