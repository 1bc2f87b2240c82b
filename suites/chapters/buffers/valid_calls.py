"""One valid call of each function that makes, reads, writes, copies, fills or maps buffers (section 5.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Data, Items, Room
from clconform.suites.bench import HALF, SIZE
from clconform.suites.errors.valid_calls import ValidCalls
from clconform.suites.queries.memory import REGION

if TYPE_CHECKING:
    from clconform.suites.bench import Bench
    from clconform.suites.errors.valid_calls import Arguments

WIDTH, HEIGHT, DEPTH = 16, 4, 2
"""Bytes of a row, rows of a slice and slices of the box that rectangular commands read, write and copy."""
ROW, SLICE = 32, 256
"""Pitches that leave gaps between rows and between slices: the buffer holds 16 such slices, each of 8 such rows."""
START = Items((0, 0, 0))
HOST = 4 * SIZE
"""Bytes of host memory: enough for whatever a rectangular command may touch."""
valid_calls = ValidCalls()


@valid_calls.declare("clCreateBuffer", "clCreateBufferWithProperties")
def buffer(bench: Bench) -> Arguments:
    """Make a buffer."""
    return {"context": bench.context, "flags": bench.value("CL_MEM_READ_WRITE"), "size": SIZE, "host_ptr": None}


@valid_calls.declare("clCreateSubBuffer")
def sub_buffer(bench: Bench) -> Arguments:
    """Make a sub-buffer of the first half of a buffer."""
    kind = bench.value("CL_BUFFER_CREATE_TYPE_REGION")
    return {"buffer": bench.buffer, "flags": 0, "buffer_create_type": kind, "buffer_create_info": region(0, HALF)}


def region(origin: int, size: int) -> Data:
    """Return the description of a region, in bytes."""
    return Data(REGION.pack(origin, size))


@valid_calls.declare("clEnqueueReadBuffer")
def read(bench: Bench) -> Arguments:
    """Read a whole buffer."""
    return {"command_queue": bench.queue, "buffer": bench.buffer, "offset": 0, "size": SIZE, "ptr": Room(SIZE)}


@valid_calls.declare("clEnqueueWriteBuffer")
def write(bench: Bench) -> Arguments:
    """Write a whole buffer."""
    return {**read(bench), "ptr": Data(bytes(SIZE))}


@valid_calls.declare("clEnqueueCopyBuffer")
def copy(bench: Bench) -> Arguments:
    """Copy a whole buffer into another."""
    buffers: Arguments = {"src_buffer": bench.buffer, "dst_buffer": bench.spare_buffer}
    return {"command_queue": bench.queue, **buffers, "src_offset": 0, "dst_offset": 0, "size": SIZE}


@valid_calls.declare("clEnqueueFillBuffer")
def fill(bench: Bench) -> Arguments:
    """Fill a whole buffer with a pattern of four bytes."""
    where: Arguments = {"command_queue": bench.queue, "buffer": bench.buffer, "offset": 0, "size": SIZE}
    return {**where, "pattern": Data(b"\x01\x02\x03\x04"), "pattern_size": 4}


@valid_calls.declare("clEnqueueReadBufferRect")
def read_rectangle(bench: Bench) -> Arguments:
    """Read a box of rows and slices with gaps between them."""
    where: Arguments = {"buffer_origin": START, "host_origin": START, "region": Items((WIDTH, HEIGHT, DEPTH))}
    return {
        "command_queue": bench.queue,
        "buffer": bench.buffer,
        **where,
        **_pitches("buffer"),
        **_pitches("host"),
        "ptr": Room(HOST),
    }


@valid_calls.declare("clEnqueueWriteBufferRect")
def write_rectangle(bench: Bench) -> Arguments:
    """Write a box of rows and slices with gaps between them."""
    return {**read_rectangle(bench), "ptr": Data(bytes(HOST))}


@valid_calls.declare("clEnqueueCopyBufferRect")
def copy_rectangle(bench: Bench) -> Arguments:
    """Copy a box of rows and slices with gaps between them into another buffer."""
    where: Arguments = {"src_origin": START, "dst_origin": START, "region": Items((WIDTH, HEIGHT, DEPTH))}
    buffers: Arguments = {"src_buffer": bench.buffer, "dst_buffer": bench.spare_buffer}
    return {"command_queue": bench.queue, **buffers, **where, **_pitches("src"), **_pitches("dst")}


def _pitches(side: str) -> Arguments:
    return {f"{side}_row_pitch": ROW, f"{side}_slice_pitch": SLICE}


@valid_calls.declare("clEnqueueMapBuffer")
def map_all(bench: Bench) -> Arguments:
    """Map a whole buffer to read it."""
    flags = bench.value("CL_MAP_READ")
    return {"command_queue": bench.queue, "buffer": bench.buffer, "map_flags": flags, "offset": 0, "size": SIZE}
