"""One valid call of each function for events, markers, barriers, flush and finish (sections 5.11 to 5.16)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import ElementList, HostCallback
from clconform.suites.kit.valid_calls import ValidCalls

if TYPE_CHECKING:
    from clconform.suites.kit.kit import Kit
    from clconform.suites.kit.valid_calls import Arguments

valid_calls = ValidCalls()


@valid_calls.declare("clCreateUserEvent")
def user_event(kit: Kit) -> Arguments:
    """Create a user event."""
    return {"context": kit.context}


@valid_calls.declare("clSetUserEventStatus")
def complete(kit: Kit) -> Arguments:
    """Complete a user event."""
    return {"event": kit.user_event(), "execution_status": 0}


@valid_calls.declare("clSetEventCallback")
def set_callback(kit: Kit) -> Arguments:
    """Register a completion callback on a user event that is already complete."""
    return {"event": kit.event(), "command_exec_callback_type": 0, "pfn_notify": HostCallback("complete")}


@valid_calls.declare("clWaitForEvents")
def wait_for_command(kit: Kit) -> Arguments:
    """Wait on the host for the event of a command."""
    return {"num_events": 1, "event_list": ElementList((kit.command_event(),))}


@valid_calls.declare("clRetainEvent", "clReleaseEvent")
def retain_or_release(kit: Kit) -> Arguments:
    """Retain or release a command's event."""
    return {"event": kit.command_event()}


@valid_calls.declare("clEnqueueWaitForEvents")
def wait_in_queue(kit: Kit) -> Arguments:
    """Make later commands of a queue wait for the event of a command."""
    return {"command_queue": kit.queue, "num_events": 1, "event_list": ElementList((kit.command_event(),))}


@valid_calls.declare("clFlush", "clFinish")
def flush_or_finish(kit: Kit) -> Arguments:
    """Flush or finish a queue that contains a command."""
    kit.command_event()
    return {"command_queue": kit.queue}


@valid_calls.declare(
    "clEnqueueMarker", "clEnqueueMarkerWithWaitList", "clEnqueueBarrier", "clEnqueueBarrierWithWaitList"
)
def fence(kit: Kit) -> Arguments:
    """Enqueue a marker or a barrier without a wait list, so that it waits for all previous commands."""
    return {"command_queue": kit.queue}
