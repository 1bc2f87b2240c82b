"""Reads, writes and copies of buffer rectangles (section 5.2.2): invalid and valid variations of the calls."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from clconform.calls.values import ElementList
from clconform.suites.chapters.buffers.valid_calls import DEPTH, HEIGHT, ROW, SLICE, WIDTH
from clconform.suites.errors.negative_cases import Variation, VariationRegistry, bind_values
from clconform.suites.helpers import skip_unless
from clconform.suites.kit.memory import HALF, SIZE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.suites.kit.kit import Kit
    from clconform.suites.kit.valid_calls import Arguments

ROWS, SLICES = SLICE // ROW, SIZE // SLICE
"""Rows per slice, and slices per buffer; gaps between rows and slices are included."""
MIN_SLICE_PITCH = HEIGHT * ROW
"""The smallest valid slice pitch in bytes, for the row pitch of the valid call."""
INSIDE: dict[str, Arguments] = {
    "the last slices": {"origin": ElementList((0, 0, SLICES - DEPTH))},
    "the last rows of the last slices": {"origin": ElementList((0, ROWS - HEIGHT, SLICES - DEPTH))},
    "up to the last byte": {"origin": ElementList((ROW - WIDTH, ROWS - HEIGHT, SLICES - DEPTH))},
    "row_pitch=0": {"row_pitch": 0},
    "row_pitch=region[0], slice_pitch=region[0]*region[1]": {"row_pitch": WIDTH, "slice_pitch": WIDTH * HEIGHT},
    "slice_pitch=0": {"slice_pitch": 0},
    "slice_pitch=region[1]*row_pitch": {"slice_pitch": HEIGHT * ROW},
    "row_pitch=0, slice_pitch=0": {"row_pitch": 0, "slice_pitch": 0},
}
"""Maps descriptions of rectangles within the buffer to the changed arguments."""
TIGHT: Arguments = dict.fromkeys(("src_row_pitch", "src_slice_pitch", "dst_row_pitch", "dst_slice_pitch"), 0)
variations = VariationRegistry()


def outside_rectangles(size_values: int) -> dict[str, Arguments]:
    """Map descriptions of rectangles outside the buffer to the changed arguments.

    ``size_values``: the number of values of size_t. The descriptions are those for 64 bits.
    """
    first_rows, first_slices = size_values // ROW, size_values // SLICE
    last_rows = first_rows + ROWS - HEIGHT
    return {
        "ends one slice past the end": {"origin": ElementList((0, 0, SLICES - DEPTH + 1))},
        "ends one row past the end": {"origin": ElementList((0, ROWS - HEIGHT + 1, SLICES - DEPTH))},
        "ends one byte past the end": {"origin": ElementList((ROW - WIDTH + 1, ROWS - HEIGHT, SLICES - DEPTH))},
        "origin[0] far outside": {"origin": ElementList((SIZE, 0, 0))},
        "origin[1] far outside": {"origin": ElementList((0, SIZE // ROW, 0))},
        "origin[2] far outside": {"origin": ElementList((0, 0, SLICES))},
        "origin[0]=SIZE_MAX": {"origin": ElementList((size_values - 1, 0, 0))},
        "origin[1]*row_pitch overflows to 0": {"origin": ElementList((0, first_rows, 0))},
        "origin[2]*slice_pitch overflows to 0": {"origin": ElementList((0, 0, first_slices))},
        "origin[1]*row_pitch overflows up to the last byte": {
            "origin": ElementList((ROW - WIDTH, last_rows, SLICES - DEPTH))
        },
        "origin[1]*row_pitch overflows to one byte past the end": {
            "origin": ElementList((ROW - WIDTH + 1, last_rows, SLICES - DEPTH))
        },
        "slice_pitch=2^63, origin[2]=2": {"slice_pitch": size_values // 2, "origin": ElementList((0, 0, 2))},
    }


def _rectangles_outside(side: str) -> Iterator[Variation]:
    """Yield rectangles outside one buffer of a command; ``side``: as for ``_rectangles_on``."""
    for words in outside_rectangles(1 << 64):
        yield Variation(f"{side}: {words}", bind_values(_with_rectangle_outside, side, words))


def _with_rectangle_outside(kit: Kit, _given: Arguments, side: str, words: str) -> Arguments:
    return {f"{side}_{name}": value for name, value in outside_rectangles(kit.size_max + 1)[words].items()}


def _rectangles_on(side: str, rectangles: dict[str, Arguments]) -> Iterator[Variation]:
    """Yield rectangles in one memory of a command: the buffer, the host memory, the source or the destination.

    ``side``: the prefix of the changed parameters: ``buffer``, ``host``, ``src`` or ``dst``.
    """
    for words, changed in rectangles.items():
        yield Variation(f"{side}: {words}", {f"{side}_{name}": value for name, value in changed.items()})


# position in the buffer, and region


@variations.declare("clEnqueueReadBufferRect/CL_INVALID_VALUE/2", "clEnqueueWriteBufferRect/CL_INVALID_VALUE/2")
def rectangles_outside() -> Iterator[Variation]:
    """Yield rectangles that are not within the buffer."""
    yield from _rectangles_outside("buffer")


@variations.declare("clEnqueueCopyBufferRect/CL_INVALID_VALUE/2")
def copied_rectangles_outside() -> Iterator[Variation]:
    """Yield rectangles that are not within one of the two buffers."""
    yield from _rectangles_outside("src")
    yield from _rectangles_outside("dst")


@variations.declare("clEnqueueReadBufferRect/CL_INVALID_VALUE/3", "clEnqueueWriteBufferRect/CL_INVALID_VALUE/3")
def empty_rectangles() -> Iterator[Variation]:
    """Yield reads and writes of empty regions."""
    yield from _empty("buffer", "host")


@variations.declare("clEnqueueCopyBufferRect/CL_INVALID_VALUE/3")
def empty_copied_rectangles() -> Iterator[Variation]:
    """Yield copies of empty regions."""
    yield from _empty("src", "dst")


def _empty(*sides: str) -> Iterator[Variation]:
    yield Variation("region[0]=0", {"region": ElementList((0, HEIGHT, DEPTH))})
    yield Variation("region[1]=0", {"region": ElementList((WIDTH, 0, DEPTH))})
    yield Variation("region[2]=0", {"region": ElementList((WIDTH, HEIGHT, 0))})
    yield Variation("region={0, 0, 0}", {"region": ElementList((0, 0, 0))})
    for side in sides:
        nothing: Arguments = {"region": ElementList((0, HEIGHT, DEPTH)), f"{side}_row_pitch": 0}
        yield Variation(f"region[0]=0, {side}_row_pitch=0", nothing)


@variations.declare("clEnqueueReadBufferRect/success", "clEnqueueWriteBufferRect/success")
def rectangles_inside() -> Iterator[Variation]:
    """Yield rectangles at the end of the buffer, with and without gaps, and the smallest regions."""
    yield from _rectangles_on("buffer", INSIDE)
    yield from _small()
    yield from _rectangles_on("host", INSIDE)


@variations.declare("clEnqueueCopyBufferRect/success")
def copied_rectangles_inside() -> Iterator[Variation]:
    """Yield rectangles at the end of each of the two buffers, with and without gaps, and the smallest regions."""
    yield from _rectangles_on("src", INSIDE)
    yield from _rectangles_on("dst", INSIDE)
    yield from _small()


def _small() -> Iterator[Variation]:
    yield Variation("region={1, 1, 1}", {"region": ElementList((1, 1, 1))})
    yield Variation("region[1]=1, region[2]=1", {"region": ElementList((WIDTH, 1, 1))})
    yield Variation("region[2]=1", {"region": ElementList((WIDTH, HEIGHT, 1))})


# pitches


@variations.declare(
    "clEnqueueReadBufferRect/CL_INVALID_VALUE/6",
    "clEnqueueWriteBufferRect/CL_INVALID_VALUE/6",
    "clEnqueueReadBufferRect/CL_INVALID_VALUE/9",
    "clEnqueueWriteBufferRect/CL_INVALID_VALUE/9",
    "clEnqueueReadBufferRect/CL_INVALID_VALUE/10",
    "clEnqueueWriteBufferRect/CL_INVALID_VALUE/10",
)
def slice_pitches_of_the_buffer() -> Iterator[Variation]:
    """Yield slice pitches of the buffer that are too small or not a multiple of the row pitch."""
    yield from _slice_pitches("buffer")


@variations.declare(
    "clEnqueueReadBufferRect/CL_INVALID_VALUE/7",
    "clEnqueueWriteBufferRect/CL_INVALID_VALUE/7",
    "clEnqueueReadBufferRect/CL_INVALID_VALUE/11",
    "clEnqueueWriteBufferRect/CL_INVALID_VALUE/11",
    "clEnqueueReadBufferRect/CL_INVALID_VALUE/12",
    "clEnqueueWriteBufferRect/CL_INVALID_VALUE/12",
)
def slice_pitches_of_the_host() -> Iterator[Variation]:
    """Yield slice pitches of the host memory that are too small or not a multiple of the row pitch."""
    yield from _slice_pitches("host")


@variations.declare("clEnqueueCopyBufferRect/CL_INVALID_VALUE/6")
def slice_pitches_of_the_source() -> Iterator[Variation]:
    """Yield slice pitches of the source buffer that are too small or not a multiple of the row pitch."""
    yield from _slice_pitches("src")
    yield from _unit_pitches("src")


@variations.declare("clEnqueueCopyBufferRect/CL_INVALID_VALUE/7")
def slice_pitches_of_the_target() -> Iterator[Variation]:
    """Yield slice pitches of the destination buffer that are too small or not a multiple of the row pitch."""
    yield from _slice_pitches("dst")
    yield from _unit_pitches("dst")


def _slice_pitches(side: str) -> Iterator[Variation]:
    pitch = f"{side}_slice_pitch"
    yield Variation(f"{pitch} less than a slice, not a multiple of the row pitch", {pitch: MIN_SLICE_PITCH - 1})
    yield Variation(f"{pitch}=1", {pitch: 1})
    yield Variation(f"{pitch}=row pitch+1", {pitch: ROW + 1})
    yield Variation(f"{pitch} less than a slice, a multiple of the row pitch", {pitch: MIN_SLICE_PITCH - ROW})
    yield Variation(f"{pitch} more than a slice, not a multiple of the row pitch", {pitch: MIN_SLICE_PITCH + 1})
    less: Arguments = {f"{side}_row_pitch": 0, pitch: HEIGHT * WIDTH - 1}
    yield Variation(f"{pitch} less than a slice, row_pitch=0", less)


def _unit_pitches(side: str) -> Iterator[Variation]:
    near: Arguments = {"region": ElementList((1, 2, 2)), f"{side}_row_pitch": 1, f"{side}_slice_pitch": 1}
    yield Variation(f"{side}_row_pitch=1, {side}_slice_pitch=1", near)


# copies within one buffer


@variations.declare(
    "clEnqueueCopyBufferRect/CL_INVALID_VALUE/8",
    "clEnqueueCopyBufferRect/CL_INVALID_VALUE/15",
    "clEnqueueCopyBufferRect/CL_INVALID_VALUE/16",
)
def differing_pitches() -> Iterator[Variation]:
    """Yield copies within one buffer where the pitches of source and destination differ."""
    differing: dict[str, Arguments] = {
        "both pitches differ": {"dst_row_pitch": 2 * ROW, "dst_slice_pitch": 2 * SLICE},
        "the row pitch differs": {"dst_row_pitch": 2 * ROW},
        "the slice pitch differs": {"dst_slice_pitch": 2 * SLICE},
        "the row pitch differs as it is written": {"src_row_pitch": 0, "dst_row_pitch": WIDTH},
        "both pitches differ as they are written": {
            "src_row_pitch": 0,
            "src_slice_pitch": 0,
            "dst_row_pitch": WIDTH,
            "dst_slice_pitch": WIDTH * HEIGHT,
        },
    }
    for words, changed in differing.items():
        yield _within_one_buffer(words, {"dst_origin": ElementList((0, 0, DEPTH)), **changed})


@variations.declare("clEnqueueCopyBufferRect/CL_MEM_COPY_OVERLAP/1")
def overlapping_rectangles() -> Iterator[Variation]:
    """Yield copies between overlapping boxes of one buffer, or of two overlapping sub-buffers."""
    for words, origin in (
        ("the same box", (0, 0, 0)),
        ("one byte to the right", (1, 0, 0)),
        ("the last byte of each row", (WIDTH - 1, 0, 0)),
        ("the last row", (0, HEIGHT - 1, 0)),
        ("the last slice", (0, 0, DEPTH - 1)),
        ("the last byte of the last row of the last slice", (WIDTH - 1, HEIGHT - 1, DEPTH - 1)),
        ("across a row's end", (WIDTH + 1, 0, 0)),
        ("below the rows, across a slice's end", (WIDTH + 1, HEIGHT, 0)),
    ):
        yield _within_one_buffer(words, {"dst_origin": ElementList(origin)})
    yield _within_one_buffer("the same start, another row pitch", {"dst_row_pitch": 2 * ROW})
    yield Variation("two regions: the same box", bind_values(_between_regions, (0, 0, 0)))
    yield Variation("two regions: one byte to the right", bind_values(_between_regions, (1, 0, 0)))
    yield Variation("two regions: the same byte", _the_same_byte)
    yield Variation("two regions: up to their ends", _up_to_the_ends)
    yield Variation("two regions: in the gap between the rows", bind_values(_between_regions, (WIDTH, 0, 0)))
    yield Variation("two regions: the same start, another row pitch", _with_another_pitch)
    yield Variation("a buffer and its region: the same box", _between_a_buffer_and_its_region)


def _between_regions(kit: Kit, _given: Arguments, origin: tuple[int, int, int]) -> Arguments:
    """Return the arguments of a copy between two sub-buffers that both cover the buffer. ``origin``: dst_origin."""
    first, second = (kit.sub_buffer(kit.first_buffer, 0, SIZE) for _ in range(2))
    return {"src_buffer": first, "dst_buffer": second, "dst_origin": ElementList(origin)}


def _up_to_the_ends(kit: Kit, given: Arguments) -> Arguments:
    """Return the arguments of a copy of a buffer's last box to itself, between sub-buffers that cover the buffer."""
    last = ElementList((ROW - WIDTH, ROWS - HEIGHT, SLICES - DEPTH))
    return {**_between_regions(kit, given, (0, 0, 0)), "src_origin": last, "dst_origin": last}


