"""Each fault of objects that programs and kernels retain violates the statement that it concerns."""

from __future__ import annotations

import pytest

from clconform.selftest.faults import program_lifetimes
from clconform.selftest.faults.every_fault import get_every_fault
from clconform.spec_tables import load
from clconform.suites.chapters.execution import test_sub_devices
from clconform.suites.chapters.programs import test_binaries, test_builds
from clconform.suites.queries.test_queries import cases as queries

from .blaming import record_run
from .calls import get_valid_cases

LOAD = "clCreateProgramWithBinary"
PREFERRED = "CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE"
FOUND = {
    "argument-index-off-by-one-accepted": ("clGetProgramBuildInfo/effect/2", "clGetProgramBuildInfo/effect/1"),
    "write-only-image-accepted-for-reading": ("clGetProgramBuildInfo/effect/3", "clGetProgramBuildInfo/effect/3"),
    "null-sampler-argument-accepted": ("clUnloadPlatformCompiler/effect/1", "clUnloadPlatformCompiler/success"),
    "empty-local-memory-accepted": ("clReleaseProgram/effect/2", "clReleaseProgram/success"),
    "arguments-not-copied": ("CL_KERNEL_ATTRIBUTES/effect/3", "CL_KERNEL_ATTRIBUTES"),
    "rejected-argument-kept": ("CL_PROGRAM_BINARIES/effect/2", "CL_PROGRAM_BINARIES"),
    "clone-shares-arguments": ("clCreateProgramWithILKHR/effect/2", "CL_PROGRAM_DEVICES"),
    "clone-loses-first-value": (
        "clCreateKernelsInProgram/effect/1",
        "clCreateKernelsInProgram/success",
    ),
    "kernel-count-off-by-one": ("clLinkProgram/effect/8", "clLinkProgram/effect/8"),
    "reference-count-always-one": (f"{LOAD}/effect/1", f"{LOAD}/CL_INVALID_VALUE/2"),
    "kernel-name-case-ignored": (f"{PREFERRED}/effect/1", "clEnqueueNDRangeKernel/success"),
}
"""For each fault, the violated statement, and the requirement of the items that find it."""
BLOCKING_FAULT = "string-lengths-ignored"
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
    "kernels are gone",
)
"""Parts of the names of a sufficient set of items."""
CASES = [
    each
    for each in (
        *test_builds.cases,
        *test_binaries.cases,
        *test_sub_devices.cases,
        *queries(load(), QUERIES),
        *get_valid_cases(),
    )
    if any(word in each.test_value for word in WORDS)
]


def test_every_fault_has_a_row() -> None:
    planted = {name for name, fault in get_every_fault().items() if fault.__module__ == program_lifetimes.__name__}
    assert planted == set(FOUND)


@pytest.mark.parametrize("fault", FOUND)
def test_fault_is_found(fault: str) -> None:
    sentence, record = FOUND[fault]
    near = [case for case in CASES if record in {case.requirement, *case.further_requirements}]
    evidence = record_run("everything", fault, near).evidence[sentence]
    assert evidence["deviates"]
    assert not evidence["conforms"]


def test_statements_conform_without_a_fault() -> None:
    near = [
        case
        for case in CASES
        if {case.requirement, *case.further_requirements} & {record for _, record in FOUND.values()}
    ]
    evidence = record_run("everything", "", near).evidence
    assert all(evidence[sentence]["conforms"] and not evidence[sentence]["deviates"] for sentence, _ in FOUND.values())


def test_remaining_kernel_violates_its_release() -> None:
    sentence = "clReleaseKernel/effect/2"
    near = [case for case in CASES if sentence in case.further_requirements]
    sound, faulty = (record_run("everything", each, near).evidence[sentence] for each in ("", BLOCKING_FAULT))
    assert sound["conforms"]
    assert not sound["deviates"]
    assert faulty["deviates"]
