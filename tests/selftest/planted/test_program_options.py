"""Each fault of build options is found by the items that aim at what it breaks."""

from __future__ import annotations

import pytest

from clconform.selftest.planted import program_options
from clconform.selftest.planted.every_fault import every_fault
from clconform.suites.chapters.programs import test_options

from .blaming import blamed_with

PREPROCESSOR = "OpenCL:preprocessor-options"
FOUND = {
    "macros-without-a-value-are-empty": f"{PREPROCESSOR}/3",
    "definitions-are-evaluated": f"{PREPROCESSOR}/4",
    "the-macro-of-relaxed-arithmetic-is-missing": "OpenCL:optimization-options/3",
}
"""Fault to the record of the items that find it."""
CASES = [*test_options.cases]


def test_every_fault_has_its_row() -> None:
    planted = {name for name, fault in every_fault().items() if fault.__module__ == program_options.__name__}
    assert planted == set(FOUND)


@pytest.mark.parametrize("fault", FOUND)
def test_a_fault_is_found(fault: str) -> None:
    near = [case for case in CASES if FOUND[fault] in {case.record, *case.records}]
    assert FOUND[fault] in blamed_with("everything", fault, near)


@pytest.mark.parametrize("topology", ["everything", "numa-16", "oldest", "embedded"])
def test_a_sound_platform_has_no_deviation(topology: str) -> None:
    assert blamed_with(topology, "", CASES) == set()
