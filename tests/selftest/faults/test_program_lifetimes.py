"""Each fault of objects that programs and kernels retain violates the expected requirement."""

from __future__ import annotations

import pytest

from clconform.selftest.faults import program_lifetimes
from clconform.spec_tables import load
from clconform.suites.chapters.execution import test_sub_devices
from clconform.suites.chapters.programs import test_binaries, test_builds
from clconform.suites.queries.test_queries import cases as queries

from .attribution import record_run
from .calls import get_valid_cases

LOAD = "clCreateProgramWithBinary"
PREFERRED = "CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE"
FOUND = {
    "sub-device-needs-own-build": ("clGetProgramBuildInfo/effect/2", "clGetProgramBuildInfo/effect/1"),
    "parent-binary-rejected-for-sub-device": ("clGetProgramBuildInfo/effect/3", "clGetProgramBuildInfo/effect/3"),
    "unloaded-compiler-stays-unavailable": ("clUnloadPlatformCompiler/effect/1", "clUnloadPlatformCompiler/success"),
    "released-program-invalidates-kernels": ("clReleaseProgram/effect/2", "clReleaseProgram/success"),
    "kernel-attributes-separated-by-newlines": ("CL_KERNEL_ATTRIBUTES/effect/3", "CL_KERNEL_ATTRIBUTES"),
    "binary-overruns-reported-size": ("CL_PROGRAM_BINARIES/effect/2", "CL_PROGRAM_BINARIES"),
    "il-program-reports-null-device": ("clCreateProgramWithILKHR/effect/2", "CL_PROGRAM_DEVICES"),
    "kernel-count-includes-differing-kernels": (
        "clCreateKernelsInProgram/effect/1",
        "clCreateKernelsInProgram/success",
    ),
    "linked-program-executable-on-every-device": ("clLinkProgram/effect/8", "clLinkProgram/effect/8"),
    "empty-binary-status-invalid-binary": (f"{LOAD}/effect/1", f"{LOAD}/CL_INVALID_VALUE/2"),
    "preferred-group-multiple-enforced": (f"{PREFERRED}/effect/1", "clEnqueueNDRangeKernel/success"),
}
"""For each fault, the violated requirement, and the target of the items that find it."""
BLOCKING_FAULT = "released-kernels-block-builds"
QUERIES = {"CL_KERNEL_ATTRIBUTES", "CL_PROGRAM_BINARIES", "CL_PROGRAM_DEVICES"}
WORDS = (
    "add_scaled",
    "a built program",
    "extension",
    "prefer",
    "two devices, n",
    "second of two devices",
    "a build after it",
    "a kernel of a",
    "the parent",
    "anything to link",
    "kernels are released",
)
"""Parts of the names of a sufficient set of items."""
CASES = [
    each
    for each in (
        *test_builds.cases(),
        *test_binaries.cases(),
        *test_sub_devices.cases(),
        *queries(load(), QUERIES),
        *get_valid_cases(),
    )
    if any(word in each.test_value for word in WORDS)
]


def test_every_program_lifetime_fault_has_an_expected_result() -> None:
    planted = set(program_lifetimes.faults.entries)
    assert planted == set(FOUND)


@pytest.mark.parametrize("fault", FOUND)
def test_program_lifetime_fault_causes_the_expected_deviation(fault: str) -> None:
    sentence, requirement = FOUND[fault]
    near = [case for case in CASES if requirement in {case.requirement, *case.further_requirements}]
    evidence = record_run("everything", fault, near).evidence[sentence]
    assert evidence["deviates"]
    assert not evidence["conforms"]


def test_requirements_that_the_faults_violate_conform_without_a_fault() -> None:
    near = [
        case
        for case in CASES
        if {case.requirement, *case.further_requirements} & {requirement for _, requirement in FOUND.values()}
    ]
    evidence = record_run("everything", "", near).evidence
    assert all(evidence[sentence]["conforms"] and not evidence[sentence]["deviates"] for sentence, _ in FOUND.values())


def test_released_kernel_that_blocks_builds_violates_effect_of_release() -> None:
    sentence = "clReleaseKernel/effect/2"
    near = [case for case in CASES if sentence in case.further_requirements]
    sound, faulty = (record_run("everything", each, near).evidence[sentence] for each in ("", BLOCKING_FAULT))
    assert sound["conforms"]
    assert not sound["deviates"]
    assert faulty["deviates"]
