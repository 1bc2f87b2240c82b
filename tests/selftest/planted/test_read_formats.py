"""Each fault of the image formats that kernels read violates the statements about these formats."""

from __future__ import annotations

import pytest

from clconform.selftest.planted import read_formats
from clconform.selftest.planted.every_fault import every_fault
from clconform.suites.chapters.images import test_kernels

from .blaming import recorded_with, violated

DESCRIPTOR = "OpenCL:image-format-descriptor"
FOUND = {
    "luminance-is-red-alone": {f"{DESCRIPTOR}/{number}" for number in (5, 6)},
    "numbers-have-eight-bits": {f"{DESCRIPTOR}/4"},
    "packed-channels-begin-at-the-lowest-bits": {f"{DESCRIPTOR}/{number}" for number in (7, 8, 9, 10)},
}
"""The statements that each fault violates."""


def test_every_fault_has_its_row() -> None:
    planted = {name for name, fault in every_fault().items() if fault.__module__ == read_formats.__name__}
    assert planted == {*FOUND}


@pytest.mark.parametrize("fault", FOUND)
def test_a_fault_speaks_against_the_sentences_that_it_breaks(fault: str) -> None:
    near = [case for case in test_kernels.cases if FOUND[fault] & {case.record, *case.records}]
    recorder = recorded_with("everything", fault, near, until=FOUND[fault], seen_in=violated)
    assert FOUND[fault] - violated(recorder) == set()
