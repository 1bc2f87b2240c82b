"""Reads, writes, copies and fills: both ends of buffers and host memory, rectangles with all kinds of pitches."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Data, Inside, Items, OutputBuffer
from clconform.runner.pytest_plugin.aims import Case, act, parametrize
from clconform.suites.kit.kit import Kit
from clconform.suites.kit.memory import telling

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import pytest

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
"""Parts of a buffer: offset and size."""
OTHERS = ("clCreateBuffer/success", "clEnqueueReadBuffer/success")
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
"""Shapes of rectangles: the region, then row and slice pitch of each side."""
ORIGINS = {"at the start": ((0, 0, 0), (0, 0, 0)), "further on": ((3, 1, 0), (2, 0, 1)), "last": ((1, 2, 1), (0, 1, 2))}


def written(cl: Session, offset: int, size: int) -> None:
    """Write a part of a buffer, and read the whole buffer."""
    kit = Kit(cl)
    buffer = kit.filled(SIZE)
    kit.write(buffer, offset, telling(size, 3))
    kit.read(buffer, 0, SIZE)


def read_into_a_output_buffer(cl: Session, offset: int, size: int) -> None:
    """Read a part of a buffer into an output buffer of exactly that size."""
    kit = Kit(cl)
    kit.read(kit.filled(SIZE), offset, size)


def read_into_an_area(cl: Session, offset: int, size: int, waits: bool) -> None:  # noqa: FBT001 (given by position)
    """Read a part of a buffer into the middle of an area, and read the whole area."""
    kit = Kit(cl)
    buffer, area = kit.filled(SIZE), kit.area(telling(size + 2, 5))
    blocking: dict[str, Value] = {"blocking_read": int(waits)}
    kit.enqueue("clEnqueueReadBuffer", buffer=buffer, offset=offset, size=size, ptr=Inside(area, 1), **blocking)
    if not waits:
        kit.finish()
    kit.look(area, size + 2)


def read_to_the_end_of_an_area(cl: Session, offset: int, size: int) -> None:
    """Read a part of a buffer into an area of exactly that size, between guard bytes."""
    kit = Kit(cl)
    buffer, area = kit.filled(SIZE), kit.area(telling(size, 5))
    kit.enqueue("clEnqueueReadBuffer", buffer=buffer, offset=offset, size=size, ptr=area)
    kit.look(area, size)


def written_from_an_area(cl: Session, offset: int, size: int) -> None:
    """Write a part of a buffer from the middle of an area without blocking, and read the whole buffer."""
    kit = Kit(cl)
    buffer, area = kit.filled(SIZE), kit.area(telling(size + 2, 6))
    ptr = Inside(area, 1)
    kit.enqueue("clEnqueueWriteBuffer", buffer=buffer, blocking_write=0, offset=offset, size=size, ptr=ptr)
    kit.read(buffer, 0, SIZE)
    kit.look(area, size + 2)


def copied(cl: Session, offset: int, size: int) -> None:
    """Copy a part of a buffer to the same and to other offsets of another buffer, and read both."""
    kit = Kit(cl)
    source, target = kit.filled(SIZE, seed=1), kit.filled(SIZE, seed=2)
    for to in dict.fromkeys((offset, 0, SIZE - size)):
        kit.enqueue(
            "clEnqueueCopyBuffer", src_buffer=source, dst_buffer=target, src_offset=offset, dst_offset=to, size=size
        )
        kit.read(target, 0, SIZE)
    kit.read(source, 0, SIZE)


def copied_within(cl: Session, source: int, target: int, size: int) -> None:
    """Copy a part of a buffer to another offset of the same buffer."""
    kit = Kit(cl)
    buffer = kit.filled(SIZE)
    places: dict[str, Value] = {"src_offset": source, "dst_offset": target, "size": size}
    kit.enqueue("clEnqueueCopyBuffer", src_buffer=buffer, dst_buffer=buffer, **places)
    kit.read(buffer, 0, SIZE)


def filled(cl: Session, length: int) -> None:
    """Fill one pattern at each end, then several in the middle, then all but three, then the whole buffer."""
    kit = Kit(cl)
    buffer, pattern = kit.filled(SIZE), telling(length, 7)
    whole = SIZE // length
    for first, count in ((0, 1), (whole - 1, 1), (1, min(3, whole - 1)), (2, max(1, whole - 3)), (0, whole)):
        place: dict[str, Value] = {"offset": first * length, "size": count * length}
        kit.enqueue("clEnqueueFillBuffer", buffer=buffer, pattern=Data(pattern), pattern_size=length, **place)
        kit.read(buffer, 0, SIZE)
        pattern = telling(length, 8 + first % 5)


def rectangle_read(cl: Session, shape: str, origin: str) -> None:
    """Read a rectangle of a buffer into an output buffer, then into an area."""
    kit = Kit(cl)
    buffer, area = kit.filled(SIZE), kit.area(telling(SIZE, 4))
    common = _sides(shape, origin, "buffer", "host")
    kit.enqueue("clEnqueueReadBufferRect", buffer=buffer, ptr=OutputBuffer(SIZE), **common)
    kit.enqueue("clEnqueueReadBufferRect", buffer=buffer, blocking_read=0, ptr=area, **common)
    kit.finish()
    kit.look(area, SIZE)


def rectangle_written(cl: Session, shape: str, origin: str) -> None:
    """Write a rectangle of host memory, no longer than necessary, to a buffer, and read the whole buffer."""
    kit = Kit(cl)
    size = _reached(shape, origin)
    buffer, area = kit.filled(SIZE), kit.area(telling(size, 4))
    common = _sides(shape, origin, "buffer", "host")
    for seed in (9, 10):
        kit.enqueue("clEnqueueWriteBufferRect", buffer=buffer, ptr=Data(telling(size, seed)), **common)
        kit.read(buffer, 0, SIZE)
    kit.enqueue("clEnqueueWriteBufferRect", buffer=buffer, blocking_write=0, ptr=area, **common)
    kit.read(buffer, 0, SIZE)


def rectangle_copied(cl: Session, shape: str, origin: str) -> None:
    """Copy a rectangle from one buffer to two others, and read all three."""
    kit = Kit(cl)
    buffers = [kit.filled(SIZE, seed=seed) for seed in (1, 2, 3)]
    source, *targets = buffers
    sides = _sides(shape, origin, "src", "dst")
    for target in targets:
        kit.enqueue("clEnqueueCopyBufferRect", src_buffer=source, dst_buffer=target, **sides)
    for buffer in buffers:
        kit.read(buffer, 0, SIZE)


def rectangle_copied_within(cl: Session, source: tuple[int, int, int], target: tuple[int, int, int]) -> None:
    """Copy a rectangle to another origin in the same buffer, next to or between the source rows."""
    kit = Kit(cl)
    buffer = kit.filled(SIZE)
    pitches: dict[str, Value] = dict.fromkeys(("src_row_pitch", "dst_row_pitch"), 16)
    slices: dict[str, Value] = dict.fromkeys(("src_slice_pitch", "dst_slice_pitch"), 128)
    places: dict[str, Value] = {"src_origin": Items(source), "dst_origin": Items(target), "region": Items((4, 3, 2))}
    kit.enqueue("clEnqueueCopyBufferRect", src_buffer=buffer, dst_buffer=buffer, **pitches, **slices, **places)
    kit.read(buffer, 0, SIZE)


def _sides(shape: str, origin: str, one: str, other: str) -> dict[str, Value]:
    """Return the arguments of a rectangle's two sides."""
    region, *pitches = SHAPES[shape]
    told: dict[str, Value] = {"region": Items(region)}
    for side, (row, slice_), start in zip((one, other), pitches, ORIGINS[origin], strict=True):
        told |= {f"{side}_origin": Items(start), f"{side}_row_pitch": row, f"{side}_slice_pitch": slice_}
    return told


