"""Calls C functions through ctypes, with signatures built from the prototypes in the tables.

``FunctionBinding.invoke`` makes a ``Call`` at a function's address and decodes the result. A call that does not match
its prototype raises ``BadCall`` before the driver is called.
"""

from __future__ import annotations

import ctypes
import math
import struct
import sys
from typing import TYPE_CHECKING, Any

from clconform.calls.call import UNTOUCHED, Call, Output, Returned
from clconform.calls.reusable_memory import find_reusable_parameters, is_reusable
from clconform.calls.values import (
    FILL_BYTE,
    ArgumentUpdate,
    BusAddresses,
    Data,
    DispatchConfig,
    DispatchConfigs,
    ElementList,
    Handle,
    HandleBytes,
    HostCallback,
    InfoUpdate,
    OffsetPointer,
    OutputBuffer,
    OutputBuffers,
    Pointers,
    Text,
    Texts,
    Value,
)
from clconform.harness.callbacks import EMPTY_BLOCK, ArgumentBlock, CallbackRecorder
from clconform.harness.decoding import OutputDecoder, OutputType
from clconform.harness.errors import BadCall
from clconform.harness.memory import Arena, GuardedBuffer
from clconform.harness.names import BUS_ADDRESS, FUNCTION, MEMORY
from clconform.harness.prototypes import Prepared, Prototype, Slot
from clconform.harness.type_layout import POINTER, TypeLayout, TypeLayouts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clconform.harness.addresses import ProcessMemory
    from clconform.harness.names import ObjectNames
    from clconform.spec_tables import Tables
    from clconform.spec_tables.requirements import Function

_MAX_ALIGNMENT = 4096
_BYTE_TYPES = ("void", "char", "unsigned char", "cl_char", "cl_uchar")