def _the_same_byte(kit: Kit, given: Arguments) -> Arguments:
    return {**_between_regions(kit, given, (0, 0, 0)), "region": ElementList((1, 1, 1))}


def _with_another_pitch(kit: Kit, given: Arguments) -> Arguments:
    return {**_between_regions(kit, given, (0, 0, 0)), "dst_row_pitch": 2 * ROW}


def _between_a_buffer_and_its_region(kit: Kit, _given: Arguments) -> Arguments:
    return {"src_buffer": kit.first_buffer, "dst_buffer": kit.sub_buffer(kit.first_buffer, 0, SIZE)}


@variations.declare("clEnqueueCopyBufferRect/success")
def adjacent_rectangles() -> Iterator[Variation]:
    """Yield copies within one buffer between boxes that do not overlap."""
    for words, origin in (
        ("in the gap between the rows", (WIDTH, 0, 0)),
        ("below the rows", (0, HEIGHT, 0)),
        ("after the slices", (0, 0, DEPTH)),
        ("up to the last byte of the buffer", (ROW - WIDTH, ROWS - HEIGHT, SLICES - DEPTH)),
    ):
        yield _within_one_buffer(words, {"dst_origin": ElementList(origin)})
    yield _within_one_buffer("in the gap between the rows, backwards", {"src_origin": ElementList((WIDTH, 0, 0))})
    yield _within_one_buffer("directly after", {**TIGHT, "dst_origin": ElementList((0, 0, DEPTH))})
    yield _within_one_buffer("right before", {**TIGHT, "src_origin": ElementList((0, 0, DEPTH))})


