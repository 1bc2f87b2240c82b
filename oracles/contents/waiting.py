"""The command that a call enqueues: its predecessors, and its conflicts with other commands."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

from clconform.calls.values import Handle, Items
from clconform.oracles.contents.geometry import shared_bytes
from clconform.oracles.model.command_buffers import CommandBuffer
from clconform.oracles.model.commands import Command
from clconform.oracles.model.errors import UnknownError
from clconform.oracles.model.events import Event
from clconform.oracles.model.queues import Queue
from clconform.oracles.model.scope import versions_behind
from clconform.oracles.model.versions import UNIFIED

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.calls.call import Call
    from clconform.oracles.contents.effects import MemoryEffect
    from clconform.oracles.contents.storage import Place
    from clconform.oracles.model.world import Model

WHOLE = "clEnqueueCommandBufferKHR"
WRITES = ("clEnqueueWriteBuffer", "clEnqueueWriteBufferRect", "clEnqueueWriteImage")
"""Commands that write bytes of the host into a memory object."""


def command_of(call: Call, model: Model, effect: MemoryEffect) -> Command:
    """Return the command that a call would enqueue, with its predecessors; errors as for ``Model.get``."""
    queue, *also = queues_of(call, model)
    awaits = tuple(listed_by(call, model))
    pending = [each for each in awaits if not each.over]
    before = model.order.before(call.function, queue, pending, alone=not also)
    terminated = any(each.terminated for each in awaits)
    return Command(
        call.function,
        queue,
        before,
        effect.reads,
        effect.writes,
        awaits,
        failed=terminated,
        terminated=terminated,
        also=tuple(also),
    )


def queues_of(call: Call, model: Model) -> list[Queue]:
    """Return the queues of a command: one, or those of a command-buffer; errors as for ``Model.get``."""
    if "command_queue" in call.arguments:
        return [model.get(Queue, call.command_queue)]
    if isinstance(call.queues, Items):
        given = [model.get(Queue, value) for value in call.queues.values]
    else:
        given = model.get(CommandBuffer, call.command_buffer).queues
    if not given:
        raise UnknownError("queues")
    return list(dict.fromkeys(given))


def enqueues(call: Call) -> bool:
    """Return whether a call names the target of its command: a queue, or a command-buffer with queues of its own."""
    name = "command_buffer" if call.function == WHOLE else "command_queue"
    return isinstance(call.arguments.get(name), Handle)


def events_in(call: Call, listed: str = "event_wait_list") -> tuple[object, ...]:
    """Return the elements of a call's event list; empty if the call does not have a list."""
    events = call.arguments.get(listed)
    return events.values if isinstance(events, Items) else ()


def listed_by(call: Call, model: Model) -> Iterator[Command]:
    """Yield the commands whose events a call lists, complete or not, as far as the model knows them."""
    for name in ("event_wait_list", "event_list"):
        events = [event for event in map(model.known, events_in(call, name)) if isinstance(event, Event)]
        yield from (each.command for each in events if each.command is not None)


def awaited(call: Call, model: Model) -> Iterator[Command]:
    """Yield the pending commands whose events a call lists."""
    return (each for each in listed_by(call, model) if not each.over)


def is_blocking(call: Call) -> bool:
    """Return whether a call requests to return only when its command is complete, and may thus wait for it."""
    return any(call.arguments[name] not in (0, None) for name in _saying_that_it_blocks(tuple(call.arguments)))


@functools.cache
def _saying_that_it_blocks(parameters: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(name for name in parameters if name.startswith("blocking"))


def may_return_first(call: Call, model: Model) -> bool:
    """Return whether a blocking call may return before its command is complete (interpretation: write-that-copies).

    This applies to a write on a device or platform of a version before 3.0, which has copied the host's bytes when it
    returns.
    """
    return call.function in WRITES and any(version < UNIFIED for version in versions_behind(call, model))


def conflicting(command: Command, other: Command) -> bool:
    """Return whether the order of two commands matters: both use memory that one of them writes."""
    pairs = [
        *((mine, theirs) for mine in command.writes for theirs in (*other.reads, *other.writes)),
        *((mine, theirs) for mine in command.reads for theirs in other.writes),
    ]
    near = command.queue is other.queue
    return any(in_each_others_way(mine, theirs, near=near) for mine, theirs in pairs)


def in_each_others_way(some: Place, other: Place, *, near: bool) -> bool:
    """Return whether two uses of memory conflict, if one of them writes.

    Host memory conflicts if they share bytes, and so does one memory object within one queue. An object that two queues
    use, or that is used through a sub-buffer and its parent, is used as a whole.
    """
    if some.storage is not other.storage:
        return False
    apart = (some.storage.host and not some.storage.lent) or (near and some.owner is other.owner)
    return shared_bytes(some.spans, other.spans) if apart else True
