"""Write calls as a recording, in the format of the loader layer, and change recordings at random."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

import msgspec

from clconform.calls.call import Call, Output, Returned
from clconform.calls.values import (
    Data,
    ElementList,
    Handle,
    HandleBytes,
    HostCallback,
    OffsetPointer,
    OutputBuffer,
    Pointers,
    Text,
    Texts,
)
from clconform.harness.type_layout import TypeLayouts
from clconform.recording.file_layout import (
    CHUNK_HEAD,
    CHUNK_MAGIC,
    NO_CONTENT,
    PAGE,
    RECORD_HEAD,
    encode_chunk_head,
    encode_file_head,
    first_chunk_position,
    seal_record,
)
from clconform.recording.layer_source import FORMAT, Head
from clconform.recording.pointer_extents import ExtentKind, find_extent

if TYPE_CHECKING:
    import random
    from collections.abc import Iterable, Iterator

    from clconform.calls.journal import CallLine
    from clconform.calls.values import Value
    from clconform.harness.type_layout import TypeLayout
    from clconform.recording.pointer_extents import PointerExtent
    from clconform.spec_tables import Tables
    from clconform.spec_tables.requirements import Function, Parameter

_ENTERED, _LEFT, _ASKED = 1, 2, 6
_MASK = (1 << 64) - 1
_MEMORY = 0x7F0000000000
"""The address recorded for host memory whose real address is unknown."""
THREAD_COUNT = 3
"""The number of host threads; blocks of consecutive calls are assigned to them in turn."""


def write_recording(calls: Iterable[CallLine], tables: Tables) -> bytes:
    """Return a recording that contains the returned calls; all calls must be on one platform.

    Calls that do not belong to an item are recorded as the layer's own calls.
    """
    return _RecordingWriter(tables).write(list(calls))


class _RecordingWriter:
    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self._machine = TypeLayouts(tables.types, tables.enumerants)
        self._numbers = {name: number for number, name in enumerate(tables.functions)}
        self._addresses: dict[str, int] = {}
        self._records: dict[int, list[bytes]] = {}
        self._sequence = 0

    def write(self, calls: list[CallLine]) -> bytes:
        for call, made in _list_objects(calls):
            self._write_call(call, made, 1, asked=True)
        for number, line in enumerate(calls):
            if line.call.function in self._numbers and isinstance(line.outcome, Returned):
                self._write_call(line.call, line.outcome, 1 + number // 50 % THREAD_COUNT, asked=not line.item)
        text = msgspec.json.encode(Head(FORMAT, "", list(self._numbers)))
        written = encode_file_head(text, self._sequence + 1).ljust(first_chunk_position(len(text)), b"\0")
        for thread, records in self._records.items():
            content = b"".join(records)
            used = CHUNK_HEAD.size + len(content)
            size = -(-used // PAGE) * PAGE
            written += (encode_chunk_head(size, len(written), used, 1, thread) + content).ljust(size, b"\0")
        return written

    def _write_call(self, call: Call, outcome: Returned, thread: int, *, asked: bool) -> None:
        function = self._tables.functions[call.function]
        places = [(each, find_extent(function, each, self._machine)) for each in function.parameters]
        begin = _encode_numbers(0x1000 + self._numbers[function.name], self._sequence * 1000)
        given = b"".join(self._encode_argument(each, place, call.arguments.get(each.name)) for each, place in places)
        self._write_record(_ASKED if asked else _ENTERED, function, thread, begin + given)
        result = _encode_numbers(self._sequence, self._get_bits(outcome.value))
        outputs = b"".join(self._encode_output(each, outcome) for each, place in places if place.is_output)
        self._write_record(_LEFT, function, thread, result + outputs)

    def _write_record(self, kind: int, function: Function, thread: int, content: bytes) -> None:
        self._sequence += 1
        length = RECORD_HEAD.size + len(content)
        head = RECORD_HEAD.pack(0, self._sequence, length, kind, self._numbers[function.name])
        self._records.setdefault(thread, []).append(seal_record(head + content))

    def _get_address(self, name: str) -> int:
        return self._addresses.setdefault(name, 0x10000 * (1 + len(self._addresses)))

    def _get_bits(self, value: object) -> int:
        """Return the 64-bit number that a recording contains for a number or for the address of an object."""
        match value:
            case int():
                return value & _MASK
            case str():
                return self._get_address(value)
            case Handle(name):
                return self._get_address(name)
            case OffsetPointer(Handle(name), offset):
                return (self._get_address(name) + offset) & _MASK
            case _:
                return 0

    def _encode_argument(self, parameter: Parameter, place: PointerExtent, value: Value) -> bytes:
        pointed = isinstance(
            value, OutputBuffer | ElementList | Data | Text | Texts | Pointers | HandleBytes | HostCallback
        )
        found = _encode_numbers(_MEMORY if pointed else self._get_bits(value))
        if place.is_output or place.kind in (ExtentKind.VALUE, ExtentKind.ADDRESS, ExtentKind.CALLBACK):
            return found
        if place.kind in (ExtentKind.TEXTS, ExtentKind.BLOBS):
            return found + self._encode_list(value)
        return found + _encode_content(self._encode_bytes(parameter, value))

    def _encode_list(self, value: Value) -> bytes:
        if isinstance(value, Texts):
            return _encode_numbers(len(value.contents)) + b"".join(
                _encode_content(each.encode()) for each in value.contents
            )
        if isinstance(value, Data):
            return _encode_numbers(1) + _encode_content(value.content)
        return _encode_numbers(NO_CONTENT)

    def _encode_bytes(self, parameter: Parameter, value: Value) -> bytes | None:
        match value:
            case Data(content):
                return content
            case Text(text):
                return text.encode() + b"\0"
            case HandleBytes(handle):
                return _encode_numbers(self._get_bits(handle))
            case Pointers(values):
                return _encode_numbers(*map(self._get_bits, values))
            case ElementList(values):
                return self._encode_elements(values, self._machine.layout(parameter.base, parameter.pointers - 1))
            case _:
                return None

    def _encode_elements(self, values: Iterable[object], layout: TypeLayout | None) -> bytes | None:
        """Return values as their bytes in memory; None if their type is not a single number."""
        if layout is None or len(layout.members) != 1:
            return None
        width = min(layout.size, 8)
        return b"".join((self._get_bits(value) & ((1 << 8 * width) - 1)).to_bytes(width, "little") for value in values)

    def _encode_output(self, parameter: Parameter, outcome: Returned) -> bytes:
        told = outcome.outputs.get(parameter.name)
        if told is None:
            return _encode_numbers(NO_CONTENT)
        if told.raw:
            return _encode_content(told.raw)
        return _encode_content(
            self._encode_elements(told.values, self._machine.layout(parameter.base, parameter.pointers - 1))
        )


def _list_objects(calls: list[CallLine]) -> Iterator[tuple[Call, Returned]]:
    """Yield calls that return the platform and the devices that the layer's own calls use."""
    asked = dict.fromkeys(next(iter(line.call.arguments.values())) for line in calls if not line.item)
    names = [value.name for value in asked if isinstance(value, Handle)]
    platforms = [name for name in names if name.startswith("platform")]
    devices = [name for name in names if name.startswith("device")]
    given: dict[str, Value] = {"num_entries": len(platforms), "platforms": OutputBuffer(len(platforms))}
    call = Call("clGetPlatformIDs", {**given, "num_platforms": None})
    yield call, Returned(0, {"platforms": Output([*platforms])})
    given = {"platform": Handle(platforms[0]), "device_type": 0xFFFFFFFF, "num_entries": len(devices)}
    call = Call("clGetDeviceIDs", {**given, "devices": OutputBuffer(len(devices)), "num_devices": None})
    yield call, Returned(0, {"devices": Output([*devices])})


