"""Memory effects of making bus-addressable buffers resident, and of writing and awaiting their signals."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import ElementList
from clconform.oracles.chapters.amd_bus_memory.error_conditions import RESIDENT
from clconform.oracles.common.flags import ADDRESSABLE, EXTERNAL
from clconform.oracles.contents.bus_memory import (
    WAIT,
    WRITE,
    find_remote_use_obstacle,
    find_signal_path,
    record_signal,
    record_wait,
)
from clconform.oracles.contents.dependencies import pending_awaited
from clconform.oracles.contents.effects import MemoryEffect
from clconform.oracles.contents.storage import whole_places
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.errors import UndefinedBehaviourError, UnknownFactError, UnspecifiedBehaviourError
from clconform.oracles.model.memory_objects import Buffer, BusLocation
from clconform.oracles.model.queues import CommandQueue

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.oracles.engine.matchers import Element
    from clconform.oracles.model.enqueued_command import Command
    from clconform.oracles.model.state import Model

rules = Rules()


@rules.memory_effect("clCreateSubBuffer")
def create_sub_buffer(call: Call, model: Model) -> MemoryEffect:
    """Return an empty effect for clCreateSubBuffer.

    Raise UnspecifiedBehaviourError if buffer was created with CL_MEM_BUS_ADDRESSABLE_AMD or
    CL_MEM_EXTERNAL_PHYSICAL_AMD.
    """
    if model.get(Buffer, call.buffer).flags & (model.constant_value(ADDRESSABLE) | model.constant_value(EXTERNAL)):
        raise UnspecifiedBehaviourError("sub-buffer-of-bus-memory")
    return MemoryEffect()


@rules.memory_effect(RESIDENT)
def make_resident(call: Call, model: Model) -> MemoryEffect:
    """Return the effect of clEnqueueMakeBuffersResidentAMD: it reads the buffers and does not change their contents."""
    return MemoryEffect(reads=whole_places(listed_buffers(call, model)))


def listed_buffers(call: Call, model: Model) -> list[Buffer]:
    """Return the buffers in mem_objects; raise UnknownFactError if mem_objects is not a list."""
    if not isinstance(call.mem_objects, ElementList):
        raise UnknownFactError("buffers")
    return [model.get(Buffer, value) for value in call.mem_objects.values]


@rules.memory_effect(WAIT)
def wait_for_signal(call: Call, model: Model) -> MemoryEffect:
    """Return the effect of clEnqueueWaitSignalAMD: the command waits until value is written.

    Raise UndefinedBehaviourError if no other device can write the signal, if another command already waits for the
    signal, or if the queue is on another device than the buffer.
    """
    memory = model.get(Buffer, call.buffer)
    surface = _surface(memory)
    if surface.memory is not memory or model.get(CommandQueue, call.command_queue).device is not surface.device:
        raise UndefinedBehaviourError("the memory is kept on another device")
    if surface.has_unobserved_value:
        raise UnspecifiedBehaviourError("signal-at-an-offset")
    if not surface.value <= call.value or not call.value:
        raise UnspecifiedBehaviourError("passed-signal-value")
    if surface.last_wait is not None and not surface.last_wait.is_complete:
        raise UndefinedBehaviourError("another command waits for the signal")
    if call.value != surface.value and find_signal_path(surface, model) is None:
        raise UndefinedBehaviourError("no other device can write the signal")

    def carry_out(_value: Element, command: Command | None) -> None:
        if command is not None:
            record_wait(surface, call.value, command)

    return MemoryEffect(apply=carry_out)


@rules.memory_effect(WRITE)
def write_signal(call: Call, model: Model) -> MemoryEffect:
    """Return the effect of clEnqueueWriteSignalAMD: value is written after all earlier writes to the memory.

    Raise UndefinedBehaviourError if the device of the queue cannot write the signal, or if the write would wait for a
    command that may wait for the signal.
    """
    memory, queue = model.get(Buffer, call.buffer), model.get(CommandQueue, call.command_queue)
    surface = _surface(memory)
    reason = find_remote_use_obstacle(surface, queue.device)
    if reason:
        raise UndefinedBehaviourError(reason)
    if any(each.waits_indefinitely for each in (*model.commands.of_queue(queue), *pending_awaited(call, model))):
        raise UndefinedBehaviourError("the signal would wait for what may wait for it")
    waited_for = surface.last_wait is not None and not surface.last_wait.is_complete
    if waited_for and call.offset:
        raise UnspecifiedBehaviourError("signal-at-an-offset")
    if waited_for and not (surface.awaits_signal and call.value == surface.awaited_value):
        raise UnspecifiedBehaviourError("passed-signal-value")

    def carry_out(_value: Element, command: Command | None) -> None:
        if call.offset:
            surface.has_unobserved_value = True
        elif command is not None:
            record_signal(surface, call.value, command, model)

    return MemoryEffect(reads=whole_places([memory]), apply=carry_out)


def _surface(memory: Buffer) -> BusLocation:
    if memory.bus is None:
        raise UndefinedBehaviourError("the buffer has no place on the bus")
    return memory.bus
