"""Coverage points of commands, their order and completion, and untestable requirements (section 3.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Items, OutputBuffer
from clconform.oracles.chapters.events.answers import TERMINATES
from clconform.oracles.chapters.events.triggers.order import BARRIER, OLD_BARRIER
from clconform.oracles.engine.rules import Answered, Rules
from clconform.oracles.model.events import Event, UserEvent
from clconform.oracles.recurring.order import (
    LAUNCH,
    READ,
    WRITERS,
    after,
    asked_about,
    behind_another,
    between,
    by_the_second,
    held_up_by,
    read_after,
    waits_for_all,
)
from clconform.oracles.recurring.waiting import QUERY, STATUS

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.oracles.engine.judged_call import AnsweredCall
    from clconform.oracles.model.commands import Command
    from clconform.oracles.model.queues import Queue

rules = Rules()

MODEL, INSTANCES, SYNC = "OpenCL:execution-model", "OpenCL:execution-of-kernel-instances", "OpenCL:synchronization"


# statuses


def _has_ended(command: Command) -> bool:
    return command.over and not command.failed and not command.terminated


def _never_ran(command: Command) -> bool:
    return command.terminated and command.over


def _waits_for_a_list(command: Command) -> bool:
    return any(each.queue is None and not each.over for each in command.awaits)


def _waits_for_another_queue(command: Command) -> bool:
    """Return whether a command waits only for the pending command of another queue."""
    others = [each for each in command.awaits if each.queue is not None and each.queue is not command.queue]
    return any(each.waits_for_the_user for each in others) and not _waits_for_a_list(command)


def _has_followed_another_queue(command: Command) -> bool:
    return _has_ended(command) and any(each.queue not in (None, command.queue) for each in command.awaits)


def _of_a_kernel(holds: Callable[[Command], bool]) -> Callable[[Command], bool]:
    return lambda command: command.function == LAUNCH and holds(command)


def _behind_a_barrier(command: Command) -> bool:
    return any(held_up_by(barrier, alone=True)(command) for barrier in (BARRIER, OLD_BARRIER))


def _asked_before(asked: AnsweredCall) -> bool:
    """Return whether the status of a command was queried before."""
    event = asked.subject
    return isinstance(event, Event) and event.queue is not None and STATUS in event.facts


def _beside_a_held_queue(asked: AnsweredCall) -> bool:
    """Return whether a command ended while a command of another queue waits for a user event."""
    event = asked.subject
    command = event.command if isinstance(event, Event) and not isinstance(event, UserEvent) else None
    if command is None or command.queue is None or not _has_ended(command):
        return False
    held = [each for each in asked.model.order.pending if each.queue is not None and each.waits_for_the_user]
    return any(each.queue is not command.queue for each in held)


for _record, _words, _holds in (
    (f"{MODEL}/12", "Checked on queries of the status of a command after a wait for it.", _has_ended),
    (
        f"{MODEL}/14",
        (
            "Checked on queries of the status of a command that waits for a user event, directly or through other "
            "commands."
        ),
        None,
    ),
    (f"{MODEL}/15", "Checked on queries of the status of a command after a pending barrier.", _behind_a_barrier),
    (f"{MODEL}/16", "Checked on queries of the status of an in-order command after a pending command.", behind_another),
    (
        f"{MODEL}/17",
        "Checked on queries of the status of a command whose wait list contains an unset user event.",
        _waits_for_a_list,
    ),
    (
        f"{MODEL}/24",
        "Checked on queries of the status of a command that waits only for a pending command of another queue.",
        _waits_for_another_queue,
    ),
    (f"{MODEL}/6", "A command ends after the command of another queue that it waits for.", _has_followed_another_queue),
    (
        f"{INSTANCES}/2",
        "Checked on queries of the status of a kernel after a pending barrier.",
        _of_a_kernel(_behind_a_barrier),
    ),
    (
        f"{INSTANCES}/3",
        "Checked on queries of the status of a kernel whose wait list contains an unset user event.",
        _of_a_kernel(_waits_for_a_list),
    ),
    (f"{INSTANCES}/4", "Checked on queries of the status of a kernel after a wait for it.", _of_a_kernel(_has_ended)),
    (
        f"{SYNC}/5",
        "Checked on queries of the status of a kernel whose wait list contains an unset user event.",
        _of_a_kernel(_waits_for_a_list),
    ),
    (f"{SYNC}/7", "Checked on queries of the status of a kernel after a wait for it.", _of_a_kernel(_has_ended)),
    (f"{SYNC}/9", "Checked on queries of the status of a command after a pending barrier.", _behind_a_barrier),
    (
        f"{SYNC}/3",
        "A barrier is not complete before all earlier commands in its queue are complete.",
        waits_for_all(BARRIER),
    ),
    (f"{SYNC}/4", "A command after a barrier does not run before the barrier is complete.", _behind_a_barrier),
    (
        "OpenCL:categories-of-kernels/3",
        "A kernel after a barrier does not run before the barrier is complete.",
        _of_a_kernel(_behind_a_barrier),
    ),
    ("cl_event:CL_RUNNING/CL_COMPLETE/progress", "After a wait for a command, its status is CL_COMPLETE.", _has_ended),
):
    rules.trigger(
        _record, QUERY, _words, STATUS, holds=asked_about(_holds or (lambda command: command.waits_for_the_user))
    )
rules.trigger(
    f"{MODEL}/7",
    QUERY,
    "Checked on repeated queries of the status of a command: it never returns to an earlier status.",
    STATUS,
    holds=Answered((STATUS,), _asked_before),
)
rules.trigger(
    f"{MODEL}/13",
    QUERY,
    "Checked on queries of the status of a command that waited for a user event with an error status.",
    TERMINATES,
    holds=asked_about(_never_ran),
)
rules.trigger(
    f"{MODEL}/23",
    QUERY,
    "Checked on queries of the status of a complete command while a command of another queue waits for a user event.",
    STATUS,
    holds=Answered((STATUS,), _beside_a_held_queue),
)
rules.trigger(
    "cl_event:new/CL_SUBMITTED/clCreateUserEvent",
    QUERY,
    "The status of a user event that was not set is CL_SUBMITTED.",
    STATUS,
    holds=Answered((STATUS,), lambda asked: isinstance(asked.subject, UserEvent) and asked.subject.status > 0),
)


# bytes


def _behind_its_event(writer: Command, queue: Queue, asked: AnsweredCall) -> bool:
    """Return whether only an event in its wait list orders a read after a command of another queue."""
    listed = asked.call.event_wait_list
    known = [asked.model.known(each) for each in listed.values] if isinstance(listed, Items) else []
    mine = any(isinstance(each, Event) and each.command is writer for each in known)
    return mine and not writer.over and writer.queue is not queue


def _behind_it_in_order(writer: Command, queue: Queue, _asked: AnsweredCall) -> bool:
    return writer.queue is queue and queue.in_order and not writer.over


def _by_a_kernel(writer: Command, queue: Queue, _asked: AnsweredCall) -> bool:
    """Return whether only a wait of the host orders a read after a kernel of another queue."""
    return writer.function == LAUNCH and bool(writer.ended_by) and writer.queue is not queue


def _in_the_end(_writer: Command, _queue: Queue, asked: AnsweredCall) -> bool:
    """Return whether the blocking call itself returns the bytes."""
    return isinstance(asked.call.ptr, OutputBuffer)


_behind_a_wait = after("clWaitForEvents")
for _record, _words, _shown in (
    (
        f"{MODEL}/9",
        "Checked on reads, in another queue, of bytes that a kernel wrote before the host waited for it.",
        read_after(_by_a_kernel),
    ),
    (
        f"{MODEL}/10",
        "Checked on reads, in another queue, of bytes that a kernel wrote before the host waited for it.",
        read_after(_by_a_kernel),
    ),
    (f"{MODEL}/18", "Checked on blocking reads that return known bytes.", read_after(_in_the_end)),
    (
        f"{MODEL}/20",
        "Checked on reads of bytes that an earlier command in the same in-order queue wrote.",
        read_after(_behind_it_in_order),
    ),
    (
        f"{INSTANCES}/1",
        "A kernel sees the data that the previous kernel in its in-order command-queue wrote.",
        read_after(by_the_second),
    ),
    (
        f"{INSTANCES}/5",
        "Checked on reads, in another queue, of bytes that a kernel wrote before the host waited for it.",
        read_after(_by_a_kernel),
    ),
    (
        f"{INSTANCES}/6",
        "Checked on reads, in another queue, of bytes that a kernel wrote before the host waited for it.",
        read_after(_by_a_kernel),
    ),
    (f"{SYNC}/8", "Checked on blocking reads that return known bytes.", read_after(_in_the_end)),
    (
        f"{SYNC}/10",
        "Checked on reads, in another queue, of bytes that a command wrote before clFinish.",
        after("clFinish"),
    ),
    (
        f"{SYNC}/11",
        "Checked on reads whose wait list contains the event of the command in another queue that wrote the bytes.",
        read_after(_behind_its_event),
    ),
    (
        f"{SYNC}/12",
        "Checked on reads, in another queue, of bytes that a command wrote before clWaitForEvents on its event.",
        _behind_a_wait,
    ),
    (
        f"{SYNC}/13",
        "Checked on reads whose wait list contains the event of the command in another queue that wrote the bytes.",
        read_after(_behind_its_event),
    ),
    (
        f"{SYNC}/14",
        "Checked on out-of-order reads, after a barrier, of bytes that a command wrote before it.",
        between(BARRIER),
    ),
):
    rules.trigger(_record, READ, _words, *WRITERS, holds=_shown)


# not testable

PAST = "a command may leave a state before any call can query it"
for _record, _words, _reason in (
    (
        f"{MODEL}/8",
        "",
        "the documents do not specify a time limit",
    ),
    ("cl_event:new/CL_QUEUED/enqueue", "The initial status of a command is CL_QUEUED.", PAST),
    (
        "cl_event:CL_QUEUED/CL_SUBMITTED/progress",
        "The status of a command changes from CL_QUEUED to CL_SUBMITTED.",
        PAST,
    ),
    (
        "cl_event:CL_SUBMITTED/CL_RUNNING/progress",
        "The status of a command changes from CL_SUBMITTED to CL_RUNNING.",
        PAST,
    ),
):
    rules.untestable(_record, _words, _reason)
