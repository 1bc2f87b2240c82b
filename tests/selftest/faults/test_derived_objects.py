"""Each fault of derived objects is found by the items of the error condition that they do not carry over.

The items draw no random numbers, so that every seed finds the faults. In revision 9a89dfee, these items passed no
derived objects.
"""

from __future__ import annotations

import pytest

from clconform.selftest.faults import derived_objects
from clconform.spec_tables import load
from clconform.suites.errors.carried_conditions import sub_device_cases

from .attribution import run_and_get_deviating
from .calls import get_invalid_cases

FOUND = {
    "clone-without-arguments-enqueued": (
        "clEnqueueNDRangeKernel/CL_INVALID_KERNEL_ARGS/1",
        "clEnqueueTask/CL_INVALID_KERNEL_ARGS/1",
    ),
    "argument-index-of-clone-not-checked": ("clSetKernelArg/CL_INVALID_ARG_INDEX/1",),
    "host-access-of-sub-buffer-not-inherited": (
        "clEnqueueReadBuffer/CL_INVALID_OPERATION/1",
        "clEnqueueWriteBuffer/CL_INVALID_OPERATION/1",
    ),
    "host-access-of-image-of-buffer-not-inherited": (
        "clEnqueueReadImage/CL_INVALID_OPERATION/2",
        "clEnqueueWriteImage/CL_INVALID_OPERATION/2",
    ),
    "work-group-size-on-sub-device-not-checked": ("clEnqueueNDRangeKernel/CL_INVALID_WORK_GROUP_SIZE/3",),
    "argument-size-not-checked-after-program-release": ("clSetKernelArg/CL_INVALID_ARG_SIZE/1",),
}


def test_every_derived_object_fault_has_an_expected_result() -> None:
    assert set(derived_objects.faults.entries) == set(FOUND)


@pytest.mark.parametrize("fault", FOUND)
def test_derived_object_fault_causes_the_expected_deviation(fault: str) -> None:
    items = [
        case
        for case in (*get_invalid_cases(), *sub_device_cases(load()))
        if not {case.requirement, *case.further_requirements}.isdisjoint(FOUND[fault])
    ]
    assert run_and_get_deviating("everything", fault, items, until=FOUND[fault]) >= set(FOUND[fault])
