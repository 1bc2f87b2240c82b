"""Query results of events: their commands and profiling timestamps (sections 5.11 and 5.15)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.engine.matchers import Matcher, OneOf, Satisfies, Values
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.events import Event, UserEvent
from clconform.oracles.queries.expected_answers import expect_exactly, expect_handle, expect_one_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.oracles.model.enqueued_command import Command
    from clconform.oracles.queries.query_request import QueryRequest

rules = Rules()

rules.inferred("CL_EVENT_COMMAND_EXECUTION_STATUS")  # completion follows from calls that wait

QUEUED, SUBMITTED, RUNNING, COMPLETE = 3, 2, 1, 0
STATUSES = {QUEUED: "CL_QUEUED", SUBMITTED: "CL_SUBMITTED", RUNNING: "CL_RUNNING", COMPLETE: "CL_COMPLETE"}
MAX_TIMESTAMP = (1 << 64) - 1
TERMINATES_WAITING_COMMANDS = "clSetUserEventStatus/effect/1"
"""The requirement that a command never runs if it waits for a user event that is set to an error."""

rules.inferred(TERMINATES_WAITING_COMMANDS)  # the documents do not state that its status is negative


@rules.expected_value("CL_EVENT_COMMAND_QUEUE", of=Event)
def expect_queue(event: Event, question: QueryRequest) -> Matcher | None:
    """The value is the queue of the event's command; NULL for a user event and for a command on several queues."""
    if event.command is not None and event.command.other_queues:
        return expect_exactly(question, None)
    if event.queue is None and not isinstance(event, UserEvent):
        return None
    return expect_handle(question, event.queue)


@rules.expected_value("CL_EVENT_CONTEXT", of=Event)
def expect_context(event: Event, question: QueryRequest) -> Matcher | None:
    """The value is the context of the event."""
    return expect_handle(question, event.context) if event.context is not None else None


@rules.expected_value("CL_EVENT_COMMAND_TYPE", of=Event)
def expect_command_type(event: Event, question: QueryRequest) -> Matcher | None:
    """The value is the command type of the function that returned the event."""
    return expect_one_of(question, tuple((question.model.constant_value(name),) for name in event.command_types))


@rules.expected_value("CL_EVENT_COMMAND_EXECUTION_STATUS", of=Event)
def expect_status(event: Event, question: QueryRequest) -> Matcher:
    """The value is a status from CL_QUEUED to CL_COMPLETE, or a negative error code.

    After a call has waited for a command, its status is CL_COMPLETE. While a command waits for a user event, its status
    is CL_QUEUED or CL_SUBMITTED. If the user event is set to an error, the final status of the command is negative. A
    command that waits for a signal is not CL_COMPLETE before the signal is written. The status never returns to an
    earlier one.

    The status of a user event is CL_SUBMITTED until it is set, and then the status that was set. A command that waited
    for a user event when its context was terminated has the status CL_CONTEXT_TERMINATED_KHR.
    """
    name, command = question.query.id, event.command
    if command is not None and command.is_cut_off:
        return expect_exactly(question, question.model.constant_value("CL_CONTEXT_TERMINATED_KHR"))
    if event.tainted or (event.context is not None and event.context.terminated is not False):
        status = event.status if isinstance(event, UserEvent) else -1
        return Satisfies(_is_at_most(QUEUED), "at most CL_QUEUED (3)", (name,), (status,))
    if isinstance(event, UserEvent):
        return expect_exactly(question, event.status)
    last = last_status(event)
    if command is not None and command.terminated:
        return _expect_terminated_status(command, (TERMINATES_WAITING_COMMANDS, name))
    if command is not None and command.may_have_failed and event.is_complete:
        return Satisfies(_is_at_most(COMPLETE), "complete, or an error", (name,), (-1,))
    if command is not None and command.waits_for_user_event:
        return _expect_one_of((SUBMITTED, QUEUED), last, name)
    if command is not None and command.unwritten_signals:
        if all(each.is_settled for each in command.unwritten_signals):
            return _expect_one_of((RUNNING, SUBMITTED, QUEUED), last, name)
        return Satisfies(_is_at_most(last), _status_text(last), (name,), (min(last, RUNNING),))
    if event.is_complete or (command is not None and command.has_run and not command.may_have_failed):
        return OneOf(((COMPLETE,),), (name,))
    return Satisfies(_is_at_most(last), _status_text(last), (name,), (min(last, COMPLETE),))


