"""Each fault in what applications are told is found by the suite of notifications, under the record violated."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

import pytest

from clconform.harness import Target
from clconform.judge.recorder import Recorder
from clconform.judge.session import Session
from clconform.spec_tables import load
from clconform.suites.notifications import (
    test_destructor_callbacks,
    test_event_callbacks,
    test_gates,
    test_other_callbacks,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from clconform.judge.aims import Case

ALL = [
    *test_event_callbacks.CASES,
    *test_gates.CASES,
    *test_destructor_callbacks.CASES,
    *test_other_callbacks.CASES,
]
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
    "callbacks-get-other-data": {"clSetEventCallback/success", "clBuildProgram/success", "clEnqueueSVMFree/success"},
    "callbacks-always-tell-of-an-end": {"clSetEventCallback/success"},
    "events-call-back-at-once": {"clSetEventCallback/success"},
    "destructors-first-to-last": {"clSetMemObjectDestructorCallback/success", "clSetContextDestructorCallback/success"},
    "destructors-at-any-release": {
        "clSetMemObjectDestructorCallback/success",
        "clSetContextDestructorCallback/success",
        "clReleaseMemObject/effect/1",
    },
    "kernels-hold-their-arguments": {"clSetKernelArg/effect/1"},
    "queues-lose-commands-with-their-release": {"clReleaseCommandQueue/success"},
    "commands-do-not-wait-for-the-user": {"CL_EVENT_COMMAND_EXECUTION_STATUS"},
}
"""Fault to the records that it must be found by."""


def blamed_with(topology: str, fault: str, cases: Iterable[Case]) -> set[str]:
    """Run items on a simulated platform with a fault; return the records that deviate."""
    recorder = Recorder(None)
    session = Session(Target.simulated(topology, *(("--fault", fault) if fault else ())), load(), recorder)
    try:
        for case in cases:
            if not session.applies(case.record):
                with contextlib.suppress(pytest.skip.Exception), session.example():
                    case.act(session)
    finally:
        session.close()
    return {record for deviation in recorder.deviations.values() for record in deviation.records}


@pytest.mark.parametrize("fault", FOUND)
def test_a_fault_is_found(fault: str) -> None:
    near = [case for case in ALL if FOUND[fault] & {case.record, *case.records}]
    assert FOUND[fault] - blamed_with("everything", fault, near) == set()


@pytest.mark.parametrize("topology", ["everything", "two-devices", "oldest", "fission-1.1"])
def test_a_sound_platform_has_no_deviation(topology: str) -> None:
    assert blamed_with(topology, "", ALL) == set()
