"""Evidence for the order of commands: states of commands, and bytes that are read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.engine.judgements import SUCCESS
from clconform.oracles.engine.rules import Answered
from clconform.oracles.model.events import Event
from clconform.oracles.model.memory_objects import Buffer
from clconform.oracles.model.queues import Queue
from clconform.oracles.recurring.waiting import STATUS

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.oracles.engine.judged_call import AnsweredCall
    from clconform.oracles.model.commands import Command

READ, LAUNCH = "clEnqueueReadBuffer", "clEnqueueNDRangeKernel"
WRITERS = (*(f"clEnqueue{name}Buffer/success" for name in ("Read", "Write", "Copy", "Fill")), f"{LAUNCH}/success")
"""Requirements responsible for bytes that are read."""


def asked_about(holds: Callable[[Command], bool]) -> Answered:
    """Return the coverage point that the status of a command with a property is queried."""

    def asks(asked: AnsweredCall) -> bool:
        command = asked.subject.command if isinstance(asked.subject, Event) else None
        return command is not None and command.queue is not None and holds(command)

    return Answered((STATUS,), asks)


def out_of_order(command: Command) -> bool:
    """Return whether a command is in an out-of-order queue."""
    return command.queue is not None and not command.queue.in_order


def waits_for_all(function: str) -> Callable[[Command], bool]:
    """Return whether a fence without a list waits for an earlier command of an out-of-order queue."""
    return lambda command: (
        command.function == function and out_of_order(command) and not command.awaits and command.waits_for_the_user
    )


def held_up_by(function: str, *, alone: bool) -> Callable[[Command], bool]:
    """Return whether a command waits only for a blocked fence before it.

    ``alone``: in an out-of-order queue, where only the fence prevents it from running.
    """

    def holds(command: Command) -> bool:
        held = [each for each in command.before if each.function == function and each.waits_for_the_user]
        return bool(held) and not command.awaits and (out_of_order(command) or not alone)

    return holds


def behind_another(command: Command) -> bool:
    """Return whether a command in an in-order queue has no list, and waits for an earlier one of its queue."""
    in_order = command.queue is not None and command.queue.in_order
    return in_order and not command.awaits and command.waits_for_the_user


def read_after(holds: Callable[[Command, Queue, AnsweredCall], bool]) -> Callable[[AnsweredCall], bool]:
    """Return the coverage point that bytes of a command with a property are read."""

    def shows(asked: AnsweredCall) -> bool:
        buffer, queue = asked.model.known(asked.call.buffer), asked.model.known(asked.call.command_queue)
        memory = buffer.memory if isinstance(buffer, Buffer) else None
        writer = asked.model.order.writers.get(memory.storage) if memory is not None else None
        if asked.code != SUCCESS or writer is None or not isinstance(queue, Queue):
            return False
        return bool(asked.call.blocking_read) and holds(writer, queue, asked)

    return shows


def after(function: str) -> Callable[[AnsweredCall], bool]:
    """Return the coverage point that only a wait of the host lies between a command and the read on another queue."""
    return read_after(lambda writer, queue, _asked: writer.ended_by == function and writer.queue is not queue)


def between(function: str) -> Callable[[AnsweredCall], bool]:
    """Return the coverage point that only a given fence separates a command and the read, in an out-of-order queue."""

    def behind(writer: Command, queue: Queue, asked: AnsweredCall) -> bool:
        fences = [each for each in asked.model.order.of_queue(queue) if each.function == function]
        return not queue.in_order and not writer.over and any(writer in each.before for each in fences)

    return read_after(behind)


def by_the_second(writer: Command, queue: Queue, _asked: AnsweredCall) -> bool:
    """Return whether a kernel in an in-order queue has processed data of an earlier kernel."""
    if writer.function != LAUNCH or writer.queue is not queue or not queue.in_order:
        return False
    read = {place.storage for place in writer.reads}
    return any(
        each.function == LAUNCH and any(place.storage in read for place in each.writes) for each in writer.before
    )
