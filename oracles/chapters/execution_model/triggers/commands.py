"""Which calls test what the execution model says of commands, their order and their ends, and what none can (3.2)."""

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
    """Return whether only the event of another queue's command, which waits itself, keeps a command from running."""
    others = [each for each in command.awaits if each.queue is not None and each.queue is not command.queue]
    return any(each.waits_for_the_user for each in others) and not _waits_for_a_list(command)


def _has_followed_another_queue(command: Command) -> bool:
    return _has_ended(command) and any(each.queue not in (None, command.queue) for each in command.awaits)


def _of_a_kernel(holds: Callable[[Command], bool]) -> Callable[[Command], bool]:
    return lambda command: command.function == LAUNCH and holds(command)


def _behind_a_barrier(command: Command) -> bool:
    return any(held_up_by(barrier, alone=True)(command) for barrier in (BARRIER, OLD_BARRIER))


def _asked_before(asked: AnsweredCall) -> bool:
    """Return whether a command has told a status before."""
    event = asked.subject
    return isinstance(event, Event) and event.queue is not None and STATUS in event.facts


def _beside_a_held_queue(asked: AnsweredCall) -> bool:
    """Return whether a command is over while one of another queue of its context waits for a user event."""
    event = asked.subject
    command = event.command if isinstance(event, Event) and not isinstance(event, UserEvent) else None
    if command is None or command.queue is None or not _has_ended(command):
        return False
    held = [each for each in asked.model.order.pending if each.queue is not None and each.waits_for_the_user]
    return any(each.queue is not command.queue for each in held)


for _record, _words, _holds in (
    (f"{MODEL}/12", "A command that has been waited for is CL_COMPLETE.", _has_ended),
    (f"{MODEL}/14", "A command that waits for a user event, itself or through others, does not run.", None),
    (f"{MODEL}/15", "What is behind a barrier does not run while that is held up.", _behind_a_barrier),
    (f"{MODEL}/16", "A command in order does not run before the one in front of it.", behind_another),
    (f"{MODEL}/17", "A command does not begin to run before all that is in its list is complete.", _waits_for_a_list),
    (f"{MODEL}/24", "A command waits for that of another queue.", _waits_for_another_queue),
    (f"{MODEL}/6", "A command ends after that of another queue which it waited for.", _has_followed_another_queue),
    (f"{INSTANCES}/2", "A kernel behind a barrier does not run while that waits.", _of_a_kernel(_behind_a_barrier)),
    (f"{INSTANCES}/3", "A kernel does not run while an event of its list is unset.", _of_a_kernel(_waits_for_a_list)),
    (f"{INSTANCES}/4", "A kernel that nothing holds up any more ends.", _of_a_kernel(_has_ended)),
    (f"{SYNC}/5", "A kernel does not run while an event of its list is unset.", _of_a_kernel(_waits_for_a_list)),
    (f"{SYNC}/7", "A kernel that has been waited for is CL_COMPLETE.", _of_a_kernel(_has_ended)),
    (f"{SYNC}/9", "What is behind a barrier does not run before what is in front of it.", _behind_a_barrier),
    (f"{SYNC}/3", "A barrier is not complete before earlier commands.", waits_for_all(BARRIER)),
    (f"{SYNC}/4", "What is behind a barrier does not run while that is held up.", _behind_a_barrier),
    (
        "OpenCL:categories-of-kernels/3",
        "A kernel behind a barrier does not run while that is held up.",
        _of_a_kernel(_behind_a_barrier),
    ),
    ("cl_event:CL_RUNNING/CL_COMPLETE/progress", "A command that has been waited for is CL_COMPLETE.", _has_ended),
):
    rules.trigger(
        _record, QUERY, _words, STATUS, holds=asked_about(_holds or (lambda command: command.waits_for_the_user))
    )
