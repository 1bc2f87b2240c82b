"""Each fault of unified shared memory is found by the items that target the violated requirement."""

from __future__ import annotations

import pytest

from clconform.oracles.chapters.kernels.execution_info import INDIRECT, POINTERS
from clconform.spec_tables import load
from clconform.suites.chapters.usm import test_contents, test_freeing, test_kernels
from clconform.suites.queries import test_queries

from .blaming import run_and_get_deviating
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
        *test_contents.cases,
        *test_freeing.cases(),
        *test_kernels.cases(),
    )
    if "INTEL" in case.requirement or "ExecInfo" in case.requirement
]
FOUND = {
    "inner-addresses-are-bases": {"CL_MEM_ALLOC_BASE_PTR_INTEL"},
    "memory-forgets-its-device": {"CL_MEM_ALLOC_DEVICE_INTEL"},
    "memory-of-whole-pages": {"CL_MEM_ALLOC_SIZE_INTEL"},
    "flags-of-memory-are-forgotten": {"CL_MEM_ALLOC_FLAGS_INTEL"},
    "all-memory-is-the-hosts": {"CL_MEM_ALLOC_TYPE_INTEL"},
    "memory-off-by-four": {f"{function}/{rule}" for function in ALLOCATING for rule in ("success", "size/2")},
    "any-alignment-will-do": {f"{function}/CL_INVALID_VALUE/1" for function in ALLOCATING},
    "placements-are-refused": {"clSharedMemAllocINTEL/success"},
    "inner-addresses-are-freed": {f"{function}/CL_INVALID_VALUE/1" for function in FREEING},
    "frees-without-waiting": {"CL_EVENT_COMMAND_EXECUTION_STATUS"},
    "unified-copies-lose-a-byte": {"clEnqueueMemcpyINTEL/success"},
    "overlaps-are-copied": {"clEnqueueMemcpyINTEL/CL_MEM_COPY_OVERLAP/1"},
    "blocking-copies-do-not-look-at-events": {
        "clEnqueueMemcpyINTEL/CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST/1",
    },
    "arguments-begin-where-memory-does": {RUN},
    "local-memory-takes-pointers": {"clSetKernelArgMemPointerINTEL/CL_INVALID_ARG_VALUE/1"},
    "migrations-take-no-flags": {"clEnqueueMigrateMemINTEL/CL_INVALID_VALUE/2"},
    "fill-one-pattern-short": {"clEnqueueMemFillINTEL/success"},
    "atomics-meet-and-lose": {RUN},
    "types-are-not-reached": {RUN},
    "lists-have-one-pointer": {RUN},
    "a-list-takes-flags-back": {RUN},
    "lists-of-odd-sizes": {"clSetKernelExecInfo/CL_INVALID_VALUE/1"},
    "freed-once-the-first-is-over": {"CL_EVENT_COMMAND_EXECUTION_STATUS"},
}
NEAR = {
    "frees-without-waiting": {"clMemBlockingFreeINTEL/success"},
    "freed-once-the-first-is-over": {"clMemBlockingFreeINTEL/success"},
    "a-list-takes-flags-back": {f"{POINTERS}@clSetKernelExecInfo"},
    "atomics-meet-and-lose": {f"{BITS}:CL_UNIFIED_SHARED_MEMORY_ATOMIC_ACCESS_INTEL"},
    "types-are-not-reached": {f"{name}@clSetKernelExecInfo" for name in INDIRECT},
    "lists-have-one-pointer": {f"{POINTERS}@clSetKernelExecInfo"},
    "arguments-begin-where-memory-does": {"clSetKernelArgMemPointerINTEL/success"},
}
"""Faults that are found by items with another target."""


@pytest.mark.parametrize("fault", FOUND)
def test_fault_is_found(fault: str) -> None:
    wanted = NEAR.get(fault, FOUND[fault])
    near = [case for case in CASES if wanted & {case.requirement, *case.further_requirements}]
    assert FOUND[fault] - run_and_get_deviating(TOPOLOGY, fault, near, until=FOUND[fault]) == set()


def test_conforming_platform_has_no_deviation() -> None:
    assert (
        run_and_get_deviating(TOPOLOGY, "", [*test_contents.cases, *test_freeing.cases(), *test_kernels.cases()])
        == set()
    )
