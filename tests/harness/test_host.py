"""Harness actions on host memory: areas and their guard bytes, writes and reads, and invalid actions."""

from __future__ import annotations

import ctypes
import struct

import pytest

from clconform.calls.call import Call, Output, Returned
from clconform.calls.host import ALLOCATE, ATOMICS, READ, WRITE
from clconform.calls.values import Data, Handle, Inside, OutputBuffer, Text, Value
from clconform.harness import atomics
from clconform.harness.errors import BadCall
from clconform.harness.host import HostMemory
from clconform.harness.names import POINTED, Names


class Bench:
    """Host memory with its own names."""

    def __init__(self) -> None:
        self.names = Names()
        self.memory = HostMemory(self.names)

    def area(self, size: int, alignment: int = 1) -> Handle:
        """Allocate an area."""
        made = self.memory.perform(Call(ALLOCATE, {"size": size, "alignment": alignment}))
        assert isinstance(made.value, str)
        return Handle(made.value)

    def write(self, pointer: Value, content: bytes) -> Returned:
        """Write bytes."""
        return self.memory.perform(Call(WRITE, {"pointer": pointer, "size": len(content), "content": Data(content)}))

    def read(self, pointer: Value, size: int) -> Returned:
        """Read bytes."""
        return self.memory.perform(Call(READ, {"pointer": pointer, "size": size, "content": OutputBuffer(size)}))


@pytest.fixture
def bench() -> Bench:
    return Bench()


@pytest.mark.parametrize("alignment", [1, 64, 4096])
def test_an_area_is_aligned_and_filled_as_output_buffers_are(bench: Bench, alignment: int) -> None:
    area = bench.area(10, alignment)
    assert bench.names.address(area.name) % alignment == 0
    assert bench.read(area, 10).outputs == {"content": Output()}


def test_what_is_written_is_read_at_any_place_inside(bench: Bench) -> None:
    area, other = bench.area(8), bench.area(8)
    assert bench.write(area, b"abcdefgh") == Returned(None)
    bench.write(Inside(area, 3), b"XY")
    assert bench.read(Inside(area, 2), 4).outputs["content"].raw == b"cXYf"
    assert bench.read(other, 8).outputs["content"] == Output()


@pytest.mark.parametrize("offset", [-1, -64, 8, 71])
def test_guard_bytes_that_were_written_to_are_told_by_the_next_read(bench: Bench, offset: int) -> None:
    area, other = bench.area(8), bench.area(8)
    assert bench.read(area, 8).overrun == []
    ctypes.memset(bench.names.address(area.name) + offset, 0, 1)
    assert bench.read(Inside(area, 4), 1).overrun == ["pointer"]
    assert bench.read(other, 8).overrun == []


def test_other_memory_is_reached_by_the_name_of_its_pointer(bench: Bench) -> None:
    memory = ctypes.create_string_buffer(b"driver's", 8)
    pointer = Handle(bench.names.name(POINTED, ctypes.addressof(memory)))
    bench.write(Inside(pointer, 1), b"R")
    assert bench.read(pointer, 8) == Returned(None, {"content": Output([], 8, b"dRiver's")})


def test_areas_are_forgotten_with_their_example_but_not_unmapped(bench: Bench) -> None:
    area = bench.area(8)
    address = bench.names.address(area.name)
    bench.memory.begin()
    ctypes.memset(address, 0, 8)  # a late write of a driver
    assert bench.read(area, 8).overrun == []


def numbers(bench: Bench, area: Handle, instances: int) -> list[tuple[int, int, int, int]]:
    """Return the objects and the numbers of each instance."""
    content = bench.read(area, 16 * instances).outputs["content"].raw.ljust(16 * instances, b"\xa5")
    return [struct.unpack("<IIHH4x", content[start : start + 16]) for start in range(0, len(content), 16)]


def operate(bench: Bench, pointer: Value, instances: int, text: str) -> Returned:
    """Perform atomic operations."""
    return bench.memory.perform(Call(ATOMICS, {"pointer": pointer, "instances": instances, "operations": Text(text)}))


def test_atomic_operations_are_made_on_each_instance(bench: Bench) -> None:
    area = bench.area(48)
    bench.write(area, struct.pack("<IIHH4x", 7, 8, 0, 0) * 3)
    if not operate(bench, Inside(area, 16), 2, "store 0 9 seq_cst; load 1 0 acquire; add 1 1 relaxed").value:
        pytest.skip("this machine has no library of atomic operations")
    assert numbers(bench, area, 3) == [(7, 8, 0, 0), (9, 9, 8, 8), (9, 9, 8, 8)]


def test_a_machine_without_the_library_makes_no_atomic_operations(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(atomics, "LIBRARY", "libnone.so.1")
    atomics._functions.cache_clear()
    area = bench.area(16)
    bench.write(area, bytes(16))
    assert operate(bench, area, 1, "store 0 9 seq_cst").value == 0
    assert numbers(bench, area, 1) == [(0, 0, 0, 0)]
    atomics._functions.cache_clear()


@pytest.mark.parametrize(
    ("function", "arguments", "reason"),
    [
        (ATOMICS, {"pointer": Inside(Handle("pointer1"), 2), "instances": 1, "operations": Text("x")}, "multiple of 4"),
        (ALLOCATE, {"size": 0, "alignment": 1}, "cannot allocate 0 bytes"),
        (ALLOCATE, {"size": 8, "alignment": 3}, "at a multiple of 3"),
        (ALLOCATE, {"size": 1 << 40, "alignment": 1}, "cannot allocate"),
        (WRITE, {"pointer": None, "size": 1, "content": Data(b"a")}, "needs a named pointer"),
        (WRITE, {"pointer": Handle("pointer1"), "size": 2, "content": Data(b"a")}, "needs 2 bytes"),
        (READ, {"pointer": Handle("pointer1"), "size": 2, "content": OutputBuffer(1)}, "an output buffer of 2 bytes"),
        (READ, {"pointer": Handle("pointer9"), "size": 1, "content": OutputBuffer(1)}, "'pointer9'"),
    ],
)
def test_steps_that_make_no_sense_are_refused(
    bench: Bench, function: str, arguments: dict[str, Value], reason: str
) -> None:
    bench.area(8)
    with pytest.raises(BadCall, match=reason):
        bench.memory.perform(Call(function, arguments))
