"""The same bytes seen in several ways: maps, sub-buffers, host memory that a buffer lies in, migrations."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Data, Inside, Items, Room
from clconform.runner.pytest_plugin.aims import Case, parametrize
from clconform.suites.cases import Cases
from clconform.suites.data.bench import Desk, telling
from clconform.suites.steps import needs, one, promised

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pytest

    from clconform.calls.values import Value
    from clconform.runner.session.session import Session

NAME = "data.views"
SIZE = 4096
HALF = SIZE // 2
MAP, UNMAP, CREATE = "clEnqueueMapBuffer/success", "clEnqueueUnmapMemObject/success", "clCreateBuffer/success"
PARTS = {
    "the first byte": (0, 1),
    "the last byte": (SIZE - 1, 1),
    "all but both ends": (1, SIZE - 2),
    "all": (0, SIZE),
}
cases = Cases(Desk)


@cases.family
def maps_of_parts() -> Iterator[Case]:
    """Yield items of maps of each part of a buffer."""
    for words, (offset, size) in PARTS.items():
        yield cases.case(MAP, f"to read {words}", mapped_to_read, offset, size)
        yield cases.case(UNMAP, f"written {words}", mapped_to_write, offset, size, others=(MAP,))
        yield cases.case(UNMAP, f"written anew {words}", mapped_to_write_anew, offset, size, others=(MAP,))
        boundary = f"written here and there {words}"
        yield cases.case(UNMAP, boundary, mapped_to_write_here_and_there, offset, size, others=(MAP,))


def mapped_to_read(desk: Desk, offset: int, size: int) -> None:
    """Map a part, look at it, and read all of the buffer."""
    buffer = desk.filled(SIZE)
    mapped = desk.map(buffer, "CL_MAP_READ", offset=offset, size=size)
    desk.look(mapped, size)
    desk.unmap(buffer, mapped)
    desk.read(buffer, 0, SIZE)


def mapped_to_write(desk: Desk, offset: int, size: int) -> None:
    """Write all of a map, and read all of the buffer."""
    buffer = desk.filled(SIZE)
    mapped = desk.map(buffer, "CL_MAP_WRITE", offset=offset, size=size)
    desk.look(mapped, size)
    desk.put(mapped, telling(size, 4))
    desk.unmap(buffer, mapped)
    desk.read(buffer, 0, SIZE)


def mapped_to_write_anew(desk: Desk, offset: int, size: int) -> None:
    """Write all of a map that promises nothing of what was there."""
    needs(promised(desk.cl, "clEnqueueFillBuffer"), "maps that discard come with 1.2")
    buffer = desk.filled(SIZE)
    mapped = desk.map(buffer, "CL_MAP_WRITE_INVALIDATE_REGION", offset=offset, size=size)
    desk.put(mapped, telling(size, 4))
    desk.unmap(buffer, mapped)
    desk.read(buffer, 0, SIZE)


def mapped_to_write_here_and_there(desk: Desk, offset: int, size: int) -> None:
    """Write a few bytes of a map: the others stay as they were."""
    buffer = desk.filled(SIZE)
    mapped = desk.map(buffer, "CL_MAP_WRITE", "CL_MAP_READ", offset=offset, size=size)
    for at in dict.fromkeys((0, size // 2, size - 1)):
        desk.put(Inside(mapped, at), telling(1, at % 7))
    desk.look(mapped, size)
    desk.unmap(buffer, mapped)
    desk.read(buffer, 0, SIZE)


@cases.of(MAP, "not waiting")
def map_without_waiting(desk: Desk) -> None:
    """Fill a buffer and map it, both without waiting, and look at it when the queue is done."""
    buffer = desk.filled(SIZE)
    desk.do("clEnqueueWriteBuffer", buffer=buffer, blocking_write=0, offset=1, size=9, ptr=Data(telling(9, 5)))
    flags = desk.value("CL_MAP_READ")
    outcome = desk.do("clEnqueueMapBuffer", buffer=buffer, blocking_map=0, map_flags=flags, offset=0, size=SIZE)
    desk.finish()
    desk.look(one(outcome), SIZE)
    desk.unmap(buffer, one(outcome))


@cases.of(UNMAP, "before its map is there", MAP)
def unmapped_before_mapped(desk: Desk) -> None:
    """Enqueue a map that waits for the user, and behind it the command that takes it back."""
    needs(promised(desk.cl, "clCreateUserEvent"), "user events come with 1.1")
    buffer = desk.filled(SIZE)
    event = one(desk.cl.clCreateUserEvent(desk.context, Room(1)))
    told: dict[str, Value] = {"map_flags": desk.value("CL_MAP_READ"), "offset": 0, "size": HALF, "blocking_map": 0}
    outcome = desk.do("clEnqueueMapBuffer", buffer=buffer, after=Items((event,)), **told)
    desk.unmap(buffer, one(outcome))
    desk.cl.clSetUserEventStatus(event, 0)
    desk.finish()
    desk.read(buffer, 0, SIZE)


@cases.of(MAP, "several at once")
def several_maps(desk: Desk) -> None:
    """Map parts that overlap to read, and a buffer that is mapped is read by commands."""
    buffer, other = desk.filled(SIZE), desk.filled(SIZE, seed=2)
    first = desk.map(buffer, "CL_MAP_READ", offset=0, size=HALF + 8)
    second = desk.map(buffer, "CL_MAP_READ", offset=HALF - 8, size=HALF)
    third = desk.map(buffer, "CL_MAP_READ", offset=0, size=HALF + 8)
    desk.look(first, HALF + 8)
    desk.look(second, HALF)
    desk.do("clEnqueueCopyBuffer", src_buffer=buffer, dst_buffer=other, src_offset=0, dst_offset=1, size=HALF)
    desk.unmap(buffer, first)
    desk.look(second, HALF)
    desk.look(third, HALF + 8)
    for mapped in (third, second):
        desk.unmap(buffer, mapped)
    desk.write(buffer, 0, telling(SIZE, 6))
    desk.read(buffer, 0, SIZE)
    desk.read(other, 0, SIZE)


@cases.of(UNMAP, "two parts written at once", MAP)
def two_written_maps(desk: Desk) -> None:
    """Map both halves to write, and take them back in another order."""
    buffer = desk.filled(SIZE)
    low = desk.map(buffer, "CL_MAP_WRITE", offset=0, size=HALF)
    high = desk.map(buffer, "CL_MAP_WRITE", offset=HALF, size=HALF)
    desk.put(Inside(high, 3), telling(HALF - 3, 5))
    desk.put(low, telling(HALF - 3, 6))
    desk.unmap(buffer, low)
    desk.finish()
    desk.put(high, telling(2, 7))
    desk.unmap(buffer, high)
    desk.read(buffer, 0, SIZE)


@cases.of(MAP, "a map as the host's side of a transfer")
def map_as_host_side(desk: Desk) -> None:
    """Read one buffer into the map of another, and write from it."""
    source, target, third = desk.filled(SIZE, seed=1), desk.filled(SIZE, seed=2), desk.filled(SIZE, seed=3)
    mapped = desk.map(target, "CL_MAP_READ", "CL_MAP_WRITE", offset=8, size=HALF)
    desk.do("clEnqueueReadBuffer", buffer=source, offset=4, size=64, ptr=Inside(mapped, 16))
    desk.do("clEnqueueWriteBuffer", buffer=third, offset=0, size=HALF, ptr=mapped)
    desk.unmap(target, mapped)
    desk.read(target, 0, SIZE)
    desk.read(third, 0, SIZE)


@cases.of("clCreateSubBuffer/success", "seen through its buffer and back", CREATE)
def region_and_parent(desk: Desk) -> None:
    """Write through a region and through its buffer, and read through the other."""
    buffer = desk.filled(SIZE)
    for origin in (0, desk.alignment):
        region = desk.region(buffer, origin, HALF)
        desk.read(region, 0, HALF)
        desk.write(region, 5, telling(32, 6))
        desk.read(buffer, 0, SIZE)
        desk.write(buffer, origin + 8, telling(16, 7))
        desk.read(region, 0, HALF)
        desk.read(region, HALF - 1, 1)


@cases.of("clCreateSubBuffer/success", "every command through regions", CREATE)
def commands_through_regions(desk: Desk) -> None:
    """Copy between regions of one buffer, fill one, map one."""
    buffer = desk.filled(SIZE)
    low, high = desk.region(buffer, 0, desk.alignment), desk.region(buffer, 2 * desk.alignment, desk.alignment)
    size = min(desk.alignment, 64)
    desk.do("clEnqueueCopyBuffer", src_buffer=low, dst_buffer=high, src_offset=0, dst_offset=0, size=size)
    desk.read(buffer, 0, SIZE)
    mapped = desk.map(high, "CL_MAP_WRITE", offset=1, size=size - 1)
    desk.put(mapped, telling(size - 1, 8))
    desk.unmap(high, mapped)
    desk.read(buffer, 0, SIZE)
    if promised(desk.cl, "clEnqueueFillBuffer"):
        desk.do("clEnqueueFillBuffer", buffer=low, pattern=Data(b"xy"), pattern_size=2, offset=2, size=size - 2)
        desk.read(buffer, 0, SIZE)


@cases.family
def rectangles_through_regions() -> Iterator[Case]:
    """Yield an item of each command for rectangles, and of each way to copy."""
    for function, words in (
        ("Read", "out of a region"),
        ("Copy", "out of a region"),
        ("Write", "into a region"),
        ("Copy", "into a region"),
    ):
        record, others = f"clEnqueue{function}BufferRect/success", ("clCreateSubBuffer/success",)
        yield cases.case(record, words, through_a_region, function, words, others=others)


def through_a_region(desk: Desk, function: str, words: str) -> None:
    """Read, write or copy a rectangle of a region, and read all of the buffers."""
    buffer, other = desk.filled(SIZE), desk.filled(SIZE, seed=2)
    region = desk.region(buffer, desk.alignment, HALF)
    sides = {"Read": ("buffer", "host"), "Write": ("host", "buffer"), "Copy": ("src", "dst")}[function]
    told: dict[str, Value] = {"region": Items((5, 3, 2))}
    for side, origin in zip(sides, ((3, 2, 1), (6, 0, 1)), strict=True):
        told |= {f"{side}_origin": Items(origin), f"{side}_row_pitch": 16, f"{side}_slice_pitch": 64}
    if function == "Copy":
        objects = (region, other) if words == "out of a region" else (other, region)
        told |= dict(zip(("src_buffer", "dst_buffer"), objects, strict=True))
    else:
        told |= {"buffer": region, "ptr": Room(HALF) if function == "Read" else Data(telling(HALF, 9))}
    desk.do(f"clEnqueue{function}BufferRect", **told)
    desk.read(buffer, 0, SIZE)
    desk.read(other, 0, SIZE)


@cases.of(CREATE, "copied from the host", "clEnqueueReadBuffer/success")
def copied_from_the_host(desk: Desk) -> None:
    """Change the host's bytes after a buffer was copied from them: the buffer keeps the old ones."""
    area = desk.area(telling(SIZE))
    for flags in (("CL_MEM_COPY_HOST_PTR",), ("CL_MEM_COPY_HOST_PTR", "CL_MEM_ALLOC_HOST_PTR")):
        bits = desk.value("CL_MEM_READ_WRITE", *flags)
        buffer = one(desk.cl.clCreateBuffer(desk.context, bits, SIZE - 3, Inside(area, 3), Room(1)))
        desk.put(area, telling(SIZE, 3))
        desk.read(buffer, 0, SIZE - 3)
        desk.write(buffer, 0, telling(7, 4))
        desk.read(buffer, 0, SIZE - 3)
    desk.look(area, SIZE)