class FunctionBinding:
    """Calls the functions of the tables by name; there is one binding per host thread.

    A binding handles one call at a time: execute the result of ``prepare`` and pass it to ``finish``, or drop it,
    before preparing the next call.
    """

    def __init__(
        self, tables: Tables, names: ObjectNames, addresses: ProcessMemory, callbacks: CallbackRecorder | None = None
    ) -> None:
        """Create a binding. ``callbacks``: the recorder of the process's first binding; None to create it."""
        self._functions, self._enumerants = tables.functions, tables.enumerants
        self._requirements_of = tables.requirements_of
        self._machine = TypeLayouts(tables.types, tables.enumerants)
        self.callbacks = callbacks or CallbackRecorder(tables, self._machine, names, addresses)
        self._decoder = OutputDecoder(tables, self._machine, names, addresses)
        self._names = names
        self._arena = Arena()
        self._prototypes: dict[str, Prototype] = {}
        self._callables: dict[tuple[str, int], Any] = {}

    def function(self, name: str) -> Function:
        """Return the function's entry in the tables; BadCall if the tables do not contain it."""
        try:
            return self._functions[name]
        except KeyError:
            raise BadCall(f"no function {name!r} in the tables") from None

    def prototype(self, name: str) -> Prototype:
        """Return the function's ctypes prototype; BadCall if the tables do not fully define a type."""
        known = self._prototypes.get(name)
        if known is None:
            known = self._prototypes[name] = self._build_prototype(self.function(name))
        return known

    def argument_addresses(self, call: Call) -> list[int]:
        """Return the addresses of the live objects among the arguments, in parameter order."""
        values = [
            one
            for value in call.arguments.values()
            for one in (value.values if isinstance(value, ElementList) else (value,))
        ]
        return [self._names.address_of(one.name) for one in values if isinstance(one, Handle)]

    def invoke(self, call: Call, address: int) -> Returned:
        """Call the function at ``address`` and decode the result; BadCall if an argument does not match its type."""
        prepared = self.prepare(call, address)
        return self.finish(prepared, *prepared.make())

    def prepare(self, call: Call, address: int) -> Prepared:
        """Convert a call of the function at ``address`` to C; BadCall if an argument does not match its type."""
        self._arena.release()
        prototype, given = self.prototype(call.function), call.arguments
        if given.keys() != prototype.names:
            odd = min(given.keys() ^ prototype.names)
            raise BadCall(f"{call.function}{' has no parameter' if odd in given else ': no argument'} {odd}")
        buffers: list[tuple[Slot, GuardedBuffer]] = []
        arguments: list[int | None] = []
        try:
            for slot in prototype.slots:
                value = given[slot.name]
                if slot.scalar is not None:
                    arguments.append(self._convert_scalar(slot.scalar, value))
                else:
                    reusable = slot.name in prototype.reusable and is_reusable(slot.name, call, self._enumerants)
                    arguments.append(
                        None if value is None else self._convert_pointer(slot, value, call, buffers, reusable=reusable)
                    )
        except BadCall as error:
            raise BadCall(f"{call.function}, {slot.name} ({slot.of.type}): {error}") from None
        function = self._callables.get((call.function, address))
        if function is None:
            function = self._callables[call.function, address] = prototype.make(address)
        return Prepared(call, prototype, function, arguments, buffers)

    def finish(self, prepared: Prepared, result: Any, seconds: float) -> Returned:
        """Decode the result and the outputs of a call; ``seconds``: its duration."""
        self._arena.reuse()
        call, prototype, _, _, buffers = prepared
        try:
            outputs = self._decode_outputs(buffers, call, prototype)
            overrun = [slot.name for slot, place in buffers if place.overrun()]
        finally:
            if prototype.lingers:
                self._arena.keep()
            else:
                self._arena.release()
        alignment = self._bus_alignment(buffers, outputs) if prototype.on_the_bus else 0
        if prototype.returns:
            if prototype.returns == MEMORY and result:
                alignment = math.gcd(result, _MAX_ALIGNMENT)
            result = self._names.name_of(prototype.returns, result) if result else None
        return Returned(result, outputs, overrun, self.callbacks.take_invocations(), seconds, alignment)

    def _build_prototype(self, function: Function) -> Prototype:
        slots = []
        for parameter in function.parameters:
            callback = parameter.direction == "callback"
            scalar = element = None
            if callback:
                pass
            elif parameter.pointers:
                if parameter.pointers > 1 or parameter.base not in _BYTE_TYPES:
                    layout = self._machine.layout(parameter.base, parameter.pointers - 1)
                    lone = parameter.pointers == 1
                    element = OutputType(layout, has_addresses=lone and self._machine.is_property(parameter.base))
            else:
                scalar = self._machine.layout(parameter.base)
                if scalar is None or scalar.ctypes_class is None:
                    raise BadCall(f"{function.name}: the tables do not define how {parameter.type} is passed")
            width = 1 if element is None else element.layout.size if element.layout is not None else 0
            slots.append(Slot(parameter.name, parameter, scalar, element, width, callback))
        passed = [slot.scalar.ctypes_class if slot.scalar else ctypes.c_void_p for slot in slots]
        base, stars = function.returns.rstrip("* ").removeprefix("const ").strip(), function.returns.count("*")
        returned = self._machine.layout(base, stars)
        if returned is None and (base != "void" or stars):
            raise BadCall(f"{function.name}: the tables do not define {function.returns}")
        make = ctypes.CFUNCTYPE(returned.ctypes_class if returned else None, *passed)
        handle = base if not stars and self._machine.is_handle(base) else ""
        if base == "void" and stars == 1:
            handle = FUNCTION if function.name.startswith("clGetExtension") else MEMORY
        # the driver may access the memory of enqueued commands, and host_ptr of an object, after the call has returned
        lingers = function.name.startswith("clEnqueue") or any(slot.name == "host_ptr" for slot in slots)
        layouts = [slot.element.layout for slot in slots if slot.element is not None]
        on_the_bus = any(BUS_ADDRESS in layout.members for layout in layouts if layout is not None)
        names = frozenset(slot.name for slot in slots)
        reusable = find_reusable_parameters(function, self._requirements_of(function.name))
        return Prototype(tuple(slots), names, make, handle, function.queries, lingers, on_the_bus, reusable)

    def _convert_scalar(self, layout: TypeLayout, value: Value) -> int | None:
        if isinstance(value, Handle):
            return self._names.address_of(value.name)
        handle = bool(layout.members[0])
        if handle and value is None:
            return None
        if not handle and isinstance(value, int):
            return layout.to_c_integer(value)
        raise BadCall(f"expected {'a handle or NULL' if handle else 'a number'}, not {value!r}")

    def _convert_pointer(
        self, slot: Slot, value: Value, call: Call, buffers: list[tuple[Slot, GuardedBuffer]], *, reusable: bool
    ) -> int | None:
        if slot.callback:
            if isinstance(value, HostCallback):
                return self.callbacks.callback_address(call.function, slot.name, value.name, _argument_block_of(call))
            raise BadCall(f"expected a callback or NULL, not {value!r}")
        if isinstance(value, OutputBuffer):
            return self._allocate_buffer(slot, value.count, buffers).address
        if isinstance(value, OutputBuffers):
            places = [self._allocate_buffer(slot, count, buffers) for count in value.counts]
            return self._arena.put(_pack_addresses([place.address for place in places]))
        if isinstance(value, int | Handle | OffsetPointer):
            return self._convert_opaque(slot, value)
        return self._arena.put(self._input_bytes(slot, value), reusable=reusable)

    def _convert_opaque(self, slot: Slot, value: int | Handle | OffsetPointer) -> int:
        """Return the value of a ``void`` pointer: a number (user data), or the address of an object."""
        if slot.of.base != "void" or slot.of.pointers != 1:
            raise BadCall(f"expected a pointer, not {value!r}")
        if isinstance(value, int):
            return POINTER.to_c_integer(value)
        return address_of(value, self._names)

    def _input_bytes(self, slot: Slot, value: Value) -> bytes:
        """Return the bytes of an input argument."""
        match value:
            case ElementList(values):
                return self._pack_items(slot, values)
            case Data(content):
                return content if slot.of.pointers == 1 else _pack_addresses([self._arena.put(content)])
            case HandleBytes(handle):
                return _pack_addresses([self._names.address_of(handle.name)])
            case BusAddresses(surface, signal):
                places = (one if isinstance(one, int) else address_of(one, self._names) for one in (surface, signal))
                return _pack_addresses(list(places))
            case Pointers():
                return bytes_of(value, self._names)
            case DispatchConfigs(configs):
                return _pack_addresses(
                    [0 if each is None else self._arena.put(self._pack_config(each)) for each in configs]
                )
            case Text(content):
                return _encode_text(content)
            case Texts(contents):
                return _pack_addresses([self._arena.put(_encode_text(content)) for content in contents])
        raise BadCall(f"expected a pointer, not {value!r}")

    def _pack_config(self, config: DispatchConfig) -> bytes:
        """Return the bytes of a ``cl_mutable_dispatch_config_khr``; the arena stores the arrays that it points to."""
        updates = (config.arg_list, config.arg_svm_list, config.exec_info_list)
        sizes = (config.global_work_offset, config.global_work_size, config.local_work_size)
        try:
            return DISPATCH_CONFIG.pack(
                0 if config.command is None else self._names.address_of(config.command.name),
                *(config.num_args, config.num_svm_args, config.num_exec_infos, config.work_dim),
                *(0 if listed is None else self._pack_updates(listed) for listed in updates),
                *(0 if one is None else self._arena.put(struct.pack(f"{len(one)}N", *one)) for one in sizes),
            )
        except struct.error as error:
            raise BadCall(f"a value does not fit its field: {error}") from None

    def _pack_updates(self, updates: Sequence[ArgumentUpdate | InfoUpdate]) -> int:
        """Return the address of an array of update structures.

        Each structure has a key (the index of an argument, or the name of an execution info), a size and a pointer.
        """
        return self._arena.put(
            b"".join(
                MUTABLE_UPDATE.pack(each.key, each.size, self._convert_update_value(each.value)) for each in updates
            )
        )

    def _convert_update_value(self, value: Value) -> int:
        """Return the pointer to store in an update structure; bytes are first copied into the arena."""
        if isinstance(value, Handle | OffsetPointer):
            return address_of(value, self._names)
        if isinstance(value, Data):
            return self._arena.put(value.content)
        if isinstance(value, HandleBytes):
            return self._arena.put(_pack_addresses([self._names.address_of(value.handle.name)]))
        return self._arena.put(bytes_of(value, self._names)) if isinstance(value, Pointers) else 0

    def _allocate_buffer(self, slot: Slot, count: int, buffers: list[tuple[Slot, GuardedBuffer]]) -> GuardedBuffer:
        if not slot.width:
            raise BadCall("the tables do not define the size of an element")
        place = self._arena.buffer(count * slot.width)
        buffers.append((slot, place))
        return place

    def _pack_items(self, slot: Slot, values: Sequence[int | Handle | None]) -> bytes:
        layout = slot.element.layout if slot.element else self._machine.layout("unsigned char")
        if layout is None or "text" in layout.members:
            raise BadCall("the tables do not define the layout of an element")
        if len(layout.members) > 1:
            return self._pack_structures(layout, values)
        parts = []
        for value in values:
            number = 0 if value is None else self._names.address_of(value.name) if isinstance(value, Handle) else value
            if layout.members[0] and isinstance(value, int):
                raise BadCall(f"an element must be a handle or NULL, not {value!r}")
            parts.append(
                (layout.to_c_integer(number) & ((1 << 8 * layout.size) - 1)).to_bytes(layout.size, sys.byteorder)
            )
        return b"".join(parts)

    def _pack_structures(self, layout: TypeLayout, values: Sequence[int | Handle | None]) -> bytes:
        """Return an array of structures, packed from the flat sequence of their fields' values."""
        wide = len(layout.members)
        if len(values) % wide:
            raise BadCall(f"{len(values)} values do not fill structures of {wide} fields")
        numbers = [self._names.address_of(one.name) if isinstance(one, Handle) else one or 0 for one in values]
        try:
            parts = [struct.pack(layout.code, *numbers[at : at + wide]) for at in range(0, len(numbers), wide)]
        except struct.error as error:
            raise BadCall(f"a value does not fit its field: {error}") from None
        return b"".join(parts)

    def _decode_outputs(
        self, buffers: list[tuple[Slot, GuardedBuffer]], call: Call, prototype: Prototype
    ) -> dict[str, Output]:
        given = call.arguments
        if not buffers or OutputBuffers not in map(type, given.values()):
            return {slot.name: self._decode_output(slot, place.content(), call, prototype) for slot, place in buffers}
        found = {
            slot.name: self._decode_output(slot, place.content(), call, prototype)
            for slot, place in buffers
            if not isinstance(given[slot.name], OutputBuffers)
        }
        for name, value in given.items():
            if isinstance(value, OutputBuffers):
                written = [place.content().rstrip(bytes([FILL_BYTE])) for slot, place in buffers if slot.name == name]
                found[name] = Output([each.hex() for each in written], sum(map(len, written)))
        return found

    def _bus_alignment(self, buffers: list[tuple[Slot, GuardedBuffer]], outputs: dict[str, Output]) -> int:
        """Return the common alignment in bytes of all bus addresses in the outputs; 0 if there are none."""
        listed = [
            value
            for slot, _ in buffers
            if slot.element is not None
            and slot.element.layout is not None
            and BUS_ADDRESS in slot.element.layout.members
            for value in outputs[slot.name].values
        ]
        told = [self._names.address_of(value) for value in listed if isinstance(value, str) and value != UNTOUCHED]
        return math.gcd(*told, _MAX_ALIGNMENT) if told else 0

    def _decode_output(self, slot: Slot, content: bytes, call: Call, prototype: Prototype) -> Output:
        if slot.element is not None:
            return self._decoder.decode_typed(content, slot.element)
        asked = call.arguments.get("param_name") if prototype.queries else None
        return self._decoder.decode_bytes(
            content, self._decoder.type_of_query(call.function, asked) if isinstance(asked, int) else None
        )


