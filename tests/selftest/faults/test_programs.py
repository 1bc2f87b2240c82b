"""Each fault of programs is found by the items that target the violated requirement."""

from __future__ import annotations

import pytest

from clconform.selftest.faults import programs
from clconform.suites.chapters.programs import test_builds, test_sources

from .attribution import run_and_get_deviating
from .calls import get_invalid_cases, get_valid_cases

FOUND = {
    "build-log-accumulates": "CL_PROGRAM_BUILD_LOG",
    "build-stays-in-progress": "CL_PROGRAM_BUILD_STATUS",
    "build-options-not-kept": "CL_PROGRAM_BUILD_OPTIONS",
    "failed-build-keeps-old-status": "CL_PROGRAM_BUILD_STATUS",
    "kernels-of-earlier-builds-counted": "CL_PROGRAM_NUM_KERNELS",
    "failed-link-returns-null": "clLinkProgram/effect/16",
    "link-with-undefined-function-succeeds": "clLinkProgram/CL_LINK_PROGRAM_FAILURE/1",
    "library-reported-executable": "CL_PROGRAM_BINARY_TYPE",
    "build-with-kernels-accepted": "clBuildProgram/CL_INVALID_OPERATION/2",
    "build-with-clones-accepted": "clBuildProgram/CL_INVALID_OPERATION/2",
    "last-header-of-name-used": "CL_PROGRAM_KERNEL_NAMES",
    "string-lengths-ignored": "CL_PROGRAM_SOURCE",
    "joined-source-has-extra-character": "CL_PROGRAM_SOURCE",
    "null-string-skipped": "clCreateProgramWithSource/CL_INVALID_VALUE/1",
    "own-binary-rejected": "clCreateProgramWithBinary/success",
    "headers-without-count-accepted": "clCompileProgram/CL_INVALID_VALUE/2",
}
"""The requirement that each fault must violate."""
CALL_CASES = [case for case in (*get_valid_cases(), *get_invalid_cases()) if case.requirement in FOUND.values()]
CASES = [*test_builds.cases(), *test_sources.cases(), *CALL_CASES]


def test_every_program_fault_has_an_expected_result() -> None:
    planted = set(programs.faults.entries)
    assert planted == set(FOUND)


@pytest.mark.parametrize("fault", FOUND)
def test_program_fault_causes_the_expected_deviation(fault: str) -> None:
    near = [case for case in CASES if FOUND[fault] in {case.requirement, *case.further_requirements}]
    assert FOUND[fault] in run_and_get_deviating("everything", fault, near, until=[FOUND[fault]])


@pytest.mark.parametrize("topology", ["everything", "strict", "numa-16", "oldest", "embedded"])
def test_conforming_platform_has_no_deviation(topology: str) -> None:
    assert run_and_get_deviating(topology, "", CASES) == set()
