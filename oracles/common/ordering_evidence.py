"""Evidence for the order of commands: states of commands, and bytes that are read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.common.wait_evidence import STATUS_QUERY
from clconform.oracles.engine.judgements import SUCCESS
from clconform.oracles.engine.rules import QueryCoverage
from clconform.oracles.model.events import Event
from clconform.oracles.model.memory_objects import Buffer
from clconform.oracles.model.queues import CommandQueue

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.oracles.engine.call_context import CompletedCall
    from clconform.oracles.model.command_state import Command

READ_BUFFER, ENQUEUE_KERNEL = "clEnqueueReadBuffer", "clEnqueueNDRangeKernel"
WRITER_REQUIREMENTS = (
    *(f"clEnqueue{name}Buffer/success" for name in ("Read", "Write", "Copy", "Fill")),
    "clEnqueueNDRangeKernel/success",
)
"""Requirements responsible for bytes that are read."""


def cover_status_query(condition: Callable[[Command], bool]) -> QueryCoverage:
    """Return the coverage point that the status of a command with a property is queried."""

    def is_covered(asked: CompletedCall) -> bool:
        command = asked.subject.command if isinstance(asked.subject, Event) else None
        return command is not None and command.queue is not None and condition(command)

    return QueryCoverage((STATUS_QUERY,), is_covered)


def is_out_of_order(command: Command) -> bool:
    """Return whether a command is in an out-of-order queue."""
    return command.queue is not None and not command.queue.in_order


def is_fence_waiting_for_all(function: str) -> Callable[[Command], bool]:
    """Return whether a fence without a list waits for an earlier command of an out-of-order queue."""
    return lambda command: (
        command.function == function
        and is_out_of_order(command)
        and not command.awaits
        and command.waits_for_user_event
    )


def is_blocked_by(function: str, *, out_of_order_only: bool) -> Callable[[Command], bool]:
    """Return whether a command waits only for a blocked fence before it.

    ``out_of_order_only``: in an out-of-order queue, where only the fence prevents it from running.
    """

    def holds(command: Command) -> bool:
        held = [each for each in command.predecessors if each.function == function and each.waits_for_user_event]
        return bool(held) and not command.awaits and (is_out_of_order(command) or not out_of_order_only)

    return holds


def is_waiting_in_order(command: Command) -> bool:
    """Return whether a command in an in-order queue has no list, and waits for an earlier one of its queue."""
    in_order = command.queue is not None and command.queue.in_order
    return in_order and not command.awaits and command.waits_for_user_event


def cover_read(condition: Callable[[Command, CommandQueue, CompletedCall], bool]) -> Callable[[CompletedCall], bool]:
    """Return the coverage point that bytes of a command with a property are read."""

    def shows(asked: CompletedCall) -> bool:
        buffer, queue = asked.model.find(asked.call.buffer), asked.model.find(asked.call.command_queue)
        memory = buffer.memory if isinstance(buffer, Buffer) else None
        writer = asked.model.commands.writers.get(memory.storage) if memory is not None else None
        if asked.code != SUCCESS or writer is None or not isinstance(queue, CommandQueue):
            return False
        return bool(asked.call.blocking_read) and condition(writer, queue, asked)

    return shows


def cover_read_after_wait(function: str) -> Callable[[CompletedCall], bool]:
    """Return the coverage point that only a wait of the host lies between a command and the read on another queue."""
    return cover_read(lambda writer, queue, _asked: writer.ended_by == function and writer.queue is not queue)


def cover_read_after_fence(function: str) -> Callable[[CompletedCall], bool]:
    """Return the coverage point that only a given fence separates a command and the read, in an out-of-order queue."""

    def behind(writer: Command, queue: CommandQueue, asked: CompletedCall) -> bool:
        fences = [each for each in asked.model.commands.of_queue(queue) if each.function == function]
        return not queue.in_order and not writer.is_complete and any(writer in each.predecessors for each in fences)

    return cover_read(behind)


def is_second_kernel(writer: Command, queue: CommandQueue, _asked: CompletedCall) -> bool:
    """Return whether a kernel in an in-order queue has processed data of an earlier kernel."""
    if writer.function != ENQUEUE_KERNEL or writer.queue is not queue or not queue.in_order:
        return False
    read = {place.storage for place in writer.reads}
    return any(
        each.function == ENQUEUE_KERNEL and any(place.storage in read for place in each.writes)
        for each in writer.predecessors
    )