rules.trigger(
    f"{MODEL}/7",
    QUERY,
    "A command tells no status that it was past before.",
    STATUS,
    holds=Answered((STATUS,), _asked_before),
)
rules.trigger(
    f"{MODEL}/13",
    QUERY,
    "A command that can never run has a negative status.",
    TERMINATES,
    holds=asked_about(_never_ran),
)
rules.trigger(
    f"{MODEL}/23",
    QUERY,
    "A command ends while one of another queue waits for a user event.",
    STATUS,
    holds=Answered((STATUS,), _beside_a_held_queue),
)
rules.trigger(
    "cl_event:new/CL_SUBMITTED/clCreateUserEvent",
    QUERY,
    "A user event that was not set is CL_SUBMITTED.",
    STATUS,
    holds=Answered((STATUS,), lambda asked: isinstance(asked.subject, UserEvent) and asked.subject.status > 0),
)


# bytes


def _behind_its_event(writer: Command, queue: Queue, asked: AnsweredCall) -> bool:
    """Return whether nothing but the event in the list of a read orders it after a command of another queue."""
    listed = asked.call.event_wait_list
    known = [asked.model.known(each) for each in listed.values] if isinstance(listed, Items) else []
    mine = any(isinstance(each, Event) and each.command is writer for each in known)
    return mine and not writer.over and writer.queue is not queue


def _behind_it_in_order(writer: Command, queue: Queue, _asked: AnsweredCall) -> bool:
    return writer.queue is queue and queue.in_order and not writer.over


def _by_a_kernel(writer: Command, queue: Queue, _asked: AnsweredCall) -> bool:
    """Return whether only a wait of the host lies between a kernel and the read of another queue."""
    return writer.function == LAUNCH and bool(writer.ended_by) and writer.queue is not queue


def _in_the_end(_writer: Command, _queue: Queue, asked: AnsweredCall) -> bool:
    """Return whether bytes are returned by the blocking call itself."""
    return isinstance(asked.call.ptr, OutputBuffer)


_behind_a_wait = after("clWaitForEvents")
for _record, _words, _shown in (
    (f"{MODEL}/9", "All that a kernel has written is read after a wait for it.", read_after(_by_a_kernel)),
    (f"{MODEL}/10", "What a kernel has written is read in another queue.", read_after(_by_a_kernel)),
    (f"{MODEL}/18", "A blocking read has read when it returns.", read_after(_in_the_end)),
    (f"{MODEL}/20", "A command in order sees what the one before it has written.", read_after(_behind_it_in_order)),
    (f"{INSTANCES}/1", "A kernel works on what the one before it has written.", read_after(by_the_second)),
    (f"{INSTANCES}/5", "All work-items of a kernel have written.", read_after(_by_a_kernel)),
    (f"{INSTANCES}/6", "All that a kernel has written is read after a wait for it.", read_after(_by_a_kernel)),
    (f"{SYNC}/8", "A blocking read has read when it returns.", read_after(_in_the_end)),
    (f"{SYNC}/10", "What a command has written is read in another queue after clFinish.", after("clFinish")),
    (f"{SYNC}/11", "A command sees what that of another queue in its list has written.", read_after(_behind_its_event)),
    (f"{SYNC}/12", "What a command has written is read in another queue after a wait for it.", _behind_a_wait),
    (f"{SYNC}/13", "A command reads only when that of another queue is over.", read_after(_behind_its_event)),
    (f"{SYNC}/14", "What is behind a barrier sees what was written in front of it.", between(BARRIER)),
):
    rules.trigger(_record, READ, _words, *WRITERS, holds=_shown)


# what no call shows

PAST = "a command may be past a state before any call can ask for it"
for _record, _words, _reason in (
    (
        f"{MODEL}/8",
        "A flushed command runs as soon as nothing holds it up.",
        "no time is named by which it must run, so that none is too late",
    ),
    ("cl_event:new/CL_QUEUED/enqueue", "The event of a command is CL_QUEUED at first.", PAST),
    ("cl_event:CL_QUEUED/CL_SUBMITTED/progress", "A queued command is submitted.", PAST),
    ("cl_event:CL_SUBMITTED/CL_RUNNING/progress", "A submitted command runs.", PAST),
):
    rules.untestable(_record, _words, _reason)
