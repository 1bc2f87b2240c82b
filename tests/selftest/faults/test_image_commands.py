"""Each fault of image commands is found by the items that target the violated requirement.

The complete runs in ``tests/simulator`` show that nothing is found without a fault.
"""

from __future__ import annotations

import pytest

from clconform.selftest.faults import image_commands
from clconform.spec_tables import load
from clconform.suites.errors.negative_tests import single_violation_cases, valid_call_cases

from .attribution import run_and_get_deviating

FOUND = {
    "image-region-wraps": "clEnqueueReadImage/CL_INVALID_VALUE/2",
    "array-layers-rejected": "clEnqueueReadImage/success",
    "overlapping-image-copy-accepted": "clEnqueueCopyImage/CL_MEM_COPY_OVERLAP/1",
    "image-copy-formats-unchecked": "clEnqueueCopyImage/CL_IMAGE_FORMAT_MISMATCH/1",
    "slice-pitch-without-slices-accepted": "clEnqueueWriteImage/CL_INVALID_VALUE/4",
    "buffer-size-checked-for-first-slice": "clEnqueueCopyImageToBuffer/CL_INVALID_VALUE/2",
    "missing-mip-level-accepted": "clEnqueueFillImage/CL_INVALID_MIP_LEVEL/1",
}


def test_every_image_command_fault_has_an_expected_result() -> None:
    planted = set(image_commands.faults.entries)
    assert planted == set(FOUND)


@pytest.mark.parametrize("fault", FOUND)
def test_image_command_fault_causes_the_expected_deviation(fault: str) -> None:
    tables = load()
    cases = [
        case
        for case in (*valid_call_cases(tables), *single_violation_cases(tables))
        if case.requirement == FOUND[fault]
    ]
    assert FOUND[fault] in run_and_get_deviating("hints", fault, cases, until=[FOUND[fault]])
