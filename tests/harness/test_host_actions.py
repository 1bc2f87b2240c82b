"""Harness actions on host memory: areas and their guard bytes, writes and reads, and invalid actions."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

import pytest

from clconform.calls.call import Call, Output, Returned
from clconform.calls.harness_actions import ALLOCATE, ATOMICS, READ, WRITE
from clconform.calls.values import Data, Handle, OffsetPointer, OutputBuffer, Pointers, Text, Value
from clconform.harness.errors import BadCall
from clconform.harness.names import MEMORY
from clconform.harness.null_driver import null_driver
from clconform.harness.raw_messages import WRITE as RAW_WRITE
from clconform.harness.targets import Target
from clconform.harness.worker_process import WorkerProcess

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.harness.driver import Driver
    from clconform.spec_tables import Tables

SECONDS = 10.0


class HostMemoryBench:
    """A driver's process, and methods that make the harness actions."""

    def __init__(self, driver: Driver) -> None:
        self.driver = driver

    def perform(self, function: str, **arguments: Value) -> Returned:
        """Perform an action."""
        outcome = self.driver.make_call(Call(function, arguments), SECONDS)
        assert isinstance(outcome, Returned)
        return outcome

    def allocate_area(self, size: int, alignment: int = 1) -> Handle:
        """Allocate an area of ``size`` bytes with host_allocate, and return its handle."""
        made = self.perform(ALLOCATE, size=size, alignment=alignment)
        assert isinstance(made.value, str)
        return Handle(made.value)

    def write(self, pointer: Value, content: bytes) -> Returned:
        """Write ``content`` to the memory at ``pointer`` with host_write, and return the outcome."""
        return self.perform(WRITE, pointer=pointer, size=len(content), content=Data(content))

    def read(self, pointer: Value, size: int) -> Returned:
        """Read ``size`` bytes at ``pointer`` with host_read, and return the outcome."""
        return self.perform(READ, pointer=pointer, size=size, content=OutputBuffer(size))

    def address_of(self, area: Handle) -> int:
        """Return the address of an area."""
        return self.driver.names.address_of(area.name)

    def overwrite(self, address: int, content: bytes) -> None:
        """Write to any address, like a driver."""
        self.driver._connection.call([RAW_WRITE, address, content])


@pytest.fixture
def bench(tables: Tables) -> Iterator[HostMemoryBench]:
    process = WorkerProcess(Target.null())
    yield HostMemoryBench(null_driver(process, tables, {}))
    process.close()


@pytest.mark.parametrize("alignment", [1, 64, 4096, 1 << 20])
def test_allocated_area_is_aligned_and_contains_fill_pattern(bench: HostMemoryBench, alignment: int) -> None:
    area = bench.allocate_area(10, alignment)
    assert bench.address_of(area) % alignment == 0
    assert bench.read(area, 10).outputs == {"content": Output()}


def test_written_bytes_are_read_at_any_offset(bench: HostMemoryBench) -> None:
    area, other = bench.allocate_area(8), bench.allocate_area(8)
    assert bench.write(area, b"abcdefgh") == Returned(None)
    bench.write(OffsetPointer(area, 3), b"XY")
    assert bench.read(OffsetPointer(area, 2), 4).outputs["content"].raw == b"cXYf"
    assert bench.read(other, 8).outputs["content"] == Output()


def test_addresses_are_written_as_pointers(bench: HostMemoryBench) -> None:
    area = bench.allocate_area(16)
    bench.perform(WRITE, pointer=area, size=16, content=Pointers((OffsetPointer(area, 4), None)))
    address = bench.address_of(area)
    assert bench.read(area, 16).outputs["content"].raw == struct.pack("2P", address + 4, 0)


@pytest.mark.parametrize("offset", [-1, -64, 8, 71])
def test_overwritten_guard_bytes_are_reported_by_read(bench: HostMemoryBench, offset: int) -> None:
    area, other = bench.allocate_area(8), bench.allocate_area(8)
    assert bench.read(area, 8).overrun == []
    bench.overwrite(bench.address_of(area) + offset, b"\0")
    assert bench.read(OffsetPointer(area, 4), 1).overrun == ["pointer"]
    assert bench.read(other, 8).overrun == []


