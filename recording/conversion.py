"""Converts recorded calls to the calls and outcomes that the oracle judges: names instead of addresses."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from clconform.calls.call import Call, CalledBack, Output, Returned
from clconform.calls.values import (
    FILL,
    Callback,
    Data,
    Handle,
    HandleBytes,
    Inside,
    Items,
    OutputBuffer,
    Text,
    Texts,
    Value,
)
from clconform.harness.addresses import Addresses
from clconform.harness.decoding import Content, Decoder
from clconform.harness.machine import POINTER, Machine
from clconform.harness.names import FUNCTION, POINTED, Names
from clconform.recording.file_format import arguments_of
from clconform.recording.memory import Regions
from clconform.recording.places import Kind, place_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from clconform.harness.machine import Layout
    from clconform.recording.file_format import Argument, CallbackBegun, Entered, Left
    from clconform.recording.places import Place
    from clconform.spec_tables import Tables
    from clconform.spec_tables.records import Function, Parameter, Query

_FILLED = bytes([FILL])
_LARGEST_ALIGNMENT = 4096
_WORD = 8
_BY_ADDRESS = ("cl_mem", "cl_sampler", "cl_command_queue")
"""Object types that are passed as kernel arguments by the address of their handle."""
NAMELESS = "host memory at"
"""The prefix of names for memory that no call has returned."""
HOST_MEMORY = ("ptr", "host_ptr", "src_ptr", "dst_ptr")
MAPPING = ("clEnqueueMapBuffer", "clEnqueueMapImage")
"""Functions that may return an address that is already known."""
LARGEST = 1 << 24
"""The maximum number of bytes examined of an output: a program may state any size."""
MOST_GONE = 1 << 13
"""The number of most recently destroyed objects whose handles are still recognised."""
ENOUGH = 1 << 62
"""The assumed size of memory if the recording does not state how much a call reads."""


class Converted(msgspec.Struct, frozen=True):
    """A call with names.

    ``released``: names of objects that the program has already released, with the parameter. ``strange``: parameters
    whose handle was not returned by any recorded call. ``unclear``: why the call cannot be judged.
    """

    call: Call
    released: tuple[tuple[str, str], ...] = ()
    strange: tuple[str, ...] = ()
    unclear: str = ""


class Conversion:
    """The names of one program's objects, and the conversion of its calls and outcomes."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self._machine = Machine(tables.types, tables.enumerants)
        self._names = Names(most_gone=MOST_GONE)
        self._decoder = Decoder(tables, self._machine, self._names, Addresses())
        self._regions = Regions()
        self._queries = {
            (each.function, tables.enumerants[each.name].value): each
            for function in tables.functions
            for each in tables.queries_of(function)
            if each.name in tables.enumerants
        }
        self._sizes: dict[tuple[str, int], int] = {}
        self._functions: dict[str, _Converter] = {}

    def forget(self, names: list[str]) -> None:
        """Drop destroyed objects: new objects may reuse their addresses."""
        self._names.forget(names)
        self._regions.forget(names)

    def is_of_the_program(self, address: int) -> bool:
        """Return whether memory belongs to the program: it is not mapped, and no call has ever allocated it."""
        return self._regions.find(address) is None and not self._regions.may_have_been(address)

    # arguments

    def call(self, entered: Entered) -> Converted:
        """Return a recorded call with names."""
        converter = self._of(entered.function)
        given, parts = entered.arguments, _Parts()
        values: dict[str, Value] = {}
        for name, place, parameter, number, handle_type in converter.arguments:
            argument = given[name]
            bits = argument.bits
            if number:
                mask, sign = number
                values[name] = (bits & mask ^ sign) - sign
            elif handle_type:
                values[name] = self._handle(handle_type, bits, name, parts) if bits else None
            else:
                values[name] = self._value(converter.function, parameter, place, argument, entered, parts)
        if not (parts.released or parts.strange or parts.unclear):
            return Converted(Call(entered.function, values))
        return Converted(
            Call(entered.function, values),
            tuple(parts.released),
            tuple(parts.strange),
            next(iter(parts.unclear), ""),
        )

    def _of(self, function: str) -> _Converter:
        known = self._functions.get(function)
        if known is None:
            known = self._functions[function] = _Converter(self._tables.functions[function], self._machine)
        return known

    def _value(
        self,
        function: Function,
        parameter: Parameter,
        place: Place,
        given: Argument,
        entered: Entered,
        parts: _Parts,
    ) -> Value:
        if place.kind is Kind.VALUE:
            return self._scalar(parameter, given.bits)
        if not given.bits:
            return None
        if place.kind is Kind.CALLBACK:
            return Callback(f"callback{entered.sequence}")
        if place.out:
            return self._output_buffer(function, parameter, place, given, entered, parts)
        if place.kind is Kind.ADDRESS and parameter.name == "user_data":
            return given.bits
        if parameter.name in HOST_MEMORY:
            return self._host_memory(parameter, place, given, entered)
        if place.kind is Kind.ADDRESS or given.content is None:
            return self._pointed(given.bits)
        return self._content(parameter, place, given, parts)

    def _host_memory(self, parameter: Parameter, place: Place, given: Argument, entered: Entered) -> Value:
        """Return memory that a call reads: by its name, or its bytes as far as they are known."""
        found = self._regions.find(given.bits)
        if found is not None or parameter.direction == "out":
            return self._pointed(given.bits)
        blocks = entered.arguments.get("blocking_write")
        if isinstance(given.content, bytes) and (blocks is None or blocks.bits):
            return Data(given.content)
        if place.kind is Kind.ELEMENTS:
            return Data(b"", entered.arguments[place.counter].bits)
        return Data(b"", ENOUGH)

    def _scalar(self, parameter: Parameter, bits: int) -> Value:
        layout = self._machine.layout(parameter.base)
        if layout is None:
            return bits
        (value,) = layout.unpack(bits.to_bytes(_WORD, "little")[: layout.size])
        return int(value)

    def _handle(self, type_name: str, address: int, parameter: str, parts: _Parts) -> Handle:
        before = self._names.known(type_name, address)
        if before is not None:
            return Handle(before)
        gone = self._names.seen(type_name, address)
        if gone is not None:
            parts.released.append((gone, parameter))
            return Handle(gone)
        parts.strange.append(parameter)
        return Handle(self._names.name(type_name, address))

    def _pointed(self, address: int) -> Handle | Inside:
        """Return memory by its name; unknown memory gets a unique name."""
        found = self._regions.find(address)
        if found is not None:
            name, offset = found
            return Inside(Handle(name), offset) if offset else Handle(name)
        return Handle(f"{NAMELESS} {address:#x}")

    def _output_buffer(
        self, function: Function, parameter: Parameter, place: Place, given: Argument, entered: Entered, parts: _Parts
    ) -> Value:
        if parameter.name == "ptr":
            if entered.arguments[place.counter].bits > LARGEST:
                return self._pointed(given.bits)
            inside = self._regions.find(given.bits)
            if inside is not None:
                return self._pointed(given.bits)
        if parameter.name == "param_value" and self._leads_on(function, entered):
            parts.unclear.append("it asks for addresses of further memory")
        return OutputBuffer(_count(place, entered.arguments))

    def _leads_on(self, function: Function, entered: Entered) -> bool:
        """Return whether the query's output is a list of pointers to memory that the driver fills."""
        query = self._query(function, entered.arguments)
        return query is not None and query.name == "CL_PROGRAM_BINARIES"

    def _query(self, function: Function, arguments: Mapping[str, Argument]) -> Query | None:
        asked = arguments.get("param_name")
        return self._queries.get((function.name, asked.bits)) if asked is not None else None

    def _content(self, parameter: Parameter, place: Place, given: Argument, parts: _Parts) -> Value:
        content = given.content
        if isinstance(content, list):
            return self._list_of(place, content, parts)
        assert content is not None  # noqa: S101 (the caller has looked)
        if place.kind is Kind.TEXT:
            return Text(content.rstrip(b"\0").decode("utf-8", "backslashreplace"))
        if parameter.name == "svm_pointers":
            return self._pointers(content, parts)
        layout = self._machine.layout(parameter.base, parameter.pointers - 1)
        if parameter.base in ("void", "unsigned char") or layout is None:
            return self._bytes(parameter, content)
        if place.kind in (Kind.PAIRS, Kind.PARTITION):
            return self._properties(layout, content, parts, named=place.kind is Kind.PAIRS)
        return Items(tuple(self._elements(layout, content, parameter.name, parts)))

    def _list_of(self, place: Place, content: list[bytes | None], parts: _Parts) -> Value:
        known = [each for each in content if each is not None]
        if len(known) != len(content):
            parts.unclear.append("a string or a binary of it is NULL, or too long to be recorded")
        if place.kind is Kind.TEXTS:
            return Texts(tuple(each.decode("utf-8", "backslashreplace") for each in known))
        if len(known) > 1:
            parts.unclear.append("it has binaries for several devices")
        return Data(known[0] if known else b"")

    def _pointers(self, content: bytes, parts: _Parts) -> Value:
        """Return a list of allocations by address; an address inside an allocation has no name of its own."""
        found: list[Handle | None] = []
        for address in POINTER.unpack(content):
            value = self._pointed(address) if address else None
            if isinstance(value, Inside):
                parts.unclear.append("an address of it lies inside an allocation")
            found.append(value.handle if isinstance(value, Inside) else value)
        return Items(tuple(found))

    def _bytes(self, parameter: Parameter, content: bytes) -> Value:
        if parameter.name == "arg_value" and len(content) == _WORD:
            address = int.from_bytes(content, "little")
            name = next((name for each in _BY_ADDRESS if (name := self._names.known(each, address)) is not None), None)
            if name is not None:
                return HandleBytes(Handle(name))
        return Data(content)

    def _properties(self, layout: Layout, content: bytes, parts: _Parts, *, named: bool) -> Items:
        values: list[int | Handle | None] = []
        for position, value in enumerate(layout.unpack(content)):
            name = self._names.in_properties(value & 0xFFFFFFFFFFFFFFFF) if named and position % 2 and value else None
            values.append(Handle(name) if name is not None else int(value))
        del parts
        return Items(tuple(values))

    def _elements(self, layout: Layout, content: bytes, parameter: str, parts: _Parts) -> list[int | Handle | None]:
        wide = len(layout.members)
        found: list[int | Handle | None] = []
        for position, value in enumerate(layout.unpack(content)):
            member = layout.members[position % wide]
            if not member:
                found.append(int(value))
            elif isinstance(value, bytes):
                parts.unclear.append("it has a text where none is expected")
            else:
                found.append(self._handle(member, value, parameter, parts) if value else None)
        return found

    # outcomes

    def outcome(self, entered: Entered, left: Left, call: Call, called: list[CalledBack]) -> Returned:
        """Return a call's outcome; objects that it created get new names."""
        converter = self._of(entered.function)
        number = converter.result
        if number:
            mask, sign = number
            value: int | str | None = (left.result & mask ^ sign) - sign
            alignment = 0
        else:
            value, alignment = self._result(converter, entered, left)
        outputs = {
            parameter.name: self._output(converter.function, parameter, place, entered, left)
            for parameter, place in converter.outputs
            if isinstance(call.arguments[parameter.name], OutputBuffer)
        }
        return Returned(value, outputs, [], called, alignment=alignment)

    def _result(self, converter: _Converter, entered: Entered, left: Left) -> tuple[int | str | None, int]:
        function, base, stars = converter.function, converter.base, converter.stars
        if base == "void" and not stars:
            return None, 0
        if stars:
            if not left.result:
                return None, 0
            if function.name.startswith("clGetExtension"):
                return self._names.name(FUNCTION, left.result), 0
            if entered.function in MAPPING and (there := self._names.known(POINTED, left.result)) is not None:
                return there, math.gcd(left.result, _LARGEST_ALIGNMENT)  # SVM, or already mapped
            name = self._new(POINTED, left.result)
            size = entered.arguments.get("size", entered.arguments.get("cb"))
            allocated = entered.function not in MAPPING
            self._regions.add(name, left.result, size.bits if size is not None else 0, is_remembered=allocated)
            return name, math.gcd(left.result, _LARGEST_ALIGNMENT)
        layout = self._machine.layout(base)
        if layout is None:
            return left.result, 0
        if layout.members[0]:
            if not left.result:
                return None, 0
            made = base == function.creates
            return (self._new(base, left.result) if made else self._names.name(base, left.result)), 0
        (value,) = layout.unpack(left.result.to_bytes(_WORD, "little")[: layout.size])
        return int(value), 0

    def _new(self, type_name: str, address: int) -> str:
        """Return a new name; an earlier object at the address can no longer exist."""
        before = self._names.known(type_name, address)
        if before is not None:
            self.forget([before])
        return self._names.name(type_name, address)

    def _output(self, function: Function, parameter: Parameter, place: Place, entered: Entered, left: Left) -> Output:
        count = _count(place, entered.arguments)
        content = left.outputs.get(parameter.name)
        if content is None:
            return Output(unrecorded=True)
        if parameter.name == "param_value":
            content = self._cut(function, content, entered, told=_is_told(place, entered))
            if content is None:
                return Output(unrecorded=True)
        if self._makes(function, parameter):
            for address in POINTER.unpack(content):
                if address:
                    self._new(parameter.base, address)
        whole = content.ljust(count * place.size, _FILLED)
        layout = self._machine.layout(parameter.base, parameter.pointers - 1)
        if parameter.base in ("void", "char", "unsigned char"):
            asked = entered.arguments.get("param_name") if function.queries else None
            return self._decoder.untyped(
                whole, self._decoder.query(function.name, asked.bits) if asked is not None else None
            )
        return self._decoder.typed(whole, Content(layout))

    def _makes(self, function: Function, parameter: Parameter) -> bool:
        return parameter.pointers == 1 and (
            parameter.base == "cl_event" or (parameter.base == function.creates and parameter.base != "cl_platform_id")
        )

    def _cut(self, function: Function, content: bytes, entered: Entered, *, told: bool) -> bytes | None:
        """Return the bytes of a query's value, even if the program did not request their number (``told``).

        None if an earlier query returned another size than the type's: the rest of the memory may hold old bytes.
        """
        asked = entered.arguments.get("param_name")
        known = self._decoder.query(function.name, asked.bits) if asked is not None else None
        if asked is None or known is None or known.layout is None:
            return content
        key = function.name, asked.bits
        if told:
            self._sizes[key] = len(content)
            return content
        if known.text:
            return content[: content.find(b"\0") + 1] if b"\0" in content else content
        query = self._queries.get(key)
        if query is None or query.shape != "scalar":
            return content
        return content[: known.layout.size] if self._sizes.get(key, known.layout.size) == known.layout.size else None

    def called_back(self, begun: CallbackBegun, entered: Entered, *, driver_thread: bool) -> CalledBack:
        """Return the invocation of a callback, as in an outcome."""
        given = next(name for name in entered.arguments if name.startswith("pfn_"))
        prototype = self._tables.callbacks[f"{entered.function}/{given}"]
        told: dict[str, int | str | list[int | str | None] | None] = {}
        for parameter in prototype.parameters[:-1]:
            argument = arguments_of(prototype, begun.arguments).get(parameter.name)
            told[parameter.name] = self._told(parameter, argument)
        told[prototype.parameters[-1].name] = entered.arguments["user_data"].bits or None
        return CalledBack(f"callback{entered.sequence}", told, driver_thread)

    def _told_list(self, argument: Argument) -> list[int | str | None]:
        content = argument.content if isinstance(argument.content, bytes) else b""
        addresses = POINTER.unpack(content)
        return [self._names.seen(POINTED, each) or "no known memory" if each else None for each in addresses]

    def _told(self, parameter: Parameter, argument: Argument | None) -> int | str | list[int | str | None] | None:
        if argument is None:
            return None
        if isinstance(argument.content, bytes) and parameter.pointers == 1:
            return argument.content.rstrip(b"\0").decode("utf-8", "backslashreplace")
        if parameter.pointers > 1:
            return self._told_list(argument)
        layout = self._machine.layout(parameter.base, parameter.pointers)
        if not parameter.pointers and self._machine.is_handle(parameter.base):
            return self._names.seen(parameter.base, argument.bits) or "no known object" if argument.bits else None
        if parameter.pointers:
            return "given" if argument.bits else None
        if layout is None:
            return argument.bits
        (value,) = layout.unpack(argument.bits.to_bytes(_WORD, "little")[: layout.size])
        return int(value)


