"""Buffers made, read, written, copied and filled (sections 5.2.1 to 5.2.3): right calls and what can be wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Data, Room
from clconform.suites.errors.bench import SIZE
from clconform.suites.errors.changes import change
from clconform.suites.errors.controls import control

if TYPE_CHECKING:
    from clconform.suites.errors.bench import Bench
    from clconform.suites.errors.controls import Arguments

TOP = (1 << 64) - 1
"""The largest size_t."""
READ, WRITE = "clEnqueueReadBuffer", "clEnqueueWriteBuffer"


@control(READ)
def read(bench: Bench) -> Arguments:
    """Read a whole buffer."""
    return {"command_queue": bench.queue, "buffer": bench.buffer, "offset": 0, "size": SIZE, "ptr": Room(SIZE)}


@control(WRITE)
def write(bench: Bench) -> Arguments:
    """Write a whole buffer."""
    return {**read(bench), "ptr": Data(bytes(SIZE))}


for _function in (READ, WRITE):
    _room = Room(SIZE + 1) if _function == READ else Data(bytes(SIZE + 1))
    for _boundary, _offset, _size in (
        ("one byte past the end", SIZE, 1),
        ("one byte more than the buffer", 0, SIZE + 1),
        ("begins in the middle, ends past the end", SIZE // 2, SIZE // 2 + 1),
        ("begins one past the end", SIZE + 1, 1),
        ("the sum wraps to the start", TOP, 2),
        ("the sum wraps inside", TOP - SIZE + 2, SIZE),
        ("begins at the largest offset", TOP, 1),
    ):
        change(f"{_function}/CL_INVALID_VALUE/1", _boundary, {"offset": _offset, "size": _size, "ptr": _room})
    change(f"{_function}/CL_INVALID_VALUE/1", "ptr=NULL", {"ptr": None})
    change(f"{_function}/CL_INVALID_VALUE/1", "ptr=NULL, no byte", {"ptr": None, "size": 0})
    for _boundary, _offset, _size in (
        ("the last byte", SIZE - 1, 1),
        ("the first byte", 0, 1),
        ("no byte", 0, 0),
        ("no byte at the end", SIZE, 0),
    ):
        change(f"{_function}/success", _boundary, {"offset": _offset, "size": _size, "ptr": _room})
