"""Events: of commands and of the user, what they answer, and when they can be timed (sections 5.11 and 5.14)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.contents.waiting import awaited
from clconform.oracles.engine.answers import Answer, May, Reply
from clconform.oracles.engine.rules import Rules
from clconform.oracles.engine.wants import Element, OneOf, Promise, Such, Values, Want
from clconform.oracles.model.commands import Command
from clconform.oracles.model.events import Event, UserEvent
from clconform.oracles.queries.told import either, exactly, named
from clconform.oracles.recurring.making import made

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.oracles.model.world import Model
    from clconform.oracles.queries.questions import Question

rules = Rules()

QUEUED, SUBMITTED, RUNNING, COMPLETE = 3, 2, 1, 0


@rules.success("clCreateUserEvent")
def user_event_made(call: Call, model: Model) -> Promise:
    """A new event of no queue, which is submitted until its status is set."""
    context = model.context(call.context)
    event = UserEvent(context=context, command=Command(call.function), command_types=("CL_COMMAND_USER",))
    event.status = model.value("CL_SUBMITTED")
    return made(event, call, model)


@rules.answer("CL_EVENT_COMMAND_QUEUE", of=Event)
def queue_of(event: Event, question: Question) -> Want | None:
    """The queue of the event's command; NULL for an event of the user."""
    if event.queue is None and not isinstance(event, UserEvent):
        return None
    return named(question, event.queue)


@rules.answer("CL_EVENT_CONTEXT", of=Event)
def context_of(event: Event, question: Question) -> Want | None:
    """The context of the event."""
    return named(question, event.context) if event.context is not None else None


@rules.answer("CL_EVENT_COMMAND_TYPE", of=Event)
def type_of(event: Event, question: Question) -> Want | None:
    """The type of the function's commands."""
    return either(question, tuple((question.model.value(name),) for name in event.command_types))


@rules.success("clSetUserEventStatus")
def user_event_set(call: Call, model: Model) -> Promise:
    """The event has the status that was set."""
    event = model.get(Event, call.event)

    def apply(_value: Element, _seen: dict[str, Values]) -> None:
        if isinstance(event, UserEvent):
            event.status = call.execution_status
        if event.command is not None:
            (model.order.fail if call.execution_status < 0 else model.order.finish)([event.command])

    return Promise(apply=apply)


@rules.success("clWaitForEvents")
def events_waited_for(call: Call, model: Model) -> Promise:
    """The commands of all events are over."""

    def apply(_value: Element, _seen: dict[str, Values]) -> None:
        commands = list(awaited(call, model))
        for queue in {id(each.queue): each.queue for each in commands if each.queue is not None}.values():
            model.order.flush(queue)
        model.order.finish(commands)

    return Promise(apply=apply)


@rules.answer("CL_EVENT_COMMAND_EXECUTION_STATUS", of=Event)
def status_of(event: Event, question: Question) -> Want:
    """Queued, submitted, running or complete, or an error; complete once the command is known to be over.

    A command that waits for an event of the user has not begun before that is set; one that waits for a signal is not
    over before that is written.
    """
    name, command = question.query.id, event.command
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


@rules.clause("clGetEventInfo/CL_INVALID_VALUE/2")
def no_such_information(call: Call, model: Model) -> Reply:
    """What is asked for cannot be told of this event."""
    del call, model
    return Answer.NO


@rules.clause("clGetEventProfilingInfo/CL_PROFILING_INFO_NOT_AVAILABLE/1")
def not_timed(call: Call, model: Model) -> Reply:
    """The queue does not time its commands, the command is not over, or it is a user's event."""
    event = model.get(Event, call.event)
    device = event.queue.device if event.queue else None
    if "CL_COMMAND_SVM_FREE" in event.command_types and device is not None and device.version < (3, 0):
        return May("svm-free-not-timed")
    if isinstance(event, UserEvent) or not event.profiling:
        return Answer.MUST
    return Answer.NO if event.complete else May("not-known-to-be-over")
