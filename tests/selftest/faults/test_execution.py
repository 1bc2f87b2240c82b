"""Each fault of kernel execution is found by the suites of ranges and of error conditions."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

import pytest

from clconform.selftest.faults import execution
from clconform.suites.chapters.execution import test_device_side_enqueue as enqueueing
from clconform.suites.chapters.execution import test_ranges as ranges

from .attribution import run_and_get_deviating
from .calls import get_invalid_cases, get_valid_cases

if TYPE_CHECKING:
    from clconform.runner.pytest_plugin.covers import TableCase

RUN, ALONE = "clEnqueueNDRangeKernel/success", "alone"
# For each fault, the start of the violated requirement's id, and requirement and test value of the item that finds it.
EXPECTED = {
    "global-offset-ignored": (
        "clEnqueueNDRangeKernel/effect/17",
        (RUN, "ids, 2 dimensions, an offset"),
    ),
    "third-dimension-offset-ignored": (
        "clEnqueueNDRangeKernel/effect/17",
        (RUN, "ids, 3 dimensions, an offset"),
    ),
    "last-work-group-skipped": (
        "clEnqueueNDRangeKernel/effect/4",
        (RUN, "ids, 1 dimension, 4 groups"),
    ),
    "first-work-item-runs-twice": (
        "clEnqueueNDRangeKernel/effect/4",
        (RUN, "ids, 1 dimension, one group"),
    ),
    "local-size-ignored": ("clEnqueueNDRangeKernel/effect/", (RUN, "ids, 2 dimensions")),
    "third-dimension-dropped": (RUN, (RUN, "ids, 3 dimensions")),
    "local-memory-shared-between-groups": (RUN, (RUN, "local memory, 2 dimensions")),
    "remainder-group-reports-enqueued-size": (
        "clEnqueueNDRangeKernel/effect/14",
        (RUN, "smaller groups at the end, 2 dimensions"),
    ),
    "atomic-increment-lost": (RUN, (RUN, "atomic operations, 2 dimensions")),
    "kernel-completes-before-last-child": (
        RUN,
        ("OpenCL:device-side-enqueue/2", "enqueue at once"),
    ),
    "excess-work-dim-accepted": (
        "clEnqueueNDRangeKernel/CL_INVALID_WORK_DIMENSION/1",
        ("clEnqueueNDRangeKernel/CL_INVALID_WORK_DIMENSION/1", ALONE),
    ),
    "global-offset-overflow-accepted": (
        "clEnqueueNDRangeKernel/CL_INVALID_GLOBAL_OFFSET/1",
        ("clEnqueueNDRangeKernel/CL_INVALID_GLOBAL_OFFSET/1", ALONE),
    ),
    "unset-arguments-accepted": (
        "clEnqueueNDRangeKernel/CL_INVALID_KERNEL_ARGS/1",
        ("clEnqueueNDRangeKernel/CL_INVALID_KERNEL_ARGS/1", ALONE),
    ),
    "group-size-hint-enforced": (RUN, (RUN, "(2,) likely (4, 1, 1)")),
    "null-local-size-refused-for-required-size": (RUN, (RUN, "NULL required (4, 1, 1)")),
    "required-group-size-compared-by-product": (
        "clEnqueueNDRangeKernel/CL_INVALID_WORK_GROUP_SIZE/1",
        ("clEnqueueNDRangeKernel/CL_INVALID_WORK_GROUP_SIZE/1", ALONE),
    ),
    "empty-range-rejected": (RUN, (RUN, "global_work_size=(4, 0)")),
}


def test_every_execution_fault_has_an_expected_result() -> None:
    assert set(execution.faults.entries) == set(EXPECTED)


@functools.cache
def get_items() -> dict[tuple[str, str], TableCase]:
    """Map requirements, each with a test value, to the items of ranges, device-side enqueues and error conditions."""
    known = (*ranges.cases(), *enqueueing.cases(), *get_valid_cases(), *get_invalid_cases())
    return {(case.requirement, case.test_value): case for case in known}


@pytest.mark.parametrize("fault", EXPECTED)
def test_execution_fault_causes_the_expected_deviation(fault: str) -> None:
    requirement, item = EXPECTED[fault]
    blamed = run_and_get_deviating("everything", fault, [get_items()[item]])
    assert any(each.startswith(requirement) for each in blamed), blamed


def test_conforming_platform_has_no_deviation() -> None:
    assert not run_and_get_deviating("everything", "", [get_items()[item] for _, item in EXPECTED.values()])
