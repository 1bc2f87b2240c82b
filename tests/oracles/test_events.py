"""Event queries that cannot return a value, callbacks that cannot be registered, and profiling times."""

from __future__ import annotations

import pytest

from clconform.calls.call import Output, Returned
from clconform.calls.values import Handle, HostCallback, OutputBuffer
from clconform.oracles.model.contexts import Context
from clconform.oracles.model.enqueued_command import Command
from clconform.oracles.model.events import Event, UserEvent
from clconform.oracles.model.queues import HostQueue

from .oracle_setup import DevicePlan, OracleSetup, get_condition_ids

TIMED, UNTIMED, RUNNING, USER_EVENT, SVM_FREE = (Handle(f"event{number}") for number in range(1, 6))


def set_up_events(version: str = "3.0") -> OracleSetup:
    """Return a model with events: profiled, not profiled, incomplete, of a ``clEnqueueSVMFree``, and a user event."""
    there = OracleSetup(DevicePlan(), version=version, extensions="")
    context = Context("context1", devices=list(there.roots))
    queue = HostQueue("queue1", context=context, queue_device=there.roots[0])
    for thing in (context, queue):
        there.model.add(thing)
    for event, timed, over, kind in (
        (TIMED, True, True, "CL_COMMAND_MARKER"),
        (UNTIMED, False, True, "CL_COMMAND_MARKER"),
        (RUNNING, True, False, "CL_COMMAND_MARKER"),
        (SVM_FREE, True, True, "CL_COMMAND_SVM_FREE"),
    ):
        command = Command("clEnqueueMarkerWithWaitList", queue, is_complete=over)
        kept = {"queue": queue, "command": command, "command_types": (kind,)}
        there.model.add(Event(event.name, context=context, profiling=timed, **kept))
    there.model.add(UserEvent(USER_EVENT.name, context=context))
    return there


PROFILING_UNAVAILABLE = "clGetEventProfilingInfo/CL_PROFILING_INFO_NOT_AVAILABLE/1"


@pytest.mark.parametrize(
    ("event", "version", "expected"),
    [
        (TIMED, "3.0", ("", "")),
        (UNTIMED, "3.0", (PROFILING_UNAVAILABLE, "")),
        (RUNNING, "3.0", ("", PROFILING_UNAVAILABLE)),
        (USER_EVENT, "3.0", (PROFILING_UNAVAILABLE, "")),
        (SVM_FREE, "3.0", ("", "")),
        (SVM_FREE, "2.2", ("", PROFILING_UNAVAILABLE)),
    ],
    ids=str,
)
def test_profiling_query_of_event_without_timestamps_is_rejected(
    event: Handle, version: str, expected: tuple[str, str]
) -> None:
    there = set_up_events(version)
    query = there.value("CL_PROFILING_COMMAND_START")
    assert (
        get_condition_ids(there.expect("clGetEventProfilingInfo", event, query, 8, OutputBuffer(8), OutputBuffer(1)))
        == expected
    )


@pytest.mark.parametrize("event", [TIMED, UNTIMED, RUNNING, USER_EVENT, SVM_FREE], ids=str)
def test_event_info_queries_are_valid_for_all_kinds_of_events(event: Handle) -> None:
    there = set_up_events()
    for query in ("CL_EVENT_COMMAND_TYPE", "CL_EVENT_COMMAND_EXECUTION_STATUS", "CL_EVENT_COMMAND_QUEUE"):
        musts, mays = get_condition_ids(
            there.expect("clGetEventInfo", event, there.value(query), 8, OutputBuffer(8), OutputBuffer(1))
        )
        assert "clGetEventInfo/CL_INVALID_VALUE/2" not in (*musts.split(), *mays.split())


INVALID_CALLBACK = "clSetEventCallback/CL_INVALID_VALUE/1"
NOTIFY = HostCallback("an event")


@pytest.mark.parametrize(
    ("status", "notify", "must"),
    [
        *((status, NOTIFY, "") for status in range(3)),
        *((status, NOTIFY, INVALID_CALLBACK) for status in (3, -1, 4, 0x7FFFFFFF)),
        (0, None, INVALID_CALLBACK),
        (3, None, INVALID_CALLBACK),
    ],
    ids=str,
)
def test_event_callback_with_invalid_arguments_is_rejected(status: int, notify: HostCallback | None, must: str) -> None:
    assert get_condition_ids(set_up_events().expect("clSetEventCallback", TIMED, status, notify, None)) == (must, "")


