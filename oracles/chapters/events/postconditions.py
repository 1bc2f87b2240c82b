"""Postconditions of creating and setting user events, and of waiting for events (section 5.11)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.common.object_creation import create_postcondition
from clconform.oracles.contents.dependencies import pending_awaited
from clconform.oracles.engine import symptoms
from clconform.oracles.engine.matchers import Element, Mismatch, Postcondition, Values, handle_names
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.enqueued_command import Command
from clconform.oracles.model.events import Event, UserEvent

if TYPE_CHECKING:
    from clconform.calls.call import Call, Returned
    from clconform.oracles.model.state import Model

rules = Rules()

NO_EVENT_ON_FAILURE = "OpenCL:event-objects/3"
rules.words[NO_EVENT_ON_FAILURE] = "Checked on enqueuing calls that return a CL_INVALID_* code: event is unchanged."
rules.words["clWaitForEvents/effect/1"] = ""
rules.words["clFinish/effect/1"] = ""
SET_STATUS = "clSetUserEventStatus"
SET_STATUS_ERRORS = ("CL_INVALID_EVENT", "CL_INVALID_VALUE", "CL_INVALID_OPERATION")
"""Error codes of clSetUserEventStatus. A call that returns one of them does not set the event."""


@rules.postcondition("clCreateUserEvent")
def expect_user_event(call: Call, model: Model) -> Postcondition:
    """The call creates a new user event, whose execution status is CL_SUBMITTED."""
    context = model.context(call.context)
    event = UserEvent(context=context, command=Command(call.function), command_types=("CL_COMMAND_USER",))
    event.status = model.constant_value("CL_SUBMITTED")
    return create_postcondition(event, call, model)


@rules.postcondition(SET_STATUS)
def expect_status_set(call: Call, model: Model) -> Postcondition:
    """The execution status of event becomes execution_status."""
    event = model.get(Event, call.event)

    def apply(_value: Element, _seen: dict[str, Values]) -> None:
        if isinstance(event, UserEvent):
            event.status = call.execution_status
        if event.command is None:
            return
        if call.execution_status < 0:
            event.command.terminated = True
            model.commands.fail([event.command])
        else:
            model.commands.finish([event.command], call.function)

    return Postcondition(apply=apply)


@rules.aftermath(SET_STATUS)
def mark_possibly_set(call: Call, model: Model, code: str) -> None:
    """Mark an event as uncertain after an unexpected outcome of clSetUserEventStatus.

    The call succeeded although it should have failed, or it failed with an unexpected error and may have set the event.
    """
    event = model.find(call.event)
    if isinstance(event, Event) and code not in SET_STATUS_ERRORS:
        model.taint(event)


@rules.watch()
def check_no_event_on_failure(
    call: Call, outcome: Returned, code: str, model: Model
) -> tuple[list[Mismatch], set[str]]:
    """Report an event that a failed enqueuing call returned.

    Return the mismatch, if any, and the ids of the requirements that the call covers.
    """
    del model
    told = outcome.outputs.get("event") if call.function.startswith("clEnqueue") else None
    if told is None or not code.startswith("CL_INVALID_"):
        return [], set()
    given = handle_names(list(told.values))
    if not given:
        return [], {NO_EVENT_ON_FAILURE}
    return [
        Mismatch(NO_EVENT_ON_FAILURE, "no event", "an event", symptoms.unexpected_values((NO_EVENT_ON_FAILURE,)))
    ], set()


@rules.postcondition("clWaitForEvents")
def expect_completed(call: Call, model: Model) -> Postcondition:
    """The commands of all events in event_list are complete."""

    def apply(_value: Element, _seen: dict[str, Values]) -> None:
        commands = list(pending_awaited(call, model))
        for queue in {id(each.queue): each.queue for each in commands if each.queue is not None}.values():
            model.commands.flush(queue, call.function)
        model.commands.finish(commands, call.function)

    return Postcondition(apply=apply)