def _reached(shape: str, origin: str) -> int:
    """Return the number of host bytes from the given address to the last byte of a rectangle."""
    (width, height, depth), _, (row_pitch, slice_pitch) = SHAPES[shape]
    row = row_pitch or width
    slice_ = slice_pitch or row * height
    x, y, z = ORIGINS[origin][1]
    return (z + depth - 1) * slice_ + (y + height - 1) * row + x + width


def cases() -> Iterator[Case]:
    """Yield an item for each part, pattern and shape of each applicable command."""
    for words, (offset, size) in PARTS.items():
        yield _case("clEnqueueWriteBuffer", words, written, offset, size)
        yield _case("clEnqueueWriteBuffer", f"{words}, from an area", written_from_an_area, offset, size)
        yield _case("clEnqueueReadBuffer", words, read_into_a_output_buffer, offset, size)
        yield _case("clEnqueueReadBuffer", f"{words}, into an area", read_into_an_area, offset, size, True)
        yield _case(
            "clEnqueueReadBuffer", f"{words}, into an area, not waiting", read_into_an_area, offset, size, False
        )
        yield _case("clEnqueueReadBuffer", f"{words}, to the end of an area", read_to_the_end_of_an_area, offset, size)
        yield _case("clEnqueueCopyBuffer", words, copied, offset, size)
    for words, places in {
        "to its right side": (0, 512, 512),
        "to its left side": (512, 0, 512),
        "one byte to the next": (0, 1, 1),
        "one byte to the one before": (1, 0, 1),
        "from end to start": (SIZE - 1, 0, 1),
    }.items():
        yield _case("clEnqueueCopyBuffer", f"within a buffer, {words}", copied_within, *places)
    for length in PATTERNS:
        yield _case("clEnqueueFillBuffer", f"pattern_size={length}", filled, length)
    for origin in ORIGINS:
        for shape in SHAPES:
            yield _case("clEnqueueReadBufferRect", f"{shape} {origin}", rectangle_read, shape, origin)
            yield _case("clEnqueueWriteBufferRect", f"{shape} {origin}", rectangle_written, shape, origin)
            yield _case("clEnqueueCopyBufferRect", f"{shape} {origin}", rectangle_copied, shape, origin)
    for words, (source, target) in {
        "next to it": ((0, 0, 0), (4, 0, 0)),
        "in the rows between": ((0, 0, 0), (0, 3, 0)),
        "in the slices behind": ((0, 0, 0), (0, 0, 2)),
        "before it": ((8, 0, 0), (4, 0, 0)),
    }.items():
        yield _case("clEnqueueCopyBufferRect", f"within a buffer, {words}", rectangle_copied_within, source, target)


def _case(function: str, words: str, steps: Callable[..., None], *given: object) -> Case:
    return Case(f"{function}/success", words, act(steps, *given), OTHERS)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Generate one item for each case."""
    parametrize(metafunc, cases())


def test_transfers(cl: Session, case: Case) -> None:
    case.act(cl)
