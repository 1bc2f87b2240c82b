"""The fault of every function is found at the function's error conditions, each with its requirement."""

from __future__ import annotations

import pytest

from clconform.selftest.faults import error_codes
from clconform.spec_tables import load
from clconform.suites.errors.negative_tests import single_violation_cases

from .attribution import run_and_get_deviating

FAULT = "other-error-codes"
FOUND = ("clRetainContext/CL_INVALID_CONTEXT/1", "clCreateBuffer/CL_INVALID_BUFFER_SIZE/1")
"""Requirements of a function that returns its error code, and of one that stores it in an output."""


def test_every_fault_of_error_codes_has_an_expected_result() -> None:
    assert set(error_codes.faults.entries) == {FAULT}


@pytest.mark.parametrize("requirement", FOUND)
def test_other_error_code_causes_the_expected_deviation(requirement: str) -> None:
    near = [case for case in single_violation_cases(load()) if case.requirement == requirement]
    assert requirement in run_and_get_deviating("everything", FAULT, near, until=[requirement])