def _encode_numbers(*values: int) -> bytes:
    return struct.pack(f"<{len(values)}Q", *values)


def _encode_content(content: bytes | None) -> bytes:
    if content is None:
        return _encode_numbers(NO_CONTENT)
    return _encode_numbers(len(content)) + content.ljust((len(content) + 7) // 8 * 8, b"\0")


NUMBERS = (0, 1, 2, 8, 255, 4096, 1 << 20, (1 << 31) - 1, 1 << 32, 1 << 40, 1 << 63, NO_CONTENT - 1, NO_CONTENT)
"""Unusual numbers for a size, a count, an address or a flag."""


def change_records(content: bytes, chance: random.Random) -> bytes:
    """Return a recording with changed numbers in which most records are still valid: their checksums are adapted."""
    changed = bytearray(content)
    records = list(_find_records(content))
    for _ in range(chance.choice((1, 4, 16, 64)) if records else 0):
        start, end = chance.choice(records)
        first = start + (RECORD_HEAD.size if end - start > RECORD_HEAD.size and chance.randrange(64) else 0)
        at = first + 8 * chance.randrange((end - first) // 8)
        match chance.randrange(4):
            case 0:
                number = chance.choice(NUMBERS)
            case 1:
                number = (int.from_bytes(changed[at : at + 8], "little") + chance.choice((-8, -1, 1, 8))) & _MASK
            case 2:
                number = int.from_bytes(changed[at : at + 8], "little") ^ (1 << chance.randrange(64))
            case _:
                other = chance.choice(records)[0] + 8 * chance.randrange(RECORD_HEAD.size // 8)
                number = int.from_bytes(changed[other : other + 8], "little")
        changed[at : at + 8] = number.to_bytes(8, "little")
        changed[start:end] = seal_record(changed[start:end])
    return bytes(changed)


def _find_records(content: bytes) -> Iterator[tuple[int, int]]:
    """Yield the start and the end of each record of a recording that ``write_recording`` returned."""
    chunk = content.find(CHUNK_MAGIC)
    while 0 <= chunk < len(content):
        _, _, size, _, used, *_ = CHUNK_HEAD.unpack_from(content, chunk)
        at = chunk + CHUNK_HEAD.size
        while at < chunk + used:
            _, _, length, _, _ = RECORD_HEAD.unpack_from(content, at)
            yield at, at + length
            at += length
        chunk += size
