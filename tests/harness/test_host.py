"""Harness actions on host memory: areas and their guard bytes, writes and reads, and invalid actions."""

from __future__ import annotations

import ctypes
import struct

import pytest

from clconform.calls.call import Call, Output, Returned
from clconform.calls.harness_actions import ALLOCATE, ATOMICS, READ, WRITE
from clconform.calls.values import Data, Handle, OffsetPointer, OutputBuffer, Text, Value
from clconform.harness import atomics
from clconform.harness.errors import BadCall
from clconform.harness.host import HostMemory
from clconform.harness.names import MEMORY, ObjectNames


class HostMemoryBench:
    """Host memory with its own object names, and methods that make the harness actions."""

    def __init__(self) -> None:
        self.names = ObjectNames()
        self.memory = HostMemory(self.names)

    def allocate_area(self, size: int, alignment: int = 1) -> Handle:
        """Allocate an area of ``size`` bytes with host_allocate, and return its handle."""
        made = self.memory.perform(Call(ALLOCATE, {"size": size, "alignment": alignment}))
        assert isinstance(made.value, str)
        return Handle(made.value)

    def write(self, pointer: Value, content: bytes) -> Returned:
        """Write ``content`` to the memory at ``pointer`` with host_write, and return the outcome."""
        return self.memory.perform(Call(WRITE, {"pointer": pointer, "size": len(content), "content": Data(content)}))

    def read(self, pointer: Value, size: int) -> Returned:
        """Read ``size`` bytes at ``pointer`` with host_read, and return the outcome."""
        return self.memory.perform(Call(READ, {"pointer": pointer, "size": size, "content": OutputBuffer(size)}))


@pytest.fixture
def bench() -> HostMemoryBench:
    return HostMemoryBench()


@pytest.mark.parametrize("alignment", [1, 64, 4096])
def test_allocated_area_is_aligned_and_contains_fill_pattern(bench: HostMemoryBench, alignment: int) -> None:
    area = bench.allocate_area(10, alignment)
    assert bench.names.address_of(area.name) % alignment == 0
    assert bench.read(area, 10).outputs == {"content": Output()}


def test_written_bytes_are_read_at_any_offset(bench: HostMemoryBench) -> None:
    area, other = bench.allocate_area(8), bench.allocate_area(8)
    assert bench.write(area, b"abcdefgh") == Returned(None)
    bench.write(OffsetPointer(area, 3), b"XY")
    assert bench.read(OffsetPointer(area, 2), 4).outputs["content"].raw == b"cXYf"
    assert bench.read(other, 8).outputs["content"] == Output()


@pytest.mark.parametrize("offset", [-1, -64, 8, 71])
def test_overwritten_guard_bytes_are_reported_by_read(bench: HostMemoryBench, offset: int) -> None:
    area, other = bench.allocate_area(8), bench.allocate_area(8)
    assert bench.read(area, 8).overrun == []
    ctypes.memset(bench.names.address_of(area.name) + offset, 0, 1)
    assert bench.read(OffsetPointer(area, 4), 1).overrun == ["pointer"]
    assert bench.read(other, 8).overrun == []


def test_host_actions_access_memory_of_the_driver_by_pointer_name(bench: HostMemoryBench) -> None:
    memory = ctypes.create_string_buffer(b"driver's", 8)
    pointer = Handle(bench.names.name_of(MEMORY, ctypes.addressof(memory)))
    bench.write(OffsetPointer(pointer, 1), b"R")
    assert bench.read(pointer, 8) == Returned(None, {"content": Output([], 8, b"dRiver's")})


def test_areas_of_earlier_example_stay_mapped(bench: HostMemoryBench) -> None:
    area = bench.allocate_area(8)
    address = bench.names.address_of(area.name)
    bench.memory.begin()
    ctypes.memset(address, 0, 8)  # like a driver that writes to the area of an earlier example
    assert bench.read(area, 8).overrun == []


def read_instances(bench: HostMemoryBench, area: Handle, instances: int) -> list[tuple[int, int, int, int]]:
    """Return the two atomic objects and the two numbers of each instance in the area."""
    content = bench.read(area, 16 * instances).outputs["content"].raw.ljust(16 * instances, b"\xa5")
    return [struct.unpack("<IIHH4x", content[start : start + 16]) for start in range(0, len(content), 16)]


def perform_atomics(bench: HostMemoryBench, pointer: Value, instances: int, text: str) -> Returned:
    """Make a host_atomics call: perform the operations in ``text`` on ``instances`` instances at ``pointer``."""
    return bench.memory.perform(Call(ATOMICS, {"pointer": pointer, "instances": instances, "operations": Text(text)}))


def test_atomic_operations_apply_to_each_instance(bench: HostMemoryBench) -> None:
    area = bench.allocate_area(48)
    bench.write(area, struct.pack("<IIHH4x", 7, 8, 0, 0) * 3)
    if not perform_atomics(
        bench, OffsetPointer(area, 16), 2, "store 0 9 seq_cst; load 1 0 acquire; add 1 1 relaxed"
    ).value:
        pytest.skip("this machine has no library of atomic operations")
    assert read_instances(bench, area, 3) == [(7, 8, 0, 0), (9, 9, 8, 8), (9, 9, 8, 8)]


def test_atomic_operations_return_0_and_write_nothing_without_library(
    bench: HostMemoryBench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(atomics, "LIBRARY", "libnone.so.1")
    atomics._functions.cache_clear()
    area = bench.allocate_area(16)
    bench.write(area, bytes(16))
    assert perform_atomics(bench, area, 1, "store 0 9 seq_cst").value == 0
    assert read_instances(bench, area, 1) == [(0, 0, 0, 0)]
    atomics._functions.cache_clear()


@pytest.mark.parametrize(
    ("function", "arguments", "reason"),
    [
        (
            ATOMICS,
            {"pointer": OffsetPointer(Handle("pointer1"), 2), "instances": 1, "operations": Text("x")},
            "multiple of 4",
        ),
        (ALLOCATE, {"size": 0, "alignment": 1}, "cannot allocate 0 bytes"),
        (ALLOCATE, {"size": 8, "alignment": 3}, "at a multiple of 3"),
        (ALLOCATE, {"size": 1 << 40, "alignment": 1}, "cannot allocate"),
        (WRITE, {"pointer": None, "size": 1, "content": Data(b"a")}, "needs a named pointer"),
        (WRITE, {"pointer": Handle("pointer1"), "size": 2, "content": Data(b"a")}, "needs 2 bytes"),
        (READ, {"pointer": Handle("pointer1"), "size": 2, "content": OutputBuffer(1)}, "an output buffer of 2 bytes"),
        (READ, {"pointer": Handle("pointer9"), "size": 1, "content": OutputBuffer(1)}, "'pointer9'"),
    ],
)
def test_invalid_host_memory_actions_are_rejected(
    bench: HostMemoryBench, function: str, arguments: dict[str, Value], reason: str
) -> None:
    bench.allocate_area(8)
    with pytest.raises(BadCall, match=reason):
        bench.memory.perform(Call(function, arguments))
