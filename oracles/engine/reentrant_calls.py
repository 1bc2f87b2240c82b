"""Calls from inside callbacks: which are allowed, and which calls of other host threads can run concurrently.

A call from inside a callback runs at an unknown time between the event that triggers the callback and the observation
that the callback was called. It is judged when it ends. This is exact because no concurrent call uses the same objects.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.call import call_handles
from clconform.calls.values import Handle
from clconform.oracles.contents.access_rules import WAITING_FUNCTIONS
from clconform.oracles.contents.dependencies import is_blocking
from clconform.oracles.model.events import Event, UserEvent

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.oracles.model.state import Model

SET_STATUS, SET_CALLBACK, FLUSH = "clSetUserEventStatus", "clSetEventCallback", "clFlush"
DESTRUCTION_FUNCTIONS = ("clSetMemObjectDestructorCallback", "clReleaseMemObject")
REFERENCE_FUNCTIONS = ("clRetainEvent", "clReleaseEvent")
EVENT_QUERIES = ("clGetEventInfo", "clGetEventProfilingInfo")
ENQUEUE_FUNCTIONS = (
    *("clEnqueueCopyBuffer", "clEnqueueFillBuffer", "clEnqueueReadBuffer", "clEnqueueWriteBuffer"),
    *("clEnqueueNDRangeKernel", "clEnqueueMarker", "clEnqueueMarkerWithWaitList", "clEnqueueBarrierWithWaitList"),
)
"""Functions with which callbacks enqueue commands, if the call does not block."""
ALLOWED_FUNCTIONS = (SET_STATUS, SET_CALLBACK, FLUSH, *REFERENCE_FUNCTIONS, *EVENT_QUERIES, *ENQUEUE_FUNCTIONS)


def was_called(name: str, model: Model) -> bool:
    """Return whether a callback is known to have been called."""
    return any(each.name == name and each.call_count for each in model.callback_registrations)


def find_reentrancy_obstacle(call: Call, model: Model) -> str:
    """Return why a call must not be made inside a callback, or an empty string.

    Blocking calls and calls that create contexts or command-queues are undefined inside a callback.
    """
    if call.function not in ALLOWED_FUNCTIONS:
        return f"{call.function} is none of the calls that are made from inside callbacks"
    if is_blocking(call):
        return f"{call.function} blocks, which is undefined inside a callback"
    if call.function == SET_CALLBACK:
        event = model.find(call.event)
        if not isinstance(event, UserEvent) or event.is_complete:
            return "a callback may come before its registration is seen, unless it is for a user event that is not set"
    return ""


def find_concurrency_obstacle(call: Call, inside: Call, callback: str, model: Model) -> str:
    """Return why a call must not run concurrently with ``inside``, or an empty string.

    ``inside``: a pending call inside the callback ``callback``.
    """
    used, mentioned = ({handle.name for handle in call_handles(each)} for each in (inside, call))
    function = model.tables.functions.get(call.function)
    if function is None:
        return f"{call.function} uses the same objects" if used & mentioned else ""
    if call.function == SET_CALLBACK:
        event = model.find(call.event)
        late = isinstance(event, Event) and event.is_complete
        return f"{call.function} may call back immediately" if late and used & mentioned else ""
    if call.function == SET_STATUS:
        return (
            ""
            if not used & mentioned or _queries_completed_event(inside, callback, model)
            else _uses_same_objects(call)
        )
    if call.function in (*WAITING_FUNCTIONS, FLUSH, *DESTRUCTION_FUNCTIONS):
        return _uses_same_objects(call) if used & mentioned else ""
    return f"{call.function} may or may not see the effects of the callback"


def _uses_same_objects(call: Call) -> str:
    return f"{call.function} uses the same objects"


def _queries_completed_event(inside: Call, callback: str, model: Model) -> bool:
    """Return whether ``inside``, a call inside a completion callback, queries the event of that callback."""
    registered = [each for each in model.callback_registrations if each.name == callback]
    at_the_end = all(getattr(each, "status", None) == 0 for each in registered)
    event = inside.arguments.get("event")
    asked = inside.function in EVENT_QUERIES and isinstance(event, Handle)
    return asked and at_the_end and {each.subject.name for each in registered} == {getattr(event, "name", "")}