@pytest.mark.parametrize(
    ("event", "may"), [(OutputBuffer(1), ""), (None, "clEnqueueMarker/CL_INVALID_VALUE/1")], ids=["an event", "NULL"]
)
def test_marker_with_null_event_may_be_rejected(event: OutputBuffer | None, may: str) -> None:
    assert get_condition_ids(set_up_events().expect("clEnqueueMarker", Handle("queue1"), event)) == ("", may)


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
def test_profiling_timestamp_not_between_surrounding_device_timestamps_deviates(
    before: int, end: int, after: int, *, blamed: bool
) -> None:
    there = set_up_events()
    there.platform.facts["CL_PLATFORM_HOST_TIMER_RESOLUTION"] = 1
    there.model.get(HostQueue, Handle("queue1")).profiling = True
    timer = there.call("clGetDeviceAndHostTimer", there.device, OutputBuffer(1), OutputBuffer(1))
    enqueued = there.call("clEnqueueMarkerWithWaitList", Handle("queue1"), 0, None, OutputBuffer(1))
    query = there.value("CL_PROFILING_COMMAND_END")
    asked = there.call("clGetEventProfilingInfo", Handle("event9"), query, 8, OutputBuffer(8), None)
    deviations, said = [], set()
    for call, told in (
        (timer, {"device_timestamp": Output([before], 8), "host_timestamp": Output([1], 8)}),
        (enqueued, {"event": Output(["event9"], 8)}),
        (there.call("clFinish", Handle("queue1")), {}),
        (asked, {"param_value": Output([end], 8)}),
        (timer, {"device_timestamp": Output([after], 8), "host_timestamp": Output([2], 8)}),
    ):
        judgement = there.oracle.judge(there.oracle.expect(call), Returned(0, told))
        deviations += [deviation.requirements for deviation in judgement.deviations]
        said |= set(judgement.evidence)
    assert deviations == ([("clGetDeviceAndHostTimer/effect/7",)] if blamed else [])
    assert blamed or end == 0 or ("clGetHostTimer/effect/6", "conforms") in said


def test_status_deviation_after_a_wait_has_inferred_confidence() -> None:
    there = set_up_events()
    query = there.value("CL_EVENT_COMMAND_EXECUTION_STATUS")
    asked = there.expect("clGetEventInfo", TIMED, query, 4, OutputBuffer(4), None)
    (deviation,) = there.oracle.judge(asked, Returned(0, {"param_value": Output([2], 4)})).deviations
    assert (deviation.requirements, deviation.confidence) == (("CL_EVENT_COMMAND_EXECUTION_STATUS",), "inferred")


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
def test_command_that_starts_before_awaited_command_ends_deviates(
    functions: tuple[str, str, str], told: list[tuple[str, str, int]], *, blamed: bool, elsewhere: bool
) -> None:
    there = OracleSetup(DevicePlan(), DevicePlan(), extensions="")
    context = Context("context1", devices=list(there.roots))
    queues = [HostQueue(f"queue{number}", context=context, queue_device=there.roots[number]) for number in range(2)]
    before: tuple[Command, ...] = ()
    for name, function in zip((FIRST, MIDDLE, LAST), functions, strict=True):
        queue = queues[elsewhere and name == FIRST]
        command = Command(function, queue, awaits=before, is_complete=True)
        there.model.add(Event(name, context=context, profiling=True, queue=queue, command=command))
        before = (command,)
    deviations = []
    for name, state, nanoseconds in told:
        query = there.value(f"CL_PROFILING_COMMAND_{state}")
        asked = there.call("clGetEventProfilingInfo", Handle(name), query, 8, OutputBuffer(8), None)
        seen = Returned(0, {"param_value": Output([nanoseconds], 8)})
        deviations += [
            deviation.requirements for deviation in there.oracle.judge(there.oracle.expect(asked), seen).deviations
        ]
    assert deviations == ([("OpenCL:execution-model/17",)] if blamed and not elsewhere else [])


def test_deviation_of_unordered_timestamp_names_the_earlier_query() -> None:
    """If CL_PROFILING_COMMAND_COMPLETE is 0, the deviation of the next queried timestamp names that query."""
    there = OracleSetup(DevicePlan(), extensions="")
    context = Context("context1", devices=list(there.roots))
    queue = HostQueue("queue1", context=context, queue_device=there.roots[0])
    command = Command("clEnqueueMarker", queue, is_complete=True)
    there.model.add(Event("event1", context=context, profiling=True, queue=queue, command=command))
    deviations = []
    for state, nanoseconds in (("COMPLETE", 0), ("QUEUED", 5), ("SUBMIT", 6), ("END", 9)):
        query = there.value(f"CL_PROFILING_COMMAND_{state}")
        asked = there.call("clGetEventProfilingInfo", Handle("event1"), query, 8, OutputBuffer(8), None)
        seen = Returned(0, {"param_value": Output([nanoseconds], 8)})
        deviations += there.oracle.judge(there.oracle.expect(asked), seen).deviations
    assert [deviation.requirements for deviation in deviations] == [("CL_PROFILING_COMMAND_QUEUED",)], (
        "later times are unspecified"
    )
    assert list(deviations[0].allowed) == ["a time from 0 ns to 0 ns (CL_PROFILING_COMMAND_COMPLETE)"]
