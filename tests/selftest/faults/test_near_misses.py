"""Each fault that rejects a valid call next to an error condition is found by the near misses of its function.

The items draw no random numbers, so that every seed finds the faults. In revision 9a89dfee, the error suite made no
near misses.
"""

from __future__ import annotations

import pytest

from clconform.selftest.faults import near_misses
from clconform.spec_tables import load
from clconform.suites.errors.near_miss_tests import near_miss_cases

from .attribution import run_and_get_deviating

FOUND = {
    "read-up-to-the-end-rejected": "clEnqueueReadBuffer/success",
    "interleaved-rectangles-rejected": "clEnqueueCopyBufferRect/success",
    "largest-work-group-rejected": "clEnqueueNDRangeKernel/success",
    "kernel-of-released-program-rejected": "clEnqueueNDRangeKernel/success",
    "sub-buffer-up-to-the-end-rejected": "clCreateSubBuffer/success",
    "read-up-to-the-last-layer-rejected": "clEnqueueReadImage/success",
    "all-local-memory-rejected": "clSetKernelArg/success",
}


def test_every_near_miss_fault_has_an_expected_result() -> None:
    assert set(near_misses.faults.entries) == set(FOUND)


@pytest.mark.parametrize("fault", FOUND)
def test_near_miss_fault_causes_the_expected_deviation(fault: str) -> None:
    items = [case for case in near_miss_cases(load()) if case.requirement == FOUND[fault]]
    assert FOUND[fault] in run_and_get_deviating("everything", fault, items, until=[FOUND[fault]])


@pytest.mark.parametrize("requirement", sorted(set(FOUND.values())))
def test_near_misses_conform_without_a_fault(requirement: str) -> None:
    items = [case for case in near_miss_cases(load()) if case.requirement == requirement]
    assert not run_and_get_deviating("everything", "", items)
