"""Cleanup at the end of an example: the calls that complete its commands and release its objects."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.call import Call
from clconform.calls.host import call_of
from clconform.calls.values import Handle
from clconform.oracles.contents.bus import WRITE, way_to_signal
from clconform.oracles.model.contexts import ContextObject
from clconform.oracles.model.devices import Device, Platform
from clconform.oracles.model.events import UserEvent
from clconform.oracles.model.memory_objects import BusPlace
from clconform.oracles.model.pointed_memory import HostArea, UsmAllocation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.calls.values import Value
    from clconform.oracles.model.cl_object import ClObject
    from clconform.oracles.model.queues import Queue
    from clconform.oracles.model.world import Model

RELEASES = {
    "cl_event": "clReleaseEvent",
    "cl_command_buffer_khr": "clReleaseCommandBufferKHR",
    "cl_semaphore_khr": "clReleaseSemaphoreKHR",
    "cl_kernel": "clReleaseKernel",
    "cl_program": "clReleaseProgram",
    "cl_sampler": "clReleaseSampler",
    "cl_mem": "clReleaseMemObject",
    "void*": "clSVMFree",
    "cl_command_queue": "clReleaseCommandQueue",
    "cl_context": "clReleaseContext",
    "cl_device_id": "clReleaseDevice",
}
"""Maps each handle type to its release function, in the order of release: objects before those that they use."""


def release_calls(model: Model) -> Iterator[Call]:
    """Yield the calls that release objects; only the first is valid: call the function again after making it."""
    for type_name, function in RELEASES.items():
        for thing in reversed(list(model.things.values())):
            if thing.type == type_name and thing.references > 0 and not _kept(thing):
                name = _by(thing, function)
                *first, last = model.tables.functions[name].parameters
                context = thing.context if first and isinstance(thing, ContextObject) else None
                others = {"context": Handle(context.name)} if context else {}
                yield Call(name, {**others, last.name: Handle(thing.name)})


def endings(model: Model) -> Iterator[Call]:
    """Yield the calls that complete commands: they set user events, finish queues and unmap regions.

    Only the first is valid: call the function again after making it.
    """
    for thing in model.of_kind(UserEvent):
        if not thing.complete and thing.references > 0:
            yield Call("clSetUserEventStatus", {"event": Handle(thing.name), "execution_status": 0})
    yield from _signals(model)
    queues = [
        queue for each in model.order.pending for queue in (each.queue, *each.also) if queue not in each.waited_in
    ]
    for queue in {id(each): each for each in queues}.values():
        if queue is not None and queue.references > 0:
            yield Call("clFinish", {"command_queue": Handle(queue.name)})
    for region in list(model.maps):
        queue = region.command.queue
        if queue is not None and queue.references > 0 and region.memory.references > 0:
            function, values = region.undoing
            yield _call(model, function, queue, *values)


def _signals(model: Model) -> Iterator[Call]:
    """Yield the calls that end waits for bus signals: they write the signal, and flush the queue."""
    for command in model.order.pending:
        place = command.owed if isinstance(command.owed, BusPlace) else None
        way = way_to_signal(place, model) if place is not None else None
        if place is not None and way is not None:
            queue, view = way
            yield _call(model, WRITE, queue, Handle(view.name), place.awaited, 0)
        if command.function == WRITE and not command.flushed and command.queue is not None:
            yield Call("clFlush", {"command_queue": Handle(command.queue.name)})


def _call(model: Model, function: str, queue: Queue, *values: Value) -> Call:
    """Return the call that enqueues a command without a wait list and without an event."""
    return call_of(function, model.tables.functions, Handle(queue.name), *values, 0, None, None)


def _kept(thing: ClObject) -> bool:
    if isinstance(thing, Platform) or (isinstance(thing, Device) and thing.root):
        return True
    return isinstance(thing, HostArea)


def _by(thing: ClObject, function: str) -> str:
    """Return the release function for an object; extensions have their own ones."""
    if isinstance(thing, Device) and thing.partition is not None and thing.partition.function.endswith("EXT"):
        return "clReleaseDeviceEXT"
    return "clMemFreeINTEL" if isinstance(thing, UsmAllocation) else function
