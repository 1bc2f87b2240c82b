"""Mapping memory objects: valid flags, restricted host access, overlapping regions, possible failure (5.2.4, 5.3.7)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.common.flags import HOST_READ_DENIED, HOST_WRITE_DENIED, are_flags_invalid, has_any_flag
from clconform.oracles.contents.geometry import overlaps
from clconform.oracles.contents.mapped_contents import maps_of
from clconform.oracles.engine.predicate_result import (
    MUST,
    NO,
    UNDEFINED,
    UNKNOWN,
    PredicateResult,
    may,
    strongest_result,
)
from clconform.oracles.model.memory_objects import MemoryObject
from clconform.oracles.model.queues import CommandQueue

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.calls.call import Call
    from clconform.oracles.contents.storage import MemoryPlace
    from clconform.oracles.model.state import Model

READ_FLAGS, WRITE_FLAGS = ("CL_MAP_READ",), ("CL_MAP_WRITE", "CL_MAP_WRITE_INVALIDATE_REGION")
HOST_POINTER_FLAGS = ("CL_MEM_USE_HOST_PTR", "CL_MEM_ALLOC_HOST_PTR")


def are_map_flags_invalid(call: Call, model: Model) -> PredicateResult:
    """Return whether map_flags is invalid; the result is *may* if map_flags is 0."""
    none = may("map-flags-zero") if call.map_flags == 0 else NO
    return strongest_result([are_flags_invalid(call.map_flags, "cl_map_flags", call, model), none])


def requests_write(call: Call, model: Model) -> bool:
    """Return whether map_flags requests write access."""
    return any(call.map_flags & model.constant_value(name) for name in WRITE_FLAGS)


def is_host_access_denied(memory: MemoryObject, call: Call, model: Model) -> bool:
    """Return whether map_flags requests host access that the flags of the memory object do not allow."""
    return is_host_read_denied(memory, call, model) or is_host_write_denied(memory, call, model)


def find_denied_access(name: str, memory: MemoryObject, call: Call, model: Model) -> Iterator[str]:
    """Yield each host access that map_flags requests and the flags of the memory object ``name`` do not allow."""
    if is_host_read_denied(memory, call, model):
        yield f"map_flags requests read access, which the flags of {name} do not allow"
    if is_host_write_denied(memory, call, model):
        yield f"map_flags requests write access, which the flags of {name} do not allow"


def is_host_read_denied(memory: MemoryObject, call: Call, model: Model) -> bool:
    """Return whether map_flags contains CL_MAP_READ, but the host must not read the memory object."""
    reads = any(call.map_flags & model.constant_value(name) for name in READ_FLAGS)
    return reads and has_any_flag(memory, HOST_READ_DENIED, model)


def is_host_write_denied(memory: MemoryObject, call: Call, model: Model) -> bool:
    """Return whether map_flags requests write access, but the host must not write to the memory object."""
    fixed = has_any_flag(memory, HOST_WRITE_DENIED, model)
    return requests_write(call, model) and fixed


def may_map_fail(memory: MemoryObject, model: Model) -> PredicateResult:
    """Return whether mapping a memory object may fail: it may unless its flags contain a host pointer flag."""
    return NO if has_any_flag(memory, HOST_POINTER_FLAGS, model) else may("map-failure")


def is_mapped_twice(requested: MemoryPlace, call: Call, model: Model) -> PredicateResult:
    """Return whether a mapping call for writing requests a region that overlaps a region mapped for writing.

    For a device of a version before 1.2, such a call is undefined. If only one of the two is for writing, the result is
    *may*.
    """
    writes = requests_write(call, model)
    beside = [each for each in maps_of(requested.storage, model) if overlaps(requested.spans, each.spans)]
    if writes and any(each.is_writable for each in beside):
        device = model.get(CommandQueue, call.command_queue).queue_device
        return UNDEFINED if device is not None and device.version < (1, 2) else MUST
    if isinstance(requested.owner, MemoryObject) and requested.owner.root_object.may_be_mapped:
        return UNKNOWN
    return may("overlapping-read-and-write-mapping") if any(writes or each.is_writable for each in beside) else NO
