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

from .blaming import get_violated, record_run, run_and_get_deviating

ALL_CASES = [
    *test_event_callbacks.cases(),
    *test_user_event_order.cases(),
    *test_destructor_callbacks.cases(),
    *test_other_callbacks.cases(),
    *test_calls_in_callbacks.cases,
]
CALLED_INSIDE = (
    *("clSetUserEventStatus", "clSetEventCallback", "clEnqueueCopyBuffer", "clEnqueueMarkerWithWaitList", "clFlush"),
    *("clRetainEvent", "clReleaseEvent"),
)
"""Functions that callbacks call."""
FOUND = {
    "callbacks-come-twice": {
        "clSetEventCallback/success",
        "clSetMemObjectDestructorCallback/success",
        "clSetContextDestructorCallback/success",
        "clBuildProgram/success",
        "clEnqueueSVMFree/success",
        "clEnqueueNativeKernel/success",
    },
    "events-call-nobody": {"clSetEventCallback/success"},
    "events-let-go-call-nobody": {"clSetEventCallback/success"},
    "callbacks-get-other-data": {
        "clSetEventCallback/success",
        "clBuildProgram/success",
        "clEnqueueSVMFree/success",
        "clSetMemObjectDestructorCallback/effect/3",
        "clSetContextDestructorCallback/effect/1",
    },
    "callbacks-always-tell-of-an-end": {"clSetEventCallback/success"},
    "events-call-back-at-once": {"clSetEventCallback/success"},
    "destructors-first-to-last": {
        "clSetMemObjectDestructorCallback/success",
        "clSetMemObjectDestructorCallback/effect/5",
        "clSetContextDestructorCallback/success",
        "clSetContextDestructorCallback/effect/3",
    },
    "native-kernels-get-null": {"clEnqueueNativeKernel/effect/2"},
    "native-kernels-read-their-arguments-late": {f"clEnqueueNativeKernel/effect/{number}" for number in (3, 4)},
    "errors-come-after-the-end": {"clSetContextDestructorCallback/effect/4"},
    "destructors-at-any-release": {
        "clSetMemObjectDestructorCallback/success",
        "clSetContextDestructorCallback/success",
        "clReleaseMemObject/effect/1",
    },
    "kernels-hold-their-arguments": {"clSetKernelArg/effect/1"},
    "queues-lose-commands-with-their-release": {"clReleaseCommandQueue/success"},
    "commands-do-not-wait-for-the-user": {"CL_EVENT_COMMAND_EXECUTION_STATUS"},
    "calls-in-callbacks-are-refused": {f"{name}/success" for name in CALLED_INSIDE},
    "callbacks-come-before-the-status": {"CL_EVENT_COMMAND_EXECUTION_STATUS"},
}
"""The requirements that each fault must violate."""


@pytest.mark.parametrize("fault", FOUND)
def test_fault_is_found(fault: str) -> None:
    near = [case for case in ALL_CASES if FOUND[fault] & {case.requirement, *case.further_requirements}]
    recorder = record_run("everything", fault, near, until=FOUND[fault], seen_in=get_violated)
    assert FOUND[fault] - get_violated(recorder) == set()


@pytest.mark.parametrize("topology", ["everything", "two-devices", "oldest", "fission-1.1"])
def test_conforming_platform_has_no_deviation(topology: str) -> None:
    assert run_and_get_deviating(topology, "", ALL_CASES) == set()
