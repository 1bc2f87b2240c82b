"""Callbacks of events: for each status, for user events and commands, registered before and after completion."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import HostCallback
from clconform.runner.pytest_plugin.covers import TableCase, TableTest, bind_action
from clconform.suites.chapters.notifications.callbacks import (
    CALLBACK_NAME,
    STATUSES,
    await_callback,
    check_not_called,
    register_event_callback,
    set_user_event,
)
from clconform.suites.helpers import constant_value, is_available, skip_unless
from clconform.suites.kit.commands import command_functions
from clconform.suites.kit.kit import Kit

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from clconform.runner.session.session import Session

NAME = "notifications.event_callbacks"
SET_CALLBACK = "clSetEventCallback"
SUCCESS = "clSetEventCallback/success"
LATE_REGISTRATION = "clSetEventCallback/effect/2"
ERROR_STATUS = -5
TERMINATED, EVENT, STATUS, ERROR, USER_DATA, EACH, AT_STATUS = (
    f"{SET_CALLBACK}/effect/{number}" for number in range(3, 10)
)
"""The effects about callback arguments, multiple registrations, and the time of the invocation."""


def register_for_status(cl: Session, status: str, end: int) -> None:
    """Register a callback for one status of a user event, and set the event to the status ``end``."""
    event = Kit(cl).user_event()
    register_event_callback(cl, event, status)
    if status != "CL_SUBMITTED":
        check_not_called(cl)
    set_user_event(cl, event, end)
    (check_not_called if end and status != "CL_COMPLETE" else await_callback)(cl, 1)


def register_for_all_statuses(cl: Session) -> None:
    """Register callbacks for every status of a user event, each with its own user data."""
    event = Kit(cl).user_event()
    for data, status in enumerate(STATUSES):
        register_event_callback(cl, event, status, data)
    set_user_event(cl, event)
    await_callback(cl, len(STATUSES))


def register_user_data(cl: Session) -> None:
    """Register callbacks with several values of the user data: numbers that are not addresses, and NULL."""
    kit = Kit(cl)
    event, values = kit.user_event(), (7, 1, kit.size_max // 2 + 6, None)
    for data in values:
        register_event_callback(cl, event, data=data)
    set_user_event(cl, event)
    await_callback(cl, len(values))


def register_repeatedly(cl: Session, times: int) -> None:
    """Register the same callback with the same user data several times."""
    event = Kit(cl).user_event()
    for _ in range(times):
        register_event_callback(cl, event)
    check_not_called(cl)
    set_user_event(cl, event)
    await_callback(cl, times)


def register_late(cl: Session, status: str, end: int) -> None:
    """Register a callback for a user event that is already set, and release the event."""
    event = Kit(cl).user_event()
    set_user_event(cl, event, end)
    register_event_callback(cl, event, status)
    cl.clReleaseEvent(event)
    (check_not_called if end and status != "CL_COMPLETE" else await_callback)(cl, 1)


def release_after_set(cl: Session) -> None:
    """Release a user event immediately after setting it."""
    event = Kit(cl).user_event()
    register_event_callback(cl, event)
    set_user_event(cl, event)
    cl.clReleaseEvent(event)
    await_callback(cl)


def register_for_two_events(cl: Session) -> None:
    """Register callbacks for two user events, and set the events one after the other."""
    kit = Kit(cl)
    first, second = kit.user_event(), kit.user_event()
    register_event_callback(cl, first, data=1, name="first")
    register_event_callback(cl, second, data=2, name="second")
    set_user_event(cl, second)
    await_callback(cl, name="second")
    check_not_called(cl, name="first")
    set_user_event(cl, first)
    await_callback(cl, name="first")


def register_for_command(cl: Session, function: str) -> None:
    """Register callbacks for every status of a command, and finish its queue."""
    kit = Kit(cl)
    event = kit.require_event(kit.call(function))
    skip_unless(is_available(cl, SET_CALLBACK), "requires OpenCL 1.1 (event callbacks)")
    for data, status in enumerate(STATUSES):
        register_event_callback(cl, event, status, data)
    kit.finish()
    await_callback(cl, len(STATUSES))


def release_pending_event(cl: Session) -> None:
    """Release the event of a command that waits for a user event."""
    kit = Kit(cl)
    gate = kit.gate()
    event = kit.require_event(kit.call("clEnqueueCopyBuffer", **gate.arguments))
    register_event_callback(cl, event)
    cl.clReleaseEvent(event)
    gate.open()
    kit.finish()
    await_callback(cl)


def flush_or_release_queue(cl: Session, end: str) -> None:
    """Enqueue a non-blocking command, then flush or release its queue, and wait for the command's callback."""
    kit = Kit(cl)
    event = kit.require_event(kit.call("clEnqueueCopyBuffer"))
    register_event_callback(cl, event)
    getattr(cl, end)(kit.queue)
    await_callback(cl)


