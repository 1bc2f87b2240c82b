"""Maps of memory objects: valid flags, what the host may not do, and whether a map may fail (5.2.4, 5.3.7)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.engine.answers import Answer, May, Reply
from clconform.oracles.recurring.flags import flags_not_valid, made_with_any
from clconform.oracles.recurring.objects import gravest

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.oracles.model.memory_objects import MemoryObject
    from clconform.oracles.model.world import Model

READING, WRITING = ("CL_MAP_READ",), ("CL_MAP_WRITE", "CL_MAP_WRITE_INVALIDATE_REGION")
NEVER_FAILS = ("CL_MEM_USE_HOST_PTR", "CL_MEM_ALLOC_HOST_PTR")


def map_flags_not_valid(call: Call, model: Model) -> Reply:
    """Return whether map_flags is not valid; without any flag it may be."""
    none = May("no-map-flag") if call.map_flags == 0 else Answer.NO
    return gravest([flags_not_valid(call.map_flags, "cl_map_flags", call, model), none])


def asks_to_write(call: Call, model: Model) -> bool:
    """Return whether map_flags asks to write."""
    return any(call.map_flags & model.value(name) for name in WRITING)


def host_may_not_access(memory: MemoryObject, call: Call, model: Model) -> bool:
    """Return whether map_flags asks for an access of the host that an object's flags do not allow."""
    reads = any(call.map_flags & model.value(name) for name in READING)
    hidden = reads and made_with_any(memory, ("CL_MEM_HOST_WRITE_ONLY", "CL_MEM_HOST_NO_ACCESS"), model)
    fixed = made_with_any(memory, ("CL_MEM_HOST_READ_ONLY", "CL_MEM_HOST_NO_ACCESS"), model)
    return hidden or (asks_to_write(call, model) and fixed)


def may_not_be_mapped(memory: MemoryObject, model: Model) -> Reply:
    """Return whether a map of an object may fail."""
    return Answer.NO if made_with_any(memory, NEVER_FAILS, model) else May("map-fails")
