"""Reads, writes, copies and fills: at both ends of buffers and of host memory, and for rectangles with pitches."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Data, ElementList, OffsetPointer, OutputBuffer
from clconform.runner.pytest_plugin.covers import TableCase, TableTest, bind_action
from clconform.suites.kit.kit import Kit
from clconform.suites.kit.memory import pattern_bytes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from clconform.calls.values import Value
    from clconform.runner.session.session import Session

NAME = "data.transfers"
SIZE = 1024
PARTS = {
    "the first byte": (0, 1),
    "the second byte": (1, 1),
    "the last byte": (SIZE - 1, 1),
    "all but the first byte": (1, SIZE - 1),
    "all but the last byte": (0, SIZE - 1),
    "three bytes in the middle": (511, 3),
    "all": (0, SIZE),
}
"""Offset and size of each tested part of a buffer."""
ALSO_COVERED = ("clCreateBuffer/success", "clEnqueueReadBuffer/success")
PATTERNS = tuple(1 << power for power in range(8))
SHAPES: dict[str, tuple[tuple[int, int, int], tuple[int, int], tuple[int, int]]] = {
    "one byte": ((1, 1, 1), (0, 0), (0, 0)),
    "one row": ((17, 1, 1), (0, 0), (0, 0)),
    "one column": ((1, 5, 1), (16, 0), (8, 0)),
    "tight rows": ((8, 4, 1), (0, 0), (0, 0)),
    "exact pitches": ((8, 4, 3), (8, 32), (8, 32)),
    "a wider row": ((8, 4, 1), (13, 0), (0, 0)),
    "a wider row of the other side": ((8, 4, 1), (0, 0), (13, 0)),
    "a wider slice": ((8, 2, 3), (8, 40), (0, 0)),
    "a wider slice of the other side": ((8, 2, 3), (0, 0), (8, 40)),
    "wider rows and slices": ((5, 3, 3), (9, 36), (7, 28)),
    "one slice of wide ones": ((8, 2, 1), (8, 40), (8, 24)),
    "one row of each slice": ((5, 1, 4), (8, 16), (6, 18)),
}
"""For each tested shape of a rectangle: the region, and the row and slice pitches in both memories."""
ORIGINS = {"at the start": ((0, 0, 0), (0, 0, 0)), "further on": ((3, 1, 0), (2, 0, 1)), "last": ((1, 2, 1), (0, 1, 2))}


def write_part(cl: Session, offset: int, size: int) -> None:
    """Write a part of a buffer, and read the whole buffer."""
    kit = Kit(cl)
    buffer = kit.create_filled_buffer(SIZE)
    kit.write(buffer, offset, pattern_bytes(size, 3))
    kit.read(buffer, 0, SIZE)


def read_into_output_buffer(cl: Session, offset: int, size: int) -> None:
    """Read a part of a buffer into an output buffer of exactly that size."""
    kit = Kit(cl)
    kit.read(kit.create_filled_buffer(SIZE), offset, size)


def read_into_area(cl: Session, offset: int, size: int, waits: bool) -> None:  # noqa: FBT001 (given by position)
    """Read a part of a buffer into the middle of a host area, and read the whole area.

    ``waits``: whether the read blocks.
    """
    kit = Kit(cl)
    buffer, area = kit.create_filled_buffer(SIZE), kit.host_area(pattern_bytes(size + 2, 5))
    blocking: dict[str, Value] = {"blocking_read": int(waits)}
    kit.enqueue("clEnqueueReadBuffer", buffer=buffer, offset=offset, size=size, ptr=OffsetPointer(area, 1), **blocking)
    if not waits:
        kit.finish()
    kit.read_host(area, size + 2)


def read_to_area_end(cl: Session, offset: int, size: int) -> None:
    """Read a part of a buffer into a host area of exactly this size, which lies between guard bytes."""
    kit = Kit(cl)
    buffer, area = kit.create_filled_buffer(SIZE), kit.host_area(pattern_bytes(size, 5))
    kit.enqueue("clEnqueueReadBuffer", buffer=buffer, offset=offset, size=size, ptr=area)
    kit.read_host(area, size)


def write_from_area(cl: Session, offset: int, size: int) -> None:
    """Write a part of a buffer from the middle of an area without blocking, and read the whole buffer."""
    kit = Kit(cl)
    buffer, area = kit.create_filled_buffer(SIZE), kit.host_area(pattern_bytes(size + 2, 6))
    ptr = OffsetPointer(area, 1)
    kit.enqueue("clEnqueueWriteBuffer", buffer=buffer, blocking_write=0, offset=offset, size=size, ptr=ptr)
    kit.read(buffer, 0, SIZE)
    kit.read_host(area, size + 2)


def copy_part(cl: Session, offset: int, size: int) -> None:
    """Copy a part of a buffer to the same offset and to other offsets of another buffer, and read both buffers."""
    kit = Kit(cl)
    source, target = kit.create_filled_buffer(SIZE, seed=1), kit.create_filled_buffer(SIZE, seed=2)
    for to in dict.fromkeys((offset, 0, SIZE - size)):
        kit.enqueue(
            "clEnqueueCopyBuffer", src_buffer=source, dst_buffer=target, src_offset=offset, dst_offset=to, size=size
        )
        kit.read(target, 0, SIZE)
    kit.read(source, 0, SIZE)


def copy_within_buffer(cl: Session, source: int, target: int, size: int) -> None:
    """Copy a part of a buffer to another offset of the same buffer."""
    kit = Kit(cl)
    buffer = kit.create_filled_buffer(SIZE)
    places: dict[str, Value] = {"src_offset": source, "dst_offset": target, "size": size}
    kit.enqueue("clEnqueueCopyBuffer", src_buffer=buffer, dst_buffer=buffer, **places)
    kit.read(buffer, 0, SIZE)


def fill_parts(cl: Session, length: int) -> None:
    """Fill several ranges with a pattern, and read the buffer after each fill.

    The ranges are: one pattern at each end, some patterns in the middle, all patterns but three, and the whole buffer.
    """
    kit = Kit(cl)
    buffer, pattern = kit.create_filled_buffer(SIZE), pattern_bytes(length, 7)
    whole = SIZE // length
    for first, count in ((0, 1), (whole - 1, 1), (1, min(3, whole - 1)), (2, max(1, whole - 3)), (0, whole)):
        place: dict[str, Value] = {"offset": first * length, "size": count * length}
        kit.enqueue("clEnqueueFillBuffer", buffer=buffer, pattern=Data(pattern), pattern_size=length, **place)
        kit.read(buffer, 0, SIZE)
        pattern = pattern_bytes(length, 8 + first % 5)


def read_rectangle(cl: Session, shape: str, origin: str) -> None:
    """Read a rectangle of a buffer into an output buffer, and then into a host area."""
    kit = Kit(cl)
    buffer, area = kit.create_filled_buffer(SIZE), kit.host_area(pattern_bytes(SIZE, 4))
    common = _side_arguments(shape, origin, "buffer", "host")
    kit.enqueue("clEnqueueReadBufferRect", buffer=buffer, ptr=OutputBuffer(SIZE), **common)
    kit.enqueue("clEnqueueReadBufferRect", buffer=buffer, blocking_read=0, ptr=area, **common)
    kit.finish()
    kit.read_host(area, SIZE)


def write_rectangle(cl: Session, shape: str, origin: str) -> None:
    """Write a rectangle from host memory of the smallest sufficient size to a buffer, and read the whole buffer."""
    kit = Kit(cl)
    size = _host_extent(shape, origin)
    buffer, area = kit.create_filled_buffer(SIZE), kit.host_area(pattern_bytes(size, 4))
    common = _side_arguments(shape, origin, "buffer", "host")
    for seed in (9, 10):
        kit.enqueue("clEnqueueWriteBufferRect", buffer=buffer, ptr=Data(pattern_bytes(size, seed)), **common)
        kit.read(buffer, 0, SIZE)
    kit.enqueue("clEnqueueWriteBufferRect", buffer=buffer, blocking_write=0, ptr=area, **common)
    kit.read(buffer, 0, SIZE)


def copy_rectangle(cl: Session, shape: str, origin: str) -> None:
    """Copy a rectangle from one buffer to two other buffers, and read all three."""
    kit = Kit(cl)
    buffers = [kit.create_filled_buffer(SIZE, seed=seed) for seed in (1, 2, 3)]
    source, *targets = buffers
    sides = _side_arguments(shape, origin, "src", "dst")
    for target in targets:
        kit.enqueue("clEnqueueCopyBufferRect", src_buffer=source, dst_buffer=target, **sides)
    for buffer in buffers:
        kit.read(buffer, 0, SIZE)


def copy_rectangle_within_buffer(cl: Session, source: tuple[int, int, int], target: tuple[int, int, int]) -> None:
    """Copy a rectangle to another origin in the same buffer, next to the source or between its rows."""
    kit = Kit(cl)
    buffer = kit.create_filled_buffer(SIZE)
    pitches: dict[str, Value] = dict.fromkeys(("src_row_pitch", "dst_row_pitch"), 16)
    slices: dict[str, Value] = dict.fromkeys(("src_slice_pitch", "dst_slice_pitch"), 128)
    places: dict[str, Value] = {
        "src_origin": ElementList(source),
        "dst_origin": ElementList(target),
        "region": ElementList((4, 3, 2)),
    }
    kit.enqueue("clEnqueueCopyBufferRect", src_buffer=buffer, dst_buffer=buffer, **pitches, **slices, **places)
    kit.read(buffer, 0, SIZE)


def _side_arguments(shape: str, origin: str, one: str, other: str) -> dict[str, Value]:
    """Return the region, origins and pitches of a rectangle command.

    ``one``, ``other``: the parameter prefixes of the two memories.
    """
    region, *pitches = SHAPES[shape]
    told: dict[str, Value] = {"region": ElementList(region)}
    for side, (row, slice_), start in zip((one, other), pitches, ORIGINS[origin], strict=True):
        told |= {f"{side}_origin": ElementList(start), f"{side}_row_pitch": row, f"{side}_slice_pitch": slice_}
    return told


def _host_extent(shape: str, origin: str) -> int:
    """Return the number of host bytes from the passed address to the end of a rectangle."""
    (width, height, depth), _, (row_pitch, slice_pitch) = SHAPES[shape]
    row = row_pitch or width
    slice_ = slice_pitch or row * height
    x, y, z = ORIGINS[origin][1]
    return (z + depth - 1) * slice_ + (y + height - 1) * row + x + width


def cases() -> Iterator[TableCase]:
    """Yield an item for each part, pattern and shape of each applicable command."""
    for words, (offset, size) in PARTS.items():
        yield _case("clEnqueueWriteBuffer", words, write_part, offset, size)
        yield _case("clEnqueueWriteBuffer", f"{words}, from an area", write_from_area, offset, size)
        yield _case("clEnqueueReadBuffer", words, read_into_output_buffer, offset, size)
        yield _case("clEnqueueReadBuffer", f"{words}, into an area", read_into_area, offset, size, True)
        yield _case("clEnqueueReadBuffer", f"{words}, into an area, not waiting", read_into_area, offset, size, False)
        yield _case("clEnqueueReadBuffer", f"{words}, to the end of an area", read_to_area_end, offset, size)
        yield _case("clEnqueueCopyBuffer", words, copy_part, offset, size)
    for words, places in {
        "to its right side": (0, 512, 512),
        "to its left side": (512, 0, 512),
        "one byte to the next": (0, 1, 1),
        "one byte to the previous one": (1, 0, 1),
        "from end to start": (SIZE - 1, 0, 1),
    }.items():
        yield _case("clEnqueueCopyBuffer", f"within a buffer, {words}", copy_within_buffer, *places)
    for length in PATTERNS:
        yield _case("clEnqueueFillBuffer", f"pattern_size={length}", fill_parts, length)
    for origin in ORIGINS:
        for shape in SHAPES:
            yield _case("clEnqueueReadBufferRect", f"{shape} {origin}", read_rectangle, shape, origin)
            yield _case("clEnqueueWriteBufferRect", f"{shape} {origin}", write_rectangle, shape, origin)
            yield _case("clEnqueueCopyBufferRect", f"{shape} {origin}", copy_rectangle, shape, origin)
    for words, (source, target) in {
        "next to it": ((0, 0, 0), (4, 0, 0)),
        "in the rows between": ((0, 0, 0), (0, 3, 0)),
        "in the following slices": ((0, 0, 0), (0, 0, 2)),
        "before it": ((8, 0, 0), (4, 0, 0)),
    }.items():
        yield _case(
            "clEnqueueCopyBufferRect", f"within a buffer, {words}", copy_rectangle_within_buffer, source, target
        )


def _case(function: str, words: str, steps: Callable[..., None], *given: object) -> TableCase:
    return TableCase(f"{function}/success", words, bind_action(steps, *given), ALSO_COVERED)


test_transfer_moves_expected_bytes = TableTest(cases)
