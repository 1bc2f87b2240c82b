"""Functions that register callbacks, wait until callbacks are invoked, and check that callbacks are not invoked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import ElementList, Handle, HostCallback
from clconform.oracles.chapters.notifications.pending_callbacks import PATIENCE_MS
from clconform.suites.helpers import constant_value, is_available, is_success, skip_unless

if TYPE_CHECKING:
    from clconform.calls.call import Outcome
    from clconform.runner.session.session import Session

CALLBACK_NAME = "told"
"""The name of the callback in tests that register only one callback."""
A_MOMENT_MS = 30
"""The time to wait for an unexpected invocation of a callback, in milliseconds."""
STATUSES = ("CL_SUBMITTED", "CL_RUNNING", "CL_COMPLETE")


def register_event_callback(
    cl: Session, event: Handle, status: str = "CL_COMPLETE", data: int | None = 7, name: str = CALLBACK_NAME
) -> Outcome:
    """Register a callback for an execution status of an event, and return the outcome."""
    skip_unless(is_available(cl, "clSetEventCallback"), "requires OpenCL 1.1 (event callbacks)")
    return cl.clSetEventCallback(event, constant_value(cl, status), HostCallback(name), data)


def register_destructor_callback(
    cl: Session, function: str, handle: Handle, *data: int | None, name: str = CALLBACK_NAME
) -> None:
    """Register callbacks for the destruction of an object, one for each value of the user data."""
    skip_unless(is_available(cl, function), f"{function} is not available")
    for each in data or (1,):
        outcome = getattr(cl, function)(handle, HostCallback(name), each)
        skip_unless(is_success(outcome), f"the driver refuses {function}")


def await_callback(cl: Session, count: int = 1, name: str = CALLBACK_NAME) -> None:
    """Wait until a callback has been invoked ``count`` times, then check that it is not invoked again."""
    cl.host_await(HostCallback(name), count, PATIENCE_MS)
    check_not_called(cl, count, name)


def check_not_called(cl: Session, previous_calls: int = 0, name: str = CALLBACK_NAME) -> None:
    """Wait a short time, and check that a callback is not invoked more than ``previous_calls`` times."""
    cl.host_await(HostCallback(name), previous_calls + 1, A_MOMENT_MS)


def set_user_event(cl: Session, event: Handle, status: int = 0) -> None:
    """Set the status of a user event, by default to complete."""
    cl.clSetUserEventStatus(event, status)


def flush(cl: Session, queue: Handle) -> None:
    """Flush a queue; skip where an earlier flush did not return in time."""
    skip_unless(not cl.process_ends.has_hung("clFlush/success"), "an earlier flush timed out")
    cl.clFlush(queue)


def query_status(cl: Session, event: Handle) -> None:
    """Query the execution status of an event's command."""
    cl.query("clGetEventInfo", event, "CL_EVENT_COMMAND_EXECUTION_STATUS")


def list_events(*events: Handle) -> tuple[int, ElementList | None]:
    """Return the length of a wait list, and the list of these events."""
    return len(events), ElementList(events) if events else None
