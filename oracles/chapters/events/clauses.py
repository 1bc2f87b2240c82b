"""Markers without an event, and what cannot be told of events (sections 5.11, 5.12 and 5.14)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.engine.answers import Answer, May, Reply
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.events import Event, UserEvent

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.oracles.model.world import Model

rules = Rules()


@rules.clause("clEnqueueMarker/CL_INVALID_VALUE/1")
def marker_without_an_event(call: Call, model: Model) -> Reply:
    """event is NULL. Success is allowed as well, since the description of the parameter permits NULL."""
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
    if event.context is not None and event.context.terminated:
        return May("after-termination")
    return Answer.NO if event.complete else May("not-known-to-be-over")
