"""Postconditions of creating and setting user events, and of waiting for events (section 5.11)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.contents.waiting import awaited
from clconform.oracles.engine import symptoms
from clconform.oracles.engine.rules import Rules
from clconform.oracles.engine.wants import Complaint, Element, Promise, Values, handles
from clconform.oracles.model.commands import Command
from clconform.oracles.model.events import Event, UserEvent
from clconform.oracles.recurring.making import made

if TYPE_CHECKING:
    from clconform.calls.call import Call, Returned
    from clconform.oracles.model.world import Model

rules = Rules()

NO_EVENT = "OpenCL:event-objects/3"
rules.words[NO_EVENT] = "Checked on enqueuing calls that return a CL_INVALID_* code: event is unchanged."
rules.words["clWaitForEvents/effect/1"] = ""
rules.words["clFinish/effect/1"] = ""
SETS = "clSetUserEventStatus"
REFUSALS = ("CL_INVALID_EVENT", "CL_INVALID_VALUE", "CL_INVALID_OPERATION")
"""The error codes of ``SETS``; a call that returns one of them does not set the event."""


@rules.success("clCreateUserEvent")
def user_event_made(call: Call, model: Model) -> Promise:
    """The call creates a new user event, whose execution status is CL_SUBMITTED."""
    context = model.context(call.context)
    event = UserEvent(context=context, command=Command(call.function), command_types=("CL_COMMAND_USER",))
    event.status = model.value("CL_SUBMITTED")
    return made(event, call, model)


@rules.success(SETS)
def user_event_set(call: Call, model: Model) -> Promise:
    """The execution status of the user event is execution_status."""
    event = model.get(Event, call.event)

    def apply(_value: Element, _seen: dict[str, Values]) -> None:
        if isinstance(event, UserEvent):
            event.status = call.execution_status
        if event.command is None:
            return
        if call.execution_status < 0:
            event.command.terminated = True
            model.order.fail([event.command])
        else:
            model.order.finish([event.command], call.function)

    return Promise(apply=apply)


@rules.aftermath(SETS)
def set_perhaps(call: Call, model: Model, code: str) -> None:
    """Stop to expect anything of an event after an unexpected outcome of clSetUserEventStatus.

    The call succeeded although it should have failed, or it failed for an unexplained reason and may have set the
    event.
    """
    event = model.known(call.event)
    if isinstance(event, Event) and code not in REFUSALS:
        event.tainted = True


@rules.watch()
def no_event_of_a_failure(call: Call, outcome: Returned, code: str, model: Model) -> tuple[list[Complaint], set[str]]:
    """Report an event that a failed enqueuing call returned."""
    del model
    told = outcome.outputs.get("event") if call.function.startswith("clEnqueue") else None
    if told is None or not code.startswith("CL_INVALID_"):
        return [], set()
    given = handles(list(told.values))
    if not given:
        return [], {NO_EVENT}
    return [Complaint(NO_EVENT, "no event", "an event", symptoms.other_values((NO_EVENT,)))], set()


@rules.success("clWaitForEvents")
def events_waited_for(call: Call, model: Model) -> Promise:
    """The commands of all events in event_list are complete."""

    def apply(_value: Element, _seen: dict[str, Values]) -> None:
        commands = list(awaited(call, model))
        for queue in {id(each.queue): each.queue for each in commands if each.queue is not None}.values():
            model.order.flush(queue, call.function)
        model.order.finish(commands, call.function)

    return Promise(apply=apply)
