"""Cleans up after an example: completes its commands, joins its host threads and releases its objects."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.call import Call
from clconform.calls.harness_actions import build_call
from clconform.calls.release_functions import RELEASE_FUNCTIONS
from clconform.calls.values import Handle
from clconform.oracles.contents.bus_memory import WRITE, find_signal_path
from clconform.oracles.model.contexts import ContextObject
from clconform.oracles.model.devices import Device, Platform
from clconform.oracles.model.events import UserEvent
from clconform.oracles.model.memory_objects import BusLocation
from clconform.oracles.model.pointer_memory import HostArea, UsmAllocation

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from clconform.calls.values import Value
    from clconform.oracles.model.cl_object import ClObject
    from clconform.oracles.model.queues import CommandQueue
    from clconform.oracles.model.state import Model
    from clconform.runner.session.host_threads import ThreadCallTracker


def clean_up(model: Model, thread_calls: ThreadCallTracker, make: Callable[[Call], bool]) -> bool:
    """Make the calls that complete commands, join host threads and release objects.

    ``make`` makes one call and returns whether it succeeded. Return False if a call on a host thread never returns.
    """
    refused: list[Call] = []
    while True:
        call = next((each for each in _cleanup_calls(model, thread_calls) if each not in refused), None)
        if call is None:
            return not thread_calls
        if not make(call):
            refused.append(call)


def _cleanup_calls(model: Model, thread_calls: ThreadCallTracker) -> Iterator[Call]:
    """Yield the calls of the cleanup.

    Only the first call is valid now, so call this function again after making it.
    """
    yield from completion_calls(model)
    yield from thread_calls.join_calls()
    if not thread_calls:
        yield from release_calls(model)


def release_calls(model: Model) -> Iterator[Call]:
    """Yield the calls that release objects.

    Only the first call is valid now, so call this function again after making it.
    """
    for type_name, function in RELEASE_FUNCTIONS.items():
        for thing in reversed(list(model.objects.values())):
            if thing.type == type_name and thing.references > 0 and not _is_permanent(thing):
                name = _release_function(thing, function)
                *first, last = model.tables.functions[name].parameters
                context = thing.context if first and isinstance(thing, ContextObject) else None
                others = {"context": Handle(context.name)} if context else {}
                yield Call(name, {**others, last.name: Handle(thing.name)})


def completion_calls(model: Model) -> Iterator[Call]:
    """Yield the calls that complete commands: they set user events, finish queues and unmap regions.

    Only the first call is valid now, so call this function again after making it.
    """
    for thing in model.objects_of_class(UserEvent):
        if not thing.is_complete and thing.references > 0:
            yield Call("clSetUserEventStatus", {"event": Handle(thing.name), "execution_status": 0})
    yield from _signal_calls(model)
    queues = [
        queue
        for each in model.commands.pending
        for queue in (each.queue, *each.other_queues)
        if queue not in each.awaited_queues
    ]
    for queue in {id(each): each for each in queues}.values():
        if queue is not None and queue.references > 0:
            yield Call("clFinish", {"command_queue": Handle(queue.name)})
    for region in list(model.mapped_regions):
        queue = region.command.queue
        if queue is not None and queue.references > 0 and region.memory.references > 0:
            function, values = region.unmap_call
            yield _create_command(model, function, queue, *values)


def _signal_calls(model: Model) -> Iterator[Call]:
    """Yield the calls that complete waits for bus signals: they write the signal, and flush the queue of the write."""
    for command in model.commands.pending:
        place = command.awaited_signal if isinstance(command.awaited_signal, BusLocation) else None
        way = find_signal_path(place, model) if place is not None else None
        if place is not None and way is not None:
            queue, view = way
            yield _create_command(model, WRITE, queue, Handle(view.name), place.awaited_value, 0)
        if command.function == WRITE and not command.is_flushed and command.queue is not None:
            yield Call("clFlush", {"command_queue": Handle(command.queue.name)})


def _create_command(model: Model, function: str, queue: CommandQueue, *values: Value) -> Call:
    """Return the call that enqueues a command without a wait list and without an event."""
    return build_call(function, model.tables.functions, Handle(queue.name), *values, 0, None, None)


def _is_permanent(thing: ClObject) -> bool:
    if isinstance(thing, Platform) or (isinstance(thing, Device) and thing.is_root):
        return True
    return isinstance(thing, HostArea)


def _release_function(thing: ClObject, function: str) -> str:
    """Return the release function for an object.

    Some objects of extensions have their own release function.
    """
    if isinstance(thing, Device) and thing.partition is not None and thing.partition.function.endswith("EXT"):
        return "clReleaseDeviceEXT"
    return "clMemFreeINTEL" if isinstance(thing, UsmAllocation) else function
