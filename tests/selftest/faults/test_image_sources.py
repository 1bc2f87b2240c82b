"""Each fault of mip levels, and of images created from other memory objects, violates the expected requirements."""

from __future__ import annotations

import pytest

from clconform.selftest.faults import image_sources
from clconform.suites.chapters.image_formats import test_views
from clconform.suites.chapters.images import test_transfers

from .attribution import record_run
from .calls import get_valid_cases

CREATING = ("clCreateImage", "clCreateImageWithProperties")
FOUND = {
    "image-from-buffer-starts-cleared": ("everything", "effect/4", "copied bytes"),
    "mip-level-lacks-last-pixels": ("hints", "effect/8", "13 by 7"),
    "misaligned-buffer-image-error-code": ("everything", "size/13", "on host memory"),
}
"""For each fault: a platform, the end of the violated ids, and a part of the test values of the items that find it."""
CASES = [*test_transfers.cases(), *test_views.cases(), *get_valid_cases()]


def test_every_image_source_fault_has_an_expected_result() -> None:
    planted = set(image_sources.faults.entries)
    assert planted == set(FOUND)


@pytest.mark.parametrize("fault", FOUND)
def test_image_source_fault_causes_the_expected_deviation(fault: str) -> None:
    topology, end, words = FOUND[fault]
    near = [case for case in CASES if words in case.test_value]
    sound, faulty = (record_run(topology, each, near).evidence for each in ("", fault))
    for function in CREATING:
        requirement = f"{function}/{end}"
        assert sound[requirement]["conforms"]
        assert not sound[requirement]["deviates"]
        assert faulty[requirement]["deviates"]
        assert not faulty[requirement]["conforms"]