def last_status(event: Event) -> int:
    """Return the last observed status of an event's command, CL_QUEUED if it was never queried."""
    last = event.facts.get("CL_EVENT_COMMAND_EXECUTION_STATUS")
    return last if isinstance(last, int) else QUEUED


def _expect_terminated_status(command: Command, requirements: tuple[str, ...]) -> Matcher:
    """Return the expected status of a command that never runs: an error, or at first CL_QUEUED or CL_SUBMITTED."""
    if command.is_complete:
        return Satisfies(_is_at_most(COMPLETE - 1), "an error code", requirements, (-1,))
    return Satisfies(
        lambda seen: isinstance(seen[0], int) and (seen[0] < COMPLETE or SUBMITTED <= seen[0] <= QUEUED),
        "CL_QUEUED, CL_SUBMITTED or an error code",
        requirements,
        (-1,),
    )


def _expect_one_of(statuses: tuple[int, ...], last: int, name: str) -> Matcher:
    """Return the expectation that a status is one of ``statuses`` and not earlier than ``last``.

    ``statuses`` begins with the latest status.
    """
    return OneOf(tuple((status,) for status in statuses if status <= max(last, statuses[0])), (name,))


def _status_text(last: int) -> str:
    return f"at most {STATUSES.get(last, 'the last status')} ({last})"


def _is_at_most(status: int) -> Callable[[Values], bool]:
    return lambda seen: isinstance(seen[0], int) and seen[0] <= status


TIMESTAMPS = (
    "CL_PROFILING_COMMAND_QUEUED",
    "CL_PROFILING_COMMAND_SUBMIT",
    "CL_PROFILING_COMMAND_START",
    "CL_PROFILING_COMMAND_END",
    "CL_PROFILING_COMMAND_COMPLETE",
)
"""The queries of profiling timestamps of a command, in the order of the timestamps."""


def _timestamp_text(time: int, query: str) -> str:
    return f"{time} ns ({query})" if query else f"{time} ns"


rules.inferred(*TIMESTAMPS)  # the order of the timestamps follows from the order of the states


@rules.expected_value(*TIMESTAMPS, of=Event)
def expect_timestamp(event: Event, question: QueryRequest) -> Matcher | None:
    """The value is a time in nanoseconds that is in order with the other known timestamps of the command.

    The order is QUEUED, SUBMIT, START, END, COMPLETE. Timestamps may be equal.
    """
    if event.queue is None or (event.command is not None and event.command.other_queues):
        return None  # a command-buffer on several queues has timestamps of the host
    at = TIMESTAMPS.index(question.query.name)
    earlier = [(told, name) for name in TIMESTAMPS[:at] if isinstance(told := event.facts.get(name), int)]
    later = [(told, name) for name in TIMESTAMPS[at + 1 :] if isinstance(told := event.facts.get(name), int)]
    (least, start), (most, end) = max(earlier, default=(0, "")), min(later, default=(MAX_TIMESTAMP, ""))
    known = event.facts.get(question.query.name)
    choice = known if isinstance(known, int) else min(most, max(least, event.earliest_time or 0))
    if least > most:
        return None  # the known timestamps are already out of order
    return Satisfies(
        lambda seen: isinstance(seen[0], int) and least <= seen[0] <= most,
        f"a time from {_timestamp_text(least, start)}" + (f" to {_timestamp_text(most, end)}" if later else ""),
        (question.query.id,),
        (choice,),
    )
