"""Which calls test markers, barriers and the order of commands (sections 5.12, 5.14 and 5.16)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.engine.judgements import SUCCESS
from clconform.oracles.engine.rules import Answered, Rules
from clconform.oracles.model.events import Event
from clconform.oracles.model.memory_objects import Buffer
from clconform.oracles.model.queues import Queue
from clconform.oracles.recurring.waiting import QUERY, STATUS

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.oracles.engine.judged_call import AnsweredCall
    from clconform.oracles.model.commands import Command

rules = Rules()

MARKER, OLD_MARKER = "clEnqueueMarkerWithWaitList", "clEnqueueMarker"
BARRIER, OLD_BARRIER = "clEnqueueBarrierWithWaitList", "clEnqueueBarrier"
WAIT = "clEnqueueWaitForEvents"
READ, LAUNCH = "clEnqueueReadBuffer", "clEnqueueNDRangeKernel"
WRITERS = tuple(f"clEnqueue{name}Buffer/success" for name in ("Read", "Write", "Copy", "Fill"))
IN_ORDER = "OpenCL:out-of-order-execution-of-kernels-and-memory-object-commands"


def asked_about(holds: Callable[[Command], bool]) -> Answered:
    """Return a trigger that holds where the status of a command is asked for, of which something is so."""

    def asks(asked: AnsweredCall) -> bool:
        command = asked.subject.command if isinstance(asked.subject, Event) else None
        return command is not None and command.queue is not None and holds(command)

    return Answered((STATUS,), asks)


def out_of_order(command: Command) -> bool:
    """Return whether a command's queue may run its commands in any order."""
    return command.queue is not None and not command.queue.in_order


def waits_for_all(function: str) -> Callable[[Command], bool]:
    """Return whether a fence without a list is held up by an earlier command of a queue out of order."""
    return lambda command: (
        command.function == function and out_of_order(command) and not command.awaits and command.waits_for_the_user
    )


def waits(function: str) -> Callable[[Command], bool]:
    """Return whether a fence is held up, by its list or by an earlier command of a queue out of order."""
    return lambda command: (
        command.function == function and (out_of_order(command) or bool(command.awaits)) and command.waits_for_the_user
    )


def held_up_by(function: str, *, alone: bool) -> Callable[[Command], bool]:
    """Return whether a command waits for nothing but a fence before it, which is held up itself.

    ``alone``: in a queue out of order, where nothing else keeps it from running.
    """

    def holds(command: Command) -> bool:
        held = [each for each in command.before if each.function == function and each.waits_for_the_user]
        return bool(held) and not command.awaits and (out_of_order(command) or not alone)

    return holds


def _has_followed(command: Command) -> bool:
    """Return whether a command is over that came after a wait for a user event."""
    waits = [each for each in command.before if each.function == WAIT]
    return command.over and any(one.queue is None for each in waits for one in each.awaits)


def behind_another(command: Command) -> bool:
    """Return whether a command in order has no list, and is held up by an earlier one of its queue."""
    in_order = command.queue is not None and command.queue.in_order
    return in_order and not command.awaits and command.waits_for_the_user


for _record, _words, _holds in (
    (f"{MARKER}/effect/5", "A marker without a list is not complete before earlier commands.", waits_for_all(MARKER)),
    (f"{MARKER}/effect/6", "A marker is not complete before what it waits for.", waits(MARKER)),
    (f"{OLD_MARKER}/effect/2", "A marker is not complete before earlier commands.", waits_for_all(OLD_MARKER)),
    (
        f"{BARRIER}/effect/5",
        "A barrier without a list is not complete before earlier commands.",
        waits_for_all(BARRIER),
    ),
    (f"{BARRIER}/effect/6", "A barrier is not complete before what it waits for.", waits(BARRIER)),
    (
        f"{BARRIER}/effect/7",
        "In a queue out of order, a command behind a barrier does not run before it.",
        held_up_by(BARRIER, alone=True),
    ),
    (
        f"{OLD_BARRIER}/effect/1",
        "What is enqueued behind a barrier does not run before the commands in front of it.",
        held_up_by(OLD_BARRIER, alone=True),
    ),
    (
        f"{OLD_BARRIER}/effect/2",
        "In a queue out of order, a command behind a barrier does not run before it.",
        held_up_by(OLD_BARRIER, alone=True),
    ),
    (
        f"{WAIT}/effect/1",
        "A command behind the wait does not run before the events are complete.",
        held_up_by(WAIT, alone=False),
    ),
    (f"{WAIT}/effect/3", "A command behind the wait is complete in the end, although the list is gone.", _has_followed),
    (f"{IN_ORDER}/1", "A command in order does not run before an earlier one that waits.", behind_another),
):
    rules.trigger(_record, QUERY, _words, STATUS, holds=asked_about(_holds))


def read_when(holds: Callable[[Command, Queue, AnsweredCall], bool]) -> Callable[[AnsweredCall], bool]:
    """Return a trigger that holds where bytes are read that a command has left, of which something is so."""

    def shows(asked: AnsweredCall) -> bool:
        buffer, queue = asked.model.known(asked.call.buffer), asked.model.known(asked.call.command_queue)
        memory = buffer.memory if isinstance(buffer, Buffer) else None
        writer = asked.model.order.writers.get(memory.storage) if memory is not None else None
        if asked.code != SUCCESS or writer is None or not isinstance(queue, Queue):
            return False
        return bool(asked.call.blocking_read) and holds(writer, queue, asked)

    return shows


def after(function: str) -> Callable[[AnsweredCall], bool]:
    """Return the trigger that only a wait of the host lies between a command and the read of another queue."""
    return read_when(lambda writer, queue, _asked: writer.ended_by == function and writer.queue is not queue)


def between(function: str) -> Callable[[AnsweredCall], bool]:
    """Return the trigger that only such a command lies between a command and the read, in a queue out of order."""

    def behind(writer: Command, queue: Queue, asked: AnsweredCall) -> bool:
        fences = [each for each in asked.model.order.of_queue(queue) if each.function == function]
        return not queue.in_order and not writer.over and any(writer in each.before for each in fences)

    return read_when(behind)


def by_the_second(writer: Command, queue: Queue, _asked: AnsweredCall) -> bool:
    """Return whether a kernel has worked in order on what another one before it had written."""
    if writer.function != LAUNCH or writer.queue is not queue or not queue.in_order:
        return False
    read = {place.storage for place in writer.reads}
    return any(
        each.function == LAUNCH and any(place.storage in read for place in each.writes) for each in writer.before
    )


for _record, _words, _shown in (
    ("clFinish/effect/2", "What a command has written is read in another queue after clFinish.", after("clFinish")),
    (
        "clWaitForEvents/effect/3",
        "What a command has written is read in another queue after a wait for its event.",
        after("clWaitForEvents"),
    ),
    (
        f"{OLD_BARRIER}/effect/3",
        "What a command has written is read behind a barrier, in a queue out of order.",
        between(OLD_BARRIER),
    ),
    (
        f"{WAIT}/effect/2",
        "What a command has written is read behind a wait for its event, in a queue out of order.",
        between(WAIT),
    ),
    (f"{IN_ORDER}/2", "A kernel works on what the one before it has written.", read_when(by_the_second)),
):
    rules.trigger(_record, READ, _words, *WRITERS, f"{LAUNCH}/success", holds=_shown)