def create_registration(status: str | int | None) -> Callable[[Session], object]:
    """Return a function that registers a callback for a status.

    None stands for a NULL callback with the status CL_COMPLETE.
    """

    def act(cl: Session) -> None:
        event = Kit(cl).user_event()
        number = constant_value(cl, status or "CL_COMPLETE") if not isinstance(status, int) else status
        cl.clSetEventCallback(event, number, None if status is None else HostCallback(CALLBACK_NAME), None)
        set_user_event(cl, event)

    return act


ENDS = {"complete": 0, "an error": ERROR_STATUS}


def cases() -> Iterator[TableCase]:
    """Yield items for each command and status, for user events, and for late registrations."""
    for status in STATUSES:
        for words, end in ENDS.items():
            others = (ERROR, TERMINATED) if end else (STATUS,)
            yield TableCase(
                SUCCESS,
                f"a user event, {status}, {words}",
                bind_action(register_for_status, status, end),
                (AT_STATUS, *others),
            )
    for status in STATUSES:
        for words, end in ENDS.items():
            yield TableCase(
                LATE_REGISTRATION,
                f"registered late, {status}, {words}",
                bind_action(register_late, status, end),
                (SUCCESS,),
            )
    yield TableCase(SUCCESS, "every status of a user event", register_for_all_statuses, (STATUS,))
    yield TableCase(SUCCESS, "user data", register_user_data, (USER_DATA,))
    yield TableCase(SUCCESS, "twice the same", lambda cl: register_repeatedly(cl, 2), (EACH,))
    yield TableCase(SUCCESS, "many times the same", lambda cl: register_repeatedly(cl, 50))
    yield TableCase(SUCCESS, "two events", register_for_two_events, (EVENT,))
    yield TableCase(LATE_REGISTRATION, "a released user event", release_after_set, (SUCCESS,))
    yield TableCase(LATE_REGISTRATION, "a command's released event", release_pending_event, (SUCCESS,))
    for function in command_functions():
        yield TableCase(SUCCESS, f"a command of {function}", bind_action(register_for_command, function))
    yield TableCase(
        "clFlush/success",
        "callback for a command's completion",
        lambda cl: flush_or_release_queue(cl, "clFlush"),
        (SUCCESS, "clFlush/effect/1", "clFlush/effect/2"),
    )
    yield TableCase(
        "clReleaseCommandQueue/success",
        "callback for a command's completion",
        lambda cl: flush_or_release_queue(cl, "clReleaseCommandQueue"),
        (SUCCESS, "clFlush/effect/3"),
    )
    yield TableCase("clSetEventCallback/CL_INVALID_VALUE/1", "no callback", create_registration(None))
    for number in (3, 4, -1, 1 << 30):
        yield TableCase("clSetEventCallback/CL_INVALID_VALUE/1", f"status={number}", create_registration(number))
    for status in STATUSES:
        yield TableCase(SUCCESS, f"control, {status}", create_registration(status))
    yield TableCase(
        "clSetEventCallback/CL_INVALID_EVENT/1",
        "NULL",
        lambda cl: cl.clSetEventCallback(None, 0, HostCallback(CALLBACK_NAME), None),
    )


test_event_callbacks_run_once_per_registration = TableTest(cases)
