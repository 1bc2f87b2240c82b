"""Access to the same bytes through mapped regions, sub-buffers, host memory of a buffer, and after migration."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Data, ElementList, OffsetPointer, OutputBuffer
from clconform.runner.pytest_plugin.covers import TableCase, TableTest
from clconform.suites.cases import CaseRegistry
from clconform.suites.helpers import is_available, require_handle, skip_unless
from clconform.suites.kit.kit import Kit
from clconform.suites.kit.memory import pattern_bytes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.calls.values import Value

NAME = "data.views"
SIZE = 4096
HALF = SIZE // 2
MAP, UNMAP, CREATE = "clEnqueueMapBuffer/success", "clEnqueueUnmapMemObject/success", "clCreateBuffer/success"
DERIVED = "clEnqueueMapBuffer/effect/12"
PARTS = {
    "the first byte": (0, 1),
    "the last byte": (SIZE - 1, 1),
    "all but both ends": (1, SIZE - 2),
    "all": (0, SIZE),
}
cases = CaseRegistry(Kit)
test_views_show_same_bytes = TableTest(cases)


@cases.declare_family
def maps_of_parts() -> Iterator[TableCase]:
    """Yield items that map each part of a buffer."""
    for words, (offset, size) in PARTS.items():
        yield cases.create_case(MAP, f"to read {words}", map_to_read, offset, size)
        yield cases.create_case(UNMAP, f"written {words}", map_to_write, offset, size, others=(MAP,))
        yield cases.create_case(UNMAP, f"overwritten: {words}", map_to_overwrite, offset, size, others=(MAP,))
        test_value = f"written sparsely: {words}"
        yield cases.create_case(UNMAP, test_value, map_to_write_sparsely, offset, size, others=(MAP,))


def map_to_read(kit: Kit, offset: int, size: int) -> None:
    """Map a part of a buffer, read the mapped region, and read the whole buffer."""
    buffer = kit.create_filled_buffer(SIZE)
    mapped = kit.map(buffer, "CL_MAP_READ", offset=offset, size=size)
    kit.read_host(mapped, size)
    kit.unmap(buffer, mapped)
    kit.read(buffer, 0, SIZE)


def map_to_write(kit: Kit, offset: int, size: int) -> None:
    """Write a whole mapped region, and read the whole buffer."""
    buffer = kit.create_filled_buffer(SIZE)
    mapped = kit.map(buffer, "CL_MAP_WRITE", offset=offset, size=size)
    kit.read_host(mapped, size)
    kit.write_host(mapped, pattern_bytes(size, 4))
    kit.unmap(buffer, mapped)
    kit.read(buffer, 0, SIZE)


def map_to_overwrite(kit: Kit, offset: int, size: int) -> None:
    """Write a whole region that is mapped with CL_MAP_WRITE_INVALIDATE_REGION."""
    skip_unless(is_available(kit.cl, "clEnqueueFillBuffer"), "requires OpenCL 1.2 (CL_MAP_WRITE_INVALIDATE_REGION)")
    buffer = kit.create_filled_buffer(SIZE)
    mapped = kit.map(buffer, "CL_MAP_WRITE_INVALIDATE_REGION", offset=offset, size=size)
    kit.write_host(mapped, pattern_bytes(size, 4))
    kit.unmap(buffer, mapped)
    kit.read(buffer, 0, SIZE)


def map_to_write_sparsely(kit: Kit, offset: int, size: int) -> None:
    """Write a few bytes of a mapped region; the remaining bytes must keep their values."""
    buffer = kit.create_filled_buffer(SIZE)
    mapped = kit.map(buffer, "CL_MAP_WRITE", "CL_MAP_READ", offset=offset, size=size)
    for at in dict.fromkeys((0, size // 2, size - 1)):
        kit.write_host(OffsetPointer(mapped, at), pattern_bytes(1, at % 7))
    kit.read_host(mapped, size)
    kit.unmap(buffer, mapped)
    kit.read(buffer, 0, SIZE)


@cases.declare(MAP, "not waiting")
def map_without_waiting(kit: Kit) -> None:
    """Write a buffer and map it, both non-blocking, and read the mapped region after clFinish."""
    buffer = kit.create_filled_buffer(SIZE)
    kit.enqueue(
        "clEnqueueWriteBuffer", buffer=buffer, blocking_write=0, offset=1, size=9, ptr=Data(pattern_bytes(9, 5))
    )
    flags = kit.constant("CL_MAP_READ")
    outcome = kit.enqueue("clEnqueueMapBuffer", buffer=buffer, blocking_map=0, map_flags=flags, offset=0, size=SIZE)
    kit.finish()
    kit.read_host(require_handle(outcome), SIZE)
    kit.unmap(buffer, require_handle(outcome))


@cases.declare(UNMAP, "before its map is there", MAP)
def unmap_before_map_completes(kit: Kit) -> None:
    """Enqueue a map that waits for a user event, then the unmap."""
    skip_unless(is_available(kit.cl, "clCreateUserEvent"), "requires OpenCL 1.1 (user events)")
    buffer = kit.create_filled_buffer(SIZE)
    event = kit.user_event()
    told: dict[str, Value] = {"map_flags": kit.constant("CL_MAP_READ"), "offset": 0, "size": HALF, "blocking_map": 0}
    outcome = kit.enqueue("clEnqueueMapBuffer", buffer=buffer, after=ElementList((event,)), **told)
    kit.unmap(buffer, require_handle(outcome))
    kit.cl.clSetUserEventStatus(event, 0)
    kit.finish()
    kit.read(buffer, 0, SIZE)


@cases.declare(MAP, "several together")
def map_overlapping_parts(kit: Kit) -> None:
    """Map overlapping parts of a buffer for reading while commands read the buffer."""
    buffer, other = kit.create_filled_buffer(SIZE), kit.create_filled_buffer(SIZE, seed=2)
    first = kit.map(buffer, "CL_MAP_READ", offset=0, size=HALF + 8)
    second = kit.map(buffer, "CL_MAP_READ", offset=HALF - 8, size=HALF)
    third = kit.map(buffer, "CL_MAP_READ", offset=0, size=HALF + 8)
    kit.read_host(first, HALF + 8)
    kit.read_host(second, HALF)
    kit.enqueue("clEnqueueCopyBuffer", src_buffer=buffer, dst_buffer=other, src_offset=0, dst_offset=1, size=HALF)
    kit.unmap(buffer, first)
    kit.read_host(second, HALF)
    kit.read_host(third, HALF + 8)
    for mapped in (third, second):
        kit.unmap(buffer, mapped)
    kit.write(buffer, 0, pattern_bytes(SIZE, 6))
    kit.read(buffer, 0, SIZE)
    kit.read(other, 0, SIZE)


@cases.declare(UNMAP, "two parts written concurrently", MAP)
def map_both_halves(kit: Kit) -> None:
    """Map both halves of a buffer for writing, write both, and unmap the halves in the opposite order."""
    buffer = kit.create_filled_buffer(SIZE)
    low = kit.map(buffer, "CL_MAP_WRITE", offset=0, size=HALF)
    high = kit.map(buffer, "CL_MAP_WRITE", offset=HALF, size=HALF)
    kit.write_host(OffsetPointer(high, 3), pattern_bytes(HALF - 3, 5))
    kit.write_host(low, pattern_bytes(HALF - 3, 6))
    kit.unmap(buffer, low)
    kit.finish()
    kit.write_host(high, pattern_bytes(2, 7))
    kit.unmap(buffer, high)
    kit.read(buffer, 0, SIZE)


@cases.declare(MAP, "a map as the host's side of a transfer")
def use_map_as_host_side(kit: Kit) -> None:
    """Read one buffer into a mapped region of another buffer, and write a third buffer from this region."""
    source, target, third = (
        kit.create_filled_buffer(SIZE, seed=1),
        kit.create_filled_buffer(SIZE, seed=2),
        kit.create_filled_buffer(SIZE, seed=3),
    )
    mapped = kit.map(target, "CL_MAP_READ", "CL_MAP_WRITE", offset=8, size=HALF)
    kit.enqueue("clEnqueueReadBuffer", buffer=source, offset=4, size=64, ptr=OffsetPointer(mapped, 16))
    kit.enqueue("clEnqueueWriteBuffer", buffer=third, offset=0, size=HALF, ptr=mapped)
    kit.unmap(target, mapped)
    kit.read(target, 0, SIZE)
    kit.read(third, 0, SIZE)


@cases.declare("clCreateSubBuffer/success", "read through its buffer and back", CREATE)
def access_region_and_parent(kit: Kit) -> None:
    """Write a sub-buffer and its buffer alternately, and read the other object after each write."""
    buffer = kit.create_filled_buffer(SIZE)
    for origin in (0, kit.alignment):
        region = kit.sub_buffer(buffer, origin, HALF)
        kit.read(region, 0, HALF)
        kit.write(region, 5, pattern_bytes(32, 6))
        kit.read(buffer, 0, SIZE)
        kit.write(buffer, origin + 8, pattern_bytes(16, 7))
        kit.read(region, 0, HALF)
        kit.read(region, HALF - 1, 1)


@cases.declare("clCreateSubBuffer/success", "every command through regions", CREATE)
def run_commands_on_regions(kit: Kit) -> None:
    """Copy between sub-buffers of one buffer, map one of them, and fill both."""
    buffer = kit.create_filled_buffer(SIZE)
    low, high = kit.sub_buffer(buffer, 0, kit.alignment), kit.sub_buffer(buffer, 2 * kit.alignment, kit.alignment)
    size = min(kit.alignment, 64)
    kit.enqueue("clEnqueueCopyBuffer", src_buffer=low, dst_buffer=high, src_offset=0, dst_offset=0, size=size)
    kit.read(buffer, 0, SIZE)
    mapped = kit.map(high, "CL_MAP_WRITE", offset=1, size=size - 1)
    kit.write_host(mapped, pattern_bytes(size - 1, 8))
    kit.unmap(high, mapped)
    kit.read(buffer, 0, SIZE)
    if is_available(kit.cl, "clEnqueueFillBuffer"):
        for part in (low, high):
            kit.enqueue(
                "clEnqueueFillBuffer", buffer=part, pattern=Data(b"xy"), pattern_size=2, offset=2, size=size - 2
            )
            kit.read(buffer, 0, SIZE)


@cases.declare_family
def rectangles_through_regions() -> Iterator[TableCase]:
    """Yield an item for each rectangle command; a copy has an item for each direction."""
    for function, words in (
        ("Read", "out of a region"),
        ("Copy", "out of a region"),
        ("Write", "into a region"),
        ("Copy", "into a region"),
    ):
        requirement, others = f"clEnqueue{function}BufferRect/success", ("clCreateSubBuffer/success",)
        yield cases.create_case(requirement, words, transfer_rectangle_of_region, function, words, others=others)


def transfer_rectangle_of_region(kit: Kit, function: str, words: str) -> None:
    """Read, write or copy a rectangle of a sub-buffer, and read the whole buffers."""
    buffer, other = kit.create_filled_buffer(SIZE), kit.create_filled_buffer(SIZE, seed=2)
    region = kit.sub_buffer(buffer, kit.alignment, HALF)
    sides = {"Read": ("buffer", "host"), "Write": ("host", "buffer"), "Copy": ("src", "dst")}[function]
    told: dict[str, Value] = {"region": ElementList((5, 3, 2))}
    for side, origin in zip(sides, ((3, 2, 1), (6, 0, 1)), strict=True):
        told |= {f"{side}_origin": ElementList(origin), f"{side}_row_pitch": 16, f"{side}_slice_pitch": 64}
    if function == "Copy":
        objects = (region, other) if words == "out of a region" else (other, region)
        told |= dict(zip(("src_buffer", "dst_buffer"), objects, strict=True))
    else:
        told |= {"buffer": region, "ptr": OutputBuffer(HALF) if function == "Read" else Data(pattern_bytes(HALF, 9))}
    kit.enqueue(f"clEnqueue{function}BufferRect", **told)
    kit.read(buffer, 0, SIZE)
    kit.read(other, 0, SIZE)


@cases.declare(CREATE, "copied from the host", "clEnqueueReadBuffer/success")
def create_from_area(kit: Kit) -> None:
    """Create a buffer that copies a host area, change the area, and read the buffer, which keeps the old bytes."""
    area = kit.host_area(pattern_bytes(SIZE))
    for flags in (("CL_MEM_COPY_HOST_PTR",), ("CL_MEM_COPY_HOST_PTR", "CL_MEM_ALLOC_HOST_PTR")):
        bits = kit.constant("CL_MEM_READ_WRITE", *flags)
        buffer = require_handle(
            kit.cl.clCreateBuffer(kit.context, bits, SIZE - 3, OffsetPointer(area, 3), OutputBuffer(1))
        )
        kit.write_host(area, pattern_bytes(SIZE, 3))
        kit.read(buffer, 0, SIZE - 3)
        kit.write(buffer, 0, pattern_bytes(7, 4))
        kit.read(buffer, 0, SIZE - 3)
    kit.read_host(area, SIZE)


@cases.declare(CREATE, "copied from bytes that are freed after the call", "clEnqueueReadBuffer/success")
def create_from_bytes(kit: Kit) -> None:
    """Create two buffers that copy host bytes. The bytes are valid only during the call."""
    bits = kit.constant("CL_MEM_READ_WRITE", "CL_MEM_COPY_HOST_PTR")
    for seed in (1, 2):
        buffer = require_handle(
            kit.cl.clCreateBuffer(kit.context, bits, SIZE, Data(pattern_bytes(SIZE, seed)), OutputBuffer(1))
        )
        kit.read(buffer, 0, SIZE)


@cases.declare("clCreateBufferWithProperties/success", "copied from bytes", "clEnqueueReadBuffer/success")
def create_with_properties(kit: Kit) -> None:
    """Create two initialised buffers with clCreateBufferWithProperties."""
    skip_unless(is_available(kit.cl, "clCreateBufferWithProperties"), "requires OpenCL 3.0 (buffers with properties)")
    bits = kit.constant("CL_MEM_READ_WRITE", "CL_MEM_COPY_HOST_PTR")
    for seed in (1, 2):
        given = (kit.context, None, bits, SIZE, Data(pattern_bytes(SIZE, seed)), OutputBuffer(1))
        kit.read(require_handle(kit.cl.clCreateBufferWithProperties(*given)), 0, SIZE)


@cases.declare(CREATE, "in memory that the host can use", MAP, UNMAP)
def create_in_host_memory(kit: Kit) -> None:
    """Write a buffer with CL_MEM_ALLOC_HOST_PTR through a mapped region, and read the buffer."""
    buffer = kit.create_filled_buffer(SIZE, "CL_MEM_READ_WRITE", "CL_MEM_ALLOC_HOST_PTR")
    mapped = kit.map(buffer, "CL_MAP_WRITE", offset=2, size=SIZE - 2)
    kit.write_host(mapped, pattern_bytes(SIZE - 2, 4))
    kit.unmap(buffer, mapped)
    kit.read(buffer, 0, SIZE)


@cases.declare_family
def buffers_on_host_memory() -> Iterator[TableCase]:
    """Yield an item for each position of a buffer within a host area."""
    for words, offset, size in (
        ("all of it", 0, SIZE),
        ("from the second page on", 4096 // 2, SIZE // 2),
        ("64 bytes in the middle", 1024, 64),
    ):
        yield cases.create_case(
            CREATE, f"on host memory, {words}", use_buffer_on_host_memory, offset, size, others=(MAP, UNMAP, DERIVED)
        )


@cases.declare("clEnqueueReadBuffer/success", "into its own host_ptr", CREATE)
def read_into_own_host_ptr(kit: Kit) -> None:
    """Read a buffer into its own host_ptr, each byte to its own address, after commands and maps."""
    area = kit.host_area(pattern_bytes(SIZE, 1))
    buffer = kit.buffer_on_host_memory(area, SIZE)
    kit.cl.clEnqueueWriteBuffer(kit.queue, buffer, 1, 0, HALF, Data(pattern_bytes(HALF, 5)), 0, None, None)
    for offset, size in PARTS.values():
        pointer = OffsetPointer(area, offset) if offset else area
        kit.cl.clEnqueueReadBuffer(kit.queue, buffer, 1, offset, size, pointer, 0, None, None)
    kit.read(buffer, 0, SIZE)
    mapped = kit.map(buffer, "CL_MAP_READ", "CL_MAP_WRITE")
    kit.write_host(mapped, pattern_bytes(HALF, 6))
    kit.unmap(buffer, mapped)
    kit.cl.clEnqueueReadBuffer(kit.queue, buffer, 1, 0, SIZE, area, 0, None, None)
    kit.read(buffer, 0, SIZE)


def use_buffer_on_host_memory(kit: Kit, offset: int, size: int) -> None:
    """Use a buffer that uses host memory in commands and mapped regions, and read the host memory."""
    buffer, area = kit.buffer_and_area(pattern_bytes(SIZE), offset, size)
    kit.read(buffer, 0, size)
    kit.write(buffer, 1, pattern_bytes(16, 4))
    mapped = kit.map(buffer, "CL_MAP_READ", offset=0, size=size)
    kit.read_host(mapped, size)
    kit.read_host(OffsetPointer(area, offset), size)
    kit.unmap(buffer, mapped)
    mapped = kit.map(buffer, "CL_MAP_WRITE", offset=4, size=size - 4)
    kit.write_host(mapped, pattern_bytes(8, 5))
    kit.write_host(OffsetPointer(area, offset + 16), pattern_bytes(8, 6))
    kit.unmap(buffer, mapped)
    kit.read(buffer, 0, size)


@cases.declare("clEnqueueMigrateMemObjects/success", "to the device and to the host")
def migrate_buffers(kit: Kit) -> None:
    """Migrate buffers to the host and back with their contents, and once without their contents."""
    buffer, other = kit.create_filled_buffer(SIZE), kit.create_filled_buffer(SIZE, seed=2)
    for flags in ((), ("CL_MIGRATE_MEM_OBJECT_HOST",), ()):
        bits = kit.constant(*flags)
        kit.enqueue(
            "clEnqueueMigrateMemObjects", num_mem_objects=2, mem_objects=ElementList((buffer, other)), flags=bits
        )
        kit.read(buffer, 0, SIZE)
        kit.read(other, 0, SIZE)
    bits = kit.constant("CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED")
    kit.enqueue("clEnqueueMigrateMemObjects", num_mem_objects=1, mem_objects=ElementList((buffer,)), flags=bits)
    kit.write(buffer, 3, pattern_bytes(5, 3))
    kit.read(buffer, 0, SIZE)
    kit.read(other, 0, SIZE)
    region = kit.sub_buffer(other, kit.alignment, kit.alignment)
    kit.enqueue("clEnqueueMigrateMemObjects", num_mem_objects=1, mem_objects=ElementList((region,)), flags=bits)
    kit.read(other, 0, SIZE)
