"""Signals between devices: which buffers have them, which values may be written and waited for (new section 5.4.5)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Handle
from clconform.oracles.chapters.bus.residency import is_said, made_otherwise
from clconform.oracles.contents.bus import WAIT, WRITE, not_from, wait, way_to_signal, write
from clconform.oracles.contents.effects import MemoryEffect
from clconform.oracles.contents.storage import wholes
from clconform.oracles.contents.waiting import awaited
from clconform.oracles.engine.answers import Answer, Must, Reply
from clconform.oracles.engine.rules import Rules
from clconform.oracles.engine.wants import Element, Promise
from clconform.oracles.model.errors import ForbiddenError, LeftOpenError
from clconform.oracles.model.memory_objects import Buffer, BusPlace
from clconform.oracles.model.queues import Queue
from clconform.oracles.recurring.flags import ADDRESSABLE, EXTERNAL

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.oracles.model.commands import Command
    from clconform.oracles.model.world import Model

rules = Rules()

SIGNAL_BYTES = 4


@rules.clause(f"{WAIT}/CL_INVALID_MEM_OBJECT/2")
def not_written_by_others(call: Call, model: Model) -> Reply:
    """The buffer is none that other devices may write."""
    return Answer.NO if call.buffer is None else made_otherwise(call.buffer, ADDRESSABLE, model)


@rules.clause(f"{WRITE}/CL_INVALID_MEM_OBJECT/2")
def not_of_another_device(call: Call, model: Model) -> Reply:
    """The buffer is not the memory of another device."""
    return Answer.NO if call.buffer is None else made_otherwise(call.buffer, EXTERNAL, model)


@rules.clause(f"{WRITE}/CL_INVALID_BUFFER_SIZE/1")
def beyond_the_buffer(call: Call, model: Model) -> Reply:
    """The value would not lie within as many bytes as the buffer has."""
    if not isinstance(call.buffer, Handle):
        return Answer.NO
    return (
        Must("signal-beyond-the-buffer")
        if call.offset + SIGNAL_BYTES > model.get(Buffer, call.buffer).size
        else Answer.NO
    )


@rules.clause(f"{WAIT}/CL_INVALID_VALUE/1", f"{WRITE}/CL_INVALID_VALUE/1")
def no_place_for_signals(call: Call, model: Model) -> Reply:
    """The buffer's signals have no valid address; a buffer that was never made resident may not be used at all."""
    if not is_said(call, model):
        return Answer.UNDEFINED
    memory = model.known(call.buffer)
    return isinstance(memory, Buffer) and memory.bus is not None and not memory.bus.signal


@rules.clause(f"{WRITE}/usage/1")
def not_increasing(call: Call, model: Model) -> bool:
    """The value is not more than the last one that was written."""
    memory = model.get(Buffer, call.buffer)
    return memory.bus is not None and call.value <= memory.bus.value


@rules.success(WAIT)
def signal_awaited(call: Call, model: Model) -> Promise:
    """What comes later in the queue finds what the other device wrote before the signal; the wait ends after that."""
    del call, model
    return Promise()


@rules.success(WRITE)
def signal_written(call: Call, model: Model) -> Promise:
    """Who waits for the value on the other device goes on."""
    del call, model
    return Promise()


@rules.effect(WAIT)
def waiting(call: Call, model: Model) -> MemoryEffect:
    """The command ends once the value is written; that somebody can write it is made sure of."""
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
    """The value is written after all that was written to the memory before."""
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
