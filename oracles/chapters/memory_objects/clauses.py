"""Error conditions of retaining, unmapping, migrating and acquiring memory objects (section 5.5)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Handle, Items
from clconform.oracles.chapters.buffers.clauses.imported import devices_in, handles_in
from clconform.oracles.engine.answers import UNKNOWN, Answer, May, Reply
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.contexts import ContextObject
from clconform.oracles.model.errors import UnknownError
from clconform.oracles.model.memory_objects import MemoryObject, Pipe
from clconform.oracles.model.queues import Queue
from clconform.oracles.recurring.contexts import contexts_of
from clconform.oracles.recurring.flags import flags_not_valid
from clconform.oracles.recurring.objects import gravest, valid_object

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.oracles.model.world import Model

rules = Rules()


@rules.clause(
    "clEnqueueAcquireExternalMemObjectsKHR/CL_INVALID_MEM_OBJECT/1",
    "clEnqueueReleaseExternalMemObjectsKHR/CL_INVALID_MEM_OBJECT/1",
)
def not_imported(call: Call, model: Model) -> Reply:
    """An element of mem_objects is not a memory object that was created from an external memory handle."""
    listed = call.mem_objects.values if isinstance(call.mem_objects, Items) else ()
    return gravest(_not_imported(value, model) for value in listed)


def _not_imported(value: int | Handle | None, model: Model) -> Reply:
    reply = valid_object(value, "cl_mem", model)
    if reply is not Answer.NO:
        return reply
    memory = model.get(MemoryObject, value)
    return UNKNOWN if memory.tainted else not handles_in(memory.properties, model)


@rules.clause(
    "clEnqueueAcquireExternalMemObjectsKHR/CL_INVALID_COMMAND_QUEUE/3",
    "clEnqueueReleaseExternalMemObjectsKHR/CL_INVALID_COMMAND_QUEUE/3",
)
def queue_of_a_device_that_is_not_listed(call: Call, model: Model) -> Reply:
    """The device of command_queue is not in CL_MEM_DEVICE_HANDLE_LIST_KHR of an element of mem_objects."""
    queue = model.known(call.command_queue)
    if not isinstance(queue, Queue) or queue.device is None:
        return Answer.NO
    listed = call.mem_objects.values if isinstance(call.mem_objects, Items) else ()
    memories = [each for each in map(model.known, listed) if isinstance(each, MemoryObject)]
    named = [devices_in(each.properties, model) for each in memories]
    return any(devices is not None and Handle(queue.device.name) not in devices for devices in named)


@rules.clause(
    "clEnqueueAcquireExternalMemObjectsKHR/CL_INVALID_COMMAND_QUEUE/4",
    "clEnqueueReleaseExternalMemObjectsKHR/CL_INVALID_COMMAND_QUEUE/4",
)
def queue_not_for_them(call: Call, model: Model) -> Reply:
    """The device of command_queue is not in the context of every element of mem_objects."""
    if not isinstance(model.known(call.command_queue), Queue):
        return Answer.NO
    device = model.get(Queue, call.command_queue).device
    listed = call.mem_objects.values if isinstance(call.mem_objects, Items) else ()
    owners = [thing.context for thing in map(model.known, listed) if isinstance(thing, ContextObject)]
    return any(owner is not None and owner.devices and device not in owner.devices for owner in owners)


PARTIES = ("command_queue", "mem_objects", "event_wait_list")


@rules.clause("clRetainMemObject/CL_INVALID_MEM_OBJECT/1")
def not_to_be_retained(call: Call, model: Model) -> Reply:
    """memobj is NULL or not a valid memory object."""
    reply = valid_object(call.memobj, "cl_mem", model)
    if reply is not Answer.NO:
        return reply
    return May("pipe-as-memory") if isinstance(model.get(MemoryObject, call.memobj), Pipe) else Answer.NO


@rules.clause("clReleaseMemObject/usage/1")
def released_too_often(call: Call, model: Model) -> bool:
    """The application does not hold a reference to memobj."""
    thing = model.known(call.memobj)
    return call.memobj is not None and (thing is None or thing.references < 1)


@rules.clause("clEnqueueUnmapMemObject/CL_INVALID_MEM_OBJECT/1")
def not_to_be_unmapped(call: Call, model: Model) -> Reply:
    """memobj is NULL, not a valid memory object, or a pipe."""
    reply = valid_object(call.memobj, "cl_mem", model)
    if reply is not Answer.NO:
        return reply
    return isinstance(model.get(MemoryObject, call.memobj), Pipe)


@rules.clause("clEnqueueUnmapMemObject/CL_INVALID_VALUE/1")
def no_pointer_of_a_map(call: Call, model: Model) -> Reply:
    """mapped_ptr is not a pointer that a map of memobj returned.

    The error is optional for a pointer already unmapped, or one from mapping a sub-buffer or the parent buffer.
    """
    if not isinstance(call.mapped_ptr, Handle):
        return Answer.MUST
    memory = model.get(MemoryObject, call.memobj)
    kept = memory.memory
    if kept is None and not isinstance(memory, Pipe):
        raise UnknownError("maps")
    maps = [each for each in model.maps if each.pointer == call.mapped_ptr.name]
    own = [each for each in maps if each.memory is memory]
    if own:
        return May("map-after-an-error") if all(each.doubtful for each in own) else Answer.NO
    if kept is not None and any(each.region.storage is kept.storage for each in maps):
        return May("mapped-through-another")
    return Answer.MUST if maps else May("map-is-over")


@rules.clause("clEnqueueMigrateMemObjects/CL_INVALID_CONTEXT/1")
def migrated_across_contexts(call: Call, model: Model) -> Reply:
    """command_queue, mem_objects and event_wait_list do not all belong to the same context."""
    return len({each.name for name in PARTIES for each in contexts_of(call.arguments[name], model)}) > 1


@rules.clause("clEnqueueMigrateMemObjects/CL_INVALID_VALUE/2")
def unknown_ways_to_migrate(call: Call, model: Model) -> Reply:
    """flags contains a bit that is not a migration flag."""
    return flags_not_valid(call.flags, "cl_mem_migration_flags", call, model)
