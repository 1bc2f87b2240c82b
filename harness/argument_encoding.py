"""Encodes the arguments of calls for the worker: numbers, bytes, and memory with pointers.

An argument that does not match its parameter raises BadCall before the driver is called.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import (
    ArgumentUpdate,
    BusAddresses,
    Data,
    DispatchConfig,
    DispatchConfigs,
    ElementList,
    Handle,
    HandleBytes,
    InfoUpdate,
    OffsetPointer,
    OutputBuffer,
    OutputBuffers,
    Pointers,
    Text,
    Texts,
    Value,
)
from clconform.harness.callbacks import EMPTY_BLOCK, ArgumentBlock
from clconform.harness.errors import BadCall
from clconform.harness.raw_messages import BLOCK, OUTPUT, REUSED, REUSED_BLOCK

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clconform.calls.call import Call
    from clconform.harness.names import ObjectNames
    from clconform.harness.prototypes import Slot
    from clconform.harness.raw_messages import Argument
    from clconform.harness.type_layout import TypeLayout, TypeLayouts

_BUS_ADDRESS_BYTES = 8
LARGEST_BYTES = 1 << 33
"""The maximum size of an output buffer in bytes; a quarter of the addresses of the machine if that is less."""
DISPATCH_CONFIG, DISPATCH_ARGUMENT = "cl_mutable_dispatch_config_khr", "cl_mutable_dispatch_arg_khr"
DISPATCH_INFO = "cl_mutable_dispatch_exec_info_khr"


class ArgumentEncoder:
    """Encodes the arguments of one driver process's calls."""

    def __init__(self, layouts: TypeLayouts, names: ObjectNames) -> None:
        self._layouts = layouts
        self._names = names
        self._bytes = layouts.layout("unsigned char")
        self._bus_address = layouts.integer(_BUS_ADDRESS_BYTES)

    def encode_scalar(self, layout: TypeLayout, value: Value) -> int:
        """Return a number or a handle as a machine word."""
        if isinstance(value, Handle):
            return self._names.address_of(value.name)
        is_handle = bool(layout.members[0])
        if is_handle and value is None:
            return 0
        if not is_handle and isinstance(value, int):
            return layout.to_c_integer(value)
        raise BadCall(f"expected {'a handle or NULL' if is_handle else 'a number'}, not {value!r}")

    def encode_pointer(self, slot: Slot, value: Value, *, reusable: bool) -> Argument:
        """Return an argument that is a pointer; None for NULL."""
        if value is None:
            return None
        if isinstance(value, OutputBuffer):
            return [OUTPUT, self.output_size(slot, value.count)]
        if isinstance(value, OutputBuffers):
            return self._pointer_block([[OUTPUT, self.output_size(slot, count)] for count in value.counts])
        if isinstance(value, int | Handle | OffsetPointer):
            if slot.of.base != "void" or slot.of.pointers != 1:
                raise BadCall(f"expected a pointer, not {value!r}")
            return self._layouts.pointer.to_c_integer(value) if isinstance(value, int) else self.address_of(value)
        content = self._input(slot, value)
        if not reusable:
            return content
        return [REUSED, content] if isinstance(content, bytes) else [REUSED_BLOCK, *_parts_of(content)]

    def output_size(self, slot: Slot, count: int) -> int:
        """Return the size of an output buffer with ``count`` elements in bytes."""
        if not slot.width:
            raise BadCall("the tables do not define the size of an element")
        size = count * slot.width
        if not 0 <= size <= min(LARGEST_BYTES, self._layouts.machine.size_max // 4):
            raise BadCall(f"cannot allocate an output buffer of {size} bytes")
        return size

    def address_of(self, value: Handle | OffsetPointer) -> int:
        """Return the address of a named object, or of an offset into its memory."""
        if isinstance(value, OffsetPointer):
            return self._layouts.pointer.to_c_integer(self._names.address_of(value.handle.name) + value.offset)
        return self._names.address_of(value.name)

    def pack_pointers(self, pointers: Pointers) -> bytes:
        """Return a list of addresses as the bytes of an array of pointers."""
        return self._layouts.pack_pointers([0 if one is None else self.address_of(one) for one in pointers.values])

    def _input(self, slot: Slot, value: Value) -> Argument:
        """Return the bytes of an input argument, or a block of bytes with pointers."""
        match value:
            case ElementList(values):
                return self._pack_items(slot, values)
            case Data(content):
                return content if slot.of.pointers == 1 else self._pointer_block([content])
            case HandleBytes(handle):
                return self._layouts.pack_pointers([self._names.address_of(handle.name)])
            case BusAddresses(surface, signal):
                places = [one if isinstance(one, int) else self.address_of(one) for one in (surface, signal)]
                return b"".join(map(self._bus_address.to_bytes, places))
            case Pointers():
                return self.pack_pointers(value)
            case DispatchConfigs(configs):
                return self._pointer_block([None if each is None else self._pack_config(each) for each in configs])
            case Text(content):
                return encode_text(content)
            case Texts(contents):
                return self._pointer_block([encode_text(content) for content in contents])
        raise BadCall(f"expected a pointer, not {value!r}")

    def _pointer_block(self, pointed: Sequence[Argument]) -> list[Argument]:
        """Return an array of pointers to these arguments."""
        size = self._layouts.pointer.size
        places = [part for at, one in enumerate(pointed) for part in (at * size, one)]
        return [BLOCK, bytes(len(pointed) * size), *places]

    def _structure(self, name: str) -> TypeLayout:
        """Return the layout of a structure; BadCall if it is not known."""
        layout = self._layouts.layout(name)
        if layout is None or layout.is_scalar:
            raise BadCall(f"the tables do not define {name}")
        return layout

    def _pack_config(self, config: DispatchConfig) -> list[Argument]:
        """Return a ``cl_mutable_dispatch_config_khr`` with the arrays that it points to."""
        layout = self._structure(DISPATCH_CONFIG)
        command = 0 if config.command is None else self._names.address_of(config.command.name)
        counts = (config.num_args, config.num_svm_args, config.num_exec_infos, config.work_dim)
        sizes = (config.global_work_offset, config.global_work_size, config.local_work_size)
        size_layout = self._layouts.layout("size_t")
        pointed: list[Argument] = [
            None if listed is None else self._pack_updates(listed, name)
            for listed, name in (
                (config.arg_list, DISPATCH_ARGUMENT),
                (config.arg_svm_list, DISPATCH_ARGUMENT),
                (config.exec_info_list, DISPATCH_INFO),
            )
        ]
        pointed += [
            None if one is None or size_layout is None else b"".join(map(size_layout.to_bytes, one)) for one in sizes
        ]
        content = layout.pack([command, *counts, *[0] * len(pointed)])
        places = [part for at, one in zip(layout.offsets[-len(pointed) :], pointed, strict=True) for part in (at, one)]
        return [BLOCK, content, *places]

    def _pack_updates(self, updates: Sequence[ArgumentUpdate | InfoUpdate], name: str) -> list[Argument]:
        """Return an array of update structures.

        Each structure has a key (the index of an argument, or the name of an execution info), a size and a pointer.
        """
        layout = self._structure(name)
        content = b"".join(layout.pack([each.key, each.size, 0]) for each in updates)
        places = [
            part
            for at, each in enumerate(updates)
            for part in (at * layout.size + layout.offsets[-1], self._update_value(each.value))
        ]
        return [BLOCK, content, *places]

    def _update_value(self, value: Value) -> Argument:
        """Return the argument for the pointer in an update structure."""
        if isinstance(value, Handle | OffsetPointer):
            return self.address_of(value)
        if isinstance(value, Data):
            return value.content
        if isinstance(value, HandleBytes):
            return self._layouts.pack_pointers([self._names.address_of(value.handle.name)])
        return self.pack_pointers(value) if isinstance(value, Pointers) else None

    def _pack_items(self, slot: Slot, values: Sequence[int | Handle | None]) -> bytes:
        layout = slot.element.layout if slot.element else self._bytes
        if layout is None or "text" in layout.members:
            raise BadCall("the tables do not define the layout of an element")
        if len(layout.members) > 1:
            return self._pack_structures(layout, values)
        parts = []
        for value in values:
            number = 0 if value is None else self._names.address_of(value.name) if isinstance(value, Handle) else value
            if layout.members[0] and isinstance(value, int):
                raise BadCall(f"an element must be a handle or NULL, not {value!r}")
            parts.append(layout.to_bytes(number))
        return b"".join(parts)

    def _pack_structures(self, layout: TypeLayout, values: Sequence[int | Handle | None]) -> bytes:
        """Return an array of structures, packed from the flat sequence of their fields' values."""
        wide = len(layout.members)
        if len(values) % wide:
            raise BadCall(f"{len(values)} values do not fill structures of {wide} fields")
        numbers = [self._names.address_of(one.name) if isinstance(one, Handle) else one or 0 for one in values]
        return b"".join(layout.pack(numbers[at : at + wide]) for at in range(0, len(numbers), wide))


def encode_text(content: str) -> bytes:
    """Return a text with its terminator, as bytes."""
    return content.encode("utf-8", "surrogateescape") + b"\0"


def find_argument_block(call: Call, pointer_bytes: int) -> ArgumentBlock:
    """Return the argument block of a native kernel: its size, and the offsets of its pointers to memory objects."""
    size, start, places = (call.arguments.get(name) for name in ("cb_args", "args", "args_mem_loc"))
    if not isinstance(size, int):
        return EMPTY_BLOCK
    listed = places.values if isinstance(places, Pointers) else ()
    offsets = [at for each in listed if (at := _offset_from(start, each)) is not None and at + pointer_bytes <= size]
    return ArgumentBlock(size, tuple(offsets) if len(offsets) == len(listed) else ())


def _offset_from(start: Value, place: Handle | OffsetPointer | None) -> int | None:
    """Return the offset of ``place`` from ``start``; None if ``place`` does not belong to the memory at ``start``."""
    if isinstance(place, OffsetPointer):
        return place.offset if place.handle == start else None
    return 0 if place is not None and place == start else None


def _parts_of(block: Argument) -> list[Argument]:
    """Return the bytes of a block, and its pairs of an offset and an argument."""
    return block[1:] if isinstance(block, list) else [block]
