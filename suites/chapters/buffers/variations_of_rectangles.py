"""Rectangles of buffers read, written and copied (section 5.2.2): what is wrong, and what leaves a call valid."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Items
from clconform.suites.chapters.buffers.valid_calls import DEPTH, HEIGHT, ROW, SLICE, WIDTH
from clconform.suites.errors.variations import Variation, Variations, bound
from clconform.suites.kit.memory import SIZE, TOP

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.suites.kit.kit import Kit
    from clconform.suites.kit.valid_calls import Arguments

ROWS, SLICES = SLICE // ROW, SIZE // SLICE
"""Rows of a slice, and slices of a buffer, with the gaps between them."""
LEAST = HEIGHT * ROW
"""Bytes of the smallest slice pitch, with the row pitch that the valid call has."""
OUTSIDE: dict[str, Arguments] = {
    "one slice too many": {"origin": Items((0, 0, SLICES - DEPTH + 1))},
    "one row too many in the last slice": {"origin": Items((0, ROWS - HEIGHT + 1, SLICES - DEPTH))},
    "one byte too many in the last row": {"origin": Items((ROW - WIDTH + 1, ROWS - HEIGHT, SLICES - DEPTH))},
    "x far outside": {"origin": Items((SIZE, 0, 0))},
    "y far outside": {"origin": Items((0, SIZE // ROW, 0))},
    "z far outside": {"origin": Items((0, 0, SLICES))},
    "x at the largest number": {"origin": Items((TOP, 0, 0))},
    "y times the pitch wraps to nothing": {"origin": Items((0, 1 << 59, 0))},
    "z times the pitch wraps to nothing": {"origin": Items((0, 0, 1 << 56))},
    "a slice pitch that wraps": {"slice_pitch": 1 << 63, "origin": Items((0, 0, 2))},
}
"""Rectangles that do not lie in the buffer, by what changes on its side."""
INSIDE: dict[str, Arguments] = {
    "the last slices": {"origin": Items((0, 0, SLICES - DEPTH))},
    "the last rows of the last slices": {"origin": Items((0, ROWS - HEIGHT, SLICES - DEPTH))},
    "up to the last byte": {"origin": Items((ROW - WIDTH, ROWS - HEIGHT, SLICES - DEPTH))},
    "tight rows": {"row_pitch": 0},
    "tight rows, written out": {"row_pitch": WIDTH, "slice_pitch": WIDTH * HEIGHT},
    "tight slices": {"slice_pitch": 0},
    "tight slices, written out": {"slice_pitch": HEIGHT * ROW},
    "all tight": {"row_pitch": 0, "slice_pitch": 0},
}
"""Rectangles that lie in the buffer."""
TIGHT: Arguments = dict.fromkeys(("src_row_pitch", "src_slice_pitch", "dst_row_pitch", "dst_slice_pitch"), 0)
variations = Variations()


def _on(side: str, rectangles: dict[str, Arguments]) -> Iterator[Variation]:
    """Yield rectangles on one side of a command: ``buffer``, ``host``, ``src`` or ``dst``."""
    for words, changed in rectangles.items():
        yield Variation(f"{side}: {words}", {f"{side}_{name}": value for name, value in changed.items()})


# the place in the buffer, and the region


@variations.of("clEnqueueReadBufferRect/CL_INVALID_VALUE/2", "clEnqueueWriteBufferRect/CL_INVALID_VALUE/2")
def rectangles_outside() -> Iterator[Variation]:
    """Yield rectangles that do not lie in the buffer."""
    yield from _on("buffer", OUTSIDE)


@variations.of("clEnqueueCopyBufferRect/CL_INVALID_VALUE/2")
def copied_rectangles_outside() -> Iterator[Variation]:
    """Yield rectangles that do not lie in one of the buffers."""
    yield from _on("src", OUTSIDE)
    yield from _on("dst", OUTSIDE)


@variations.of("clEnqueueReadBufferRect/CL_INVALID_VALUE/3", "clEnqueueWriteBufferRect/CL_INVALID_VALUE/3")
def empty_rectangles() -> Iterator[Variation]:
    """Yield regions of no byte."""
    yield from _empty("buffer", "host")


@variations.of("clEnqueueCopyBufferRect/CL_INVALID_VALUE/3")
def empty_copied_rectangles() -> Iterator[Variation]:
    """Yield regions of no byte."""
    yield from _empty("src", "dst")


def _empty(*sides: str) -> Iterator[Variation]:
    yield Variation("no x", {"region": Items((0, HEIGHT, DEPTH))})
    yield Variation("no y", {"region": Items((WIDTH, 0, DEPTH))})
    yield Variation("no z", {"region": Items((WIDTH, HEIGHT, 0))})
    yield Variation("no byte at all", {"region": Items((0, 0, 0))})
    for side in sides:
        nothing: Arguments = {"region": Items((0, HEIGHT, DEPTH)), f"{side}_row_pitch": 0}
        yield Variation(f"no x, {side}: tight rows", nothing)


@variations.of("clEnqueueReadBufferRect/success", "clEnqueueWriteBufferRect/success")
def rectangles_inside() -> Iterator[Variation]:
    """Yield rectangles at the end of the buffer, with and without gaps, and the smallest regions."""
    yield from _on("buffer", INSIDE)
    yield from _small()
    yield from _on("host", INSIDE)


@variations.of("clEnqueueCopyBufferRect/success")
def copied_rectangles_inside() -> Iterator[Variation]:
    """Yield the same for both buffers."""
    yield from _on("src", INSIDE)
    yield from _on("dst", INSIDE)
    yield from _small()


def _small() -> Iterator[Variation]:
    yield Variation("one byte", {"region": Items((1, 1, 1))})
    yield Variation("one row", {"region": Items((WIDTH, 1, 1))})
    yield Variation("one slice", {"region": Items((WIDTH, HEIGHT, 1))})


# pitches


@variations.of("clEnqueueReadBufferRect/CL_INVALID_VALUE/6", "clEnqueueWriteBufferRect/CL_INVALID_VALUE/6")
def slice_pitches_of_the_buffer() -> Iterator[Variation]:
    """Yield slice pitches of the buffer that are too small or no multiple of the row pitch."""
    yield from _slice_pitches("buffer")


@variations.of("clEnqueueReadBufferRect/CL_INVALID_VALUE/7", "clEnqueueWriteBufferRect/CL_INVALID_VALUE/7")
def slice_pitches_of_the_host() -> Iterator[Variation]:
    """Yield the same for the host's memory."""
    yield from _slice_pitches("host")


