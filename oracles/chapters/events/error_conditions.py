"""Error conditions of events: user events, waits, markers and profiling (sections 5.11 to 5.15)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.common.contexts import find_invalid_or_other, find_other_contexts
from clconform.oracles.common.objects import is_invalid_object
from clconform.oracles.contents.dependencies import listed_events
from clconform.oracles.engine.predicate_result import MUST, NO, UNKNOWN, PredicateResult, may, must_if
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.events import Event, UserEvent

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.calls.call import Call
    from clconform.oracles.model.state import Model

rules = Rules()


@rules.clause("clEnqueueMarker/CL_INVALID_VALUE/1")
def is_marker_event_missing(call: Call, model: Model) -> PredicateResult:
    """event is NULL; the error is optional, because the description of the parameter permits NULL."""
    del model
    return may("marker-without-an-event") if call.event is None else NO


@rules.clause("clGetEventInfo/CL_INVALID_VALUE/2")
def is_param_name_unavailable(call: Call, model: Model) -> PredicateResult:
    """param_name cannot be queried for event."""
    del call, model
    return NO


@rules.clause("clGetEventProfilingInfo/CL_PROFILING_INFO_NOT_AVAILABLE/1")
def is_profiling_unavailable(call: Call, model: Model) -> PredicateResult:
    """Profiling is not enabled for the command-queue, the command is not complete, or event is a user event.

    The command and its command-queue are those of event. The error is optional while it is uncertain whether the
    command is complete, and for clEnqueueSVMFree before version 3.0.
    """
    event = model.get(Event, call.event)
    device = event.queue.device if event.queue else None
    if "CL_COMMAND_SVM_FREE" in event.command_types and device is not None and device.version < (3, 0):
        return may("svm-free-profiling")
    if isinstance(event, UserEvent) or not event.profiling:
        return MUST
    command = event.command
    if command is not None and command.is_cut_off:
        return MUST
    if event.context is not None and event.context.terminated is not False:
        return may("after-termination")
    if command is not None and (command.waits_for_user_event or (command.terminated and command.is_complete)):
        return MUST
    if command is not None and command.may_have_failed:
        return may("unknown-fact")
    return NO if event.is_complete else may("completion-unknown")


@rules.clause("clSetUserEventStatus/CL_INVALID_EVENT/1")
def is_user_event_invalid(call: Call, model: Model) -> PredicateResult:
    """event is NULL or not a valid user event, for example the event of a command."""
    reply = is_invalid_object(call.event, "cl_event", model)
    if reply is not NO:
        return reply
    event = model.get(Event, call.event)
    return UNKNOWN if event.tainted else must_if(not isinstance(event, UserEvent))


@rules.alternatives_of("clSetUserEventStatus/CL_INVALID_EVENT/1")
def find_user_event_violation(call: Call, model: Model) -> Iterator[str]:
    """Yield the alternative that holds: event is NULL, not a valid event, or not a user event."""
    return find_invalid_or_other("event", call.event, "cl_event", model, "a user event")


@rules.clause("clSetUserEventStatus/CL_INVALID_VALUE/1")
def is_status_invalid(call: Call, model: Model) -> PredicateResult:
    """execution_status is neither CL_COMPLETE nor negative."""
    del model
    return must_if(bool(call.execution_status > 0))


@rules.clause("clSetUserEventStatus/CL_INVALID_OPERATION/1")
def is_already_set(call: Call, model: Model) -> PredicateResult:
    """An earlier call of clSetUserEventStatus has set the execution status of event."""
    event = model.find(call.event)
    if isinstance(event, Event) and event.tainted:
        return UNKNOWN
    return must_if(isinstance(event, UserEvent) and event.status <= 0)


@rules.clause("clWaitForEvents/CL_INVALID_CONTEXT/1")
def has_events_of_several_contexts(call: Call, model: Model) -> PredicateResult:
    """The events in event_list do not all belong to one context."""
    known = [model.find(each) for each in listed_events(call, "event_list")]
    contexts = {id(each.context) for each in known if isinstance(each, Event) and each.context is not None}
    return must_if(len(contexts) > 1)


@rules.alternatives_of("clWaitForEvents/CL_INVALID_CONTEXT/1")
def find_event_contexts(call: Call, model: Model) -> Iterator[str]:
    """Yield each event that belongs to a different context than the first one."""
    return find_other_contexts(call, model, "event_list")


@rules.alternatives_of("clGetEventProfilingInfo/CL_PROFILING_INFO_NOT_AVAILABLE/1")
def find_missing_profiling(call: Call, model: Model) -> Iterator[str]:
    """Yield the reason as text: event is a user event, profiling is not enabled, or the command is not complete."""
    event = model.get(Event, call.event)
    if isinstance(event, UserEvent):
        yield "event is a user event"
    elif not event.profiling:
        yield "profiling is not enabled for the command-queue of event"
    else:
        yield "the command of event is not complete"
