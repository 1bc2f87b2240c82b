"""Each fault of the image formats that kernels read violates the listed requirements."""

from __future__ import annotations

import pytest

from clconform.selftest.faults import read_formats
from clconform.suites.chapters.images import test_kernels

from .attribution import get_violated, record_run

DESCRIPTOR = "OpenCL:image-format-descriptor"
FOUND = {
    "luminance-read-as-red-only": {f"{DESCRIPTOR}/{number}" for number in (5, 6)},
    "unorm16-read-with-8-bits": {f"{DESCRIPTOR}/4"},
    "packed-red-and-blue-swapped": {f"{DESCRIPTOR}/{number}" for number in (7, 8, 9, 10)},
}
"""The requirements that each fault violates."""


def test_every_read_format_fault_has_an_expected_result() -> None:
    planted = set(read_formats.faults.entries)
    assert planted == {*FOUND}


@pytest.mark.parametrize("fault", FOUND)
def test_read_format_fault_violates_the_listed_requirements(fault: str) -> None:
    near = [case for case in test_kernels.cases() if FOUND[fault] & {case.requirement, *case.further_requirements}]
    recorder = record_run("everything", fault, near, until=FOUND[fault], seen_in=get_violated)
    assert FOUND[fault] - get_violated(recorder) == set()
