"""Reads and writes of a range of a buffer: ranges out of bounds, and what the host may not do (section 5.2.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.answers import Answer, May, Reply
from clconform.oracles.rules import clause

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.oracles.model import Child, Model

RANGES = ("clEnqueueReadBuffer", "clEnqueueWriteBuffer")
ZERO_SIZE_ALLOWED = (2, 1)
"""The version from which commands on no bytes are allowed."""


@clause(*(f"{function}/CL_INVALID_VALUE/1" for function in RANGES))
def range_out_of_bounds_or_no_pointer(call: Call, model: Model) -> Reply:
    """The range ends behind the buffer's end, or there is no host memory to read into or write from."""
    if call.ptr is None:
        return Answer.MUST if call.size else May("no-bytes")
    return out_of_bounds(call.offset, call.size, model.child(call.buffer), model)


def out_of_bounds(offset: int, size: int, buffer: Child, model: Model) -> Reply:
    """Tell whether a range of bytes does not lie in a buffer; one of no bytes may be refused before version 2.1."""
    if size == 0:
        return may_refuse_no_bytes(model) if offset <= buffer.size else May("no-bytes")
    return offset + size > buffer.size


def may_refuse_no_bytes(model: Model) -> Reply:
    """Tell whether a command on no bytes may be refused: so before version 2.1."""
    platform = next(iter(model.platforms.values()), None)
    late = platform is not None and platform.version >= ZERO_SIZE_ALLOWED
    return Answer.NO if late else May("no-bytes")


@clause("clEnqueueReadBuffer/CL_INVALID_OPERATION/1", "clEnqueueReadBufferRect/CL_INVALID_OPERATION/1")
def host_may_not_read(call: Call, model: Model) -> Reply:
    """The buffer was made so that the host only writes it, or does not touch it at all."""
    return made_with_any(model.child(call.buffer), ("CL_MEM_HOST_WRITE_ONLY", "CL_MEM_HOST_NO_ACCESS"), model)


@clause("clEnqueueWriteBuffer/CL_INVALID_OPERATION/1", "clEnqueueWriteBufferRect/CL_INVALID_OPERATION/1")
def host_may_not_write(call: Call, model: Model) -> Reply:
    """The buffer was made so that the host only reads it, or does not touch it at all."""
    return made_with_any(model.child(call.buffer), ("CL_MEM_HOST_READ_ONLY", "CL_MEM_HOST_NO_ACCESS"), model)


def made_with_any(memory: Child, names: tuple[str, ...], model: Model) -> bool:
    """Tell whether a memory object has any of these flags, its own or inherited."""
    return any(memory.flags & model.value(name) for name in names)