class _Argument(NamedTuple):
    """The conversion of an argument.

    ``number``: the mask and the sign bit of an integer that is passed by value; ``handle_type``: the type of an object.
    """

    name: str
    place: Place
    parameter: Parameter
    number: tuple[int, int] | None = None
    handle_type: str = ""


class _Converter:
    """The conversion of one function's calls, computed once.

    ``result``: the mask and the sign bit of an integer result; ``base`` and ``stars``: the type of other results.
    """

    def __init__(self, function: Function, machine: Machine) -> None:
        self.function = function
        self.arguments: list[_Argument] = []
        self.outputs: list[tuple[Parameter, Place]] = []
        for each in function.parameters:
            place = place_of(function, each, machine)
            layout = machine.layout(each.base) if place.kind is Kind.VALUE else None
            number, handle_type = _integer(layout), layout.members[0] if layout is not None else ""
            self.arguments.append(_Argument(each.name, place, each, number, handle_type))
            if place.kind is not Kind.VALUE:
                self.outputs.append((each, place))
        self.base = function.returns.rstrip("* ").removeprefix("const ").strip()
        self.stars = function.returns.count("*")
        self.result = None if self.stars else _integer(machine.layout(self.base))


def _integer(layout: Layout | None) -> tuple[int, int] | None:
    """Return the mask and the sign bit that convert bits to an integer type; None for other types."""
    if layout is None or len(layout.members) != 1 or layout.members[0] or layout.code not in "bBhHiIqQ":
        return None
    bits = 8 * layout.size
    return (1 << bits) - 1, 1 << (bits - 1) if layout.signed else 0


class _Parts:
    """Findings collected while the arguments of one call are named."""

    __slots__ = ("released", "strange", "unclear")

    def __init__(self) -> None:
        self.released: list[tuple[str, str]] = []
        self.strange: list[str] = []
        self.unclear: list[str] = []


def _count(place: Place, arguments: Mapping[str, Argument]) -> int:
    """Return the number of elements that the program states, limited to ``LARGEST`` bytes."""
    said = int(place.counter) if place.counter.isdecimal() else arguments[place.counter].bits
    return min(said, LARGEST // (place.size or 1))


def _is_told(place: Place, entered: Entered) -> bool:
    """Return whether the program requested the number of elements written to an output."""
    return bool(place.told and entered.arguments[place.told].bits)
