"""What events answer about their commands, and about the times of these (sections 5.11 and 5.15)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.engine.rules import Rules
from clconform.oracles.engine.wants import OneOf, Such, Values, Want
from clconform.oracles.model.events import Event, UserEvent
from clconform.oracles.queries.told import either, exactly, named

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.oracles.model.commands import Command
    from clconform.oracles.queries.questions import Question

rules = Rules()

rules.inferred("CL_EVENT_COMMAND_EXECUTION_STATUS")  # what is complete follows from what other calls have waited for

QUEUED, SUBMITTED, RUNNING, COMPLETE = 3, 2, 1, 0
STATUSES = {QUEUED: "CL_QUEUED", SUBMITTED: "CL_SUBMITTED", RUNNING: "CL_RUNNING", COMPLETE: "CL_COMPLETE"}
LATEST = (1 << 64) - 1
TERMINATES = "clSetUserEventStatus/effect/1"
"""The sentence by which a command never runs that waits for an event set to an error."""

rules.inferred(TERMINATES)  # that such a command has a negative status


@rules.answer("CL_EVENT_COMMAND_QUEUE", of=Event)
def queue_of(event: Event, question: Question) -> Want | None:
    """The answer is the queue of the event's command, and NULL for a user event or a command of several queues."""
    if event.command is not None and event.command.also:
        return exactly(question, None)
    if event.queue is None and not isinstance(event, UserEvent):
        return None
    return named(question, event.queue)


@rules.answer("CL_EVENT_CONTEXT", of=Event)
def context_of(event: Event, question: Question) -> Want | None:
    """The answer is the context of the event."""
    return named(question, event.context) if event.context is not None else None


@rules.answer("CL_EVENT_COMMAND_TYPE", of=Event)
def type_of(event: Event, question: Question) -> Want | None:
    """The answer is the command type that belongs to the function which returned the event."""
    return either(question, tuple((question.model.value(name),) for name in event.command_types))


@rules.answer("CL_EVENT_COMMAND_EXECUTION_STATUS", of=Event)
def status_of(event: Event, question: Question) -> Want:
    """The answer is a status from CL_QUEUED to CL_COMPLETE, or a negative error code.

    It is CL_COMPLETE once the command must be complete. A command that waits for a user event is not CL_RUNNING
    before that event is set, and negative in the end if that was set to an error; one that waits for a signal is not
    CL_COMPLETE before that is written. No status is one that the command was past before. For a user event the answer
    is the status that was set, and CL_SUBMITTED before. A command that waited for a user event when its context was
    terminated has the status CL_CONTEXT_TERMINATED_KHR.
    """
    name, command = question.query.id, event.command
    if command is not None and command.cut_off:
        return exactly(question, question.model.value("CL_CONTEXT_TERMINATED_KHR"))
    if event.tainted or (event.context is not None and event.context.terminated is not False):
        status = event.status if isinstance(event, UserEvent) else -1
        return Such(_at_most(QUEUED), "at most CL_QUEUED (3)", (name,), (status,))
    if isinstance(event, UserEvent):
        return exactly(question, event.status)
    last = past(event)
    if command is not None and command.terminated:
        return _of_a_terminated_one(command, (TERMINATES, name))
    if command is not None and command.failed and event.complete:
        return Such(_at_most(COMPLETE), "complete, or an error", (name,), (-1,))
    if command is not None and command.waits_for_the_user:
        return _forward((SUBMITTED, QUEUED), last, name)
    if command is not None and command.owing:
        if all(each.settled for each in command.owing):
            return _forward((RUNNING, SUBMITTED, QUEUED), last, name)
        return Such(_at_most(last), _words(last), (name,), (min(last, RUNNING),))
    if event.complete or (command is not None and command.has_run and not command.failed):
        return OneOf(((COMPLETE,),), (name,))
    return Such(_at_most(last), _words(last), (name,), (min(last, COMPLETE),))


def past(event: Event) -> int:
    """Return the last status that an event's command was seen to have, CL_QUEUED where it was not asked for."""
    last = event.facts.get("CL_EVENT_COMMAND_EXECUTION_STATUS")
    return last if isinstance(last, int) else QUEUED


def _of_a_terminated_one(command: Command, records: tuple[str, ...]) -> Want:
    """Return the status of a command that never runs: an error, or as long as it need not be over, one before."""
    if command.over:
        return Such(_at_most(COMPLETE - 1), "an error code", records, (-1,))
    return Such(
        lambda seen: isinstance(seen[0], int) and (seen[0] < COMPLETE or SUBMITTED <= seen[0] <= QUEUED),
        "CL_QUEUED, CL_SUBMITTED or an error code",
        records,
        (-1,),
    )


def _forward(statuses: tuple[int, ...], last: int, name: str) -> Want:
    """Return that the status is one of some, the first ones further on, and none that the command is past."""
    return OneOf(tuple((status,) for status in statuses if status <= max(last, statuses[0])), (name,))


def _words(last: int) -> str:
    return f"at most {STATUSES.get(last, 'the last status')} ({last})"


def _at_most(status: int) -> Callable[[Values], bool]:
    return lambda seen: isinstance(seen[0], int) and seen[0] <= status


TIMES = (
    "CL_PROFILING_COMMAND_QUEUED",
    "CL_PROFILING_COMMAND_SUBMIT",
    "CL_PROFILING_COMMAND_START",
    "CL_PROFILING_COMMAND_END",
    "CL_PROFILING_COMMAND_COMPLETE",
)
"""The times of a command in their order."""


def _told(time: int, query: str) -> str:
    return f"{time} ns ({query})" if query else f"{time} ns"


rules.inferred(*TIMES)  # their order follows from that of the states


@rules.answer(*TIMES, of=Event)
def time_of(event: Event, question: Question) -> Want | None:
    """The answer is a time in nanoseconds, not before that of an earlier state of the command or after a later one."""
    if event.queue is None or (event.command is not None and event.command.also):
        return None  # a command-buffer on several queues, whose times are those of the host
    at = TIMES.index(question.query.name)
    earlier = [(told, name) for name in TIMES[:at] if isinstance(told := event.facts.get(name), int)]
    later = [(told, name) for name in TIMES[at + 1 :] if isinstance(told := event.facts.get(name), int)]
    (least, start), (most, end) = max(earlier, default=(0, "")), min(later, default=(LATEST, ""))
    known = event.facts.get(question.query.name)
    choice = known if isinstance(known, int) else min(most, max(least, event.timed_after or 0))
    if least > most:
        return None  # they are out of order already
    return Such(
        lambda seen: isinstance(seen[0], int) and least <= seen[0] <= most,
        f"a time from {_told(least, start)}" + (f" to {_told(most, end)}" if later else ""),
        (question.query.id,),
        (choice,),
    )
