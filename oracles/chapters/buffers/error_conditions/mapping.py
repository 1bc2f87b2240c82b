"""Error conditions of mapping buffers: bounds, flags, host access and failed mappings (section 5.2.4)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.common.flags import find_flag_violations
from clconform.oracles.common.mapping import (
    are_map_flags_invalid,
    find_denied_access,
    is_host_access_denied,
    is_mapped_twice,
    may_map_fail,
)
from clconform.oracles.contents.storage import MemoryPlace
from clconform.oracles.engine.predicate_result import MUST, PredicateResult, must_if
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.errors import UnknownFactError
from clconform.oracles.model.memory_objects import Buffer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.calls.call import Call
    from clconform.oracles.model.state import Model

rules = Rules()


@rules.clause("clEnqueueMapBuffer/CL_INVALID_VALUE/1")
def is_mapping_invalid(call: Call, model: Model) -> PredicateResult:
    """size is 0, offset + size exceeds the size of buffer, or map_flags is not valid."""
    flags = are_map_flags_invalid(call, model)
    return MUST if call.size == 0 or _is_range_out_of_bounds(call, model) else flags


def _is_range_out_of_bounds(call: Call, model: Model) -> bool:
    """Return whether the range of a mapping exceeds its buffer."""
    return call.buffer is not None and call.offset + call.size > model.get(Buffer, call.buffer).size


@rules.alternatives_of("clEnqueueMapBuffer/CL_INVALID_VALUE/1")
def find_mapping_violations(call: Call, model: Model) -> Iterator[str]:
    """Yield each alternative that holds: size is 0, the range exceeds the buffer, or map_flags is not valid."""
    if call.size == 0:
        yield "size is 0"
    if _is_range_out_of_bounds(call, model):
        yield "offset + size exceeds the size of buffer"
    yield from find_flag_violations("map_flags", call.map_flags, "cl_map_flags", call, model)


@rules.clause("clEnqueueMapBuffer/CL_INVALID_OPERATION/1")
def is_host_mapping_forbidden(call: Call, model: Model) -> PredicateResult:
    """map_flags requests a host access that the CL_MEM_HOST_* flags of buffer do not allow."""
    return must_if(is_host_access_denied(model.require(Buffer, call.buffer), call, model))


@rules.alternatives_of("clEnqueueMapBuffer/CL_INVALID_OPERATION/1")
def find_forbidden_host_access(call: Call, model: Model) -> Iterator[str]:
    """Yield the alternative that holds.

    The alternatives: map_flags requests read access or write access that the flags of buffer do not allow.
    """
    return find_denied_access("buffer", model.require(Buffer, call.buffer), call, model)


@rules.clause("clEnqueueMapBuffer/CL_MAP_FAILURE/1")
def can_mapping_fail(call: Call, model: Model) -> PredicateResult:
    """The region cannot be mapped, and buffer has neither CL_MEM_USE_HOST_PTR nor CL_MEM_ALLOC_HOST_PTR."""
    return may_map_fail(model.require(Buffer, call.buffer), model)


@rules.clause("clEnqueueMapBuffer/CL_INVALID_OPERATION/2")
def is_mapped_for_writing_twice(call: Call, model: Model) -> PredicateResult:
    """map_flags requests write access, and part of the region is already mapped for writing.

    The error is optional if only one of the two overlapping mappings is for writing. Before version 1.2 the behaviour
    of a second mapping for writing is undefined.
    """
    buffer = model.require(Buffer, call.buffer)
    if buffer.memory is None:
        raise UnknownFactError("content")
    wanted = buffer.memory.to_storage_spans(((call.offset, call.size),))
    return is_mapped_twice(MemoryPlace(buffer.memory.storage, wanted, buffer), call, model)
