"""Converts recorded calls to the calls and outcomes that the oracle judges: names instead of addresses."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from clconform.calls.call import Call, CallbackInvocation, Output, Returned
from clconform.calls.values import (
    FILL_BYTE,
    Data,
    ElementList,
    Handle,
    HandleBytes,
    HostCallback,
    OffsetPointer,
    OutputBuffer,
    Text,
    Texts,
    Value,
)
from clconform.harness.decoding import OutputDecoder, OutputType, QueryTypes
from clconform.harness.machine_memory import UnreadableMemory
from clconform.harness.names import FUNCTION, MEMORY, ObjectNames
from clconform.harness.signatures import split_type
from clconform.harness.type_layout import TypeLayouts
from clconform.recording.file_format import read_callback_arguments
from clconform.recording.layer_source import machine_of_program
from clconform.recording.memory import NamedRegions
from clconform.recording.pointer_extents import ExtentKind, find_extent
from clconform.spec_tables.lookups import DEFAULT_POINTER_BYTES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from clconform.harness.type_layout import TypeLayout
    from clconform.recording.file_format import CallbackBegin, CallEntry, CallReturn, RecordedArgument
    from clconform.recording.pointer_extents import PointerExtent
    from clconform.spec_tables import Tables
    from clconform.spec_tables.requirements import Function, Parameter, Query

_FILLED = bytes([FILL_BYTE])
_LARGEST_ALIGNMENT = 4096
_WORD = 8
_BY_ADDRESS = ("cl_mem", "cl_sampler", "cl_command_queue")
"""Object types that are passed as kernel arguments by the address of their handle."""
UNNAMED_PREFIX = "host memory at"
"""The prefix of names for memory that no call has returned."""
HOST_MEMORY = ("ptr", "host_ptr", "src_ptr", "dst_ptr")
MAP_FUNCTIONS = ("clEnqueueMapBuffer", "clEnqueueMapImage")
"""Functions that may return an address that is already known."""
MAX_OUTPUT_BYTES = 1 << 24
"""The maximum number of bytes examined of an output: a program may state any size."""
MAX_DESTROYED = 1 << 13
"""The number of most recently destroyed objects whose handles are still recognised."""
MAX_SIZES = 1 << 13
"""The maximum number of stored lengths of outputs."""
UNKNOWN_SIZE = 1 << 62
"""The assumed size of memory if the recording does not state how much a call reads."""


class ConvertedCall(msgspec.Struct, frozen=True):
    """A call with names.

    ``released``: pairs of an object that the program had already released, and the parameter that received the object.
    ``unknown_handles``: parameters whose handle was not returned by any recorded call. ``unclear``: why the call cannot
    be judged.
    """

    call: Call
    released: tuple[tuple[str, str], ...] = ()
    unknown_handles: tuple[str, ...] = ()
    unclear: str = ""


class Conversion:
    """The names of one program's objects, and the conversion of its calls and outcomes."""

    def __init__(self, tables: Tables, pointer_bytes: int = DEFAULT_POINTER_BYTES) -> None:
        self._tables = tables
        self._machine = TypeLayouts(tables.types, tables.enumerants, machine_of_program(pointer_bytes))
        self._names = ObjectNames(max_forgotten=MAX_DESTROYED)
        self._query_types = QueryTypes(tables, self._machine)
        self._decoder = OutputDecoder(self._machine, self._names, UnreadableMemory())
        self._regions = NamedRegions()
        self._queries = {
            (each.function, tables.enumerants[each.name].value): each
            for function in tables.functions
            for each in tables.queries_of(function)
            if each.name in tables.enumerants
        }
        self._sizes: dict[tuple[str | int, ...], int] = {}
        self._functions: dict[str, _FunctionConverter] = {}

    @property
    def pointer_bytes(self) -> int:
        """The size of a pointer on the machine of the recorded program, in bytes."""
        return self._machine.machine.pointer_bytes

    def forget(self, names: list[str]) -> None:
        """Drop destroyed objects: new objects may reuse their addresses."""
        self._names.forget(names)
        self._regions.forget(names)

    def find_destroyed(self, type_name: str, address: int) -> str:
        """Return the name of the object of a type that was last at an address, if it is destroyed; else empty."""
        if self._names.find_live_name(type_name, address) is not None:
            return ""
        return self._names.find_name(type_name, address) or ""

    def is_program_memory(self, address: int) -> bool:
        """Return whether memory belongs to the program: it is not mapped, and no call has ever allocated it."""
        return self._regions.find(address) is None and not self._regions.may_have_contained(address)

    # arguments

    def convert_call(self, entered: CallEntry) -> ConvertedCall:
        """Return a recorded call with names."""
        converter = self._converter_of(entered.function)
        given, parts = entered.arguments, _CallFindings()
        values: dict[str, Value] = {}
        for name, place, parameter, number, handle_type in converter.arguments:
            argument = given[name]
            bits = argument.bits
            if number:
                mask, sign = number
                values[name] = (bits & mask ^ sign) - sign
            elif handle_type:
                values[name] = self._convert_handle(handle_type, bits, name, parts) if bits else None
            else:
                values[name] = self._convert_value(converter.function, parameter, place, argument, entered, parts)
        if not (parts.released or parts.unknown_handles or parts.unclear):
            return ConvertedCall(Call(entered.function, values))
        return ConvertedCall(
            Call(entered.function, values),
            tuple(parts.released),
            tuple(parts.unknown_handles),
            next(iter(parts.unclear), ""),
        )

    def _converter_of(self, function: str) -> _FunctionConverter:
        known = self._functions.get(function)
        if known is None:
            known = self._functions[function] = _FunctionConverter(self._tables.functions[function], self._machine)
        return known

    def _convert_value(
        self,
        function: Function,
        parameter: Parameter,
        place: PointerExtent,
        given: RecordedArgument,
        entered: CallEntry,
        parts: _CallFindings,
    ) -> Value:
        if place.kind is ExtentKind.VALUE:
            return self._convert_scalar(parameter, given.bits)
        if not given.bits:
            return None
        if place.kind is ExtentKind.CALLBACK:
            return HostCallback(f"callback{entered.sequence}")
        if place.is_output:
            return self._convert_output_buffer(function, parameter, place, given, entered, parts)
        if place.kind is ExtentKind.ADDRESS and parameter.name == "user_data":
            return given.bits
        if parameter.name in HOST_MEMORY:
            return self._convert_host_memory(parameter, place, given, entered)
        if place.kind is ExtentKind.ADDRESS or given.content is None:
            return self._name_memory(given.bits)
        return self._convert_content(parameter, place, given, parts)

    def _convert_host_memory(
        self, parameter: Parameter, place: PointerExtent, given: RecordedArgument, entered: CallEntry
    ) -> Value:
        """Return memory that a call reads: its name, or else its recorded bytes."""
        found = self._regions.find(given.bits)
        if found is not None or parameter.direction == "out":
            return self._name_memory(given.bits)
        blocks = entered.arguments.get("blocking_write")
        if isinstance(given.content, bytes) and (blocks is None or blocks.bits):
            return Data(given.content)
        if place.kind is ExtentKind.ELEMENTS:
            return Data(b"", entered.arguments[place.counter].bits)
        return Data(b"", UNKNOWN_SIZE)

    def _convert_scalar(self, parameter: Parameter, bits: int) -> Value:
        layout = self._machine.layout(parameter.base)
        if layout is None:
            return bits
        (value,) = layout.unpack(bits.to_bytes(_WORD, "little")[: layout.size])
        return int(value)

    def _convert_handle(self, type_name: str, address: int, parameter: str, parts: _CallFindings) -> Handle:
        before = self._names.find_live_name(type_name, address)
        if before is not None:
            return Handle(before)
        gone = self._names.find_name(type_name, address)
        if gone is not None:
            parts.released.append((gone, parameter))
            return Handle(gone)
        parts.unknown_handles.append(parameter)
        return Handle(self._names.name_of(type_name, address))

    def _name_memory(self, address: int) -> Handle | OffsetPointer:
        """Return memory by its name; unknown memory gets a unique name."""
        found = self._regions.find(address)
        if found is not None:
            name, offset = found
            return OffsetPointer(Handle(name), offset) if offset else Handle(name)
        return Handle(f"{UNNAMED_PREFIX} {address:#x}")

    def _convert_output_buffer(
        self,
        function: Function,
        parameter: Parameter,
        place: PointerExtent,
        given: RecordedArgument,
        entered: CallEntry,
        parts: _CallFindings,
    ) -> Value:
        if parameter.name == "ptr":
            if entered.arguments[place.counter].bits > MAX_OUTPUT_BYTES:
                return self._name_memory(given.bits)
            inside = self._regions.find(given.bits)
            if inside is not None:
                return self._name_memory(given.bits)
        if parameter.name == "param_value" and self._is_pointer_query(function, entered):
            parts.unclear.append("the call queries addresses of further memory")
        return OutputBuffer(_count_elements(place, entered.arguments))

    def _is_pointer_query(self, function: Function, entered: CallEntry) -> bool:
        """Return whether the query's output is a list of pointers to memory that the driver fills."""
        query = self._find_query(function, entered.arguments)
        return query is not None and query.name == "CL_PROGRAM_BINARIES"

    def _find_query(self, function: Function, arguments: Mapping[str, RecordedArgument]) -> Query | None:
        asked = arguments.get("param_name")
        return self._queries.get((function.name, asked.bits)) if asked is not None else None

    def _convert_content(
        self, parameter: Parameter, place: PointerExtent, given: RecordedArgument, parts: _CallFindings
    ) -> Value:
        content = given.content
        if isinstance(content, list):
            return self._convert_list(place, content, parts)
        assert content is not None  # noqa: S101 (checked by the caller)
        if place.kind is ExtentKind.TEXT:
            return Text(content.rstrip(b"\0").decode("utf-8", "backslashreplace"))
        if parameter.name == "svm_pointers":
            return self._convert_pointers(content, parts)
        layout = self._machine.layout(parameter.base, parameter.pointers - 1)
        if parameter.base in ("void", "unsigned char") or layout is None:
            return self._convert_bytes(parameter, content)
        if place.kind in (ExtentKind.PAIRS, ExtentKind.PARTITION):
            return self._convert_properties(layout, content, parts, named=place.kind is ExtentKind.PAIRS)
        return ElementList(tuple(self._convert_elements(layout, content, parameter.name, parts)))

    def _convert_list(self, place: PointerExtent, content: list[bytes | None], parts: _CallFindings) -> Value:
        known = [each for each in content if each is not None]
        if len(known) != len(content):
            parts.unclear.append("a string or a binary of the call is NULL, or too long to be recorded")
        if place.kind is ExtentKind.TEXTS:
            return Texts(tuple(each.decode("utf-8", "backslashreplace") for each in known))
        if len(known) > 1:
            parts.unclear.append("the call has binaries for several devices")
        return Data(known[0] if known else b"")

    def _convert_pointers(self, content: bytes, parts: _CallFindings) -> Value:
        """Return the allocations at a list of addresses as handles.

        An address inside an allocation is reported as unclear, and becomes the handle of this allocation.
        """
        found: list[Handle | None] = []
        for address in self._machine.pointer.unpack(content):
            value = self._name_memory(address) if address else None
            if isinstance(value, OffsetPointer):
                parts.unclear.append("an address in the call lies inside an allocation")
            found.append(value.handle if isinstance(value, OffsetPointer) else value)
        return ElementList(tuple(found))

    def _convert_bytes(self, parameter: Parameter, content: bytes) -> Value:
        if parameter.name == "arg_value" and len(content) == self._machine.pointer.size:
            address = int.from_bytes(content, "little")
            name = next(
                (name for each in _BY_ADDRESS if (name := self._names.find_live_name(each, address)) is not None), None
            )
            if name is not None:
                return HandleBytes(Handle(name))
        return Data(content)

    def _convert_properties(
        self, layout: TypeLayout, content: bytes, parts: _CallFindings, *, named: bool
    ) -> ElementList:
        values: list[int | Handle | None] = []
        for position, value in enumerate(layout.unpack(content)):
            name = (
                self._names.find_property_object(value & 0xFFFFFFFFFFFFFFFF)
                if named and position % 2 and value
                else None
            )
            values.append(Handle(name) if name is not None else int(value))
        del parts
        return ElementList(tuple(values))

    def _convert_elements(
        self, layout: TypeLayout, content: bytes, parameter: str, parts: _CallFindings
    ) -> list[int | Handle | None]:
        wide = len(layout.members)
        found: list[int | Handle | None] = []
        for position, value in enumerate(layout.unpack(content)):
            member = layout.members[position % wide]
            if not member:
                found.append(int(value))
            elif isinstance(value, bytes):
                parts.unclear.append("the call has a text where none is expected")
            else:
                found.append(self._convert_handle(member, value, parameter, parts) if value else None)
        return found

    # outcomes

    def convert_outcome(
        self, entered: CallEntry, left: CallReturn, call: Call, called: list[CallbackInvocation]
    ) -> Returned:
        """Return a call's outcome; objects that it created get new names."""
        converter = self._converter_of(entered.function)
        number = converter.result
        if number:
            mask, sign = number
            value: int | str | None = (left.result & mask ^ sign) - sign
            alignment = 0
        else:
            value, alignment = self._convert_result(converter, entered, left)
        if not left.result:
            self._note_lengths(converter, entered, left)
        outputs = {
            parameter.name: self._convert_output(converter.function, parameter, place, entered, left)
            for parameter, place in converter.outputs
            if isinstance(call.arguments[parameter.name], OutputBuffer)
        }
        return Returned(value, outputs, [], called, alignment=alignment)

    def _convert_result(
        self, converter: _FunctionConverter, entered: CallEntry, left: CallReturn
    ) -> tuple[int | str | None, int]:
        function, base, stars = converter.function, converter.base, converter.stars
        if base == "void" and not stars:
            return None, 0
        if stars:
            if not left.result:
                return None, 0
            if function.name.startswith("clGetExtension"):
                return self._names.name_of(FUNCTION, left.result), 0
            if (
                entered.function in MAP_FUNCTIONS
                and (there := self._names.find_live_name(MEMORY, left.result)) is not None
            ):
                return there, math.gcd(left.result, _LARGEST_ALIGNMENT)  # SVM, or already mapped
            name = self._assign_name(MEMORY, left.result)
            size = entered.arguments.get("size", entered.arguments.get("cb"))
            allocated = entered.function not in MAP_FUNCTIONS
            self._regions.add(name, left.result, size.bits if size is not None else 0, is_remembered=allocated)
            return name, math.gcd(left.result, _LARGEST_ALIGNMENT)
        layout = self._machine.layout(base)
        if layout is None:
            return left.result, 0
        if layout.members[0]:
            if not left.result:
                return None, 0
            made = base == function.creates
            return (self._assign_name(base, left.result) if made else self._names.name_of(base, left.result)), 0
        (value,) = layout.unpack(left.result.to_bytes(_WORD, "little")[: layout.size])
        return int(value), 0

    def _assign_name(self, type_name: str, address: int) -> str:
        """Return a new name; an earlier object at the address can no longer exist."""
        before = self._names.find_live_name(type_name, address)
        if before is not None:
            self.forget([before])
        return self._names.name_of(type_name, address)

    def _convert_output(
        self, function: Function, parameter: Parameter, place: PointerExtent, entered: CallEntry, left: CallReturn
    ) -> Output:
        count = _count_elements(place, entered.arguments)
        content = left.outputs.get(parameter.name)
        if content is None:
            return Output(unrecorded=True)
        content = self._written_content(function, place, content, entered)
        if content is None:
            return Output(unrecorded=True)
        if self._creates_object(function, parameter):
            for address in self._machine.pointer.unpack(content):
                if address:
                    self._assign_name(parameter.base, address)
        whole = content.ljust(count * place.size, _FILLED)
        layout = self._machine.layout(parameter.base, parameter.pointers - 1)
        if parameter.base in ("void", "char", "unsigned char"):
            asked = entered.arguments.get("param_name") if function.queries else None
            return self._decoder.decode_bytes(
                whole, self._query_types.find(function.name, asked.bits) if asked is not None else None
            )
        return self._decoder.decode_typed(whole, OutputType(layout))

    def _creates_object(self, function: Function, parameter: Parameter) -> bool:
        return parameter.pointers == 1 and (
            parameter.base == "cl_event" or (parameter.base == function.creates and parameter.base != "cl_platform_id")
        )

    def _note_lengths(self, converter: _FunctionConverter, entered: CallEntry, left: CallReturn) -> None:
        """Store the numbers of elements that a successful call returned, also for outputs that it did not request."""
        for _, place in converter.outputs:
            told = left.outputs.get(place.size_output) if _is_size_requested(place, entered) else None
            if told:
                if len(self._sizes) >= MAX_SIZES:
                    self._sizes.clear()
                self._sizes[converter.length_key(place, entered)] = int.from_bytes(told, "little")

    def _written_content(
        self, function: Function, place: PointerExtent, content: bytes, entered: CallEntry
    ) -> bytes | None:
        """Return the bytes of an output that the call has certainly written; None if their number is unknown.

        Without a request for the number of elements, what lies after the last element may be older bytes of the
        program. Lists of created objects are returned whole, as their objects are used later.
        """
        if not place.size_output or _is_size_requested(place, entered):
            return content
        told = self._sizes.get(self._converter_of(function.name).length_key(place, entered))
        asked = entered.arguments.get("param_name")
        if asked is None:
            if told is not None:
                return content[: told * place.size]
            return content if function.creates or _count_elements(place, entered.arguments) <= 1 else None
        known = self._query_types.find(function.name, asked.bits)
        if known is None or known.layout is None:
            return content if told is None else content[:told]
        if known.is_text:
            return content[: content.find(b"\0") + 1] if b"\0" in content else None
        query = self._queries.get((function.name, asked.bits))
        if query is not None and query.shape == "scalar" and told in (None, known.layout.size):
            return content[: known.layout.size]
        return content[:told] if told is not None and (query is None or query.shape != "scalar") else None

    def convert_callback(self, begun: CallbackBegin, entered: CallEntry, *, driver_thread: bool) -> CallbackInvocation:
        """Return the invocation of a callback, as in an outcome."""
        given = next(name for name in entered.arguments if name.startswith("pfn_"))
        prototype = self._tables.callbacks[f"{entered.function}/{given}"]
        told: dict[str, int | str | list[int | str | None] | None] = {}
        for parameter in prototype.parameters[:-1]:
            argument = read_callback_arguments(prototype, begun.arguments).get(parameter.name)
            told[parameter.name] = self._convert_callback_argument(parameter, argument)
        told[prototype.parameters[-1].name] = entered.arguments["user_data"].bits or None
        return CallbackInvocation(f"callback{entered.sequence}", told, driver_thread)

    def _name_pointers(self, argument: RecordedArgument) -> list[int | str | None]:
        content = argument.content if isinstance(argument.content, bytes) else b""
        addresses = self._machine.pointer.unpack(content)
        return [self._names.find_name(MEMORY, each) or "no known memory" if each else None for each in addresses]

    def _convert_callback_argument(
        self, parameter: Parameter, argument: RecordedArgument | None
    ) -> int | str | list[int | str | None] | None:
        if argument is None:
            return None
        if isinstance(argument.content, bytes) and parameter.pointers == 1:
            return argument.content.rstrip(b"\0").decode("utf-8", "backslashreplace")
        if parameter.pointers > 1:
            return self._name_pointers(argument)
        layout = self._machine.layout(parameter.base, parameter.pointers)
        if not parameter.pointers and self._machine.is_handle(parameter.base):
            return self._names.find_name(parameter.base, argument.bits) or "no known object" if argument.bits else None
        if parameter.pointers:
            return "given" if argument.bits else None
        if layout is None:
            return argument.bits
        (value,) = layout.unpack(argument.bits.to_bytes(_WORD, "little")[: layout.size])
        return int(value)


