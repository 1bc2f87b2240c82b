"""Events: of commands and of the user, what they answer, and when they can be timed (sections 5.11 and 5.14)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.engine.answers import Answer, May, Reply, UnknownError
from clconform.oracles.engine.rules import Rules
from clconform.oracles.engine.wants import Element, OneOf, Promise, Such, Values, Want
from clconform.oracles.model.commands import Command
from clconform.oracles.model.world import Child, Thing
from clconform.oracles.recurring.making import exactly, made

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.oracles.model.world import Model

rules = Rules()

QUEUED, SUBMITTED, RUNNING, COMPLETE = 3, 2, 1, 0


@rules.success("clCreateUserEvent")
def user_event_made(call: Call, model: Model) -> Promise:
    """A new event of no queue, which is submitted until its status is set."""
    context = model.context(call.context)
    event = Child("cl_event", "", context=context, sort="user event")
    event.command = Command(call.function, event=event)
    event.echoes = {
        "CL_EVENT_COMMAND_QUEUE": exactly(None),
        "CL_EVENT_CONTEXT": exactly(context.name),
        "CL_EVENT_COMMAND_TYPE": exactly(model.value("CL_COMMAND_USER")),
        "CL_EVENT_COMMAND_EXECUTION_STATUS": exactly(model.value("CL_SUBMITTED")),
    }
    return made("cl_event", call, model, event)


@rules.success("clSetUserEventStatus")
def user_event_set(call: Call, model: Model) -> Promise:
    """The event has the status that was set."""
    event = model.child(call.event)

    def apply(_value: Element, _seen: dict[str, Values]) -> None:
        event.echoes["CL_EVENT_COMMAND_EXECUTION_STATUS"] = exactly(call.execution_status)
        if event.command is not None:
            (model.order.fail if call.execution_status < 0 else model.order.finish)([event.command])

    return Promise(apply=apply)


@rules.success("clWaitForEvents")
def events_waited_for(call: Call, model: Model) -> Promise:
    """The commands of all events are over."""

    def apply(_value: Element, _seen: dict[str, Values]) -> None:
        commands = list(model.order.awaited(call, model))
        for queue in {id(each.queue): each.queue for each in commands if each.queue is not None}.values():
            model.order.flush(queue)
        model.order.finish(commands)

    return Promise(apply=apply)


@rules.answer("CL_EVENT_COMMAND_EXECUTION_STATUS")
def status_of(thing: Thing, model: Model) -> Want:
    """Queued, submitted, running or complete, or an error; complete once the command is known to be over.

    A command that waits for an event of the user has not begun before that is set; one that waits for a signal is not
    over before that is written.
    """
    del model
    name = "CL_EVENT_COMMAND_EXECUTION_STATUS"
    if not isinstance(thing, Child):
        raise UnknownError(name)
    if name in thing.echoes:
        return OneOf(thing.echoes[name], (name,))
    if thing.command is not None and thing.command.failed and thing.complete:
        return Such(
            lambda seen: isinstance(seen[0], int) and seen[0] <= COMPLETE, "complete, or an error", (name,), (-1,)
        )
    if thing.command is not None and thing.command.waits_for_the_user:
        return OneOf(((SUBMITTED,), (QUEUED,)), (name,))
    if thing.command is not None and thing.command.owing:
        if all(surface.settled for surface in thing.command.owing):
            return OneOf(((RUNNING,), (SUBMITTED,), (QUEUED,)), (name,))
        return Such(_at_most_queued, "at most CL_QUEUED (3)", (name,), (RUNNING,))
    if thing.complete:
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
    event = model.child(call.event)
    free = (model.value("CL_COMMAND_SVM_FREE"),)
    device = event.parent.device if event.parent else None
    if free in event.echoes.get("CL_EVENT_COMMAND_TYPE", ()) and device is not None and device.version < (3, 0):
        return May("svm-free-not-timed")
    if event.sort == "user event" or not event.profiling:
        return Answer.MUST
    return Answer.NO if event.complete else May("not-known-to-be-over")
