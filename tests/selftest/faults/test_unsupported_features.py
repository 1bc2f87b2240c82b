"""An unexpected error code is found for each error condition about a missing feature."""

from __future__ import annotations

import pytest

from clconform.selftest.faults import unsupported_features

from .attribution import record_run
from .calls import get_invalid_cases

FAULT = "missing-feature-error-code"
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
CASES = [case for case in get_invalid_cases() if case.test_value == "alone"]


def test_every_unsupported_feature_fault_has_an_expected_result() -> None:
    planted = set(unsupported_features.faults.entries)
    assert planted == {FAULT}


@pytest.mark.parametrize("topology", CLAUSES)
def test_error_conditions_about_missing_features_deviate_only_with_fault(topology: str) -> None:
    near = [case for case in CASES if case.requirement in CLAUSES[topology]]
    sound, faulty = (record_run(topology, fault, near).evidence for fault in ("", FAULT))
    assert [each for each in CLAUSES[topology] if not sound[each]["conforms"] or sound[each]["deviates"]] == []
    assert [each for each in CLAUSES[topology] if faulty[each]["conforms"] or not faulty[each]["deviates"]] == []
