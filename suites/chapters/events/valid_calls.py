"""One valid call of each function for user events, markers and barriers (sections 5.11 and 5.12)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.suites.kit.valid_calls import ValidCalls

if TYPE_CHECKING:
    from clconform.suites.kit.kit import Kit
    from clconform.suites.kit.valid_calls import Arguments

valid_calls = ValidCalls()


@valid_calls.declare("clCreateUserEvent")
def user_event(kit: Kit) -> Arguments:
    """Make a user event."""
    return {"context": kit.context}


@valid_calls.declare(
    "clEnqueueMarker", "clEnqueueMarkerWithWaitList", "clEnqueueBarrier", "clEnqueueBarrierWithWaitList"
)
def fence(kit: Kit) -> Arguments:
    """Enqueue a marker or a barrier for all commands before it."""
    return {"command_queue": kit.queue}
