"""Postconditions of creating, recording, finalizing, enqueuing, remapping and releasing command-buffers (5.17)."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING

from clconform.calls.call import Call
from clconform.calls.values import Handle, Items, OutputBuffer
from clconform.oracles.chapters.command_buffers.clauses.making import flags_in
from clconform.oracles.chapters.command_buffers.clauses.recording import FIELDS, UPDATABLE, asserted
from clconform.oracles.chapters.command_buffers.effects import things_in
from clconform.oracles.chapters.command_buffers.keeping import as_it_is
from clconform.oracles.chapters.command_buffers.showing import effects_about
from clconform.oracles.chapters.command_buffers.standing_for import (
    BARRIER,
    LAUNCH,
    RECORDING,
    UPDATE,
    enqueued,
    queue_of,
)
from clconform.oracles.chapters.command_buffers.updates import groups_in
from clconform.oracles.engine.judgements import UNEXPECTED
from clconform.oracles.engine.rules import Rules
from clconform.oracles.engine.wants import Fresh, Promise, Such
from clconform.oracles.model.command_buffers import CommandBuffer, MutableCommand, Recorded
from clconform.oracles.model.errors import UnknownError
from clconform.oracles.model.kernels import Kernel
from clconform.oracles.model.lifetime import release
from clconform.oracles.model.memory_objects import MemoryObject
from clconform.oracles.model.queues import Queue
from clconform.oracles.recurring.making import leave_count_open, made
from clconform.oracles.recurring.property_lists import pairs

if TYPE_CHECKING:
    from clconform.oracles.engine.wants import Element, Values, Want
    from clconform.oracles.model.world import Model

rules = Rules()

BUFFER_ASSERTS = "CL_COMMAND_BUFFER_MUTABLE_DISPATCH_ASSERTS_KHR"


@rules.success("clCreateCommandBufferKHR")
def command_buffer_made(call: Call, model: Model) -> Promise:
    """The call creates a new command-buffer for the given queues, in the recording state."""
    if not isinstance(call.queues, Items):
        raise UnknownError("no queues")
    queues = [model.get(Queue, value) for value in call.queues.values]
    buffer = CommandBuffer(
        context=queues[0].context if queues else None,
        queues=queues,
        recording=True,
        properties=call.properties,
        flags=flags_in(call.properties, model),
        asserts=asserted(call.properties, model, BUFFER_ASSERTS),
    )
    return made(buffer, call, model)


@rules.success("clFinalizeCommandBufferKHR")
def command_buffer_finalized(call: Call, model: Model) -> Promise:
    """The command-buffer is in the executable state and accepts no more commands."""
    buffer = model.get(CommandBuffer, call.command_buffer)

    def apply(_value: Element, _seen: dict[str, Values]) -> None:
        buffer.recording = False

    return Promise(apply=apply)


@rules.aftermath("clFinalizeCommandBufferKHR", "clEnqueueCommandBufferKHR", UPDATE, *RECORDING)
def command_buffer_unclear(call: Call, model: Model, code: str) -> None:
    """Mark a command-buffer as unclear after an unexplained error: the call may have had any part of its effect."""
    buffer = model.known(call.command_buffer)
    if code == UNEXPECTED and isinstance(buffer, CommandBuffer):
        buffer.unclear = True
        if call.function == "clFinalizeCommandBufferKHR":
            buffer.recording = None


@rules.success("clEnqueueCommandBufferKHR")
def command_buffer_enqueued(call: Call, model: Model) -> Promise:
    """Each command recorded in command_buffer is executed once, on queues if they are given."""
    model.get(CommandBuffer, call.command_buffer)
    return Promise()


@rules.success(*RECORDING)
def command_recorded(call: Call, model: Model) -> Promise:
    """The command is recorded, and runs each time the command-buffer is enqueued.

    The returned synchronization-point is unique among the commands of the command-buffer. Queries of mutable_handle, if
    it is requested, return the values that the command was recorded with.
    """
    buffer, queue = model.get(CommandBuffer, call.command_buffer), queue_of(call, model)
    if queue is None:
        raise UnknownError("the queue that a command is recorded for")
    listed = call.sync_point_wait_list
    points = [each for each in listed.values if isinstance(each, int)] if isinstance(listed, Items) else []
    standing = enqueued(call, model)
    recorded = Recorded(
        standing,
        queue,
        {thing.name: as_it_is(thing) for thing in things_in(standing, model)},
        len(buffer.commands),
        tuple(buffer.points[each] for each in points if each in buffer.points),
        call.function == BARRIER,
        listed is not None,
    )
    command = _handle(call, model, recorded) if call.function == LAUNCH else None

    def apply(_value: Element, seen: dict[str, Values]) -> None:
        if buffer.recording is False:
            return  # the call should have failed
        buffer.commands.append(recorded)
        for point in seen.get("sync_point", []):
            if isinstance(point, int):
                buffer.points[point] = recorded
        names = [name for name in seen.get("mutable_handle", []) if isinstance(name, str)]
        if names and command is not None and isinstance(call.mutable_handle, OutputBuffer):
            command.name = names[0]
            model.add(command)

    outputs: dict[str, Want] = {}
    if isinstance(call.sync_point, OutputBuffer):
        outputs["sync_point"] = _another_point(call, buffer, model)
    if isinstance(call.mutable_handle, OutputBuffer):
        success = (f"{call.function}/success",)
        outputs["mutable_handle"] = Fresh(MutableCommand.type, 1, 1, success, model.alive(MutableCommand.type))
    return Promise(outputs=outputs, apply=apply)


def _another_point(call: Call, buffer: CommandBuffer, model: Model) -> Want:
    taken = set(buffer.points)
    records = (*effects_about("sync-point-unique", call.function, model), f"{call.function}/success")
    words = "a synchronization-point that is unique in the command-buffer"
    free = next(number for number in range(1, len(taken) + 2) if number not in taken)
    return Such(lambda seen: isinstance(seen[0], int) and seen[0] not in taken, words, records, (free,))


def _handle(call: Call, model: Model, recorded: Recorded) -> MutableCommand:
    buffer, kernel = model.get(CommandBuffer, call.command_buffer), model.get(Kernel, call.kernel)
    fields = pairs(call.properties).get(model.value(FIELDS))
    if fields is None:
        fields = recorded.queue.on.facts.get(UPDATABLE) if recorded.queue.on is not None else None  # type: ignore[assignment]
    return MutableCommand(
        context=buffer.context,
        command_buffer=buffer,
        kernel=kernel,
        queue=recorded.queue.name,
        dimensions=call.work_dim,
        offset=sizes_in(call.global_work_offset, call.work_dim),
        global_size=sizes_in(call.global_work_size, call.work_dim),
        local_size=sizes_in(call.local_work_size, call.work_dim),
        properties=call.properties,
        recorded=recorded,
        without_queue=call.command_queue is None,
        fields=fields if isinstance(fields, int) else None,
        asserts=asserted(call.properties, model),
        groups=groups_in(recorded.call),
    )


def sizes_in(given: object, dimensions: int) -> tuple[int, ...]:
    """Return the sizes or offsets of a list, and zeros for NULL."""
    values = given.values if isinstance(given, Items) else (0,) * dimensions
    return tuple(value for value in values if isinstance(value, int))


@rules.success("clRemapCommandBufferKHR")
def command_buffer_remapped(call: Call, model: Model) -> Promise:
    """The call creates a command-buffer with the same commands for other queues, in the same state but not pending.

    handles_ret receives the handles of the same commands in the new command-buffer, in the order of handles.
    """
    original = model.get(CommandBuffer, call.command_buffer)
    if not isinstance(call.queues, Items):
        raise UnknownError("no queues")
    queues = [model.get(Queue, value) for value in call.queues.values]
    copied = CommandBuffer(
        context=original.context,
        queues=queues,
        recording=original.recording,
        properties=original.properties,
        flags=original.flags,
        asserts=original.asserts,
        remapped_from=original,
        automatic=bool(call.automatic),
        unclear=original.unclear,
    )
    for each in original.commands:
        copied.commands.append(_remapped(each, original, copied))
    copied.points = {point: copied.commands[each.at] for point, each in original.points.items()}
    promised = made(copied, call, model)
    listed = call.handles.values if isinstance(call.handles, Items) else ()
    handles = [model.get(MutableCommand, each) for each in listed]

    def apply(value: Element, seen: dict[str, Values]) -> None:
        promised.apply(value, seen)
        for name, handle in zip(seen.get("handles_ret", []), handles, strict=False):
            if isinstance(name, str) and handle.recorded is not None:
                again = copy.copy(handle)
                again.facts, again.changed, again.name = {}, set(handle.changed), name
                again.command_buffer, again.recorded = copied, copied.commands[handle.recorded.at]
                again.queue, again.counterpart = again.recorded.queue.name, True
                model.add(again)

    outputs = dict(promised.outputs)
    if isinstance(call.handles_ret, OutputBuffer):
        success, kind, many = (f"{call.function}/success",), MutableCommand.type, len(handles)
        outputs["handles_ret"] = Fresh(kind, many, call.handles_ret.count, success, model.alive(kind))
    return Promise(promised.value, outputs, apply)


def _remapped(recorded: Recorded, original: CommandBuffer, copied: CommandBuffer) -> Recorded:
    """Return a command for the queue that replaces its own; its dependencies stay the same.

    If the implementation chooses the queue, the first one is used: the effect of a command is the same on each.
    """
    index = 0 if copied.automatic else original.queues.index(recorded.queue)
    queue = copied.queues[min(index, len(copied.queues) - 1)]
    call = Call(recorded.call.function, {**recorded.call.arguments, "command_queue": Handle(queue.name)})
    things = {name: thing for name, thing in recorded.things.items() if not isinstance(thing, Queue)}
    again = copy.copy(recorded)
    again.call, again.queue, again.things = call, queue, {**things, queue.name: queue}
    again.apart = copied.automatic and len(copied.queues) > 1
    again.after = tuple(copied.commands[each.at] for each in recorded.after)
    return again


@rules.success("clReleaseCommandBufferKHR")
def command_buffer_released(call: Call, model: Model) -> Promise:
    """The reference count of command_buffer decreases by one; its commands are deleted together with it."""
    buffer = model.get(CommandBuffer, call.command_buffer)

    def apply(_value: Element, _seen: dict[str, Values]) -> None:
        _release(buffer, model)

    return Promise(apply=apply)


@rules.aftermath("clReleaseCommandBufferKHR")
def command_buffer_released_perhaps(call: Call, model: Model, code: str) -> None:
    """Mark the reference count as unknown after an unexplained error: the command-buffer may be deleted."""
    buffer = model.known(call.command_buffer)
    if code == UNEXPECTED and isinstance(buffer, CommandBuffer):
        leave_count_open(buffer)
        _release(buffer, model)


def _release(buffer: CommandBuffer, model: Model) -> None:
    buffer.references -= 1
    if buffer.references < 1:
        for command in model.of_kind(MutableCommand):
            if command.command_buffer is buffer:
                model.drop(command)
        for recorded in buffer.commands:
            for thing in recorded.things.values():
                if isinstance(thing, MemoryObject):
                    thing.recorded = True
    release(buffer, model)
