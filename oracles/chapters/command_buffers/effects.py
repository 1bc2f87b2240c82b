"""Effect of a command-buffer instance: its commands one after the other, as far as their order is certain."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING

from clconform.calls.values import HandleBytes, Inside, Items, Pointers
from clconform.oracles.chapters.buffers.effects import (
    buffercopied,
    bufferfilled,
    rectanglecopied,
    sharedcopied,
    sharedfilled,
)
from clconform.oracles.chapters.command_buffers.showing import before, shown_by
from clconform.oracles.chapters.command_buffers.standing_for import BARRIER, LAUNCH, UPDATE
from clconform.oracles.chapters.execution.effects import elements_worked_on
from clconform.oracles.chapters.image_contents.effects import (
    buffer_copied_to_image,
    image_copied,
    image_copied_to_buffer,
    image_filled,
)
from clconform.oracles.contents.effects import MemoryEffect
from clconform.oracles.contents.waiting import WHOLE, conflicting, queues_of
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.command_buffers import CommandBuffer
from clconform.oracles.model.commands import Command
from clconform.oracles.model.errors import ForbiddenError, UnknownError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from clconform.calls.call import Call
    from clconform.calls.values import Value
    from clconform.oracles.contents.storage import Place
    from clconform.oracles.engine.wants import Element
    from clconform.oracles.model.cl_object import ClObject
    from clconform.oracles.model.command_buffers import Recorded
    from clconform.oracles.model.queues import Queue
    from clconform.oracles.model.world import Model

rules = Rules()

EFFECTS: Mapping[str, Callable[[Call, Model], MemoryEffect]] = {
    BARRIER: lambda _call, _model: MemoryEffect(),
    "clCommandCopyBufferKHR": buffercopied,
    "clCommandCopyBufferRectKHR": rectanglecopied,
    "clCommandCopyBufferToImageKHR": buffer_copied_to_image,
    "clCommandCopyImageKHR": image_copied,
    "clCommandCopyImageToBufferKHR": image_copied_to_buffer,
    "clCommandFillBufferKHR": bufferfilled,
    "clCommandFillImageKHR": image_filled,
    LAUNCH: elements_worked_on,
    "clCommandSVMMemcpyKHR": sharedcopied,
    "clCommandSVMMemFillKHR": sharedfilled,
}
"""Recording functions to the effect of the recorded command when it runs."""
BY_LAUNCHES = {
    "clEnqueueNDRangeKernel/effect/3": f"{LAUNCH}/effect/9",
    "clEnqueueNDRangeKernel/effect/17": f"{LAUNCH}/effect/9",
    "clEnqueueNDRangeKernel/effect/16": f"{LAUNCH}/effect/8",
    "clEnqueueNDRangeKernel/effect/18": f"{LAUNCH}/effect/10",
    "clEnqueueNDRangeKernel/effect/19": f"{LAUNCH}/effect/11",
    "clEnqueueNDRangeKernel/effect/20": f"{LAUNCH}/effect/12",
}
"""Requirements about the values that work-items write in a kernel enqueue, to those for a recorded kernel."""


def seen_by(model: Model, things: Mapping[str, ClObject]) -> Model:
    """Return the model as a recorded command sees it: with the objects that it was recorded with."""
    view = copy.copy(model)
    view.things = {**model.things, **things}
    return view


def things_in(call: Call, model: Model) -> Iterator[ClObject]:
    """Yield the objects that a call names, as far as the model has them."""
    for value in call.arguments.values():
        for handle in _named(value):
            thing = model.known(handle)
            if thing is not None:
                yield thing


def _named(value: Value) -> Sequence[object]:
    if isinstance(value, Items | Pointers):
        return value.values
    return (value.handle,) if isinstance(value, HandleBytes | Inside) else (value,)


def effect_of(recorded: Recorded, model: Model, queue: Queue | None = None) -> MemoryEffect:
    """Return the effect of a recorded command; ForbiddenError if it is not known or undefined.

    ``queue``: the queue that it runs on, if that is not the queue that it was recorded for.
    """
    on = queue or recorded.queue
    view = seen_by(model, {**recorded.things, recorded.queue.name: on})
    try:
        return EFFECTS[recorded.call.function](recorded.call, view)
    except UnknownError as unknown:
        raise ForbiddenError("nobody knows what a recorded command does") from unknown


def _in_each_others_way(commands: Sequence[Recorded], effects: Sequence[MemoryEffect]) -> bool:
    """Return whether two commands that may run concurrently or in any order use the same memory."""
    works = [
        Command(each.call.function, each.queue, frozenset(), work.reads, work.writes)
        for each, work in zip(commands, effects, strict=True)
    ]
    for second in commands:
        earlier = before(second, commands)
        for first in commands[: second.at]:
            if first.at not in earlier and conflicting(works[first.at], works[second.at]):
                return True
    return False


def queue_for(recorded: Recorded, buffer: CommandBuffer, queues: Sequence[Queue]) -> Queue:
    """Return the queue that a command runs on: the replacement of the queue that it was recorded for."""
    index = next((at for at, each in enumerate(buffer.queues) if each is recorded.queue), 0)
    return queues[index] if index < len(queues) else recorded.queue


@rules.effect(WHOLE)
def instance_run(call: Call, model: Model) -> MemoryEffect:
    """Each recorded command runs once, after the commands that it depends on."""
    buffer = model.get(CommandBuffer, call.command_buffer)
    if buffer.unclear and not buffer.recording:
        raise ForbiddenError("nobody knows what the command-buffer holds")
    if buffer.recording is not False:
        raise UnknownError("the command-buffer's state")
    given = queues_of(call, model) if isinstance(call.queues, Items) else buffer.queues
    commands = buffer.commands
    effects = [effect_of(each, model, queue_for(each, buffer, given)) for each in commands]
    if _in_each_others_way(commands, effects):
        raise ForbiddenError("recorded commands that use the same memory may run in any order")

    def carry_out(value: Element, command: Command | None) -> None:
        buffer.times += 1
        for recorded, work in zip(commands, effects, strict=True):
            work.carry_out(value, command)
            for place in work.writes:
                _answered_for(place, recorded, buffer, given, model)
        if command is not None:
            buffer.instances.append(command)

    return MemoryEffect(
        reads=_all(work.reads for work in effects),
        writes=_all(work.writes for work in effects),
        pointed=_all(work.pointed for work in effects),
        carry_out=carry_out,
        reading=next((work.reading for work in effects if work.reading is not None), None),
    )


def _all(parts: Iterator[tuple[Place, ...]]) -> tuple[Place, ...]:
    return tuple(place for part in parts for place in part)


def _answered_for(
    place: Place, recorded: Recorded, buffer: CommandBuffer, queues: Sequence[Queue], model: Model
) -> None:
    """Attribute the bytes of a recorded kernel to its requirements, and note which requirements a read shows."""
    if recorded.call.function == LAUNCH:
        content = place.read()
        if any(record.startswith(("clEnqueue", LAUNCH)) for record in content.records):
            own = f"{UPDATE if recorded.updated else LAUNCH}/success"
            records = [
                BY_LAUNCHES.get(record, own) if record.startswith("clEnqueue") else own if record else record
                for record in content.records
            ]
            place.write(content._replace(records=records))
        place.storage.ways = frozenset()  # these are facts about an immediately enqueued kernel
    place.storage.ways |= shown_by(recorded, buffer, queues, model)
