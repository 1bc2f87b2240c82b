"""Each fault of unified shared memory is found by the items that target the violated requirement."""

from __future__ import annotations

import pytest

from clconform.oracles.chapters.kernels.execution_info import INDIRECT, POINTERS
from clconform.spec_tables import load
from clconform.suites.chapters.usm import test_contents, test_freeing, test_kernels
from clconform.suites.queries import test_queries

from .attribution import run_and_get_deviating
from .calls import get_invalid_cases, get_valid_cases

TOPOLOGY = "unified-all"
ALLOCATING = tuple(f"cl{sort}MemAllocINTEL" for sort in ("Host", "Device", "Shared"))
BITS = "cl_device_unified_shared_memory_capabilities_intel"
RUN = "clEnqueueNDRangeKernel/success"
FREEING = ("clMemFreeINTEL", "clMemBlockingFreeINTEL")
CASES = [
    case
    for case in (
        *get_valid_cases(),
        *get_invalid_cases(),
        *test_queries.cases(load()),
        *test_contents.cases(),
        *test_freeing.cases(),
        *test_kernels.cases(),
    )
    if "INTEL" in case.requirement or "ExecInfo" in case.requirement
]
FOUND = {
    "inner-pointer-base-is-null": {"CL_MEM_ALLOC_BASE_PTR_INTEL"},
    "usm-device-not-reported": {"CL_MEM_ALLOC_DEVICE_INTEL"},
    "usm-size-rounded-to-pages": {"CL_MEM_ALLOC_SIZE_INTEL"},
    "usm-flags-not-reported": {"CL_MEM_ALLOC_FLAGS_INTEL"},
    "usm-type-always-host": {"CL_MEM_ALLOC_TYPE_INTEL"},
    "usm-misaligned-by-four": {f"{function}/{rule}" for function in ALLOCATING for rule in ("success", "size/2")},
    "usm-alignment-unchecked": {f"{function}/CL_INVALID_VALUE/1" for function in ALLOCATING},
    "usm-initial-placement-rejected": {"clSharedMemAllocINTEL/success"},
    "inner-pointer-freed": {f"{function}/CL_INVALID_VALUE/1" for function in FREEING},
    "blocking-free-does-not-wait": {"CL_EVENT_COMMAND_EXECUTION_STATUS"},
    "usm-copy-loses-last-byte": {"clEnqueueMemcpyINTEL/success"},
    "usm-overlapping-copy-accepted": {"clEnqueueMemcpyINTEL/CL_MEM_COPY_OVERLAP/1"},
    "blocking-copy-ignores-failed-events": {
        "clEnqueueMemcpyINTEL/CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST/1",
    },
    "argument-pointer-offset-ignored": {RUN},
    "pointer-for-any-argument-accepted": {"clSetKernelArgMemPointerINTEL/CL_INVALID_ARG_VALUE/1"},
    "zero-migration-flags-accepted": {"clEnqueueMigrateMemINTEL/CL_INVALID_VALUE/2"},
    "fill-skips-last-pattern": {"clEnqueueMemFillINTEL/success"},
    "concurrent-atomic-add-lost": {RUN},
    "indirect-access-writes-lost": {RUN},
    "only-first-listed-pointer-kept": {RUN},
    "pointer-list-clears-indirect-access": {RUN},
    "partial-pointer-in-list-accepted": {"clSetKernelExecInfo/CL_INVALID_VALUE/1"},
    "blocking-free-ignores-further-pointers": {"CL_EVENT_COMMAND_EXECUTION_STATUS"},
}
NEAR = {
    "blocking-free-does-not-wait": {"clMemBlockingFreeINTEL/success"},
    "blocking-free-ignores-further-pointers": {"clMemBlockingFreeINTEL/success"},
    "pointer-list-clears-indirect-access": {f"{POINTERS}@clSetKernelExecInfo"},
    "concurrent-atomic-add-lost": {f"{BITS}:CL_UNIFIED_SHARED_MEMORY_ATOMIC_ACCESS_INTEL"},
    "indirect-access-writes-lost": {f"{name}@clSetKernelExecInfo" for name in INDIRECT},
    "only-first-listed-pointer-kept": {f"{POINTERS}@clSetKernelExecInfo"},
    "argument-pointer-offset-ignored": {"clSetKernelArgMemPointerINTEL/success"},
}
"""Targets of the items that find a fault, where they differ from the violated requirements."""


@pytest.mark.parametrize("fault", FOUND)
def test_unified_memory_fault_causes_the_expected_deviation(fault: str) -> None:
    wanted = NEAR.get(fault, FOUND[fault])
    near = [case for case in CASES if wanted & {case.requirement, *case.further_requirements}]
    assert FOUND[fault] - run_and_get_deviating(TOPOLOGY, fault, near, until=FOUND[fault]) == set()


def test_conforming_platform_has_no_deviation() -> None:
    assert (
        run_and_get_deviating(TOPOLOGY, "", [*test_contents.cases(), *test_freeing.cases(), *test_kernels.cases()])
        == set()
    )
