"""Each fault of image formats is found by the items that target the violated requirement.

The complete runs in ``tests/simulator`` show that nothing is found without a fault.
"""

from __future__ import annotations

import pytest

from clconform.selftest.faults import image_formats
from clconform.suites.chapters.image_formats.test_formats import cases as of_formats
from clconform.suites.chapters.image_formats.test_lists import cases as of_lists

from .attribution import run_and_get_deviating

LISTS, ORDER, ABSENT = "lists for CL_MEM_OBJECT_IMAGE2D", "channel order CL_A", "formats in no list"
FOUND = {
    "required-format-not-listed": (LISTS, "CL_RGBA/CL_HALF_FLOAT/read-or-write"),
    "format-count-off-by-one": (LISTS, "clGetSupportedImageFormats/success"),
    "format-count-limited-to-entries": (LISTS, "clGetSupportedImageFormats/success"),
    "listed-format-rejected": (ORDER, "clCreateImage/success"),
    "unlisted-format-returns-invalid-operation": (ABSENT, "clCreateImage/CL_IMAGE_FORMAT_NOT_SUPPORTED/1"),
    "default-row-pitch-reported-zero": (ORDER, "CL_IMAGE_ROW_PITCH"),
}
"""For each fault, the test value of the items that find it, and a requirement that deviates."""
CASES = {
    words: [case for case in (*of_lists(), *of_formats()) if case.test_value == words] for words, _ in FOUND.values()
}


def test_every_image_format_fault_has_an_expected_result() -> None:
    planted = set(image_formats.faults.entries)
    assert planted == set(FOUND)


@pytest.mark.parametrize("fault", FOUND)
def test_image_format_fault_causes_the_expected_deviation(fault: str) -> None:
    test_value, requirement = FOUND[fault]
    assert requirement in run_and_get_deviating("full-2.2", fault, CASES[test_value][:1])