INTERLEAVED_REGIONS = ((WIDTH, HEIGHT, DEPTH), (WIDTH, 1, 3), (1, 2, 2))
"""Regions of copies within one buffer."""


@variations.declare_near_miss("clEnqueueCopyBufferRect/CL_MEM_COPY_OVERLAP/1")
def interleaved_rectangles() -> Iterator[Variation]:
    """Yield copies within one buffer between boxes whose rows or slices interleave or touch, without common bytes.

    The row pitch is 0 or a multiple of the width, and the slice pitch is 0 or two slices.
    """
    for (width, height, depth), rows, slices in itertools.product(INTERLEAVED_REGIONS, (0, 2, 3), (0, 2)):
        row = rows * width
        distance = height * (row or width)
        pitches: Arguments = {
            name: value
            for side in ("src", "dst")
            for name, value in ((f"{side}_row_pitch", row), (f"{side}_slice_pitch", slices * distance))
        }
        moves = {
            (width, 0, 0): rows > 1,
            ((rows - 1) * width, 0, 0): rows > 1,
            (0, height, 0): slices > 1 or depth == 1,
            (width, height, 0): rows > 1 and (slices > 1 or depth == 1),
            (0, 0, depth): True,
            (width, 0, depth - 1): rows > 1 and depth > 1,
        }
        start = (0, 0, 0)
        for (place, possible), backwards in itertools.product(moves.items(), (False, True)):
            source, destination = (place, start) if backwards else (start, place)
            words = f"{width}x{height}x{depth} from {source} to {destination}, pitches {row} and {slices * distance}"
            boxes: Arguments = {
                "src_origin": ElementList(source),
                "dst_origin": ElementList(destination),
                "region": ElementList((width, height, depth)),
            }
            if possible:
                yield _within_one_buffer(words, {**boxes, **pitches})


@variations.declare_near_miss("clEnqueueCopyBufferRect/CL_MEM_COPY_OVERLAP/1")
def boxes_of_adjacent_regions() -> Iterator[Variation]:
    """Yield copies between two sub-buffers that touch, at different offsets."""
    after = {"dst_origin": ElementList((0, 0, DEPTH))}
    yield Variation("two adjacent regions", bind_values(_between_adjacent_regions, after))


def _between_adjacent_regions(kit: Kit, _given: Arguments, changed: Arguments) -> Arguments:
    skip_unless(HALF % kit.alignment == 0, "the middle of the buffer is not aligned")
    first, second = (kit.sub_buffer(kit.first_buffer, origin, HALF) for origin in (0, HALF))
    return {"src_buffer": first, "dst_buffer": second, **changed}


def _within_one_buffer(words: str, changed: Arguments) -> Variation:
    return Variation(f"one buffer: {words}", bind_values(_within_a_buffer, changed))


def _within_a_buffer(kit: Kit, _given: Arguments, changed: Arguments) -> Arguments:
    return {"src_buffer": kit.first_buffer, "dst_buffer": kit.first_buffer, **changed}