class _ArgumentConversion(NamedTuple):
    """The conversion of an argument.

    ``number``: for an integer that is passed by value, its mask and its sign bit. ``handle_type``: for an object, its
    type.
    """

    name: str
    place: PointerExtent
    parameter: Parameter
    number: tuple[int, int] | None = None
    handle_type: str = ""


class _FunctionConverter:
    """The conversion of one function's calls, computed once.

    ``result``: the mask and the sign bit of an integer result. ``base`` and ``stars``: the type of any other result.
    """

    def __init__(self, function: Function, machine: TypeLayouts) -> None:
        self.function = function
        self.arguments: list[_ArgumentConversion] = []
        self.outputs: list[tuple[Parameter, PointerExtent]] = []
        for each in function.parameters:
            place = find_extent(function, each, machine)
            layout = machine.layout(each.base) if place.kind is ExtentKind.VALUE else None
            number, handle_type = _integer(layout), layout.members[0] if layout is not None else ""
            self.arguments.append(_ArgumentConversion(each.name, place, each, number, handle_type))
            if place.kind is not ExtentKind.VALUE:
                self.outputs.append((each, place))
        self._inputs = [each.name for each in self.arguments if each.place.kind is ExtentKind.VALUE]
        self._lists = [each.name for each in self.arguments if each.place.kind is ExtentKind.PARTITION]
        self.base, self.stars = split_type(function.returns)
        self.result = None if self.stars else _integer(machine.layout(self.base))

    def length_key(self, place: PointerExtent, entered: CallEntry) -> tuple[str | int, ...]:
        """Return what the length of an output depends on: the function, and what is passed except for the room."""
        given = entered.arguments
        values = (given[name].bits for name in self._inputs if name != place.counter)
        return (self.function.name, *values, *(repr(given[name].content) for name in self._lists))


def _integer(layout: TypeLayout | None) -> tuple[int, int] | None:
    """Return the mask and the sign bit that convert bits to an integer type; None for other types."""
    if layout is None or layout.is_pointer or layout.letters not in "bBhHiIqQ":
        return None
    bits = 8 * layout.size
    return (1 << bits) - 1, 1 << (bits - 1) if layout.signed else 0


class _CallFindings:
    """Findings collected while the arguments of one call are named."""

    __slots__ = ("released", "unclear", "unknown_handles")

    def __init__(self) -> None:
        self.released: list[tuple[str, str]] = []
        self.unknown_handles: list[str] = []
        self.unclear: list[str] = []


def _count_elements(place: PointerExtent, arguments: Mapping[str, RecordedArgument]) -> int:
    """Return the number of elements that the program states, limited to ``MAX_OUTPUT_BYTES`` bytes."""
    said = int(place.counter) if place.counter.isdecimal() else arguments[place.counter].bits
    return min(said, MAX_OUTPUT_BYTES // (place.size or 1))


def _is_size_requested(place: PointerExtent, entered: CallEntry) -> bool:
    """Return whether the program requested the number of elements written to an output."""
    return bool(place.size_output and entered.arguments[place.size_output].bits)
