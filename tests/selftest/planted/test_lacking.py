"""Missing features are covered: an unexpected error code is found for each error condition."""

from __future__ import annotations

import pytest

from clconform.selftest.planted import lacking
from clconform.selftest.planted.every_fault import every_fault

from .blaming import recorded_with
from .calls import wrong

FAULT = "what-is-lacking-is-another-error"
CLAUSES = {
    "without-compiler": (
        "clBuildProgram/CL_COMPILER_NOT_AVAILABLE/1",
        "clCompileProgram/CL_COMPILER_NOT_AVAILABLE/1",
        "clLinkProgram/CL_LINKER_NOT_AVAILABLE/1",
        "clSetProgramSpecializationConstant/CL_COMPILER_NOT_AVAILABLE/1",
    ),
    "l4-24": (
        "clSetKernelExecInfo/CL_INVALID_OPERATION/2",
        "clGetKernelSuggestedLocalWorkSizeKHR/CL_INVALID_OPERATION/1",
    ),
}
"""The error conditions for missing features of each platform."""
CASES = [case for case in wrong() if case.boundary == "alone"]


def test_every_fault_has_its_row() -> None:
    planted = {name for name, fault in every_fault().items() if fault.__module__ == lacking.__name__}
    assert planted == {FAULT}


@pytest.mark.parametrize("topology", CLAUSES)
def test_the_errors_are_asked_for(topology: str) -> None:
    near = [case for case in CASES if case.record in CLAUSES[topology]]
    sound, faulty = (recorded_with(topology, fault, near).evidence for fault in ("", FAULT))
    assert [each for each in CLAUSES[topology] if not sound[each]["conforms"] or sound[each]["deviates"]] == []
    assert [each for each in CLAUSES[topology] if faulty[each]["conforms"] or not faulty[each]["deviates"]] == []
