"""Error conditions of mapping buffers: bounds, flags, host access and failed mappings (section 5.2.4)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.contents.storage import Place
from clconform.oracles.engine.answers import Answer, Reply
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.errors import UnknownError
from clconform.oracles.model.memory_objects import Buffer
from clconform.oracles.recurring.maps import (
    host_may_not_access,
    map_flags_not_valid,
    mapped_twice,
    may_not_be_mapped,
)

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.oracles.model.world import Model

rules = Rules()


@rules.clause("clEnqueueMapBuffer/CL_INVALID_VALUE/1")
def map_not_valid(call: Call, model: Model) -> Reply:
    """size is 0, offset + size exceeds the size of buffer, or map_flags is not valid."""
    flags = map_flags_not_valid(call, model)
    behind = call.buffer is not None and call.offset + call.size > model.get(Buffer, call.buffer).size
    return Answer.MUST if call.size == 0 or behind else flags


@rules.clause("clEnqueueMapBuffer/CL_INVALID_OPERATION/1")
def host_may_not_map(call: Call, model: Model) -> Reply:
    """map_flags requests a host access that the CL_MEM_HOST_* flags of buffer do not allow."""
    return host_may_not_access(model.given(Buffer, call.buffer), call, model)


@rules.clause("clEnqueueMapBuffer/CL_MAP_FAILURE/1")
def map_fails(call: Call, model: Model) -> Reply:
    """The region cannot be mapped, and buffer has neither CL_MEM_USE_HOST_PTR nor CL_MEM_ALLOC_HOST_PTR."""
    return may_not_be_mapped(model.given(Buffer, call.buffer), model)


@rules.clause("clEnqueueMapBuffer/CL_INVALID_OPERATION/2")
def mapped_for_writing_twice(call: Call, model: Model) -> Reply:
    """map_flags requests write access, and part of the region is already mapped for writing.

    Before version 1.2 the behaviour of such a call is undefined.
    """
    buffer = model.given(Buffer, call.buffer)
    if buffer.memory is None:
        raise UnknownError("content")
    wanted = buffer.memory.moved(((call.offset, call.size),))
    return mapped_twice(Place(buffer.memory.storage, wanted, buffer), call, model)
