"""Error conditions of retaining, unmapping, migrating and acquiring memory objects (section 5.5)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import ElementList, Handle
from clconform.oracles.chapters.buffers.error_conditions.external_memory import external_handles, listed_devices
from clconform.oracles.common.contexts import contexts_of, find_other_contexts
from clconform.oracles.common.flags import are_flags_invalid, find_flag_violations
from clconform.oracles.common.objects import find_invalid_object, is_invalid_object
from clconform.oracles.engine.predicate_result import MUST, NO, UNKNOWN, PredicateResult, may, must_if, strongest_result
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.contexts import ContextObject
from clconform.oracles.model.errors import UnknownFactError
from clconform.oracles.model.memory_objects import MemoryObject, Pipe
from clconform.oracles.model.queues import CommandQueue

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.calls.call import Call
    from clconform.oracles.model.state import Model

rules = Rules()


@rules.clause(
    "clEnqueueAcquireExternalMemObjectsKHR/CL_INVALID_MEM_OBJECT/1",
    "clEnqueueReleaseExternalMemObjectsKHR/CL_INVALID_MEM_OBJECT/1",
)
def is_not_imported(call: Call, model: Model) -> PredicateResult:
    """An element of mem_objects is not a memory object that was created from an external memory handle."""
    listed = call.mem_objects.values if isinstance(call.mem_objects, ElementList) else ()
    return strongest_result(_is_not_imported(value, model) for value in listed)


def _is_not_imported(value: int | Handle | None, model: Model) -> PredicateResult:
    reply = is_invalid_object(value, "cl_mem", model)
    if reply is not NO:
        return reply
    memory = model.get(MemoryObject, value)
    return UNKNOWN if memory.tainted else must_if(not external_handles(memory.properties, model))


@rules.clause(
    "clEnqueueAcquireExternalMemObjectsKHR/CL_INVALID_COMMAND_QUEUE/3",
    "clEnqueueReleaseExternalMemObjectsKHR/CL_INVALID_COMMAND_QUEUE/3",
)
def is_device_not_listed(call: Call, model: Model) -> PredicateResult:
    """An element of mem_objects was created for devices that do not include the device of command_queue."""
    queue = model.find(call.command_queue)
    if not isinstance(queue, CommandQueue) or queue.device is None:
        return NO
    listed = call.mem_objects.values if isinstance(call.mem_objects, ElementList) else ()
    memories = [each for each in map(model.find, listed) if isinstance(each, MemoryObject)]
    named = [listed_devices(each.properties, model) for each in memories]
    return must_if(any(devices is not None and Handle(queue.device.name) not in devices for devices in named))


@rules.clause(
    "clEnqueueAcquireExternalMemObjectsKHR/CL_INVALID_COMMAND_QUEUE/4",
    "clEnqueueReleaseExternalMemObjectsKHR/CL_INVALID_COMMAND_QUEUE/4",
)
def is_device_outside_context(call: Call, model: Model) -> PredicateResult:
    """An element of mem_objects has a context that does not contain the device of command_queue."""
    if not isinstance(model.find(call.command_queue), CommandQueue):
        return NO
    device = model.get(CommandQueue, call.command_queue).device
    listed = call.mem_objects.values if isinstance(call.mem_objects, ElementList) else ()
    owners = [thing.context for thing in map(model.find, listed) if isinstance(thing, ContextObject)]
    return must_if(any(owner is not None and owner.devices and device not in owner.devices for owner in owners))


CONTEXT_PARAMETERS = ("command_queue", "mem_objects", "event_wait_list")


@rules.clause("clRetainMemObject/CL_INVALID_MEM_OBJECT/1")
def cannot_be_retained(call: Call, model: Model) -> PredicateResult:
    """memobj is NULL or not a valid memory object."""
    reply = is_invalid_object(call.memobj, "cl_mem", model)
    if reply is not NO:
        return reply
    return may("retain-of-pipe") if isinstance(model.get(MemoryObject, call.memobj), Pipe) else NO


@rules.alternatives_of("clRetainMemObject/CL_INVALID_MEM_OBJECT/1")
def find_retained_object_violation(call: Call, model: Model) -> Iterator[str]:
    """Yield the alternative that holds: memobj is NULL or not a valid memory object."""
    return find_invalid_object("memobj", call.memobj, "cl_mem", model)


@rules.clause("clReleaseMemObject/usage/1")
def is_over_released(call: Call, model: Model) -> PredicateResult:
    """The application does not own a reference to memobj."""
    thing = model.find(call.memobj)
    return must_if(call.memobj is not None and (thing is None or thing.references < 1))


@rules.clause("clEnqueueUnmapMemObject/CL_INVALID_MEM_OBJECT/1")
def cannot_be_unmapped(call: Call, model: Model) -> PredicateResult:
    """memobj is NULL, not a valid memory object, or a pipe."""
    reply = is_invalid_object(call.memobj, "cl_mem", model)
    if reply is not NO:
        return reply
    return must_if(isinstance(model.get(MemoryObject, call.memobj), Pipe))


@rules.alternatives_of("clEnqueueUnmapMemObject/CL_INVALID_MEM_OBJECT/1")
def find_unmapped_object_violation(call: Call, model: Model) -> Iterator[str]:
    """Yield the alternative that holds: memobj is NULL, not a valid memory object, or a pipe."""
    yield from list(find_invalid_object("memobj", call.memobj, "cl_mem", model)) or ["memobj is a pipe"]


@rules.clause("clEnqueueUnmapMemObject/CL_INVALID_VALUE/1")
def is_not_map_pointer(call: Call, model: Model) -> PredicateResult:
    """mapped_ptr is not a pointer that a map of memobj returned.

    The error is optional for a pointer that was already unmapped, and for a pointer that a map of a sub-buffer or of
    the parent buffer of memobj returned.
    """
    if not isinstance(call.mapped_ptr, Handle):
        return MUST
    memory = model.get(MemoryObject, call.memobj)
    kept = memory.memory
    if kept is None and not isinstance(memory, Pipe):
        raise UnknownFactError("maps")
    maps = [each for each in model.mapped_regions if each.pointer == call.mapped_ptr.name]
    own = [each for each in maps if each.memory is memory]
    if own:
        return may("map-after-failed-unmap") if all(each.is_uncertain for each in own) else NO
    if kept is not None and any(each.region.storage is kept.storage for each in maps):
        return may("map-pointer-of-related-buffer")
    return MUST if maps else may("repeated-unmap")


@rules.clause("clEnqueueMigrateMemObjects/CL_INVALID_CONTEXT/1")
def has_several_contexts(call: Call, model: Model) -> PredicateResult:
    """command_queue, mem_objects and event_wait_list do not all belong to the same context."""
    return must_if(
        len({each.name for name in CONTEXT_PARAMETERS for each in contexts_of(call.arguments[name], model)}) > 1
    )


@rules.alternatives_of("clEnqueueMigrateMemObjects/CL_INVALID_CONTEXT/1")
def find_migration_contexts(call: Call, model: Model) -> Iterator[str]:
    """Yield each object that belongs to a different context than command_queue."""
    return find_other_contexts(call, model, *CONTEXT_PARAMETERS)


@rules.clause("clEnqueueMigrateMemObjects/CL_INVALID_VALUE/2")
def has_invalid_migration_flags(call: Call, model: Model) -> PredicateResult:
    """flags contains a bit that is not a migration flag."""
    return are_flags_invalid(call.flags, "cl_mem_migration_flags", call, model)


@rules.alternatives_of("clEnqueueMigrateMemObjects/CL_INVALID_VALUE/2")
def find_migration_flag_violations(call: Call, model: Model) -> Iterator[str]:
    """Yield the alternative that holds: flags contains an undefined bit, or flags that exclude each other."""
    return find_flag_violations("flags", call.flags, "cl_mem_migration_flags", call, model)
