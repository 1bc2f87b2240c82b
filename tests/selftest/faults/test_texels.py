"""Each fault of texel values is found by the suite of kernels and colors."""

from __future__ import annotations

import pytest

from clconform.selftest.faults import texels
from clconform.suites.chapters.images.test_kernels import cases

from .attribution import run_and_get_deviating

FILL, RUN = "clEnqueueFillImage/success", "clEnqueueNDRangeKernel/success"
# For each fault, the requirement that deviates, and the test value of the item that finds it.
EXPECTED = {
    "colours-not-clamped": (FILL, "colors, normalised"),
    "srgb-converted-twice": (FILL, "colors, sRGB"),
    "bgra-stored-as-rgba": (FILL, "colors, normalised"),
    "border-alpha-inverted": (RUN, "image1d_array: outside the edges"),
}


def test_every_texel_fault_has_an_expected_result() -> None:
    assert set(texels.faults.entries) == set(EXPECTED)


ITEMS = [case for case in cases() if (case.requirement, case.test_value) in EXPECTED.values()]


@pytest.mark.parametrize("fault", EXPECTED)
def test_texel_fault_causes_the_expected_deviation(fault: str) -> None:
    requirement, _ = EXPECTED[fault]
    own = [case for case in ITEMS if (case.requirement, case.test_value) == EXPECTED[fault]]
    assert requirement in run_and_get_deviating("everything", fault, own)


def test_conforming_platform_has_no_deviation() -> None:
    assert {(case.requirement, case.test_value) for case in ITEMS} == set(EXPECTED.values())
    assert not run_and_get_deviating("everything", "", ITEMS)
