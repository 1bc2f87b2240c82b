"""Callbacks of events: for each status, for user events and commands, registered before and after completion."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Callback
from clconform.runner.pytest_plugin.aims import Case, act, parametrize
from clconform.suites.chapters.notifications.waiting import (
    STATUSES,
    TOLD,
    a_moment,
    awaited,
    on_event,
    set_status,
)
from clconform.suites.kit.commands import commands
from clconform.suites.kit.kit import Kit
from clconform.suites.steps import needs, promised, value

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import pytest

    from clconform.runner.session.session import Session

NAME = "notifications.event_callbacks"
SET = "clSetEventCallback"
SUCCESS = f"{SET}/success"
BEFORE_ITS_END = f"{SET}/effect/2"
A_FAILURE = -5
TERMINATED, EVENT, STATUS, ERROR, USER_DATA, EACH, AT_STATUS = (f"{SET}/effect/{number}" for number in range(3, 10))
"""Effects about a callback's arguments, multiple registrations, and the time of the call."""
DATA = (7, 1, (1 << 63) + 5, None)
"""User data: numbers that are not addresses, and NULL."""


def one_status(cl: Session, status: str, end: int) -> None:
    """Register a callback for one status of a user event, and set the event."""
    event = Kit(cl).user_event()
    on_event(cl, event, status)
    if status != "CL_SUBMITTED":
        a_moment(cl)
    set_status(cl, event, end)
    (a_moment if end and status != "CL_COMPLETE" else awaited)(cl, 1)


def all_statuses(cl: Session) -> None:
    """Register callbacks for every status of a user event, each with its own user data."""
    event = Kit(cl).user_event()
    for data, status in enumerate(STATUSES):
        on_event(cl, event, status, data)
    set_status(cl, event)
    awaited(cl, len(STATUSES))


def user_data(cl: Session) -> None:
    """Register callbacks with several kinds of user data."""
    event = Kit(cl).user_event()
    for data in DATA:
        on_event(cl, event, data=data)
    set_status(cl, event)
    awaited(cl, len(DATA))


def several_times(cl: Session, times: int) -> None:
    """Register the same callback with the same user data several times."""
    event = Kit(cl).user_event()
    for _ in range(times):
        on_event(cl, event)
    a_moment(cl)
    set_status(cl, event)
    awaited(cl, times)


def late(cl: Session, status: str, end: int) -> None:
    """Register a callback for a user event that is already set, then release the event."""
    event = Kit(cl).user_event()
    set_status(cl, event, end)
    on_event(cl, event, status)
    cl.clReleaseEvent(event)
    (a_moment if end and status != "CL_COMPLETE" else awaited)(cl, 1)


def let_go(cl: Session) -> None:
    """Release a user event immediately after setting it."""
    event = Kit(cl).user_event()
    on_event(cl, event)
    set_status(cl, event)
    cl.clReleaseEvent(event)
    awaited(cl)


def two_events(cl: Session) -> None:
    """Register callbacks for two user events, and set one after the other."""
    kit = Kit(cl)
    first, second = kit.user_event(), kit.user_event()
    on_event(cl, first, data=1, name="first")
    on_event(cl, second, data=2, name="second")
    set_status(cl, second)
    awaited(cl, name="second")
    a_moment(cl, name="first")
    set_status(cl, first)
    awaited(cl, name="first")


def after_a_command(cl: Session, function: str) -> None:
    """Register callbacks for every status of a command, and finish its queue."""
    kit = Kit(cl)
    event = kit.event_of(kit.call(function))
    needs(promised(cl, SET), "requires OpenCL 1.1 (event callbacks)")
    for data, status in enumerate(STATUSES):
        on_event(cl, event, status, data)
    kit.finish()
    awaited(cl, len(STATUSES))


def event_let_go(cl: Session) -> None:
    """Release the event of a command that waits for a user event."""
    kit = Kit(cl)
    gate = kit.gate()
    event = kit.event_of(kit.call("clEnqueueCopyBuffer", **gate.arguments))
    on_event(cl, event)
    cl.clReleaseEvent(event)
    gate.open()
    kit.finish()
    awaited(cl)


def flushed(cl: Session, end: str) -> None:
    """Enqueue a non-blocking command, then only flush the queue or release it."""
    kit = Kit(cl)
    event = kit.event_of(kit.call("clEnqueueCopyBuffer"))
    on_event(cl, event)
    getattr(cl, end)(kit.queue)
    awaited(cl)


def registering(status: str | int | None) -> Callable[[Session], object]:
    """Return a function that registers a callback for a status; None stands for a NULL callback."""

    def act(cl: Session) -> None:
        event = Kit(cl).user_event()
        number = value(cl, status or "CL_COMPLETE") if not isinstance(status, int) else status
        cl.clSetEventCallback(event, number, None if status is None else Callback(TOLD), None)
        set_status(cl, event)

    return act


ENDS = {"complete": 0, "an error": A_FAILURE}


def cases() -> Iterator[Case]:
    """Yield items for each command and status, for user events, and for late registrations."""
    for status in STATUSES:
        for words, end in ENDS.items():
            others = (ERROR, TERMINATED) if end else (STATUS,)
            yield Case(SUCCESS, f"a user event, {status}, {words}", act(one_status, status, end), (AT_STATUS, *others))
    for status in STATUSES:
        for words, end in ENDS.items():
            yield Case(
                BEFORE_ITS_END,
                f"registered late, {status}, {words}",
                act(late, status, end),
                (SUCCESS,),
            )
    yield Case(SUCCESS, "every status of a user event", all_statuses, (STATUS,))
    yield Case(SUCCESS, "user data", user_data, (USER_DATA,))
    yield Case(SUCCESS, "twice the same", lambda cl: several_times(cl, 2), (EACH,))
    yield Case(SUCCESS, "many times the same", lambda cl: several_times(cl, 50))
    yield Case(SUCCESS, "two events", two_events, (EVENT,))
    yield Case(BEFORE_ITS_END, "a user event let go", let_go, (SUCCESS,))
    yield Case(BEFORE_ITS_END, "a command's event let go", event_let_go, (SUCCESS,))
    for function in commands():
        yield Case(SUCCESS, f"a command of {function}", act(after_a_command, function))
    yield Case(
        "clFlush/success",
        "callback for a command's completion",
        lambda cl: flushed(cl, "clFlush"),
        (SUCCESS, "clFlush/effect/1", "clFlush/effect/2"),
    )
    yield Case(
        "clReleaseCommandQueue/success",
        "callback for a command's completion",
        lambda cl: flushed(cl, "clReleaseCommandQueue"),
        (SUCCESS, "clFlush/effect/3"),
    )
    yield Case("clSetEventCallback/CL_INVALID_VALUE/1", "no callback", registering(None))
    for number in (3, 4, -1, 1 << 30):
        yield Case("clSetEventCallback/CL_INVALID_VALUE/1", f"status={number}", registering(number))
    for status in STATUSES:
        yield Case(SUCCESS, f"control, {status}", registering(status))
    yield Case(
        "clSetEventCallback/CL_INVALID_EVENT/1", "NULL", lambda cl: cl.clSetEventCallback(None, 0, Callback(TOLD), None)
    )


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Generate one test item per case."""
    parametrize(metafunc, cases())


def test_event_callbacks(cl: Session, case: Case) -> None:
    case.act(cl)