def test_host_actions_access_memory_of_the_driver_by_pointer_name(bench: HostMemoryBench) -> None:
    memory = bench.address_of(bench.allocate_area(8))
    bench.overwrite(memory, b"driver's")
    bench.driver.names.forget(["pointer1"])
    pointer = Handle(bench.driver.names.name_of(MEMORY, memory))
    bench.write(OffsetPointer(pointer, 1), b"R")
    assert bench.read(pointer, 8) == Returned(None, {"content": Output([], 8, b"dRiver's")})


def test_areas_of_earlier_example_stay_mapped(bench: HostMemoryBench) -> None:
    address = bench.address_of(bench.allocate_area(8))
    bench.driver.begin_example()
    bench.overwrite(address - 1, b"\1\2\3")  # like a driver that writes to the area of an earlier example
    name = bench.driver.names.name_of(MEMORY, address)
    assert bench.read(Handle(name), 2) == Returned(None, {"content": Output([], 2, b"\2\3")})
    assert bench.address_of(bench.allocate_area(8)) != address


def read_instances(bench: HostMemoryBench, area: Handle, instances: int) -> list[tuple[int, int, int, int]]:
    """Return the two atomic objects and the two numbers of each instance in the area."""
    content = bench.read(area, 16 * instances).outputs["content"].raw.ljust(16 * instances, b"\xa5")
    return [struct.unpack("<IIHH4x", content[start : start + 16]) for start in range(0, len(content), 16)]


def perform_atomics(bench: HostMemoryBench, pointer: Value, instances: int, text: str) -> Returned:
    """Make a host_atomics call: perform the operations in ``text`` on ``instances`` instances at ``pointer``."""
    return bench.perform(ATOMICS, pointer=pointer, instances=instances, operations=Text(text))


def test_atomic_operations_apply_to_each_instance(bench: HostMemoryBench) -> None:
    area = bench.allocate_area(48)
    bench.write(area, struct.pack("<IIHH4x", 7, 8, 0, 0) * 3)
    operations = "store 0 9 seq_cst; load 1 0 acquire; add 1 1 relaxed"
    assert perform_atomics(bench, OffsetPointer(area, 16), 2, operations) == Returned(1)
    assert read_instances(bench, area, 3) == [(7, 8, 0, 0), (9, 9, 8, 8), (9, 9, 8, 8)]


@pytest.mark.parametrize("order", ["relaxed", "acquire", "release", "acq_rel", "seq_cst"])
def test_atomic_addition_in_every_order(bench: HostMemoryBench, order: str) -> None:
    area = bench.allocate_area(16)
    bench.write(area, struct.pack("<IIHH4x", 0xFFFFFFFF, 0x12345, 0, 0))
    assert perform_atomics(bench, area, 1, f"add 0 0 {order}; add 1 1 {order}").value == 1
    assert read_instances(bench, area, 1) == [(0, 0x12346, 0xFFFF, 0x2345)]


@pytest.mark.parametrize(
    ("function", "arguments", "reason"),
    [
        (
            ATOMICS,
            {"pointer": OffsetPointer(Handle("pointer1"), 2), "instances": 1, "operations": Text("add 0 0 relaxed")},
            "multiple of 4",
        ),
        (ALLOCATE, {"size": 0, "alignment": 1}, "cannot allocate 0 bytes"),
        (ALLOCATE, {"size": 8, "alignment": 3}, "at a multiple of 3"),
        (ALLOCATE, {"size": 8, "alignment": 0}, "at a multiple of 0"),
        (ALLOCATE, {"size": 8, "alignment": 1 << 31}, "from 0 to 1073741824"),
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
        bench.perform(function, **arguments)
    assert bench.allocate_area(8) == Handle("pointer2"), "the process continues"
