"""States of user events, of commands in progress, and of commands that cannot run (section 5.11)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Items, OutputBuffer
from clconform.runner.pytest_plugin.aims import parametrize
from clconform.spec_tables import load
from clconform.spec_tables.records import CommandType
from clconform.suites.cases import Cases
from clconform.suites.chapters.notifications.waiting import flush
from clconform.suites.kit.commands import commands
from clconform.suites.kit.kit import Kit
from clconform.suites.recurring.waiting import STATUS

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pytest

    from clconform.calls.values import Handle
    from clconform.runner.pytest_plugin.aims import Case
    from clconform.runner.session.session import Session

NAME = "events.states"
INFO, SET, MADE = "clGetEventInfo", "clSetUserEventStatus", "clCreateUserEvent"
QUEUE, CONTEXT = "CL_EVENT_COMMAND_QUEUE", "CL_EVENT_CONTEXT"
TYPE, COUNT = "CL_EVENT_COMMAND_TYPE", "CL_EVENT_REFERENCE_COUNT"
WAIT, FAILED_WAIT = "clWaitForEvents", "clWaitForEvents/CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST/1"
TERMINATES, NEGATIVE = f"{SET}/effect/1", f"{STATUS}/effect/1"
WAITS, FAILS = "clCreateUserEvent/effect/2", "OpenCL:execution-model/13"
STATUSES = (0, -1, -5, -(1 << 31))
A_FAILURE = -5
LOOKS = 20
cases = Cases(Kit)


def everything(kit: Kit, event: Handle) -> None:
    """Query an event's status, command-queue, context, type and reference count."""
    for name in (STATUS, QUEUE, CONTEXT, TYPE, COUNT):
        kit.cl.query(INFO, event, name)


@cases.of(
    f"{MADE}/effect/3",
    "not set yet",
    f"{QUEUE}/effect/1",
    "CL_COMMAND_USER@clCreateUserEvent",
    "cl_event:new/CL_SUBMITTED/clCreateUserEvent",
)
def new(kit: Kit) -> None:
    """Query a user event before and after a retain, a release, and its completion."""
    event = kit.user_event()
    everything(kit, event)
    kit.cl.clRetainEvent(event)
    everything(kit, event)
    kit.cl.clReleaseEvent(event)
    everything(kit, event)
    kit.cl.clSetUserEventStatus(event, 0)
    everything(kit, event)


@cases.family
def set_to_a_status() -> Iterator[Case]:
    """Set a user event, query it, and check that further attempts to set it have no effect."""

    def steps(kit: Kit, status: int) -> None:
        event = kit.event(status)
        everything(kit, event)
        for again in STATUSES:
            kit.cl.clSetUserEventStatus(event, again)
            kit.cl.query(INFO, event, STATUS)

    for status in STATUSES:
        yield cases.case(f"{SET}/success", f"set to {status}", steps, status, others=(STATUS,))


@cases.family
def refused() -> Iterator[Case]:
    """Set a user event to a status that is not final, which has no effect, and then complete it."""

    def steps(kit: Kit, status: int) -> None:
        event = kit.user_event()
        kit.cl.clSetUserEventStatus(event, status)
        kit.cl.query(INFO, event, STATUS)
        kit.cl.clSetUserEventStatus(event, 0)
        kit.cl.query(INFO, event, STATUS)

    for status in (1, 2, 3):
        yield cases.case(f"{SET}/CL_INVALID_VALUE/1", f"{status}, then 0", steps, status, others=(STATUS,))


@cases.family
def references() -> Iterator[Case]:
    """Retain and release a command's event, and query the reference count."""

    def steps(kit: Kit) -> None:
        event = kit.event_of_a_command()
        everything(kit, event)
        kit.cl.clRetainEvent(event)
        kit.cl.query(INFO, event, COUNT)
        kit.cl.clReleaseEvent(event)
        kit.cl.query(INFO, event, COUNT)
        kit.finish()

    yield cases.case("clRetainEvent/effect/2", "the event of a command", steps, others=("clRetainEvent/effect/1",))


@cases.family
def going_forward() -> Iterator[Case]:
    """Query a command's status repeatedly, and check that its state never moves backwards."""

    def steps(kit: Kit, function: str) -> None:
        event = kit.event_of(kit.call(function))
        flush(kit.cl, kit.queue)
        for _ in range(LOOKS):
            kit.cl.query(INFO, event, STATUS)
        kit.finish()
        kit.cl.query(INFO, event, STATUS)

    for function in ("clEnqueueCopyBuffer", "clEnqueueNDRangeKernel"):
        others = ("cl_event:CL_RUNNING/CL_COMPLETE/progress",)
        yield cases.case(STATUS, f"{function}, looked at again and again", steps, function, others=others)


@cases.family
def types() -> Iterator[Case]:
    """Query the command type, queue and context of the event of each function's command."""

    def steps(kit: Kit, function: str) -> None:
        event = kit.event_of(kit.call(function))
        for name in (TYPE, QUEUE, CONTEXT):
            kit.cl.query(INFO, event, name)
        kit.finish()

    for function in commands():
        for record in load().records_of(function):
            if isinstance(record, CommandType):
                yield cases.case(record.id, "asked at once", steps, function, others=(TYPE, QUEUE, CONTEXT))


@cases.family
def never_run() -> Iterator[Case]:
    """Fail a user event that a command waits for, and wait for a marker that depends on this command."""

    def steps(kit: Kit, function: str) -> None:
        gate = kit.gate()
        first = kit.event_of(kit.call(function, **gate.arguments))
        second = kit.event_of(kit.enqueue("clEnqueueMarkerWithWaitList", after=Items((first,)), event=OutputBuffer(1)))
        for event in (first, second):
            kit.cl.query(INFO, event, STATUS)
        gate.open(A_FAILURE)
        kit.cl.clWaitForEvents(1, Items((second,)))
        kit.finish()
        for event in (first, second):
            kit.cl.query(INFO, event, STATUS)

    for function in ("clEnqueueCopyBuffer", "clEnqueueNDRangeKernel", "clEnqueueMarkerWithWaitList"):
        others = (NEGATIVE, "OpenCL:event-objects/1", WAITS, FAILED_WAIT, f"{WAIT}/effect/2", FAILS)
        yield cases.case(TERMINATES, f"{function}, then a marker", steps, function, others=others)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Generate one test item per case."""
    parametrize(metafunc, cases)


def test_states(cl: Session, case: Case) -> None:
    case.act(cl)
