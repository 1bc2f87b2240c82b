"""Effects on bus-addressable memory: residency, and signals written and waited for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Items
from clconform.oracles.chapters.bus.clauses import RESIDENT
from clconform.oracles.contents.bus import WAIT, WRITE, not_from, wait, way_to_signal, write
from clconform.oracles.contents.effects import MemoryEffect
from clconform.oracles.contents.storage import wholes
from clconform.oracles.contents.waiting import awaited
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.errors import ForbiddenError, LeftOpenError, UnknownError
from clconform.oracles.model.memory_objects import Buffer, BusPlace
from clconform.oracles.model.queues import Queue
from clconform.oracles.recurring.flags import ADDRESSABLE, EXTERNAL

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.oracles.engine.wants import Element
    from clconform.oracles.model.commands import Command
    from clconform.oracles.model.world import Model

rules = Rules()


@rules.effect("clCreateSubBuffer")
def part_of_a_buffer(call: Call, model: Model) -> MemoryEffect:
    """Create a sub-buffer; this is unspecified for buffers on the bus."""
    if model.get(Buffer, call.buffer).flags & (model.value(ADDRESSABLE) | model.value(EXTERNAL)):
        raise LeftOpenError("part-of-bus-memory")
    return MemoryEffect()


@rules.effect(RESIDENT)
def kept_in_place(call: Call, model: Model) -> MemoryEffect:
    """Keep the contents of the buffers."""
    return MemoryEffect(reads=wholes(buffers_listed(call, model)))


def buffers_listed(call: Call, model: Model) -> list[Buffer]:
    """Return the buffers that a call lists; UnknownError without a list."""
    if not isinstance(call.mem_objects, Items):
        raise UnknownError("buffers")
    return [model.get(Buffer, value) for value in call.mem_objects.values]


@rules.effect(WAIT)
def waiting(call: Call, model: Model) -> MemoryEffect:
    """Wait until the value is written.

    Raise ForbiddenError unless another device can write the signal.
    """
    memory = model.get(Buffer, call.buffer)
    surface = _surface(memory)
    if surface.memory is not memory or model.get(Queue, call.command_queue).device is not surface.device:
        raise ForbiddenError("the memory is kept on another device")
    if surface.elsewhere:
        raise LeftOpenError("signal-at-an-offset")
    if not surface.value <= call.value or not call.value:
        raise LeftOpenError("value-that-has-passed")
    if surface.waiting is not None and not surface.waiting.over:
        raise ForbiddenError("another command waits for the signal")
    if call.value != surface.value and way_to_signal(surface, model) is None:
        raise ForbiddenError("no other device can write the signal")

    def carry_out(_value: Element, command: Command | None) -> None:
        if command is not None:
            wait(surface, call.value, command)

    return MemoryEffect(carry_out=carry_out)


@rules.effect(WRITE)
def writing(call: Call, model: Model) -> MemoryEffect:
    """Write the value after all earlier writes to the memory."""
    memory, queue = model.get(Buffer, call.buffer), model.get(Queue, call.command_queue)
    surface = _surface(memory)
    reason = not_from(surface, queue.device)
    if reason:
        raise ForbiddenError(reason)
    if any(each.waits_without_end for each in (*model.order.of_queue(queue), *awaited(call, model))):
        raise ForbiddenError("the signal would wait for what may wait for it")
    waited_for = surface.waiting is not None and not surface.waiting.over
    if waited_for and call.offset:
        raise LeftOpenError("signal-at-an-offset")
    if waited_for and not (surface.owing and call.value == surface.awaited):
        raise LeftOpenError("value-that-has-passed")

    def carry_out(_value: Element, command: Command | None) -> None:
        if call.offset:
            surface.elsewhere = True
        elif command is not None:
            write(surface, call.value, command, model)

    return MemoryEffect(reads=wholes([memory]), carry_out=carry_out)


def _surface(memory: Buffer) -> BusPlace:
    if memory.bus is None:
        raise ForbiddenError("the buffer has no place on the bus")
    return memory.bus
