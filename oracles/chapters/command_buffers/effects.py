"""Memory effect of an enqueued command-buffer: the effects of its commands, if their order is certain."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING

from clconform.calls.values import ElementList, HandleBytes, OffsetPointer, Pointers
from clconform.oracles.chapters.buffers.effects import (
    copy_buffer,
    copy_rectangle,
    copy_shared_memory,
    fill_buffer,
    fill_shared_memory,
)
from clconform.oracles.chapters.command_buffers.equivalent_calls import BARRIER, LAUNCH, UPDATE
from clconform.oracles.chapters.command_buffers.evidence import preceding_positions, shown_requirements
from clconform.oracles.chapters.execution.effects import execute_kernel
from clconform.oracles.chapters.image_contents.effects import (
    copy_buffer_to_image,
    copy_image,
    copy_image_to_buffer,
    fill_image,
)
from clconform.oracles.contents.dependencies import ENQUEUE_COMMAND_BUFFER, is_conflicting, queues_of
from clconform.oracles.contents.effects import MemoryEffect
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.command_buffer_state import CommandBuffer
from clconform.oracles.model.enqueued_command import Command
from clconform.oracles.model.errors import UndefinedBehaviourError, UnknownFactError
from clconform.oracles.model.object_table import ObjectTable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from clconform.calls.call import Call
    from clconform.calls.values import Value
    from clconform.oracles.contents.storage import MemoryPlace
    from clconform.oracles.engine.matchers import Element
    from clconform.oracles.model.cl_object import ClObject
    from clconform.oracles.model.command_buffer_state import RecordedCommand
    from clconform.oracles.model.queues import CommandQueue
    from clconform.oracles.model.state import Model

rules = Rules()

EFFECTS: Mapping[str, Callable[[Call, Model], MemoryEffect]] = {
    BARRIER: lambda _call, _model: MemoryEffect(),
    "clCommandCopyBufferKHR": copy_buffer,
    "clCommandCopyBufferRectKHR": copy_rectangle,
    "clCommandCopyBufferToImageKHR": copy_buffer_to_image,
    "clCommandCopyImageKHR": copy_image,
    "clCommandCopyImageToBufferKHR": copy_image_to_buffer,
    "clCommandFillBufferKHR": fill_buffer,
    "clCommandFillImageKHR": fill_image,
    LAUNCH: execute_kernel,
    "clCommandSVMMemcpyKHR": copy_shared_memory,
    "clCommandSVMMemFillKHR": fill_shared_memory,
}
"""Maps a recording function to the function that returns the memory effect of the recorded command."""
RECORDED_REQUIREMENTS = {
    "clEnqueueNDRangeKernel/effect/3": "clCommandNDRangeKernelKHR/effect/9",
    "clEnqueueNDRangeKernel/effect/17": "clCommandNDRangeKernelKHR/effect/9",
    "clEnqueueNDRangeKernel/effect/16": "clCommandNDRangeKernelKHR/effect/8",
    "clEnqueueNDRangeKernel/effect/18": "clCommandNDRangeKernelKHR/effect/10",
    "clEnqueueNDRangeKernel/effect/19": "clCommandNDRangeKernelKHR/effect/11",
    "clEnqueueNDRangeKernel/effect/20": "clCommandNDRangeKernelKHR/effect/12",
}
"""Maps requirements on the output of enqueued kernels to the equivalent requirements on recorded kernels."""


def recorded_view(model: Model, things: Mapping[str, ClObject]) -> Model:
    """Return a copy of the model in which ``things`` replace the objects of the same names.

    A recorded command uses its kernel in the state that the kernel had at the recording.
    """
    view = copy.copy(model)
    view.objects = ObjectTable({**model.objects, **things})
    return view


def objects_named_in(call: Call, model: Model) -> Iterator[ClObject]:
    """Yield the known objects among the arguments of a call."""
    for value in call.arguments.values():
        for handle in _handles_in(value):
            thing = model.find(handle)
            if thing is not None:
                yield thing


def _handles_in(value: Value) -> Sequence[object]:
    if isinstance(value, ElementList | Pointers):
        return value.values
    return (value.handle,) if isinstance(value, HandleBytes | OffsetPointer) else (value,)


def effect_of(recorded: RecordedCommand, model: Model, queue: CommandQueue | None = None) -> MemoryEffect:
    """Return the effect of a recorded command.

    ``queue``: the queue on which the command runs, if it is not the queue for which the command was recorded. Raise
    UndefinedBehaviourError if the effect is unknown or undefined.
    """
    on = queue or recorded.queue
    view = recorded_view(model, {**recorded.objects, recorded.queue.name: on})
    try:
        return EFFECTS[recorded.call.function](recorded.call, view)
    except UnknownFactError as unknown:
        raise UndefinedBehaviourError("nobody knows what a recorded command does") from unknown


def _has_race(commands: Sequence[RecordedCommand], effects: Sequence[MemoryEffect]) -> bool:
    """Return whether two commands that may run concurrently or in any order use the same memory."""
    works = [
        Command(each.call.function, each.queue, (), work.reads, work.writes)
        for each, work in zip(commands, effects, strict=True)
    ]
    for second in commands:
        earlier = preceding_positions(second, commands)
        for first in commands[: second.index]:
            if first.index not in earlier and is_conflicting(works[first.index], works[second.index]):
                return True
    return False


def replacement_queue(recorded: RecordedCommand, buffer: CommandBuffer, queues: Sequence[CommandQueue]) -> CommandQueue:
    """Return the queue on which a command runs: the element of ``queues`` that replaces its recorded queue.

    If ``queues`` has too few elements, return the recorded queue.
    """
    index = next((at for at, each in enumerate(buffer.queues) if each is recorded.queue), 0)
    return queues[index] if index < len(queues) else recorded.queue


@rules.memory_effect(ENQUEUE_COMMAND_BUFFER)
def run_instance(call: Call, model: Model) -> MemoryEffect:
    """Return the effect of clEnqueueCommandBufferKHR: each command runs once, after the commands it depends on."""
    buffer = model.get(CommandBuffer, call.command_buffer)
    if buffer.is_unknown and not buffer.recording:
        raise UndefinedBehaviourError("nobody knows what the command-buffer holds")
    if buffer.recording is not False:
        raise UnknownFactError("the command-buffer's state")
    given = queues_of(call, model) if isinstance(call.queues, ElementList) else buffer.queues
    commands = buffer.commands
    effects = [effect_of(each, model, replacement_queue(each, buffer, given)) for each in commands]
    if _has_race(commands, effects):
        raise UndefinedBehaviourError("recorded commands that use the same memory may run in any order")

    def carry_out(value: Element, command: Command | None) -> None:
        buffer.enqueue_count += 1
        for recorded, work in zip(commands, effects, strict=True):
            work.apply(value, command)
            for place in work.writes:
                _attribute_bytes(place, recorded, buffer, given, model)
        if command is not None:
            buffer.instances.append(command)

    return MemoryEffect(
        reads=_join(work.reads for work in effects),
        writes=_join(work.writes for work in effects),
        host_accesses=_join(work.host_accesses for work in effects),
        apply=carry_out,
        interpretation=next((work.interpretation for work in effects if work.interpretation is not None), None),
    )


def _join(parts: Iterator[tuple[MemoryPlace, ...]]) -> tuple[MemoryPlace, ...]:
    return tuple(place for part in parts for place in part)


def _attribute_bytes(
    place: MemoryPlace, recorded: RecordedCommand, buffer: CommandBuffer, queues: Sequence[CommandQueue], model: Model
) -> None:
    """Attribute the bytes of a recorded kernel to the requirements for recorded kernels.

    Also store, with the memory that a recorded command wrote, the requirements that a read of this memory covers.
    """
    if recorded.call.function == LAUNCH:
        content = place.read()
        if any(requirement.startswith(("clEnqueue", LAUNCH)) for requirement in content.writers):
            own = f"{UPDATE if recorded.updated else LAUNCH}/success"
            requirements = [
                RECORDED_REQUIREMENTS.get(requirement, own)
                if requirement.startswith("clEnqueue")
                else own
                if requirement
                else requirement
                for requirement in content.writers
            ]
            place.write(content._replace(writers=requirements))
        place.storage.used_capabilities = frozenset()  # these tags are about a kernel that is enqueued directly
    place.storage.used_capabilities |= shown_requirements(recorded, buffer, queues, model)
