"""Postconditions of creating, recording, finalizing, enqueuing, remapping and releasing command-buffers (5.17)."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING

from clconform.calls.call import Call
from clconform.calls.values import ElementList, Handle, OutputBuffer
from clconform.oracles.chapters.command_buffers.command_updates import count_groups
from clconform.oracles.chapters.command_buffers.effects import objects_named_in
from clconform.oracles.chapters.command_buffers.equivalent_calls import (
    BARRIER,
    LAUNCH,
    RECORDING_FUNCTIONS,
    UPDATE,
    equivalent_enqueue,
    recording_queue,
)
from clconform.oracles.chapters.command_buffers.error_conditions.creation import read_flags
from clconform.oracles.chapters.command_buffers.error_conditions.recording import (
    UPDATABLE_FIELDS,
    UPDATE_CAPABILITIES,
    read_assertions,
)
from clconform.oracles.chapters.command_buffers.evidence import effects_with_topic
from clconform.oracles.chapters.command_buffers.snapshot import take_snapshot
from clconform.oracles.common.object_creation import create_postcondition, mark_counts_uncertain
from clconform.oracles.common.property_lists import list_values
from clconform.oracles.engine.judgements import UNEXPECTED_ERROR
from clconform.oracles.engine.matchers import NewHandles, Postcondition, Satisfies
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.command_buffer_state import CommandBuffer, MutableCommand, RecordedCommand
from clconform.oracles.model.errors import UnknownFactError
from clconform.oracles.model.kernels import Kernel
from clconform.oracles.model.lifetime import release
from clconform.oracles.model.memory_objects import MemoryObject
from clconform.oracles.model.queues import CommandQueue

if TYPE_CHECKING:
    from clconform.oracles.engine.matchers import Element, Matcher, Values
    from clconform.oracles.model.state import Model

rules = Rules()

DISPATCH_ASSERTS_PROPERTY = "CL_COMMAND_BUFFER_MUTABLE_DISPATCH_ASSERTS_KHR"


@rules.postcondition("clCreateCommandBufferKHR")
def expect_command_buffer(call: Call, model: Model) -> Postcondition:
    """The call creates a new command-buffer for the queues in queues, in the recording state."""
    if not isinstance(call.queues, ElementList):
        raise UnknownFactError("no queues")
    queues = [model.get(CommandQueue, value) for value in call.queues.values]
    buffer = CommandBuffer(
        context=queues[0].context if queues else None,
        queues=queues,
        recording=True,
        properties=call.properties,
        flags=read_flags(call.properties, model),
        asserts=read_assertions(call.properties, model, DISPATCH_ASSERTS_PROPERTY),
    )
    return create_postcondition(buffer, call, model)


@rules.postcondition("clFinalizeCommandBufferKHR")
def expect_finalized(call: Call, model: Model) -> Postcondition:
    """command_buffer is in the executable state and accepts no more commands."""
    buffer = model.get(CommandBuffer, call.command_buffer)

    def apply(_value: Element, _seen: dict[str, Values]) -> None:
        buffer.recording = False

    return Postcondition(apply=apply)


@rules.aftermath("clFinalizeCommandBufferKHR", "clEnqueueCommandBufferKHR", UPDATE, *RECORDING_FUNCTIONS)
def mark_unclear(call: Call, model: Model, code: str) -> None:
    """Mark the contents of a command-buffer as unknown after an unexpected error.

    The call may have had a part of its effect.
    """
    buffer = model.find(call.command_buffer)
    if code == UNEXPECTED_ERROR and isinstance(buffer, CommandBuffer):
        buffer.is_unknown = True
        if call.function == "clFinalizeCommandBufferKHR":
            buffer.recording = None


@rules.postcondition("clEnqueueCommandBufferKHR")
def expect_enqueued(call: Call, model: Model) -> Postcondition:
    """Each command recorded in command_buffer runs once. If queues is not NULL, the commands run on its elements."""
    model.get(CommandBuffer, call.command_buffer)
    return Postcondition()


@rules.postcondition(*RECORDING_FUNCTIONS)
def expect_recorded_command(call: Call, model: Model) -> Postcondition:
    """The command is recorded, and runs each time the command-buffer is enqueued.

    sync_point receives a synchronization-point that is unique in the command-buffer. If mutable_handle is not NULL, it
    receives a handle whose queries return the values with which the command was recorded.
    """
    buffer, queue = model.get(CommandBuffer, call.command_buffer), recording_queue(call, model)
    if queue is None:
        raise UnknownFactError("the queue that a command is recorded for")
    listed = call.sync_point_wait_list
    points = [each for each in listed.values if isinstance(each, int)] if isinstance(listed, ElementList) else []
    standing = equivalent_enqueue(call, model)
    recorded = RecordedCommand(
        standing,
        queue,
        {thing.name: take_snapshot(thing) for thing in objects_named_in(standing, model)},
        len(buffer.commands),
        tuple(buffer.sync_points[each] for each in points if each in buffer.sync_points),
        call.function == BARRIER,
        listed is not None,
    )
    command = _create_handle(call, model, recorded) if call.function == LAUNCH else None

    def apply(_value: Element, seen: dict[str, Values]) -> None:
        if buffer.recording is False:
            return  # the call should have failed
        buffer.commands.append(recorded)
        for point in seen.get("sync_point", []):
            if isinstance(point, int):
                buffer.sync_points[point] = recorded
        names = [name for name in seen.get("mutable_handle", []) if isinstance(name, str)]
        if names and command is not None and isinstance(call.mutable_handle, OutputBuffer):
            command.name = names[0]
            model.add(command)

    outputs: dict[str, Matcher] = {}
    if isinstance(call.sync_point, OutputBuffer):
        outputs["sync_point"] = _expect_unique_sync_point(call, buffer, model)
    if isinstance(call.mutable_handle, OutputBuffer):
        success = (f"{call.function}/success",)
        outputs["mutable_handle"] = NewHandles(
            MutableCommand.type, 1, 1, success, model.live_names(MutableCommand.type)
        )
    return Postcondition(outputs=outputs, apply=apply)


def _expect_unique_sync_point(call: Call, buffer: CommandBuffer, model: Model) -> Matcher:
    taken = set(buffer.sync_points)
    requirements = (*effects_with_topic("sync-point-unique", call.function, model), f"{call.function}/success")
    words = "a synchronization-point that is unique in the command-buffer"
    free = next(number for number in range(1, len(taken) + 2) if number not in taken)
    return Satisfies(lambda seen: isinstance(seen[0], int) and seen[0] not in taken, words, requirements, (free,))


def _create_handle(call: Call, model: Model, recorded: RecordedCommand) -> MutableCommand:
    buffer, kernel = model.get(CommandBuffer, call.command_buffer), model.get(Kernel, call.kernel)
    fields = list_values(call.properties).get(model.constant_value(UPDATABLE_FIELDS))
    if fields is None:
        device = recorded.queue.queue_device
        fields = device.facts.get(UPDATE_CAPABILITIES) if device is not None else None  # type: ignore[assignment]
    return MutableCommand(
        context=buffer.context,
        command_buffer=buffer,
        kernel=kernel,
        queue=recorded.queue.name,
        dimensions=call.work_dim,
        offset=read_sizes(call.global_work_offset, call.work_dim),
        global_size=read_sizes(call.global_work_size, call.work_dim),
        local_size=read_sizes(call.local_work_size, call.work_dim),
        properties=call.properties,
        recorded=recorded,
        without_queue=call.command_queue is None,
        updatable_fields=fields if isinstance(fields, int) else None,
        asserts=read_assertions(call.properties, model),
        group_count=count_groups(recorded.call),
    )


def read_sizes(given: object, dimensions: int) -> tuple[int, ...]:
    """Return the values of an array of sizes or offsets; zeros for NULL."""
    values = given.values if isinstance(given, ElementList) else (0,) * dimensions
    return tuple(value for value in values if isinstance(value, int))


@rules.postcondition("clRemapCommandBufferKHR")
def expect_remapped(call: Call, model: Model) -> Postcondition:
    """The call creates a command-buffer with the commands of command_buffer for the queues in queues.

    The new command-buffer has the state of command_buffer, but is not pending. handles_ret receives the handles of the
    commands in the new command-buffer, in the order of handles.
    """
    original = model.get(CommandBuffer, call.command_buffer)
    if not isinstance(call.queues, ElementList):
        raise UnknownFactError("no queues")
    queues = [model.get(CommandQueue, value) for value in call.queues.values]
    copied = CommandBuffer(
        context=original.context,
        queues=queues,
        recording=original.recording,
        properties=original.properties,
        flags=original.flags,
        asserts=original.asserts,
        remapped_from=original,
        is_automatically_remapped=bool(call.automatic),
        is_unknown=original.is_unknown,
    )
    for each in original.commands:
        copied.commands.append(_remap_command(each, original, copied))
    copied.sync_points = {point: copied.commands[each.index] for point, each in original.sync_points.items()}
    promised = create_postcondition(copied, call, model)
    listed = call.handles.values if isinstance(call.handles, ElementList) else ()
    handles = [model.get(MutableCommand, each) for each in listed]

    def apply(value: Element, seen: dict[str, Values]) -> None:
        promised.apply(value, seen)
        for name, handle in zip(seen.get("handles_ret", []), handles, strict=False):
            if isinstance(name, str) and handle.recorded is not None:
                again = copy.copy(handle)
                again.facts, again.changed_parameters, again.name = {}, set(handle.changed_parameters), name
                again.command_buffer, again.recorded = copied, copied.commands[handle.recorded.index]
                again.queue, again.is_remapped_copy = again.recorded.queue.name, True
                model.add(again)

    outputs = dict(promised.outputs)
    if isinstance(call.handles_ret, OutputBuffer):
        success, kind, many = (f"{call.function}/success",), MutableCommand.type, len(handles)
        outputs["handles_ret"] = NewHandles(kind, many, call.handles_ret.count, success, model.live_names(kind))
    return Postcondition(promised.value, outputs, apply)


def _remap_command(recorded: RecordedCommand, original: CommandBuffer, copied: CommandBuffer) -> RecordedCommand:
    """Return a copy of a recorded command for the queue that replaces its queue, with the same dependencies.

    If the implementation chooses the queue, the copy has the first queue: the effect is the same on every queue.
    """
    index = 0 if copied.is_automatically_remapped else original.queues.index(recorded.queue)
    queue = copied.queues[min(index, len(copied.queues) - 1)]
    call = Call(recorded.call.function, {**recorded.call.arguments, "command_queue": Handle(queue.name)})
    things = {name: thing for name, thing in recorded.objects.items() if not isinstance(thing, CommandQueue)}
    again = copy.copy(recorded)
    again.call, again.queue, again.objects = call, queue, {**things, queue.name: queue}
    again.has_automatic_queue = copied.is_automatically_remapped and len(copied.queues) > 1
    again.after = tuple(copied.commands[each.index] for each in recorded.after)
    return again


@rules.postcondition("clReleaseCommandBufferKHR")
def expect_released(call: Call, model: Model) -> Postcondition:
    """The reference count of command_buffer decreases by one. At 0, the command-buffer and its commands are deleted."""
    buffer = model.get(CommandBuffer, call.command_buffer)

    def apply(_value: Element, _seen: dict[str, Values]) -> None:
        _drop_reference(buffer, model)

    return Postcondition(apply=apply)


@rules.aftermath("clReleaseCommandBufferKHR")
def mark_possibly_released(call: Call, model: Model, code: str) -> None:
    """Mark the reference count as unknown after an unexpected error: the command-buffer may be deleted."""
    buffer = model.find(call.command_buffer)
    if code == UNEXPECTED_ERROR and isinstance(buffer, CommandBuffer):
        mark_counts_uncertain(buffer)
        _drop_reference(buffer, model)


def _drop_reference(buffer: CommandBuffer, model: Model) -> None:
    buffer.references -= 1
    if buffer.references < 1:
        for command in model.objects_of_class(MutableCommand):
            if command.command_buffer is buffer:
                model.remove(command)
        for recorded in buffer.commands:
            for thing in recorded.objects.values():
                if isinstance(thing, MemoryObject):
                    thing.was_recorded = True
    release(buffer, model)
