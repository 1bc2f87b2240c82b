"""Queries of events without a value, and callbacks that cannot be registered for events."""

from __future__ import annotations

import pytest

from clconform.calls.call import Output, Returned
from clconform.calls.values import Handle, HostCallback, OutputBuffer
from clconform.oracles.model.command_state import Command
from clconform.oracles.model.contexts import Context
from clconform.oracles.model.events import Event, UserEvent
from clconform.oracles.model.queues import HostQueue

from .worlds import Plan, World, clauses

TIMED, UNTIMED, GOING_ON, USERS, FREE = (Handle(f"event{number}") for number in range(1, 6))


def world(version: str = "3.0") -> World:
    """Return a model with events: profiled, not profiled, incomplete, of a ``clEnqueueSVMFree``, and a user event."""
    there = World(Plan(), version=version, extensions="")
    context = Context("context1", devices=list(there.roots))
    queue = HostQueue("queue1", context=context, queue_device=there.roots[0])
    for thing in (context, queue):
        there.model.add(thing)
    for event, timed, over, kind in (
        (TIMED, True, True, "CL_COMMAND_MARKER"),
        (UNTIMED, False, True, "CL_COMMAND_MARKER"),
        (GOING_ON, True, False, "CL_COMMAND_MARKER"),
        (FREE, True, True, "CL_COMMAND_SVM_FREE"),
    ):
        command = Command("clEnqueueMarkerWithWaitList", queue, is_complete=over)
        kept = {"queue": queue, "command": command, "command_types": (kind,)}
        there.model.add(Event(event.name, context=context, profiling=timed, **kept))
    there.model.add(UserEvent(USERS.name, context=context))
    return there


NOT_TIMED = "clGetEventProfilingInfo/CL_PROFILING_INFO_NOT_AVAILABLE/1"


@pytest.mark.parametrize(
    ("event", "version", "expected"),
    [
        (TIMED, "3.0", ("", "")),
        (UNTIMED, "3.0", (NOT_TIMED, "")),
        (GOING_ON, "3.0", ("", NOT_TIMED)),
        (USERS, "3.0", (NOT_TIMED, "")),
        (FREE, "3.0", ("", "")),
        (FREE, "2.2", ("", NOT_TIMED)),
    ],
    ids=str,
)
def test_times_of_events(event: Handle, version: str, expected: tuple[str, str]) -> None:
    there = world(version)
    query = there.value("CL_PROFILING_COMMAND_START")
    assert (
        clauses(there.expect("clGetEventProfilingInfo", event, query, 8, OutputBuffer(8), OutputBuffer(1))) == expected
    )


@pytest.mark.parametrize("event", [TIMED, UNTIMED, GOING_ON, USERS, FREE], ids=str)
def test_whatever_is_asked_can_be_told_of_every_event(event: Handle) -> None:
    there = world()
    for query in ("CL_EVENT_COMMAND_TYPE", "CL_EVENT_COMMAND_EXECUTION_STATUS", "CL_EVENT_COMMAND_QUEUE"):
        musts, mays = clauses(
            there.expect("clGetEventInfo", event, there.value(query), 8, OutputBuffer(8), OutputBuffer(1))
        )
        assert "clGetEventInfo/CL_INVALID_VALUE/2" not in (*musts.split(), *mays.split())


NOT_REGISTERED = "clSetEventCallback/CL_INVALID_VALUE/1"
NOTIFY = HostCallback("an event")


@pytest.mark.parametrize(
    ("status", "notify", "must"),
    [
        *((status, NOTIFY, "") for status in range(3)),
        *((status, NOTIFY, NOT_REGISTERED) for status in (3, -1, 4, 0x7FFFFFFF)),
        (0, None, NOT_REGISTERED),
        (3, None, NOT_REGISTERED),
    ],
    ids=str,
)
def test_callbacks_to_register(status: int, notify: HostCallback | None, must: str) -> None:
    assert clauses(world().expect("clSetEventCallback", TIMED, status, notify, None)) == (must, "")


@pytest.mark.parametrize(
    ("event", "may"), [(OutputBuffer(1), ""), (None, "clEnqueueMarker/CL_INVALID_VALUE/1")], ids=["an event", "NULL"]
)
def test_a_marker_may_go_without_an_event(event: OutputBuffer | None, may: str) -> None:
    assert clauses(world().expect("clEnqueueMarker", Handle("queue1"), event)) == ("", may)


SECOND = 1_000_000_000


@pytest.mark.parametrize(
    ("before", "end", "after", "blamed"),
    [
        (50 * SECOND, 50 * SECOND + 7, 50 * SECOND + 9, False),
        (50 * SECOND, 50 * SECOND - 7, 49 * SECOND + 9, False),
        (50 * SECOND, 48 * SECOND, 50 * SECOND, True),
        (50 * SECOND, 90 * SECOND, 51 * SECOND, True),
        (50 * SECOND, 0, 51 * SECOND, False),
    ],
)
def test_device_timestamps_and_times_of_commands_share_a_timebase(
    before: int, end: int, after: int, *, blamed: bool
) -> None:
    there = world()
    there.platform.facts["CL_PLATFORM_HOST_TIMER_RESOLUTION"] = 1
    there.model.get(HostQueue, Handle("queue1")).profiling = True
    timer = there.call("clGetDeviceAndHostTimer", there.device, OutputBuffer(1), OutputBuffer(1))
    enqueued = there.call("clEnqueueMarkerWithWaitList", Handle("queue1"), 0, None, OutputBuffer(1))
    query = there.value("CL_PROFILING_COMMAND_END")
    asked = there.call("clGetEventProfilingInfo", Handle("event9"), query, 8, OutputBuffer(8), None)
    blames, said = [], set()
    for call, told in (
        (timer, {"device_timestamp": Output([before], 8), "host_timestamp": Output([1], 8)}),
        (enqueued, {"event": Output(["event9"], 8)}),
        (there.call("clFinish", Handle("queue1")), {}),
        (asked, {"param_value": Output([end], 8)}),
        (timer, {"device_timestamp": Output([after], 8), "host_timestamp": Output([2], 8)}),
    ):
        judgement = there.oracle.judge(there.oracle.expect(call), Returned(0, told))
        blames += [blame.requirements for blame in judgement.deviations]
        said |= set(judgement.evidence)
    assert blames == ([("clGetDeviceAndHostTimer/effect/7",)] if blamed else [])
    assert blamed or end == 0 or ("clGetHostTimer/effect/6", "conforms") in said


