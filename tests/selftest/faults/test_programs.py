"""Each fault of programs is found by the items that target the violated requirement."""

from __future__ import annotations

import pytest

from clconform.selftest.faults import programs
from clconform.selftest.faults.every_fault import get_every_fault
from clconform.suites.chapters.programs import test_builds, test_sources

from .blaming import run_and_get_deviating
from .calls import get_invalid_cases, get_valid_cases

FOUND = {
    "logs-grow-from-build-to-build": "CL_PROGRAM_BUILD_LOG",
    "builds-never-end": "CL_PROGRAM_BUILD_STATUS",
    "options-of-builds-are-lost": "CL_PROGRAM_BUILD_OPTIONS",
    "failed-builds-keep-the-earlier-status": "CL_PROGRAM_BUILD_STATUS",
    "kernels-of-earlier-builds-are-counted": "CL_PROGRAM_NUM_KERNELS",
    "links-succeed-whatever-is-missing": "clLinkProgram/CL_LINK_PROGRAM_FAILURE/1",
    "libraries-are-executables": "CL_PROGRAM_BINARY_TYPE",
    "kernels-do-not-stop-builds": "clBuildProgram/CL_INVALID_OPERATION/2",
    "clones-do-not-stop-builds": "clBuildProgram/CL_INVALID_OPERATION/2",
    "the-last-header-of-a-name-counts": "CL_PROGRAM_KERNEL_NAMES",
    "lengths-of-strings-are-ignored": "CL_PROGRAM_SOURCE",
    "joined-strings-keep-their-ends": "CL_PROGRAM_SOURCE",
    "null-strings-are-skipped": "clCreateProgramWithSource/CL_INVALID_VALUE/1",
    "own-binaries-are-refused": "clCreateProgramWithBinary/success",
    "headers-need-no-names": "clCompileProgram/CL_INVALID_VALUE/2",
}
"""The requirement that each fault must violate."""
CALL_CASES = [case for case in (*get_valid_cases(), *get_invalid_cases()) if case.requirement in FOUND.values()]
CASES = [*test_builds.cases, *test_sources.cases, *CALL_CASES]


def test_every_fault_has_a_row() -> None:
    planted = {name for name, fault in get_every_fault().items() if fault.__module__ == programs.__name__}
    assert planted == set(FOUND)


@pytest.mark.parametrize("fault", FOUND)
def test_fault_is_found(fault: str) -> None:
    near = [case for case in CASES if FOUND[fault] in {case.requirement, *case.further_requirements}]
    assert FOUND[fault] in run_and_get_deviating("everything", fault, near, until=[FOUND[fault]])


@pytest.mark.parametrize("topology", ["everything", "strict", "numa-16", "oldest", "embedded"])
def test_conforming_platform_has_no_deviation(topology: str) -> None:
    assert run_and_get_deviating(topology, "", CASES) == set()
