"""Maps of memory objects: valid flags, host access restrictions, and whether a map may fail (5.2.4, 5.3.7)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.contents.geometry import shared_bytes
from clconform.oracles.contents.maps import maps_of
from clconform.oracles.engine.answers import UNKNOWN, Answer, May, Reply
from clconform.oracles.model.memory_objects import MemoryObject
from clconform.oracles.model.queues import Queue
from clconform.oracles.recurring.flags import flags_not_valid, made_with_any
from clconform.oracles.recurring.objects import gravest

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.oracles.contents.storage import Place
    from clconform.oracles.model.world import Model

READING, WRITING = ("CL_MAP_READ",), ("CL_MAP_WRITE", "CL_MAP_WRITE_INVALIDATE_REGION")
NEVER_FAILS = ("CL_MEM_USE_HOST_PTR", "CL_MEM_ALLOC_HOST_PTR")


def map_flags_not_valid(call: Call, model: Model) -> Reply:
    """Return whether map_flags is invalid; it may be if it has no flags."""
    none = May("no-map-flag") if call.map_flags == 0 else Answer.NO
    return gravest([flags_not_valid(call.map_flags, "cl_map_flags", call, model), none])


def asks_to_write(call: Call, model: Model) -> bool:
    """Return whether map_flags requests write access."""
    return any(call.map_flags & model.value(name) for name in WRITING)


def host_may_not_access(memory: MemoryObject, call: Call, model: Model) -> bool:
    """Return whether map_flags requests host access that an object's flags do not allow."""
    return hidden_from_the_host(memory, call, model) or fixed_for_the_host(memory, call, model)


def hidden_from_the_host(memory: MemoryObject, call: Call, model: Model) -> bool:
    """Return whether map_flags requests read access that the host does not have."""
    reads = any(call.map_flags & model.value(name) for name in READING)
    return reads and made_with_any(memory, ("CL_MEM_HOST_WRITE_ONLY", "CL_MEM_HOST_NO_ACCESS"), model)


def fixed_for_the_host(memory: MemoryObject, call: Call, model: Model) -> bool:
    """Return whether map_flags requests write access that the host does not have."""
    fixed = made_with_any(memory, ("CL_MEM_HOST_READ_ONLY", "CL_MEM_HOST_NO_ACCESS"), model)
    return asks_to_write(call, model) and fixed


def may_not_be_mapped(memory: MemoryObject, model: Model) -> Reply:
    """Return whether a map of an object may fail."""
    return Answer.NO if made_with_any(memory, NEVER_FAILS, model) else May("map-fails")


def mapped_twice(wanted: Place, call: Call, model: Model) -> Reply:
    """Return whether a map of a place would leave overlapping regions mapped for writing.

    Before version 1.2 such a map is undefined.
    """
    writes = asks_to_write(call, model)
    beside = [each for each in maps_of(wanted.storage, model) if shared_bytes(wanted.spans, each.spans)]
    if writes and any(each.writes for each in beside):
        device = model.get(Queue, call.command_queue).on
        return Answer.UNDEFINED if device is not None and device.version < (1, 2) else Answer.MUST
    if isinstance(wanted.owner, MemoryObject) and wanted.owner.whole.mapped_perhaps:
        return UNKNOWN
    return May("map-beside-a-map") if any(writes or each.writes for each in beside) else Answer.NO