@cases.of(CREATE, "copied from bytes that are gone after the call", "clEnqueueReadBuffer/success")
def copied_from_bytes(desk: Desk) -> None:
    """Make two buffers of bytes that the host gives for the call only."""
    bits = desk.value("CL_MEM_READ_WRITE", "CL_MEM_COPY_HOST_PTR")
    for seed in (1, 2):
        buffer = one(desk.cl.clCreateBuffer(desk.context, bits, SIZE, Data(telling(SIZE, seed)), Room(1)))
        desk.read(buffer, 0, SIZE)


@cases.of("clCreateBufferWithProperties/success", "copied from bytes", "clEnqueueReadBuffer/success")
def copied_with_properties(desk: Desk) -> None:
    """Make two buffers of the host's bytes by the function that takes properties."""
    needs(promised(desk.cl, "clCreateBufferWithProperties"), "buffers with properties come with 3.0")
    bits = desk.value("CL_MEM_READ_WRITE", "CL_MEM_COPY_HOST_PTR")
    for seed in (1, 2):
        given = (desk.context, None, bits, SIZE, Data(telling(SIZE, seed)), Room(1))
        desk.read(one(desk.cl.clCreateBufferWithProperties(*given)), 0, SIZE)


@cases.of(CREATE, "in memory that the host can use", MAP, UNMAP)
def in_host_accessible_memory(desk: Desk) -> None:
    """Write through a map of a buffer that is made in memory of the driver's for the host."""
    buffer = desk.filled(SIZE, "CL_MEM_READ_WRITE", "CL_MEM_ALLOC_HOST_PTR")
    mapped = desk.map(buffer, "CL_MAP_WRITE", offset=2, size=SIZE - 2)
    desk.put(mapped, telling(SIZE - 2, 4))
    desk.unmap(buffer, mapped)
    desk.read(buffer, 0, SIZE)


