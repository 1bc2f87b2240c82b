"""Ways to register callbacks, to wait for them, and to check that one does not come."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Callback, Handle, Items
from clconform.oracles.chapters.notifications.notices import PATIENCE_MS
from clconform.suites.steps import needs, promised, succeeded, value

if TYPE_CHECKING:
    from clconform.runner.session.session import Session

TOLD = "told"
"""The callback's name where there is one only."""
A_MOMENT_MS = 30
"""How long a callback is waited for that must not come."""
STATUSES = ("CL_SUBMITTED", "CL_RUNNING", "CL_COMPLETE")


def on_event(cl: Session, event: Handle, status: str = "CL_COMPLETE", data: int | None = 7, name: str = TOLD) -> None:
    """Register a callback for a status of an event."""
    needs(promised(cl, "clSetEventCallback"), "requires OpenCL 1.1 (event callbacks)")
    cl.clSetEventCallback(event, value(cl, status), Callback(name), data)


def on_end(cl: Session, function: str, thing: Handle, *data: int | None, name: str = TOLD) -> None:
    """Register a callback for the end of an object, once for each user data."""
    needs(promised(cl, function), f"{function} is not available")
    for each in data or (1,):
        outcome = getattr(cl, function)(thing, Callback(name), each)
        needs(succeeded(outcome), f"the driver refuses {function}")


def awaited(cl: Session, times: int = 1, name: str = TOLD) -> None:
    """Wait until a callback was called ``times`` times, and a moment longer for one call too many."""
    cl.host_await(Callback(name), times, PATIENCE_MS)
    a_moment(cl, times, name)


def a_moment(cl: Session, times: int = 0, name: str = TOLD) -> None:
    """Wait a moment for a callback that must not come again."""
    cl.host_await(Callback(name), times + 1, A_MOMENT_MS)


def set_status(cl: Session, event: Handle, status: int = 0) -> None:
    """Set a user event: to complete, or to an error."""
    cl.clSetUserEventStatus(event, status)


def flush(cl: Session, queue: Handle) -> None:
    """Flush a queue; the item is skipped where the driver has given no answer to that before."""
    needs(not cl.is_silent("clFlush/success"), "an earlier flush timed out")
    cl.clFlush(queue)


def status_of(cl: Session, event: Handle) -> None:
    """Ask how far an event's command is."""
    cl.query("clGetEventInfo", event, "CL_EVENT_COMMAND_EXECUTION_STATUS")


def listed(*events: Handle) -> tuple[int, Items | None]:
    """Return a wait list with its length."""
    return len(events), Items(events) if events else None