@variations.of("clEnqueueCopyBufferRect/CL_INVALID_VALUE/6")
def slice_pitches_of_the_source() -> Iterator[Variation]:
    """Yield the same for the buffer that is read."""
    yield from _slice_pitches("src")
    yield from _near("src")


@variations.of("clEnqueueCopyBufferRect/CL_INVALID_VALUE/7")
def slice_pitches_of_the_target() -> Iterator[Variation]:
    """Yield the same for the buffer that is written."""
    yield from _slice_pitches("dst")
    yield from _near("dst")


def _slice_pitches(side: str) -> Iterator[Variation]:
    pitch = f"{side}_slice_pitch"
    yield Variation(f"{pitch}: less than a slice, no whole rows", {pitch: LEAST - 1})
    yield Variation(f"{pitch}: one byte", {pitch: 1})
    yield Variation(f"{pitch}: a row and a byte", {pitch: ROW + 1})
    yield Variation(f"{pitch}: less than a slice, whole rows", {pitch: LEAST - ROW})
    yield Variation(f"{pitch}: more than a slice, no whole rows", {pitch: LEAST + 1})
    less: Arguments = {f"{side}_row_pitch": 0, pitch: HEIGHT * WIDTH - 1}
    yield Variation(f"{pitch}: less than a slice of tight rows, no whole rows", less)


def _near(side: str) -> Iterator[Variation]:
    near: Arguments = {"region": Items((1, 2, 2)), f"{side}_row_pitch": 1, f"{side}_slice_pitch": 1}
    yield Variation(f"{side}: rows of one byte, and slices one byte apart", near)


# copies within one buffer


@variations.of("clEnqueueCopyBufferRect/CL_INVALID_VALUE/8")
def pitches_that_differ() -> Iterator[Variation]:
    """Yield copies within a buffer whose sides have not the same pitches."""
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
        yield _in_one(words, {"dst_origin": Items((0, 0, DEPTH)), **changed})


@variations.of("clEnqueueCopyBufferRect/CL_MEM_COPY_OVERLAP/1")
def rectangles_that_overlap() -> Iterator[Variation]:
    """Yield copies within a buffer from a box to another one that has some of the same bytes."""
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
        yield _in_one(words, {"dst_origin": Items(origin)})
    yield _in_one("the same start, another row pitch", {"dst_row_pitch": 2 * ROW})


@variations.of("clEnqueueCopyBufferRect/success")
def rectangles_beside_each_other() -> Iterator[Variation]:
    """Yield copies within a buffer where no byte is both read and written."""
    for words, origin in (
        ("in the gap between the rows", (WIDTH, 0, 0)),
        ("below the rows", (0, HEIGHT, 0)),
        ("behind the slices", (0, 0, DEPTH)),
        ("up to the last byte of the buffer", (ROW - WIDTH, ROWS - HEIGHT, SLICES - DEPTH)),
    ):
        yield _in_one(words, {"dst_origin": Items(origin)})
    yield _in_one("in the gap between the rows, from behind", {"src_origin": Items((WIDTH, 0, 0))})
    yield _in_one("right behind", {**TIGHT, "dst_origin": Items((0, 0, DEPTH))})
    yield _in_one("right before", {**TIGHT, "src_origin": Items((0, 0, DEPTH))})


def _in_one(words: str, changed: Arguments) -> Variation:
    return Variation(f"one buffer: {words}", bound(_within_a_buffer, changed))


def _within_a_buffer(kit: Kit, _given: Arguments, changed: Arguments) -> Arguments:
    return {"src_buffer": kit.first_buffer, "dst_buffer": kit.first_buffer, **changed}