def test_that_a_command_is_complete_is_inferred_from_what_was_waited_for() -> None:
    there = world()
    query = there.value("CL_EVENT_COMMAND_EXECUTION_STATUS")
    asked = there.expect("clGetEventInfo", TIMED, query, 4, OutputBuffer(4), None)
    (blame,) = there.oracle.judge(asked, Returned(0, {"param_value": Output([2], 4)})).deviations
    assert (blame.requirements, blame.confidence) == (("CL_EVENT_COMMAND_EXECUTION_STATUS",), "inferred")


FIRST, MIDDLE, LAST, START, END = "event11", "event12", "event13", "START", "END"
COPY, MARKER = "clEnqueueCopyBuffer", "clEnqueueMarkerWithWaitList"


@pytest.mark.parametrize(
    ("functions", "told", "blamed"),
    [
        ((COPY, COPY, COPY), [(FIRST, END, 30), (MIDDLE, START, 30)], False),
        ((COPY, COPY, COPY), [(FIRST, END, 30), (MIDDLE, START, 29)], True),
        ((COPY, COPY, COPY), [(MIDDLE, START, 29), (FIRST, END, 30)], True),
        ((COPY, COPY, COPY), [(FIRST, END, 30), (LAST, START, 29)], True),
        ((COPY, COPY, COPY), [(FIRST, END, 30), (LAST, END, 29)], True),
        ((COPY, MARKER, COPY), [(FIRST, END, 30), (MIDDLE, START, 10), (MIDDLE, END, 31)], False),
        ((COPY, MARKER, COPY), [(MIDDLE, START, 10), (FIRST, END, 30)], False),
        ((COPY, MARKER, COPY), [(FIRST, END, 30), (MIDDLE, END, 29)], True),
        ((COPY, MARKER, COPY), [(FIRST, END, 30), (LAST, START, 29)], True),
        ((COPY, COPY, COPY), [(LAST, START, 10), (LAST, END, 20), (FIRST, START, 5)], False),
        ((COPY, COPY, COPY), [(FIRST, END, 0), (LAST, START, 0)], False),
    ],
)
@pytest.mark.parametrize("elsewhere", [False, True], ids=["one device", "two devices"])
def test_a_command_does_not_start_before_one_ends_that_it_waits_for(
    functions: tuple[str, str, str], told: list[tuple[str, str, int]], *, blamed: bool, elsewhere: bool
) -> None:
    there = World(Plan(), Plan(), extensions="")
    context = Context("context1", devices=list(there.roots))
    queues = [HostQueue(f"queue{number}", context=context, queue_device=there.roots[number]) for number in range(2)]
    before: tuple[Command, ...] = ()
    for name, function in zip((FIRST, MIDDLE, LAST), functions, strict=True):
        queue = queues[elsewhere and name == FIRST]
        command = Command(function, queue, awaits=before, is_complete=True)
        there.model.add(Event(name, context=context, profiling=True, queue=queue, command=command))
        before = (command,)
    blames = []
    for name, state, nanoseconds in told:
        query = there.value(f"CL_PROFILING_COMMAND_{state}")
        asked = there.call("clGetEventProfilingInfo", Handle(name), query, 8, OutputBuffer(8), None)
        seen = Returned(0, {"param_value": Output([nanoseconds], 8)})
        blames += [blame.requirements for blame in there.oracle.judge(there.oracle.expect(asked), seen).deviations]
    assert blames == ([("OpenCL:execution-model/17",)] if blamed and not elsewhere else [])


def test_a_time_that_is_out_of_order_is_told_with_the_other_one() -> None:
    """If the time of CL_PROFILING_COMMAND_COMPLETE is 0, the deviation of the next queried time names it."""
    there = World(Plan(), extensions="")
    context = Context("context1", devices=list(there.roots))
    queue = HostQueue("queue1", context=context, queue_device=there.roots[0])
    command = Command("clEnqueueMarker", queue, is_complete=True)
    there.model.add(Event("event1", context=context, profiling=True, queue=queue, command=command))
    blames = []
    for state, nanoseconds in (("COMPLETE", 0), ("QUEUED", 5), ("SUBMIT", 6), ("END", 9)):
        query = there.value(f"CL_PROFILING_COMMAND_{state}")
        asked = there.call("clGetEventProfilingInfo", Handle("event1"), query, 8, OutputBuffer(8), None)
        seen = Returned(0, {"param_value": Output([nanoseconds], 8)})
        blames += there.oracle.judge(there.oracle.expect(asked), seen).deviations
    assert [blame.requirements for blame in blames] == [("CL_PROFILING_COMMAND_QUEUED",)], "later times are unspecified"
    assert list(blames[0].allowed) == ["a time from 0 ns to 0 ns (CL_PROFILING_COMMAND_COMPLETE)"]
