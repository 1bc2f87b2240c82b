"""Each fault of callbacks is found by the notification suite, with the violated requirements."""

from __future__ import annotations

import pytest

from clconform.suites.chapters.notifications import (
    test_calls_in_callbacks,
    test_destructor_callbacks,
    test_event_callbacks,
    test_other_callbacks,
    test_user_event_order,
)

from .attribution import get_violated, record_run, run_and_get_deviating

ALL_CASES = [
    *test_event_callbacks.cases(),
    *test_user_event_order.cases(),
    *test_destructor_callbacks.cases(),
    *test_other_callbacks.cases(),
    *test_calls_in_callbacks.cases(),
]
CALLED_INSIDE = (
    *("clSetUserEventStatus", "clSetEventCallback", "clEnqueueCopyBuffer", "clEnqueueMarkerWithWaitList", "clFlush"),
    *("clRetainEvent", "clReleaseEvent"),
)
"""Functions that callbacks call."""
FOUND = {
    "callbacks-called-twice": {
        "clSetEventCallback/success",
        "clSetMemObjectDestructorCallback/success",
        "clSetContextDestructorCallback/success",
        "clBuildProgram/success",
        "clEnqueueSVMFree/success",
        "clEnqueueNativeKernel/success",
    },
    "event-callbacks-never-called": {"clSetEventCallback/success"},
    "released-event-callbacks-lost": {"clSetEventCallback/success"},
    "callback-user-data-changed": {
        "clSetEventCallback/success",
        "clBuildProgram/success",
        "clEnqueueSVMFree/success",
        "clSetMemObjectDestructorCallback/effect/3",
        "clSetContextDestructorCallback/effect/1",
    },
    "callback-status-always-complete": {"clSetEventCallback/success"},
    "event-callback-called-at-registration": {"clSetEventCallback/success"},
    "destructor-callbacks-in-registration-order": {
        "clSetMemObjectDestructorCallback/success",
        "clSetMemObjectDestructorCallback/effect/5",
        "clSetContextDestructorCallback/success",
        "clSetContextDestructorCallback/effect/3",
    },
    "native-kernel-gets-null": {"clEnqueueNativeKernel/effect/2"},
    "native-kernel-arguments-not-copied": {f"clEnqueueNativeKernel/effect/{number}" for number in (3, 4)},
    "context-callback-after-destruction": {"clSetContextDestructorCallback/effect/4"},
    "destructor-callbacks-at-any-release": {
        "clSetMemObjectDestructorCallback/success",
        "clSetContextDestructorCallback/success",
        "clReleaseMemObject/effect/1",
    },
    "kernel-arguments-keep-memory-alive": {"clSetKernelArg/effect/1"},
    "released-queue-drops-unflushed-commands": {"clReleaseCommandQueue/success"},
    "command-ignores-user-event": {"CL_EVENT_COMMAND_EXECUTION_STATUS"},
    "calls-in-callbacks-rejected": {f"{name}/success" for name in CALLED_INSIDE},
    "callbacks-before-status-change": {"CL_EVENT_COMMAND_EXECUTION_STATUS"},
}
"""The requirements that each fault must violate."""


@pytest.mark.parametrize("fault", FOUND)
def test_callback_fault_causes_the_expected_deviation(fault: str) -> None:
    near = [case for case in ALL_CASES if FOUND[fault] & {case.requirement, *case.further_requirements}]
    recorder = record_run("everything", fault, near, until=FOUND[fault], seen_in=get_violated)
    assert FOUND[fault] - get_violated(recorder) == set()


@pytest.mark.parametrize("topology", ["everything", "two-devices", "oldest", "fission-1.1"])
def test_conforming_platform_has_no_deviation(topology: str) -> None:
    assert run_and_get_deviating(topology, "", ALL_CASES) == set()
