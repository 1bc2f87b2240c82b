"""Buffers mapped: bounds and flags, what the host may not do, and why a map may fail (section 5.2.4)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.contents.geometry import shared_bytes
from clconform.oracles.contents.maps import maps_of
from clconform.oracles.engine.answers import Answer, May, Reply
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.errors import UnknownError
from clconform.oracles.model.memory_objects import Buffer, MemoryObject
from clconform.oracles.model.queues import Queue
from clconform.oracles.recurring.flags import flags_not_valid
from clconform.oracles.recurring.objects import gravest

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.oracles.model.world import Model

rules = Rules()


def made_with_any(memory: MemoryObject, names: tuple[str, ...], model: Model) -> bool:
    """Return whether a memory object has any of these flags, its own or inherited."""
    return any(memory.flags & model.value(name) for name in names)


READING, WRITING = ("CL_MAP_READ",), ("CL_MAP_WRITE", "CL_MAP_WRITE_INVALIDATE_REGION")
NEVER_FAILS = ("CL_MEM_USE_HOST_PTR", "CL_MEM_ALLOC_HOST_PTR")


@rules.clause("clEnqueueMapBuffer/CL_INVALID_VALUE/1")
def map_not_valid(call: Call, model: Model) -> Reply:
    """size is 0, offset + size exceeds the size of buffer, or map_flags is not valid."""
    none = May("no-map-flag") if call.map_flags == 0 else Answer.NO
    flags = gravest([flags_not_valid(call.map_flags, "cl_map_flags", call, model), none])
    behind = call.buffer is not None and call.offset + call.size > model.get(Buffer, call.buffer).size
    return Answer.MUST if call.size == 0 or behind else flags


@rules.clause("clEnqueueMapBuffer/CL_INVALID_OPERATION/1")
def host_may_not_map(call: Call, model: Model) -> Reply:
    """map_flags asks for a host access that the CL_MEM_HOST_* flags of buffer do not allow."""
    buffer = model.given(Buffer, call.buffer)
    reads = any(call.map_flags & model.value(name) for name in READING)
    writes = any(call.map_flags & model.value(name) for name in WRITING)
    hidden = reads and made_with_any(buffer, ("CL_MEM_HOST_WRITE_ONLY", "CL_MEM_HOST_NO_ACCESS"), model)
    return hidden or (writes and made_with_any(buffer, ("CL_MEM_HOST_READ_ONLY", "CL_MEM_HOST_NO_ACCESS"), model))


@rules.clause("clEnqueueMapBuffer/CL_MAP_FAILURE/1")
def map_fails(call: Call, model: Model) -> Reply:
    """The region cannot be mapped; this cannot happen with CL_MEM_USE_HOST_PTR or CL_MEM_ALLOC_HOST_PTR."""
    return Answer.NO if made_with_any(model.given(Buffer, call.buffer), NEVER_FAILS, model) else May("map-fails")


@rules.clause("clEnqueueMapBuffer/CL_INVALID_OPERATION/2")
def mapped_for_writing_twice(call: Call, model: Model) -> Reply:
    """map_flags asks for writing, and part of the region is already mapped for writing.

    Before version 1.2 such a map is undefined.
    """
    buffer = model.given(Buffer, call.buffer)
    if buffer.memory is None:
        raise UnknownError("content")
    wanted = buffer.memory.moved(((call.offset, call.size),))
    writes = any(call.map_flags & model.value(name) for name in WRITING)
    beside = [each for each in maps_of(buffer.memory.storage, model) if shared_bytes(wanted, each.spans)]
    if writes and any(each.writes for each in beside):
        device = model.get(Queue, call.command_queue).on
        return Answer.UNDEFINED if device is not None and device.version < (1, 2) else Answer.MUST
    return May("map-beside-a-map") if any(writes or each.writes for each in beside) else Answer.NO
