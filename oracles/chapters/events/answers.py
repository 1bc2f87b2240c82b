"""Query results of events: their commands and profiling timestamps (sections 5.11 and 5.15)."""

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

rules.inferred("CL_EVENT_COMMAND_EXECUTION_STATUS")  # completion follows from the waits of other calls

QUEUED, SUBMITTED, RUNNING, COMPLETE = 3, 2, 1, 0
STATUSES = {QUEUED: "CL_QUEUED", SUBMITTED: "CL_SUBMITTED", RUNNING: "CL_RUNNING", COMPLETE: "CL_COMPLETE"}
LATEST = (1 << 64) - 1
TERMINATES = "clSetUserEventStatus/effect/1"
"""The requirement that a command never runs if it waits for an event that is set to an error."""

rules.inferred(TERMINATES)  # that such a command has a negative status


@rules.answer("CL_EVENT_COMMAND_QUEUE", of=Event)
def queue_of(event: Event, question: Question) -> Want | None:
    """The value is the queue of the event's command, and NULL for a user event or a command of several queues."""
    if event.command is not None and event.command.also:
        return exactly(question, None)
    if event.queue is None and not isinstance(event, UserEvent):
        return None
    return named(question, event.queue)


@rules.answer("CL_EVENT_CONTEXT", of=Event)
def context_of(event: Event, question: Question) -> Want | None:
    """The value is the context of the event."""
    return named(question, event.context) if event.context is not None else None


@rules.answer("CL_EVENT_COMMAND_TYPE", of=Event)
def type_of(event: Event, question: Question) -> Want | None:
    """The value is the command type of the function that returned the event."""
    return either(question, tuple((question.model.value(name),) for name in event.command_types))


@rules.answer("CL_EVENT_COMMAND_EXECUTION_STATUS", of=Event)
def status_of(event: Event, question: Question) -> Want:
    """The value is a status from CL_QUEUED to CL_COMPLETE, or a negative error code.

    It is CL_COMPLETE once the command must be complete. A command that waits for a user event is not CL_RUNNING before
    that event is set, and its status is negative in the end if the event is set to an error. A command that waits for a
    signal is not CL_COMPLETE before the signal is written. The status never returns to an earlier one. The value for a
    user event is the status that was set, and CL_SUBMITTED before. A command that waited for a user event when its
    context was terminated has the status CL_CONTEXT_TERMINATED_KHR.
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
    """Return the last observed status of an event's command, CL_QUEUED if it was never queried."""
    last = event.facts.get("CL_EVENT_COMMAND_EXECUTION_STATUS")
    return last if isinstance(last, int) else QUEUED


def _of_a_terminated_one(command: Command, records: tuple[str, ...]) -> Want:
    """Return the expected status of a command that never runs: an error, or an earlier status while pending."""
    if command.over:
        return Such(_at_most(COMPLETE - 1), "an error code", records, (-1,))
    return Such(
        lambda seen: isinstance(seen[0], int) and (seen[0] < COMPLETE or SUBMITTED <= seen[0] <= QUEUED),
        "CL_QUEUED, CL_SUBMITTED or an error code",
        records,
        (-1,),
    )


def _forward(statuses: tuple[int, ...], last: int, name: str) -> Want:
    """Return the expectation of one of ``statuses``, which are ordered from late to early, and not before ``last``."""
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
"""The profiling timestamps of a command in their order."""


def _told(time: int, query: str) -> str:
    return f"{time} ns ({query})" if query else f"{time} ns"


rules.inferred(*TIMES)  # the order of the timestamps follows from the order of the states


@rules.answer(*TIMES, of=Event)
def time_of(event: Event, question: Question) -> Want | None:
    """The value is a time in nanoseconds, in the order of the command states relative to the other known timestamps."""
    if event.queue is None or (event.command is not None and event.command.also):
        return None  # a command-buffer on several queues has timestamps of the host
    at = TIMES.index(question.query.name)
    earlier = [(told, name) for name in TIMES[:at] if isinstance(told := event.facts.get(name), int)]
    later = [(told, name) for name in TIMES[at + 1 :] if isinstance(told := event.facts.get(name), int)]
    (least, start), (most, end) = max(earlier, default=(0, "")), min(later, default=(LATEST, ""))
    known = event.facts.get(question.query.name)
    choice = known if isinstance(known, int) else min(most, max(least, event.timed_after or 0))
    if least > most:
        return None  # the known timestamps are already out of order
    return Such(
        lambda seen: isinstance(seen[0], int) and least <= seen[0] <= most,
        f"a time from {_told(least, start)}" + (f" to {_told(most, end)}" if later else ""),
        (question.query.id,),
        (choice,),
    )
