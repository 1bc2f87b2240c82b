"""The order of recorded commands, and the requirements that a read of their bytes covers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.chapters.command_buffers.equivalent_calls import BARRIER
from clconform.oracles.model.kernels import Kernel
from clconform.oracles.model.memory_objects import Buffer, MemoryObject
from clconform.spec_tables.requirements import Effect

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from clconform.oracles.model.command_buffer_state import CommandBuffer, RecordedCommand
    from clconform.oracles.model.queues import CommandQueue
    from clconform.oracles.model.state import Model

DEFAULT_QUEUES, OTHER_QUEUES = "OpenCL:command-buffers/1", "OpenCL:command-buffers/2"
INTERLEAVED, QUEUE_UNCHANGED, RETAINED = (f"OpenCL:command-buffers/{number}" for number in (3, 4, 5))
REMAPPED, SAME_COMMANDS = "OpenCL:remapping-command-buffers/1", "OpenCL:remapping-command-buffers/2"
BY_INDEX, AUTOMATICALLY_REMAPPED = "clRemapCommandBufferKHR/effect/2", "clRemapCommandBufferKHR/effect/3"
SAFELY_DELETED = "OpenCL:mutable-commands/2"
CAPTURED, CAPTURED_LATER = "clCommandNDRangeKernelKHR/effect/2", "clCommandNDRangeKernelKHR/effect/3"
READ_ONLY_FLAGS = ("CL_MEM_READ_ONLY", "CL_MEM_HOST_READ_ONLY")
"""Flags that forbid writes by kernels or by the host, but not by commands of the API."""


def preceding_positions(recorded: RecordedCommand, commands: Sequence[RecordedCommand]) -> set[int]:
    """Return the indices of the commands that end before a recorded command begins.

    The queue of the command, barriers and synchronization-points determine the order.
    """
    found: set[int] = set()
    own = (
        []
        if recorded.has_automatic_queue
        else [each for each in commands[: recorded.index] if each.queue is recorded.queue]
    )
    if not recorded.queue.in_order and not (recorded.barrier and not recorded.waits):
        barriers = [index for index, each in enumerate(own) if each.barrier]
        own = own[barriers[-1] : barriers[-1] + 1] if barriers else []
    for direct in (*own, *recorded.after):
        found |= {direct.index, *preceding_positions(direct, commands)} if direct.index not in found else set()
    return found


def effects_with_topic(topic: str, function: str, model: Model) -> list[str]:
    """Return the ids of the effect requirements of ``function`` with the topic ``topic``."""
    requirements = model.tables.requirements_of(function)
    return [each.id for each in requirements if isinstance(each, Effect) and each.topic == topic]


def shown_requirements(
    recorded: RecordedCommand, buffer: CommandBuffer, queues: Sequence[CommandQueue], model: Model
) -> frozenset[str]:
    """Return the requirements that a read of the bytes of a recorded command covers."""
    return frozenset(
        (
            *_shown_by_order(recorded, buffer, model),
            *_shown_by_objects(recorded, buffer, model),
            *_shown_by_queues(buffer, queues),
            *_shown_by_updates(recorded),
        )
    )


def _shown_by_order(recorded: RecordedCommand, buffer: CommandBuffer, model: Model) -> Iterator[str]:
    function = recorded.call.function
    free = not recorded.queue.in_order
    if recorded.after:
        yield from effects_with_topic("wait-list-reusable", function, model)
        if free or any(each.queue is not recorded.queue for each in recorded.after):
            yield from effects_with_topic("waits-for-sync-points", function, model)
    own = [each for each in buffer.commands[: recorded.index] if each.queue is recorded.queue]
    fences = [each for each in own if each.barrier]
    if free and fences and fences[-1].index and not recorded.after:
        yield from effects_with_topic("barrier-blocks-following", BARRIER, model)
        yield from effects_with_topic("barrier-waits", BARRIER, model)
        waits = fences[-1].waits
        yield from effects_with_topic("waits-for-sync-points" if waits else "empty-list-waits-all", BARRIER, model)
        if waits:
            yield from effects_with_topic("wait-list-reusable", BARRIER, model)


def _shown_by_objects(recorded: RecordedCommand, buffer: CommandBuffer, model: Model) -> Iterator[str]:
    function = recorded.call.function
    for thing in recorded.objects.values():
        if isinstance(thing, MemoryObject) and any(
            thing.flags & model.constant_value(name) for name in READ_ONLY_FLAGS
        ):
            yield from effects_with_topic("usage-flags-ignored", function, model)
        if isinstance(thing, Buffer | Kernel) and (model.objects.get(thing.name) is None or _is_released(thing, model)):
            yield RETAINED
        if isinstance(thing, Kernel):
            now = model.objects.get(thing.name)
            if isinstance(now, Kernel) and now.arguments != thing.arguments and not recorded.updated:
                yield CAPTURED
            same = [each.objects.get(thing.name) for each in buffer.commands[: recorded.index]]
            if any(isinstance(one, Kernel) and one.arguments != thing.arguments for one in same):
                yield CAPTURED_LATER


def _shown_by_updates(recorded: RecordedCommand) -> Iterator[str]:
    yield from recorded.covered_requirements
    if any(each.references < 1 for each in recorded.replaced):
        yield SAFELY_DELETED


def _is_released(thing: Buffer | Kernel, model: Model) -> bool:
    living = model.objects[thing.name]
    return living.references < 1


def _shown_by_queues(buffer: CommandBuffer, queues: Sequence[CommandQueue]) -> Iterator[str]:
    own = all(one is other for one, other in zip(queues, buffer.queues, strict=False))
    yield DEFAULT_QUEUES if own else OTHER_QUEUES
    if buffer.remapped_from is not None:
        yield SAME_COMMANDS
        if any(
            _is_different_queue(one, other)
            for one, other in zip(buffer.queues, buffer.remapped_from.queues, strict=False)
        ):
            yield REMAPPED
            if not buffer.is_automatically_remapped:
                yield BY_INDEX
        if buffer.is_automatically_remapped:
            yield AUTOMATICALLY_REMAPPED


def _is_different_queue(one: CommandQueue, other: CommandQueue) -> bool:
    return one.queue_device is not other.queue_device or one.bits != other.bits
