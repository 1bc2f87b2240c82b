"""Each fault of image creation is found by the items that target the violated requirement.

The complete runs in ``tests/simulator`` show that nothing is found without a fault.
"""

from __future__ import annotations

import pytest

from clconform.selftest.faults import images
from clconform.suites.chapters.images.test_flags import cases

from .attribution import run_and_get_deviating
from .calls import get_invalid_cases

FOUND = {
    "zero-width-image-accepted": "clCreateImage/CL_INVALID_IMAGE_DESCRIPTOR/1",
    "image-pitch-unchecked": "clCreateImage2D/CL_INVALID_IMAGE_SIZE/1",
    "image-size-above-limits-accepted": "clCreateImage/CL_INVALID_IMAGE_SIZE/1",
    "image-flags-contradict-parent": "clCreateImage/CL_INVALID_VALUE/3",
    "image-does-not-inherit-flags": "CL_MEM_FLAGS",
}
CASES = [
    *(case for case in get_invalid_cases() if case.requirement in FOUND.values() and case.test_value == "alone"),
    *(case for case in cases() if case.requirement == "clCreateImage/effect/3"),
]


def test_every_image_creation_fault_has_an_expected_result() -> None:
    planted = set(images.faults.entries)
    assert planted == set(FOUND)


@pytest.mark.parametrize("fault", FOUND)
def test_image_creation_fault_causes_the_expected_deviation(fault: str) -> None:
    aimed = [case for case in CASES if case.requirement == FOUND[fault]]
    assert FOUND[fault] in run_and_get_deviating("everything", fault, aimed or CASES[-1:], until=[FOUND[fault]])
