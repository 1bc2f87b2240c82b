"""Error conditions of events: user events, waits, markers and profiling (sections 5.11 to 5.15)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.contents.waiting import events_in
from clconform.oracles.engine.answers import UNKNOWN, Answer, May, Reply
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.events import Event, UserEvent
from clconform.oracles.recurring.objects import valid_object

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.oracles.model.world import Model

rules = Rules()


@rules.clause("clEnqueueMarker/CL_INVALID_VALUE/1")
def marker_without_an_event(call: Call, model: Model) -> Reply:
    """event is NULL; the error is optional, because the description of the parameter permits NULL."""
    del model
    return May("marker-without-an-event") if call.event is None else Answer.NO


@rules.clause("clGetEventInfo/CL_INVALID_VALUE/2")
def no_such_information(call: Call, model: Model) -> Reply:
    """param_name cannot be queried for this event."""
    del call, model
    return Answer.NO


@rules.clause("clGetEventProfilingInfo/CL_PROFILING_INFO_NOT_AVAILABLE/1")
def not_timed(call: Call, model: Model) -> Reply:
    """Profiling is not enabled for the command-queue, the command is not complete, or event is a user event."""
    event = model.get(Event, call.event)
    device = event.queue.device if event.queue else None
    if "CL_COMMAND_SVM_FREE" in event.command_types and device is not None and device.version < (3, 0):
        return May("svm-free-not-timed")
    if isinstance(event, UserEvent) or not event.profiling:
        return Answer.MUST
    command = event.command
    if command is not None and command.cut_off:
        return Answer.MUST
    if event.context is not None and event.context.terminated is not False:
        return May("after-termination")
    if command is not None and (command.waits_for_the_user or (command.terminated and command.over)):
        return Answer.MUST
    if command is not None and command.failed:
        return May("unknown-fact")
    return Answer.NO if event.complete else May("not-known-to-be-over")


@rules.clause("clSetUserEventStatus/CL_INVALID_EVENT/1")
def no_user_event(call: Call, model: Model) -> Reply:
    """event is NULL or not a valid user event, for example the event of a command."""
    reply = valid_object(call.event, "cl_event", model)
    if reply is not Answer.NO:
        return reply
    event = model.get(Event, call.event)
    return UNKNOWN if event.tainted else not isinstance(event, UserEvent)


@rules.clause("clSetUserEventStatus/CL_INVALID_VALUE/1")
def no_status_to_set(call: Call, model: Model) -> Reply:
    """execution_status is neither CL_COMPLETE nor negative."""
    del model
    return bool(call.execution_status > 0)


@rules.clause("clSetUserEventStatus/CL_INVALID_OPERATION/1")
def set_already(call: Call, model: Model) -> Reply:
    """The execution status of event was already set by an earlier call."""
    event = model.known(call.event)
    if isinstance(event, Event) and event.tainted:
        return UNKNOWN
    return isinstance(event, UserEvent) and event.status <= 0


@rules.clause("clWaitForEvents/CL_INVALID_CONTEXT/1")
def events_of_several_contexts(call: Call, model: Model) -> Reply:
    """The events in event_list do not all belong to one context."""
    known = [model.known(each) for each in events_in(call, "event_list")]
    contexts = {id(each.context) for each in known if isinstance(each, Event) and each.context is not None}
    return len(contexts) > 1
