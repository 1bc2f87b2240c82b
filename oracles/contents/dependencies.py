"""The command that a call enqueues: its predecessors, and its conflicts with other commands."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

from clconform.calls.values import ElementList, Handle
from clconform.oracles.contents.geometry import overlaps
from clconform.oracles.contents.storage import have_common_bytes
from clconform.oracles.model.call_scope import versions_of
from clconform.oracles.model.command_buffer_state import CommandBuffer
from clconform.oracles.model.enqueued_command import Command
from clconform.oracles.model.errors import UnknownFactError
from clconform.oracles.model.events import Event
from clconform.oracles.model.queues import CommandQueue
from clconform.spec_tables.versions import UNIFIED

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.calls.call import Call
    from clconform.oracles.contents.effects import MemoryEffect
    from clconform.oracles.contents.storage import MemoryPlace
    from clconform.oracles.model.state import Model

ENQUEUE_COMMAND_BUFFER = "clEnqueueCommandBufferKHR"
WRITE_FUNCTIONS = ("clEnqueueWriteBuffer", "clEnqueueWriteBufferRect", "clEnqueueWriteImage")
"""Functions that write bytes of host memory to a memory object."""


def create_command(call: Call, model: Model, effect: MemoryEffect) -> Command:
    """Return the command that a call enqueues, with its predecessors; errors as for ``Model.get``."""
    queue, *also = queues_of(call, model)
    awaits = tuple(listed_commands(call, model))
    order = model.commands
    before = order.find_predecessors(call.function, queue, awaits, single_queue=not also)
    after_queue = not also and order.is_after_queue(queue, before)
    terminated = any(each.terminated for each in awaits)
    return Command(
        call.function,
        queue,
        before,
        effect.reads,
        effect.writes,
        awaits,
        may_have_failed=terminated,
        terminated=terminated,
        other_queues=tuple(also),
        is_after_queue=after_queue,
        queue_position=order.time if after_queue else 0,
        created_at=order.time,
    )


def queues_of(call: Call, model: Model) -> list[CommandQueue]:
    """Return the queue of a command, or the queues of an enqueued command-buffer; errors as for ``Model.get``."""
    if "command_queue" in call.arguments:
        return [model.get(CommandQueue, call.command_queue)]
    if isinstance(call.queues, ElementList):
        given = [model.get(CommandQueue, value) for value in call.queues.values]
    else:
        given = model.get(CommandBuffer, call.command_buffer).queues
    if not given:
        raise UnknownFactError("queues")
    return list(dict.fromkeys(given))


def has_queue(call: Call) -> bool:
    """Return whether a call contains a queue, or a command-buffer, which has its own queues."""
    name = "command_buffer" if call.function == ENQUEUE_COMMAND_BUFFER else "command_queue"
    return isinstance(call.arguments.get(name), Handle)


def listed_events(call: Call, listed: str = "event_wait_list") -> tuple[object, ...]:
    """Return the elements of a call's event list; empty if the call does not have a list."""
    events = call.arguments.get(listed)
    return events.values if isinstance(events, ElementList) else ()


def listed_commands(call: Call, model: Model) -> Iterator[Command]:
    """Yield the known commands of the events in a call's lists, whether complete or not."""
    for name in ("event_wait_list", "event_list"):
        events = [event for event in map(model.find, listed_events(call, name)) if isinstance(event, Event)]
        yield from (each.command for each in events if each.command is not None)


def pending_awaited(call: Call, model: Model) -> Iterator[Command]:
    """Yield the commands of the events in a call's lists that are not known to be complete."""
    return (each for each in listed_commands(call, model) if not each.is_complete)


def is_blocking(call: Call) -> bool:
    """Return whether a parameter such as blocking_read requests that the call returns after its command is complete."""
    return any(call.arguments[name] not in (0, None) for name in _blocking_parameters(tuple(call.arguments)))


@functools.cache
def _blocking_parameters(parameters: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(name for name in parameters if name.startswith("blocking"))


def may_return_early(call: Call, model: Model) -> bool:
    """Return whether a blocking call may return before its command is complete.

    Before version 3.0, a write may return after it has copied the host's bytes (interpretation:
    blocking-write-before-3.0).
    """
    return call.function in WRITE_FUNCTIONS and any(version < UNIFIED for version in versions_of(call, model))


def is_conflicting(command: Command, other: Command) -> bool:
    """Return whether the order of two commands matters: both use memory that one of them writes to."""
    pairs = [
        *((mine, theirs) for mine in command.writes for theirs in (*other.reads, *other.writes)),
        *((mine, theirs) for mine in command.reads for theirs in other.writes),
    ]
    near = command.queue is other.queue
    return any(places_conflict(mine, theirs, same_queue=near) for mine, theirs in pairs)


def places_conflict(some: MemoryPlace, other: MemoryPlace, *, same_queue: bool) -> bool:
    """Return whether two uses of memory conflict, if one of them is a write.

    Two uses of host memory, or of one memory object within one queue, conflict if they have bytes in common. Two uses
    of an object by different queues, or through a sub-buffer and its parent, always conflict. Two uses of sub-buffers
    conflict only if these overlap (5.2.1).
    """
    if some.storage is not other.storage or not have_common_bytes(some.owner, other.owner):
        return False
    apart = (some.storage.host and not some.storage.is_lent) or (same_queue and some.owner is other.owner)
    return overlaps(some.spans, other.spans) if apart else True
