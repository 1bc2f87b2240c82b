"""Each fault of kernel execution is found by the suites of ranges and of error conditions."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

import pytest

from clconform.selftest.faults import execution
from clconform.selftest.faults.every_fault import get_every_fault
from clconform.suites.chapters.execution import test_device_side_enqueue as enqueueing
from clconform.suites.chapters.execution import test_ranges as ranges

from .blaming import run_and_get_deviating
from .calls import get_invalid_cases, get_valid_cases

if TYPE_CHECKING:
    from clconform.runner.pytest_plugin.covers import TableCase

RUN, ALONE = "clEnqueueNDRangeKernel/success", "alone"
# For each fault, the start of the id that deviates, and the requirement and the test value of the item that finds it.
EXPECTED = {
    "the-global-offset-is-dropped": (
        "clEnqueueNDRangeKernel/effect/17",
        (RUN, "ids, 2 dimensions, an offset"),
    ),
    "the-offset-of-the-last-dimension-is-dropped": (
        "clEnqueueNDRangeKernel/effect/17",
        (RUN, "ids, 3 dimensions, an offset"),
    ),
    "the-last-work-group-is-skipped": (
        "clEnqueueNDRangeKernel/effect/4",
        (RUN, "ids, 1 dimension, 4 groups"),
    ),
    "the-first-work-item-runs-twice": (
        "clEnqueueNDRangeKernel/effect/4",
        (RUN, "ids, 1 dimension, one group"),
    ),
    "the-local-size-is-ignored": ("clEnqueueNDRangeKernel/effect/", (RUN, "ids, 2 dimensions")),
    "dimensions-of-one-are-forgotten": (RUN, (RUN, "ids, 3 dimensions")),
    "local-memory-is-shared-between-groups": (RUN, (RUN, "local memory, 2 dimensions")),
    "smaller-groups-are-as-large-as-the-others": (
        "clEnqueueNDRangeKernel/effect/14",
        (RUN, "smaller groups at the end, 2 dimensions"),
    ),
    "an-atomic-operation-is-lost": (RUN, (RUN, "atomic operations, 2 dimensions")),
    "a-kernel-is-complete-before-its-last-child": (
        RUN,
        ("OpenCL:device-side-enqueue/2", "enqueue at once"),
    ),
    "one-dimension-too-many-is-accepted": (
        "clEnqueueNDRangeKernel/CL_INVALID_WORK_DIMENSION/1",
        ("clEnqueueNDRangeKernel/CL_INVALID_WORK_DIMENSION/1", ALONE),
    ),
    "offsets-may-leave-the-device": (
        "clEnqueueNDRangeKernel/CL_INVALID_GLOBAL_OFFSET/1",
        ("clEnqueueNDRangeKernel/CL_INVALID_GLOBAL_OFFSET/1", ALONE),
    ),
    "unset-arguments-are-accepted": (
        "clEnqueueNDRangeKernel/CL_INVALID_KERNEL_ARGS/1",
        ("clEnqueueNDRangeKernel/CL_INVALID_KERNEL_ARGS/1", ALONE),
    ),
    "likely-sizes-are-required": (RUN, (RUN, "(2,) likely (4, 1, 1)")),
    "required-sizes-are-compared-by-their-product": (
        "clEnqueueNDRangeKernel/CL_INVALID_WORK_GROUP_SIZE/1",
        ("clEnqueueNDRangeKernel/CL_INVALID_WORK_GROUP_SIZE/1", ALONE),
    ),
    "empty-ranges-are-refused": (RUN, (RUN, "global_work_size=(4, 0)")),
}


def test_every_fault_has_a_row() -> None:
    assert {name for name, fault in get_every_fault().items() if fault.__module__ == execution.__name__} == set(
        EXPECTED
    )


@functools.cache
def get_items() -> dict[tuple[str, str], TableCase]:
    """Return the items of ranges, of device-side enqueues and of error conditions, by requirement and test value."""
    known = (*ranges.cases, *enqueueing.cases, *get_valid_cases(), *get_invalid_cases())
    return {(case.requirement, case.test_value): case for case in known}


@pytest.mark.parametrize("fault", EXPECTED)
def test_fault_is_found(fault: str) -> None:
    record, item = EXPECTED[fault]
    blamed = run_and_get_deviating("everything", fault, [get_items()[item]])
    assert any(each.startswith(record) for each in blamed), blamed


def test_conforming_platform_has_no_deviation() -> None:
    assert not run_and_get_deviating("everything", "", [get_items()[item] for _, item in EXPECTED.values()])
