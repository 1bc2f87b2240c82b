"""Each fault of specialization constants is found by the items that target the violated requirement."""

from __future__ import annotations

import pytest

from clconform.selftest.faults import constants
from clconform.suites.chapters.programs import test_constants

from .attribution import run_and_get_deviating

SET = "clSetProgramSpecializationConstant"
FOUND = {
    "constant-value-read-at-build": f"{SET}/effect/2",
    "constant-set-twice-keeps-default": f"{SET}/effect/1",
    "constants-reset-after-build": f"{SET}/effect/3",
    "boolean-constant-uses-lowest-bit": f"{SET}/effect/4",
    "unset-constants-are-zero": f"{SET}/effect/5",
}
"""The requirement that each fault violates."""
CASES = [*test_constants.cases()]


def test_every_specialization_constant_fault_has_an_expected_result() -> None:
    planted = set(constants.faults.entries)
    assert planted == {*FOUND}


@pytest.mark.parametrize("fault", FOUND)
def test_specialization_constant_fault_causes_the_expected_deviation(fault: str) -> None:
    near = [case for case in CASES if FOUND[fault] in {case.requirement, *case.further_requirements}]
    assert FOUND[fault] in run_and_get_deviating("everything", fault, near, until=[FOUND[fault]])


@pytest.mark.parametrize("topology", ["everything", "full-2.2", "oldest"])
def test_conforming_platform_has_no_deviation(topology: str) -> None:
    assert run_and_get_deviating(topology, "", CASES) == set()
