"""States of user events, of commands in progress, and of commands that cannot run (section 5.11)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import ElementList, OutputBuffer
from clconform.runner.pytest_plugin.covers import TableTest
from clconform.spec_tables import load
from clconform.spec_tables.requirements import CommandType
from clconform.suites.cases import CaseRegistry
from clconform.suites.chapters.notifications.callbacks import flush
from clconform.suites.common.waiting import STATUS
from clconform.suites.kit.commands import command_functions
from clconform.suites.kit.kit import Kit

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.calls.values import Handle
    from clconform.runner.pytest_plugin.covers import TableCase

NAME = "events.states"
INFO = "clGetEventInfo"
CREATE = "clCreateUserEvent"
QUEUE, CONTEXT = "CL_EVENT_COMMAND_QUEUE", "CL_EVENT_CONTEXT"
TYPE, COUNT = "CL_EVENT_COMMAND_TYPE", "CL_EVENT_REFERENCE_COUNT"
WAIT, FAILED_WAIT = "clWaitForEvents", "clWaitForEvents/CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST/1"
TERMINATES, NEGATIVE = "clSetUserEventStatus/effect/1", "CL_EVENT_COMMAND_EXECUTION_STATUS/effect/1"
WAITS, FAILS = "clCreateUserEvent/effect/2", "OpenCL:execution-model/13"
STATUSES = (0, -1, -5, -(1 << 31))
ERROR_STATUS = -5
QUERY_COUNT = 20
cases = CaseRegistry(Kit)
test_event_states_advance = TableTest(cases)


def query_all(kit: Kit, event: Handle) -> None:
    """Query the status, queue, context, command type and reference count of an event."""
    for name in (STATUS, QUEUE, CONTEXT, TYPE, COUNT):
        kit.cl.query(INFO, event, name)


@cases.declare(
    "clCreateUserEvent/effect/3",
    "not set yet",
    "CL_EVENT_COMMAND_QUEUE/effect/1",
    "CL_COMMAND_USER@clCreateUserEvent",
    "cl_event:new/CL_SUBMITTED/clCreateUserEvent",
)
def query_new_user_event(kit: Kit) -> None:
    """Query a user event before and after a retain, a release, and its completion."""
    event = kit.user_event()
    query_all(kit, event)
    kit.cl.clRetainEvent(event)
    query_all(kit, event)
    kit.cl.clReleaseEvent(event)
    query_all(kit, event)
    kit.cl.clSetUserEventStatus(event, 0)
    query_all(kit, event)


@cases.declare_family
def final_statuses() -> Iterator[TableCase]:
    """Set a user event, query it, and check that further attempts to set it have no effect."""

    def steps(kit: Kit, status: int) -> None:
        event = kit.event(status)
        query_all(kit, event)
        for again in STATUSES:
            kit.cl.clSetUserEventStatus(event, again)
            kit.cl.query(INFO, event, STATUS)

    for status in STATUSES:
        yield cases.create_case("clSetUserEventStatus/success", f"set to {status}", steps, status, others=(STATUS,))


@cases.declare_family
def rejected_statuses() -> Iterator[TableCase]:
    """Try to set a user event to a status that is not final, which must have no effect, and then complete the event."""

    def steps(kit: Kit, status: int) -> None:
        event = kit.user_event()
        kit.cl.clSetUserEventStatus(event, status)
        kit.cl.query(INFO, event, STATUS)
        kit.cl.clSetUserEventStatus(event, 0)
        kit.cl.query(INFO, event, STATUS)

    for status in (1, 2, 3):
        yield cases.create_case(
            "clSetUserEventStatus/CL_INVALID_VALUE/1", f"{status}, then 0", steps, status, others=(STATUS,)
        )


@cases.declare_family
def reference_counts() -> Iterator[TableCase]:
    """Retain and release a command's event, and query the reference count."""

    def steps(kit: Kit) -> None:
        event = kit.command_event()
        query_all(kit, event)
        kit.cl.clRetainEvent(event)
        kit.cl.query(INFO, event, COUNT)
        kit.cl.clReleaseEvent(event)
        kit.cl.query(INFO, event, COUNT)
        kit.finish()

    yield cases.create_case(
        "clRetainEvent/effect/2", "the event of a command", steps, others=("clRetainEvent/effect/1",)
    )


@cases.declare_family
def state_progress() -> Iterator[TableCase]:
    """Query a command's status repeatedly; the judge checks that the command does not return to an earlier status."""

    def steps(kit: Kit, function: str) -> None:
        event = kit.require_event(kit.call(function))
        flush(kit.cl, kit.queue)
        for _ in range(QUERY_COUNT):
            kit.cl.query(INFO, event, STATUS)
        kit.finish()
        kit.cl.query(INFO, event, STATUS)

    for function in ("clEnqueueCopyBuffer", "clEnqueueNDRangeKernel"):
        others = ("cl_event:CL_RUNNING/CL_COMPLETE/progress",)
        yield cases.create_case(STATUS, f"{function}, queried repeatedly", steps, function, others=others)


@cases.declare_family
def command_types() -> Iterator[TableCase]:
    """Query the command type, queue and context of an event, for the command of each function."""

    def steps(kit: Kit, function: str) -> None:
        event = kit.require_event(kit.call(function))
        for name in (TYPE, QUEUE, CONTEXT):
            kit.cl.query(INFO, event, name)
        kit.finish()

    for function in command_functions():
        for requirement in load().requirements_of(function):
            if isinstance(requirement, CommandType):
                yield cases.create_case(
                    requirement.id, "queried concurrently", steps, function, others=(TYPE, QUEUE, CONTEXT)
                )


@cases.declare_family
def failed_dependencies() -> Iterator[TableCase]:
    """Set a user event to an error, and wait for a marker after a command that waits for the user event."""

    def steps(kit: Kit, function: str) -> None:
        gate = kit.gate()
        first = kit.require_event(kit.call(function, **gate.arguments))
        second = kit.require_event(
            kit.enqueue("clEnqueueMarkerWithWaitList", after=ElementList((first,)), event=OutputBuffer(1))
        )
        for event in (first, second):
            kit.cl.query(INFO, event, STATUS)
        gate.open(ERROR_STATUS)
        kit.cl.clWaitForEvents(1, ElementList((second,)))
        kit.finish()
        for event in (first, second):
            kit.cl.query(INFO, event, STATUS)

    for function in ("clEnqueueCopyBuffer", "clEnqueueNDRangeKernel", "clEnqueueMarkerWithWaitList"):
        others = (NEGATIVE, "OpenCL:event-objects/1", WAITS, FAILED_WAIT, "clWaitForEvents/effect/2", FAILS)
        yield cases.create_case(TERMINATES, f"{function}, then a marker", steps, function, others=others)
