"""One valid call of each function that creates, reads, writes, copies, fills or maps buffers (section 5.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Data, ElementList, OutputBuffer
from clconform.suites.kit.memory import HALF, SIZE
from clconform.suites.kit.valid_calls import ValidCalls

if TYPE_CHECKING:
    from clconform.suites.kit.kit import Kit
    from clconform.suites.kit.valid_calls import Arguments

WIDTH, HEIGHT, DEPTH = 16, 4, 2
"""Bytes per row, rows per slice, and slices of the box that rectangular commands read, write and copy."""
ROW, SLICE = 32, 256
"""The row pitch and the slice pitch in bytes, with gaps between rows and slices.

The buffer holds 16 slices of 8 rows.
"""
START = ElementList((0, 0, 0))
HOST = 4 * SIZE
"""Bytes of host memory: enough for every rectangular command of these suites."""
valid_calls = ValidCalls()


@valid_calls.declare("clCreateBuffer", "clCreateBufferWithProperties")
def buffer(kit: Kit) -> Arguments:
    """Create a buffer."""
    return {"context": kit.context, "flags": kit.constant("CL_MEM_READ_WRITE"), "size": SIZE, "host_ptr": None}


@valid_calls.declare("clCreateSubBuffer")
def sub_buffer(kit: Kit) -> Arguments:
    """Create a sub-buffer of the first half of a buffer."""
    kind = kit.constant("CL_BUFFER_CREATE_TYPE_REGION")
    return {
        "buffer": kit.first_buffer,
        "flags": 0,
        "buffer_create_type": kind,
        "buffer_create_info": kit.buffer_region(0, HALF),
    }


@valid_calls.declare("clEnqueueReadBuffer")
def read(kit: Kit) -> Arguments:
    """Read a whole buffer."""
    return {
        "command_queue": kit.queue,
        "buffer": kit.first_buffer,
        "offset": 0,
        "size": SIZE,
        "ptr": OutputBuffer(SIZE),
    }


@valid_calls.declare("clEnqueueWriteBuffer")
def write(kit: Kit) -> Arguments:
    """Write a whole buffer."""
    return {**read(kit), "ptr": Data(bytes(SIZE))}


@valid_calls.declare("clEnqueueCopyBuffer")
def copy(kit: Kit) -> Arguments:
    """Copy a whole buffer into another."""
    buffers: Arguments = {"src_buffer": kit.first_buffer, "dst_buffer": kit.second_buffer}
    return {"command_queue": kit.queue, **buffers, "src_offset": 0, "dst_offset": 0, "size": SIZE}


@valid_calls.declare("clEnqueueFillBuffer")
def fill(kit: Kit) -> Arguments:
    """Fill a whole buffer with a pattern of four bytes."""
    where: Arguments = {"command_queue": kit.queue, "buffer": kit.first_buffer, "offset": 0, "size": SIZE}
    return {**where, "pattern": Data(b"\x01\x02\x03\x04"), "pattern_size": 4}


@valid_calls.declare("clEnqueueReadBufferRect")
def read_rectangle(kit: Kit) -> Arguments:
    """Read a box whose rows and slices have gaps between them."""
    where: Arguments = {"buffer_origin": START, "host_origin": START, "region": ElementList((WIDTH, HEIGHT, DEPTH))}
    return {
        "command_queue": kit.queue,
        "buffer": kit.first_buffer,
        **where,
        **_pitches("buffer"),
        **_pitches("host"),
        "ptr": OutputBuffer(HOST),
    }


@valid_calls.declare("clEnqueueWriteBufferRect")
def write_rectangle(kit: Kit) -> Arguments:
    """Write a box whose rows and slices have gaps between them."""
    return {**read_rectangle(kit), "ptr": Data(bytes(HOST))}


@valid_calls.declare("clEnqueueCopyBufferRect")
def copy_rectangle(kit: Kit) -> Arguments:
    """Copy a box whose rows and slices have gaps between them into another buffer."""
    where: Arguments = {"src_origin": START, "dst_origin": START, "region": ElementList((WIDTH, HEIGHT, DEPTH))}
    buffers: Arguments = {"src_buffer": kit.first_buffer, "dst_buffer": kit.second_buffer}
    return {"command_queue": kit.queue, **buffers, **where, **_pitches("src"), **_pitches("dst")}


def _pitches(side: str) -> Arguments:
    return {f"{side}_row_pitch": ROW, f"{side}_slice_pitch": SLICE}


@valid_calls.declare("clEnqueueMapBuffer")
def map_all(kit: Kit) -> Arguments:
    """Map a whole buffer for reading."""
    flags = kit.constant("CL_MAP_READ")
    return {"command_queue": kit.queue, "buffer": kit.first_buffer, "map_flags": flags, "offset": 0, "size": SIZE}