DISPATCH_CONFIG = struct.Struct("@PIIIIPPPPPP")
"""Layout of ``cl_mutable_dispatch_config_khr``."""
MUTABLE_UPDATE = struct.Struct("@INP")
"""Layout of ``cl_mutable_dispatch_arg_khr`` and of ``cl_mutable_dispatch_exec_info_khr``."""


def address_of(value: Handle | OffsetPointer, names: ObjectNames) -> int:
    """Return the address of a named object, or of an offset into its memory; BadCall if the address is too large."""
    if isinstance(value, OffsetPointer):
        return POINTER.to_c_integer(names.address_of(value.handle.name) + value.offset)
    return names.address_of(value.name)


def bytes_of(pointers: Pointers, names: ObjectNames) -> bytes:
    """Return a list of addresses as the bytes of an array of pointers."""
    return _pack_addresses([0 if one is None else address_of(one, names) for one in pointers.values])


def _encode_text(content: str) -> bytes:
    return content.encode("utf-8", "surrogateescape") + b"\0"


def _argument_block_of(call: Call) -> ArgumentBlock:
    """Return the argument block of a native kernel: its size, and the offsets of its pointers to memory objects."""
    size, start, places = (call.arguments.get(name) for name in ("cb_args", "args", "args_mem_loc"))
    if not isinstance(size, int):
        return EMPTY_BLOCK
    listed = places.values if isinstance(places, Pointers) else ()
    offsets = [at for each in listed if (at := _offset_from(start, each)) is not None and at + POINTER.size <= size]
    return ArgumentBlock(size, tuple(offsets) if len(offsets) == len(listed) else ())


def _offset_from(start: Value, place: Handle | OffsetPointer | None) -> int | None:
    """Return the offset of ``place`` from ``start``; None if ``place`` does not belong to the memory at ``start``."""
    if isinstance(place, OffsetPointer):
        return place.offset if place.handle == start else None
    return 0 if place is not None and place == start else None


def _pack_addresses(addresses: Sequence[int]) -> bytes:
    return b"".join(POINTER.to_c_integer(address).to_bytes(POINTER.size, sys.byteorder) for address in addresses)
