"""Coverage conditions about the order of commands: statuses of commands, and bytes that a read returns."""

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
    from clconform.oracles.model.enqueued_command import Command

READ_BUFFER, ENQUEUE_KERNEL = "clEnqueueReadBuffer", "clEnqueueNDRangeKernel"
WRITER_REQUIREMENTS = (
    *(f"clEnqueue{name}Buffer/success" for name in ("Read", "Write", "Copy", "Fill")),
    "clEnqueueNDRangeKernel/success",
)
"""The requirements that unexpected bytes of a read violate."""


def cover_status_query(condition: Callable[[Command], bool]) -> QueryCoverage:
    """Return a coverage condition: the status of a command is queried, and ``condition`` is true for this command."""

    def is_covered(asked: CompletedCall) -> bool:
        command = asked.subject.command if isinstance(asked.subject, Event) else None
        return command is not None and command.queue is not None and condition(command)

    return QueryCoverage((STATUS_QUERY,), is_covered)


def is_out_of_order(command: Command) -> bool:
    """Return whether a command is in an out-of-order queue."""
    return command.queue is not None and not command.queue.in_order


def is_fence_waiting_for_all(function: str) -> Callable[[Command], bool]:
    """Return a condition: a marker or barrier without a wait list waits for earlier commands of its queue.

    The queue is out-of-order, and an earlier command waits for a user event.
    """
    return lambda command: (
        command.function == function
        and is_out_of_order(command)
        and not command.awaits
        and command.waits_for_user_event
    )


def is_blocked_by(function: str, *, out_of_order_only: bool) -> Callable[[Command], bool]:
    """Return a condition: a command without a wait list waits for a marker or barrier.

    The marker or barrier waits for a user event. ``out_of_order_only``: the queue is out-of-order, so the order of the
    queue does not prevent the command from running.
    """

    def holds(command: Command) -> bool:
        held = [each for each in command.predecessors if each.function == function and each.waits_for_user_event]
        return bool(held) and not command.awaits and (is_out_of_order(command) or not out_of_order_only)

    return holds


def is_waiting_in_order(command: Command) -> bool:
    """Return whether a command without a wait list waits for an earlier command of its in-order queue."""
    in_order = command.queue is not None and command.queue.in_order
    return in_order and not command.awaits and command.waits_for_user_event


def cover_read(condition: Callable[[Command, CommandQueue, CompletedCall], bool]) -> Callable[[CompletedCall], bool]:
    """Return a coverage condition: a blocking read follows a writing command, and ``condition`` is true for both."""

    def shows(asked: CompletedCall) -> bool:
        buffer, queue = asked.model.find(asked.call.buffer), asked.model.find(asked.call.command_queue)
        memory = buffer.memory if isinstance(buffer, Buffer) else None
        writer = asked.model.commands.writers.get(memory.storage) if memory is not None else None
        if asked.code != SUCCESS or writer is None or not isinstance(queue, CommandQueue):
            return False
        return bool(asked.call.blocking_read) and condition(writer, queue, asked)

    return shows


def cover_read_after_wait(function: str) -> Callable[[CompletedCall], bool]:
    """Return a coverage condition: only a host's wait by ``function`` orders a command and a read on another queue."""
    return cover_read(lambda writer, queue, _asked: writer.ended_by == function and writer.queue is not queue)


def cover_read_after_fence(function: str) -> Callable[[CompletedCall], bool]:
    """Return a coverage condition: only a marker or barrier orders a command and a read in an out-of-order queue."""

    def behind(writer: Command, queue: CommandQueue, asked: CompletedCall) -> bool:
        fences = [each for each in asked.model.commands.of_queue(queue) if each.function == function]
        return not queue.in_order and not writer.is_complete and any(writer in each.predecessors for each in fences)

    return cover_read(behind)


def is_second_kernel(writer: Command, queue: CommandQueue, _asked: CompletedCall) -> bool:
    """Return whether a kernel in an in-order queue has read data that an earlier kernel wrote."""
    if writer.function != ENQUEUE_KERNEL or writer.queue is not queue or not queue.in_order:
        return False
    read = {place.storage for place in writer.reads}
    return any(
        each.function == ENQUEUE_KERNEL and any(place.storage in read for place in each.writes)
        for each in writer.predecessors
    )
