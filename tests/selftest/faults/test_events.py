"""Each fault of events, barriers and timestamps is found by the event suite, with the violated requirements."""

from __future__ import annotations

import pytest

from clconform.suites.chapters.events import test_order, test_states, test_timestamps, test_wait_lists
from clconform.suites.chapters.notifications import test_event_callbacks
from clconform.suites.common.waiting import waiting_cases

from .attribution import get_deviating, get_violated, record_run
from .calls import get_invalid_cases

ALL_CASES = [
    *test_states.cases(),
    *test_order.cases(),
    *test_timestamps.cases(),
    *waiting_cases(test_wait_lists.FUNCTIONS),
    *test_event_callbacks.cases(),
]
STATUS = "CL_EVENT_COMMAND_EXECUTION_STATUS"
IN_ORDER = "OpenCL:out-of-order-execution-of-kernels-and-memory-object-commands"
TIMES = tuple(f"CL_PROFILING_COMMAND_{state}" for state in ("START", "END"))
FOUND = {
    "marker-waits-for-nothing": (
        "clEnqueueMarkerWithWaitList/effect/1",
        "clEnqueueMarkerWithWaitList/effect/3",
        "clEnqueueMarkerWithWaitList/effect/5",
        "clEnqueueMarkerWithWaitList/effect/6",
        "clEnqueueMarker/effect/2",
    ),
    "barrier-waits-for-nothing": (
        "clEnqueueBarrierWithWaitList/effect/1",
        "clEnqueueBarrierWithWaitList/effect/2",
        "clEnqueueBarrierWithWaitList/effect/5",
        "clEnqueueBarrierWithWaitList/effect/6",
    ),
    "barrier-does-not-block": (
        "clEnqueueBarrierWithWaitList/effect/7",
        "clEnqueueBarrier/effect/1",
        "clEnqueueBarrier/effect/2",
        "clEnqueueWaitForEvents/effect/1",
    ),
    "in-order-queue-reorders": (f"{IN_ORDER}/1",),
    "status-goes-backwards": (STATUS,),
    "user-event-reported-queued": ("clCreateUserEvent/effect/3",),
    "terminated-command-completes": ("clSetUserEventStatus/effect/1", f"{STATUS}/effect/1"),
    "command-types-swapped": (
        "CL_EVENT_COMMAND_TYPE",
        "CL_COMMAND_USER@clCreateUserEvent",
        "CL_COMMAND_TASK@clEnqueueTask",
        "CL_COMMAND_MARKER@clEnqueueMarker",
        "CL_COMMAND_FILL_BUFFER@clEnqueueFillBuffer",
    ),
    "start-after-end": (*TIMES, *(f"{name}/effect/1" for name in TIMES)),
    "profiling-before-completion": ("clGetEventProfilingInfo/CL_PROFILING_INFO_NOT_AVAILABLE/1",),
    "late-callback-lost": ("clSetEventCallback/success", "clSetEventCallback/effect/9"),
    "callbacks-need-explicit-wait": (
        "clSetEventCallback/success",
        "clFlush/effect/1",
        "clFlush/effect/2",
        "clFlush/effect/3",
        "clFlush/effect/4",
    ),
    "writes-invisible-without-wait-list": (
        "clFinish/effect/2",
        "clWaitForEvents/effect/3",
        "clEnqueueBarrier/effect/3",
        "clEnqueueWaitForEvents/effect/2",
        f"{IN_ORDER}/2",
    ),
    "event-callback-called-at-registration": ("clSetEventCallback/effect/9",),
    "callback-user-data-changed": ("clSetEventCallback/effect/7",),
    "callback-status-always-complete": ("clSetEventCallback/effect/5",),
    "command-ignores-user-event": ("OpenCL:event-objects/1", "clCreateUserEvent/effect/2"),
}
"""The requirements that each fault must violate; some share the verdict of another requirement's deviation."""


@pytest.mark.parametrize("fault", FOUND)
def test_event_fault_causes_the_expected_deviation(fault: str) -> None:
    wanted = set(FOUND[fault])
    near = [case for case in ALL_CASES if wanted & {case.requirement, *case.further_requirements}]
    assert wanted - get_violated(record_run("everything", fault, near, until=wanted, seen_in=get_violated)) == set()


ACCEPTED_CALLS = {
    "user-event-status-unchecked": {
        f"clSetUserEventStatus/CL_INVALID_{what}/1" for what in ("EVENT", "VALUE", "OPERATION")
    },
    "mixed-context-wait-accepted": {"clWaitForEvents/CL_INVALID_CONTEXT/1"},
    "failed-enqueue-returns-event": {"OpenCL:event-objects/3"},
}
NEAR = ("clSetUserEventStatus/", "clWaitForEvents/", "clEnqueueMarkerWithWaitList/")


@pytest.mark.parametrize("fault", ACCEPTED_CALLS)
def test_event_fault_that_accepts_invalid_calls_causes_expected_deviations(fault: str) -> None:
    near = [case for case in get_invalid_cases() if case.requirement.startswith(NEAR)]
    assert (
        ACCEPTED_CALLS[fault] - get_deviating(record_run("everything", fault, near, until=ACCEPTED_CALLS[fault]))
        == set()
    )


@pytest.mark.parametrize("topology", ["oldest"])
def test_conforming_platform_has_no_deviation(topology: str) -> None:
    assert get_deviating(record_run(topology, "", ALL_CASES)) == set()
