"""Ranges of buffers read, written, copied and filled (sections 5.2.2 and 5.2.3): right calls and what can be wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Data, Room
from clconform.suites.errors.bench import SIZE
from clconform.suites.errors.buffers import TOP
from clconform.suites.errors.changes import bound, change
from clconform.suites.errors.controls import control

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clconform.suites.errors.bench import Bench
    from clconform.suites.errors.changes import Difference
    from clconform.suites.errors.controls import Arguments

READ, WRITE, COPY, FILL = (f"clEnqueue{verb}Buffer" for verb in ("Read", "Write", "Copy", "Fill"))
HALF = SIZE // 2
LARGEST_PATTERN = 256
OUTSIDE = (
    ("one byte past the end", SIZE, 1),
    ("one byte more than the buffer", 0, SIZE + 1),
    ("begins inside, ends one past the end", HALF, HALF + 1),
    ("begins one past the end", SIZE + 1, 1),
    ("the sum wraps to the start", TOP, 2),
    ("the sum wraps inside", TOP - HALF, SIZE),
    ("begins at the largest offset", TOP, 1),
)
"""Ranges that do not lie in a buffer: offset and size."""
INSIDE = (
    ("the last byte", SIZE - 1, 1),
    ("the first byte", 0, 1),
    ("no byte", 0, 0),
    ("no byte at the end", SIZE, 0),
)


@control(READ)
def read(bench: Bench) -> Arguments:
    """Read a whole buffer."""
    return {"command_queue": bench.queue, "buffer": bench.buffer, "offset": 0, "size": SIZE, "ptr": Room(SIZE)}


@control(WRITE)
def write(bench: Bench) -> Arguments:
    """Write a whole buffer."""
    return {**read(bench), "ptr": Data(bytes(SIZE))}


@control(COPY)
def copy(bench: Bench) -> Arguments:
    """Copy a whole buffer into another."""
    buffers: Arguments = {"src_buffer": bench.buffer, "dst_buffer": bench.spare_buffer}
    return {"command_queue": bench.queue, **buffers, "src_offset": 0, "dst_offset": 0, "size": SIZE}


@control(FILL)
def fill(bench: Bench) -> Arguments:
    """Fill a whole buffer with a pattern of four bytes."""
    where: Arguments = {"command_queue": bench.queue, "buffer": bench.buffer, "offset": 0, "size": SIZE}
    return {**where, "pattern": Data(b"\x01\x02\x03\x04"), "pattern_size": 4}


def reading(function: str) -> None:
    """Declare the changes of the flags by which the host may read a buffer, or may not."""
    _access(function, "CL_MEM_HOST_READ_ONLY", hidden=("CL_MEM_HOST_WRITE_ONLY", "CL_MEM_HOST_NO_ACCESS"))


def writing(function: str) -> None:
    """Declare the changes of the flags by which the host may write a buffer, or may not."""
    _access(function, "CL_MEM_HOST_WRITE_ONLY", hidden=("CL_MEM_HOST_READ_ONLY", "CL_MEM_HOST_NO_ACCESS"))


def _access(function: str, granted: str, *, hidden: Sequence[str]) -> None:
    def made_with(flag: str) -> Difference:
        return lambda bench, _given: {"buffer": bench.new_buffer("CL_MEM_READ_WRITE", flag)}

    def region_of(flag: str) -> Difference:
        return lambda bench, _given: {"buffer": bench.region(bench.new_buffer(flag), 0, SIZE)}

    for flag in hidden:
        change(f"{function}/CL_INVALID_OPERATION/1", flag, made_with(flag))
        change(f"{function}/CL_INVALID_OPERATION/1", f"a region of a buffer with {flag}", region_of(flag))
    change(f"{function}/success", granted, made_with(granted))


reading(READ)
writing(WRITE)
for _function in (READ, WRITE):
    _room = Room(SIZE + 1) if _function == READ else Data(bytes(SIZE + 1))
    for _words, _offset, _size in OUTSIDE:
        change(f"{_function}/CL_INVALID_VALUE/1", _words, {"offset": _offset, "size": _size, "ptr": _room})
    change(f"{_function}/CL_INVALID_VALUE/1", "ptr=NULL", {"ptr": None})
    change(f"{_function}/CL_INVALID_VALUE/1", "ptr=NULL, no byte", {"ptr": None, "size": 0})
    for _words, _offset, _size in INSIDE:
        change(f"{_function}/success", _words, {"offset": _offset, "size": _size, "ptr": _room})

for _side in ("src", "dst"):
    for _words, _offset, _size in OUTSIDE:
        change(
            f"{COPY}/CL_INVALID_VALUE/1",
            f"{_side}: {_words}",
            bound(
                lambda bench, _given, side, offset, size: {
                    f"{side}_offset": offset,
                    "size": size,
                    f"{'dst' if side == 'src' else 'src'}_buffer": bench.new_buffer("CL_MEM_READ_WRITE", size=2 * SIZE),
                },
                _side,
                _offset,
                _size,
            ),
        )
    for _words, _offset, _size in INSIDE:
        change(f"{COPY}/success", f"{_side}: {_words}", {f"{_side}_offset": _offset, "size": _size})
for _words, _src, _dst, _size, _overlaps in (
    ("the same range", 0, 0, SIZE, True),
    ("the same byte", 5, 5, 1, True),
    ("one byte, ahead", 0, HALF - 1, HALF, True),
    ("one byte, behind", HALF - 1, 0, HALF, True),
    ("inside the other", 0, 1, HALF, True),
    ("side by side, ahead", 0, HALF, HALF, False),
    ("side by side, behind", HALF, 0, HALF, False),
    ("one buffer, no byte", 0, 0, 0, False),
):
    change(
        f"{COPY}/{'CL_MEM_COPY_OVERLAP/1' if _overlaps else 'success'}",
        f"one buffer: {_words}",
        bound(
            lambda bench, _given, src, dst, size: {
                "dst_buffer": bench.buffer,
                "src_offset": src,
                "dst_offset": dst,
                "size": size,
            },
            _src,
            _dst,
            _size,
        ),
    )


def _in_one_region(bench: Bench, offset: int) -> Arguments:
    part = bench.region(bench.buffer, 0, HALF)
    return {"src_buffer": part, "dst_buffer": part, "src_offset": 0, "dst_offset": offset, "size": HALF // 2}


change(f"{COPY}/CL_MEM_COPY_OVERLAP/1", "one region: inside the other", lambda bench, _given: _in_one_region(bench, 1))
change(f"{COPY}/success", "one region: side by side", lambda bench, _given: _in_one_region(bench, HALF // 2))
change(
    f"{COPY}/success",
    "from a region to its buffer, apart",
    lambda bench, _given: {
        "src_buffer": bench.region(bench.buffer, 0, HALF),
        "dst_buffer": bench.buffer,
        "dst_offset": HALF,
        "size": HALF,
    },
)

for _words, _offset, _size in (
    ("one pattern past the end", SIZE, 4),
    ("one pattern more than the buffer", 0, SIZE + 4),
    ("begins inside, ends one pattern past the end", HALF, HALF + 4),
    ("the sum wraps to the start", TOP - 3, 8),
    ("begins at the largest offset", TOP - 3, 4),
    ("no byte, one pattern behind the end", SIZE + 4, 0),
):
    change(f"{FILL}/CL_INVALID_VALUE/1", _words, {"offset": _offset, "size": _size})
change(f"{FILL}/CL_INVALID_VALUE/2", "pattern=NULL", {"pattern": None})
change(f"{FILL}/CL_INVALID_VALUE/2", "pattern=NULL of no byte", {"pattern": None, "pattern_size": 0})
for _length in range(LARGEST_PATTERN + 1):
    _power = 0 < _length < LARGEST_PATTERN and _length & (_length - 1) == 0
    change(
        f"{FILL}/{'success' if _power else 'CL_INVALID_VALUE/2'}",
        f"a pattern of {_length}",
        {"pattern": Data(bytes(range(LARGEST_PATTERN))[:_length]), "pattern_size": _length, "size": _length},
    )
for _words, _offset, _size in (
    ("neither is a multiple", 2, 6),
    ("neither, by one byte", 1, 5),
    ("the offset is none", 2, 4),
    ("the size is none", 4, 6),
):
    change(f"{FILL}/CL_INVALID_VALUE/3", _words, {"offset": _offset, "size": _size})
change(f"{FILL}/success", "the last pattern", {"offset": SIZE - 4, "size": 4})
change(f"{FILL}/success", "no byte", {"size": 0})
change(f"{FILL}/success", "no byte at the end", {"offset": SIZE, "size": 0})
for _flag in ("CL_MEM_HOST_NO_ACCESS", "CL_MEM_HOST_READ_ONLY", "CL_MEM_READ_ONLY"):
    change(f"{FILL}/success", _flag, bound(lambda bench, _given, flag: {"buffer": bench.new_buffer(flag)}, _flag))
