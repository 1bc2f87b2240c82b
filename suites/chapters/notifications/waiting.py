"""Functions that register callbacks, wait for them, and check that one is not called."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Callback, Handle, Items
from clconform.oracles.chapters.notifications.notices import PATIENCE_MS
from clconform.suites.steps import needs, promised, succeeded, value

if TYPE_CHECKING:
    from clconform.runner.session.session import Session

TOLD = "told"
"""Name of the callback where only one is registered."""
A_MOMENT_MS = 30
"""Milliseconds to wait for an unexpected call of a callback."""
STATUSES = ("CL_SUBMITTED", "CL_RUNNING", "CL_COMPLETE")


def on_event(cl: Session, event: Handle, status: str = "CL_COMPLETE", data: int | None = 7, name: str = TOLD) -> None:
    """Register a callback for a status of an event."""
    needs(promised(cl, "clSetEventCallback"), "requires OpenCL 1.1 (event callbacks)")
    cl.clSetEventCallback(event, value(cl, status), Callback(name), data)


def on_end(cl: Session, function: str, thing: Handle, *data: int | None, name: str = TOLD) -> None:
    """Register a callback for the destruction of an object, once per user data."""
    needs(promised(cl, function), f"{function} is not available")
    for each in data or (1,):
        outcome = getattr(cl, function)(thing, Callback(name), each)
        needs(succeeded(outcome), f"the driver refuses {function}")


def awaited(cl: Session, times: int = 1, name: str = TOLD) -> None:
    """Wait until a callback was called ``times`` times, and a moment longer for an unexpected call."""
    cl.host_await(Callback(name), times, PATIENCE_MS)
    a_moment(cl, times, name)


def a_moment(cl: Session, times: int = 0, name: str = TOLD) -> None:
    """Wait a moment for an unexpected further call of a callback."""
    cl.host_await(Callback(name), times + 1, A_MOMENT_MS)


def set_status(cl: Session, event: Handle, status: int = 0) -> None:
    """Set a user event to complete or to an error."""
    cl.clSetUserEventStatus(event, status)


def flush(cl: Session, queue: Handle) -> None:
    """Flush a queue; skip where an earlier flush did not return in time."""
    needs(not cl.is_silent("clFlush/success"), "an earlier flush timed out")
    cl.clFlush(queue)


def status_of(cl: Session, event: Handle) -> None:
    """Query the execution status of an event's command."""
    cl.query("clGetEventInfo", event, "CL_EVENT_COMMAND_EXECUTION_STATUS")


def listed(*events: Handle) -> tuple[int, Items | None]:
    """Return a wait list with its length."""
    return len(events), Items(events) if events else None
