"""Faults of concurrent calls by several host threads are found, and conforming platforms have no deviation."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from clconform.suites.threads import test_concurrent, test_threads

from .attribution import get_violated, record_run, run_and_get_deviating

if TYPE_CHECKING:
    from clconform.runner.pytest_plugin.covers import TableCase

SAFE, DIFFERENT = (f"OpenCL:multiple-host-threads/{number}" for number in (1, 2))
SETS = "clSetUserEventStatus"
FOUND = {
    "threads-share-user-events": ("clReleaseEvent", ("clCreateUserEvent/success", SAFE)),
    "commands-of-other-threads-dropped": ("clEnqueueCopyBuffer", ("clEnqueueCopyBuffer/success", SAFE)),
    "event-set-by-two-threads": (SETS, (f"{SETS}/CL_INVALID_OPERATION/1", SAFE)),
    "threads-mix-kernel-arguments": ("clSetKernelArg", ("clEnqueueNDRangeKernel/success", DIFFERENT)),
    "concurrent-reads-return-same-bytes": ("clEnqueueReadBuffer", ("clEnqueueReadBuffer/success", SAFE)),
    "concurrent-builds-rejected": ("clBuildProgram", ("clBuildProgram/success", SAFE)),
    "callback-lost-between-threads": ("clSetEventCallback", ("clSetEventCallback/success",)),
    "concurrent-waits-rejected": ("", ("clFinish/success", "clWaitForEvents/success", SAFE)),
    "event-status-torn": (SETS, ("CL_EVENT_COMMAND_EXECUTION_STATUS", SAFE)),
    "concurrent-retains-lost": ("clRetainContext", ("CL_CONTEXT_REFERENCE_COUNT", SAFE)),
}
"""For each fault, the function of the items that find it, and the requirements that it must violate."""


def get_cases() -> list[TableCase]:
    return [*test_threads.cases(), *test_concurrent.cases()]


@pytest.mark.parametrize("fault", FOUND)
def test_thread_fault_causes_the_expected_deviation(fault: str) -> None:
    function, wanted = FOUND[fault][0] or ("clFinish", "clWaitForEvents"), set(FOUND[fault][1])
    near = [case for case in get_cases() if case.requirement.startswith(function)]
    assert wanted - get_violated(record_run("everything", fault, near, until=wanted, seen_in=get_violated)) == set()


@pytest.mark.parametrize("topology", ["everything", "numa-16", "oldest"])
def test_conforming_platform_has_no_deviation(topology: str) -> None:
    assert run_and_get_deviating(topology, "", get_cases()) == set()