@cases.family
def buffers_on_host_memory() -> Iterator[Case]:
    """Yield an item of each place of a buffer in an area of the host's."""
    for words, offset, size in (
        ("all of it", 0, SIZE),
        ("from the second page on", 4096 // 2, SIZE // 2),
        ("64 bytes in the middle", 1024, 64),
    ):
        yield cases.case(CREATE, f"on host memory, {words}", on_host_memory, offset, size, others=(MAP, UNMAP))


def on_host_memory(desk: Desk, offset: int, size: int) -> None:
    """Use a buffer on host memory by commands and by maps, and look at the host's side of it."""
    buffer, area = desk.on_area(telling(SIZE), offset, size)
    desk.read(buffer, 0, size)
    desk.write(buffer, 1, telling(16, 4))
    mapped = desk.map(buffer, "CL_MAP_READ", offset=0, size=size)
    desk.look(mapped, size)
    desk.look(Inside(area, offset), size)
    desk.unmap(buffer, mapped)
    mapped = desk.map(buffer, "CL_MAP_WRITE", offset=4, size=size - 4)
    desk.put(mapped, telling(8, 5))
    desk.put(Inside(area, offset + 16), telling(8, 6))
    desk.unmap(buffer, mapped)
    desk.read(buffer, 0, size)


@cases.of("clEnqueueMigrateMemObjects/success", "to the device and to the host")
def migrated(desk: Desk) -> None:
    """Migrate a buffer there and back, with its bytes, and once without."""
    buffer, other = desk.filled(SIZE), desk.filled(SIZE, seed=2)
    for flags in ((), ("CL_MIGRATE_MEM_OBJECT_HOST",), ()):
        bits = desk.value(*flags)
        desk.do("clEnqueueMigrateMemObjects", num_mem_objects=2, mem_objects=Items((buffer, other)), flags=bits)
        desk.read(buffer, 0, SIZE)
        desk.read(other, 0, SIZE)
    bits = desk.value("CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED")
    desk.do("clEnqueueMigrateMemObjects", num_mem_objects=1, mem_objects=Items((buffer,)), flags=bits)
    desk.write(buffer, 3, telling(5, 3))
    desk.read(buffer, 0, SIZE)
    desk.read(other, 0, SIZE)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Make one item of each case."""
    parametrize(metafunc, cases)


def test_views(cl: Session, case: Case) -> None:
    case.act(cl)
