"""Rectangles of buffers read, written and copied (section 5.2.2): right calls and what can be wrong with them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Data, Items, Room
from clconform.suites.errors.bench import SIZE
from clconform.suites.errors.buffers import TOP
from clconform.suites.errors.changes import bound, change
from clconform.suites.errors.controls import control
from clconform.suites.errors.transfers import reading, writing

if TYPE_CHECKING:
    from clconform.calls.values import Value
    from clconform.suites.errors.bench import Bench
    from clconform.suites.errors.controls import Arguments

READ, WRITE, COPY = (f"clEnqueue{verb}BufferRect" for verb in ("Read", "Write", "Copy"))
WIDTH, HEIGHT, DEPTH = 16, 4, 2
ROW, SLICE = 32, 256
"""Pitches that leave gaps between rows and between slices: the buffer holds 16 such slices, each of 8 such rows."""
ROWS, SLICES = SLICE // ROW, SIZE // SLICE
REGION = Items((WIDTH, HEIGHT, DEPTH))
START = Items((0, 0, 0))
HOST = 4 * SIZE
"""Bytes of host memory: enough for whatever a call may touch."""


def _pitches(side: str) -> Arguments:
    return {f"{side}_row_pitch": ROW, f"{side}_slice_pitch": SLICE}


@control(READ)
def read(bench: Bench) -> Arguments:
    """Read a box of rows and slices with gaps between them."""
    where: Arguments = {"buffer_origin": START, "host_origin": START, "region": REGION}
    return {
        "command_queue": bench.queue,
        "buffer": bench.buffer,
        **where,
        **_pitches("buffer"),
        **_pitches("host"),
        "ptr": Room(HOST),
    }


@control(WRITE)
def write(bench: Bench) -> Arguments:
    """Write a box of rows and slices with gaps between them."""
    return {**read(bench), "ptr": Data(bytes(HOST))}


@control(COPY)
def copy(bench: Bench) -> Arguments:
    """Copy a box of rows and slices with gaps between them into another buffer."""
    where: Arguments = {"src_origin": START, "dst_origin": START, "region": REGION}
    buffers: Arguments = {"src_buffer": bench.buffer, "dst_buffer": bench.spare_buffer}
    return {"command_queue": bench.queue, **buffers, **where, **_pitches("src"), **_pitches("dst")}


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


def _on(side: str, changed: Arguments) -> Arguments:
    return {f"{side}_{name}": value for name, value in changed.items()}


for _function, _sides in {READ: ("buffer",), WRITE: ("buffer",), COPY: ("src", "dst")}.items():
    for _side in _sides:
        for _words, _changed in OUTSIDE.items():
            change(f"{_function}/CL_INVALID_VALUE/2", f"{_side}: {_words}", _on(_side, _changed))
        for _words, _changed in INSIDE.items():
            change(f"{_function}/success", f"{_side}: {_words}", _on(_side, _changed))
    for _axis in range(len("xyz")):
        _size = tuple(0 if axis == _axis else length for axis, length in enumerate((WIDTH, HEIGHT, DEPTH)))
        change(f"{_function}/CL_INVALID_VALUE/3", f"no {'xyz'[_axis]}", {"region": Items(_size)})
    change(f"{_function}/CL_INVALID_VALUE/3", "no byte at all", {"region": Items((0, 0, 0))})
    change(f"{_function}/success", "one byte", {"region": Items((1, 1, 1))})
    change(f"{_function}/success", "one row", {"region": Items((WIDTH, 1, 1))})
    change(f"{_function}/success", "one slice", {"region": Items((WIDTH, HEIGHT, 1))})

for _function, _sides in {READ: ("buffer", "host"), WRITE: ("buffer", "host"), COPY: ("src", "dst")}.items():
    for _record, _side in zip((6, 7), _sides, strict=True):
        _clause = f"{_function}/CL_INVALID_VALUE/{_record}"
        _least = HEIGHT * ROW
        _nothing: Arguments = {"region": Items((0, HEIGHT, DEPTH)), f"{_side}_row_pitch": 0}
        change(f"{_function}/CL_INVALID_VALUE/3", f"no x, {_side}: tight rows", _nothing)
        for _words, _pitch in (
            ("less than a slice, no whole rows", _least - 1),
            ("one byte", 1),
            ("a row and a byte", ROW + 1),
            ("less than a slice, whole rows", _least - ROW),
            ("more than a slice, no whole rows", _least + 1),
        ):
            change(_clause, f"{_side}_slice_pitch: {_words}", {f"{_side}_slice_pitch": _pitch})
        change(
            _clause,
            f"{_side}_slice_pitch: less than a slice of tight rows, no whole rows",
            {f"{_side}_row_pitch": 0, f"{_side}_slice_pitch": HEIGHT * WIDTH - 1},
        )
        if _function == COPY:
            _near: Arguments = {"region": Items((1, 2, 2)), f"{_side}_row_pitch": 1, f"{_side}_slice_pitch": 1}
            change(_clause, f"{_side}: rows of one byte, and slices one byte apart", _near)
        if _side == "host":
            for _words, _changed in INSIDE.items():
                change(f"{_function}/success", f"{_side}: {_words}", _on(_side, _changed))

reading(READ)
writing(WRITE)


def _in_one(bench: Bench, changed: Arguments) -> Arguments:
    """Copy within one buffer."""
    return {"src_buffer": bench.buffer, "dst_buffer": bench.buffer, **changed}


APART: Value = Items((0, 0, DEPTH))
DIFFERING: dict[str, Arguments] = {
    "both pitches differ": {"dst_row_pitch": 2 * ROW, "dst_slice_pitch": 2 * SLICE},
    "the row pitch differs": {"dst_row_pitch": 2 * ROW},
    "the slice pitch differs": {"dst_slice_pitch": 2 * SLICE},
    "the row pitch differs as it is written": {"src_row_pitch": 0, "dst_row_pitch": WIDTH},
    "both pitches differ as they are written": {
        **dict.fromkeys(("src_row_pitch", "src_slice_pitch"), 0),
        "dst_row_pitch": WIDTH,
        "dst_slice_pitch": WIDTH * HEIGHT,
    },
}
for _words, _changed in DIFFERING.items():
    change(
        f"{COPY}/CL_INVALID_VALUE/8",
        f"one buffer: {_words}",
        bound(lambda bench, _given, changed: _in_one(bench, {"dst_origin": APART, **changed}), _changed),
    )
for _words, _origin, _overlaps in (
    ("the same box", (0, 0, 0), True),
    ("one byte to the right", (1, 0, 0), True),
    ("the last byte of each row", (WIDTH - 1, 0, 0), True),
    ("the last row", (0, HEIGHT - 1, 0), True),
    ("the last slice", (0, 0, DEPTH - 1), True),
    ("the last byte of the last row of the last slice", (WIDTH - 1, HEIGHT - 1, DEPTH - 1), True),
    ("in the gap between the rows", (WIDTH, 0, 0), False),
    ("below the rows", (0, HEIGHT, 0), False),
    ("behind the slices", (0, 0, DEPTH), False),
    ("up to the last byte of the buffer", (ROW - WIDTH, ROWS - HEIGHT, SLICES - DEPTH), False),
    ("across a row's end", (WIDTH + 1, 0, 0), True),
    ("below the rows, across a slice's end", (WIDTH + 1, HEIGHT, 0), True),
):
    change(
        f"{COPY}/{'CL_MEM_COPY_OVERLAP/1' if _overlaps else 'success'}",
        f"one buffer: {_words}",
        bound(lambda bench, _given, origin: _in_one(bench, {"dst_origin": Items(origin)}), _origin),
    )
TIGHT: Arguments = dict.fromkeys((f"{side}_{what}_pitch" for side in ("src", "dst") for what in ("row", "slice")), 0)
BESIDE_EACH_OTHER: dict[str, Arguments] = {
    "in the gap between the rows, from behind": {"src_origin": Items((WIDTH, 0, 0))},
    "right behind": {**TIGHT, "dst_origin": Items((0, 0, DEPTH))},
    "right before": {**TIGHT, "src_origin": Items((0, 0, DEPTH))},
}
for _words, _changed in BESIDE_EACH_OTHER.items():
    change(
        f"{COPY}/success",
        f"one buffer: {_words}",
        bound(lambda bench, _given, changed: _in_one(bench, changed), _changed),
    )
change(
    f"{COPY}/CL_MEM_COPY_OVERLAP/1",
    "one buffer: the same start, another row pitch",
    lambda bench, _given: _in_one(bench, {"dst_row_pitch": 2 * ROW}),
)
