"""What events answer (section 5.11)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.engine.rules import Rules
from clconform.oracles.engine.wants import OneOf, Such, Values, Want
from clconform.oracles.model.events import Event, UserEvent
from clconform.oracles.queries.told import either, exactly, named

if TYPE_CHECKING:
    from clconform.oracles.queries.questions import Question

rules = Rules()

rules.inferred("CL_EVENT_COMMAND_EXECUTION_STATUS")  # what is complete follows from what other calls have waited for

QUEUED, SUBMITTED, RUNNING, COMPLETE = 3, 2, 1, 0


@rules.answer("CL_EVENT_COMMAND_QUEUE", of=Event)
def queue_of(event: Event, question: Question) -> Want | None:
    """The answer is the command-queue of the event's command, and NULL for a user event."""
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
    before that event is set; one that waits for a signal is not CL_COMPLETE before that is written. For a user event
    the answer is the status that was set, and CL_SUBMITTED before.
    """
    name, command = question.query.id, event.command
    if event.context is not None and event.context.terminated:
        status = event.status if isinstance(event, UserEvent) else -1
        return Such(_at_most_queued, "at most CL_QUEUED (3)", (name,), (status,))
    if isinstance(event, UserEvent):
        return exactly(question, event.status)
    if command is not None and command.failed and event.complete:
        return Such(
            lambda seen: isinstance(seen[0], int) and seen[0] <= COMPLETE, "complete, or an error", (name,), (-1,)
        )
    if command is not None and command.waits_for_the_user:
        return OneOf(((SUBMITTED,), (QUEUED,)), (name,))
    if command is not None and command.owing:
        if all(each.settled for each in command.owing):
            return OneOf(((RUNNING,), (SUBMITTED,), (QUEUED,)), (name,))
        return Such(_at_most_queued, "at most CL_QUEUED (3)", (name,), (RUNNING,))
    if event.complete:
        return OneOf(((COMPLETE,),), (name,))
    return Such(_at_most_queued, "at most CL_QUEUED (3)", (name,), (0,))


def _at_most_queued(seen: Values) -> bool:
    return isinstance(seen[0], int) and seen[0] <= QUEUED
