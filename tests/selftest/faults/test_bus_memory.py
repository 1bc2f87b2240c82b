"""Each fault of bus-addressable memory is found by the items that target the violated requirement."""

from __future__ import annotations

import pytest

from clconform.selftest.faults import bus_memory
from clconform.suites.chapters.amd_bus_memory import test_signals

from .attribution import run_and_get_deviating
from .calls import get_invalid_cases, get_valid_cases

TOPOLOGY = "bus-shared"
CREATE, WAIT, WRITE = "clCreateBuffer", "clEnqueueWaitSignalAMD", "clEnqueueWriteSignalAMD"
RESIDENT, STATUS = "clEnqueueMakeBuffersResidentAMD/success", "CL_EVENT_COMMAND_EXECUTION_STATUS"
CASES = [*get_valid_cases(), *get_invalid_cases(), *test_signals.cases()]
FOUND = {
    "resident-buffers-share-address": {RESIDENT},
    "only-first-bus-address-returned": {RESIDENT},
    "signal-address-null": {RESIDENT},
    "bus-addresses-not-page-aligned": {RESIDENT},
    "null-bus-addresses-accepted": {"clEnqueueMakeBuffersResidentAMD/CL_INVALID_OPERATION/1"},
    "non-bus-buffer-made-resident": {"clEnqueueMakeBuffersResidentAMD/CL_INVALID_OPERATION/2"},
    "null-bus-address-accepted": {f"{CREATE}/CL_INVALID_HOST_PTR/3"},
    "unaligned-bus-address-accepted": {f"{CREATE}/CL_INVALID_HOST_PTR/3"},
    "bus-address-used-twice": {f"{CREATE}/CL_MEM_OBJECT_ALLOCATION_FAILURE/2"},
    "bus-address-not-reusable": {f"{CREATE}/success"},
    "bus-flags-combine-with-host-ptr": {f"{CREATE}/CL_INVALID_VALUE/1"},
    "bus-flags-not-reported": {"CL_MEM_FLAGS"},
    "external-buffers-alias-first-surface": {f"{WAIT}/success"},
    "external-write-loses-last-byte": {f"{WAIT}/success"},
    "resident-reads-stale": {f"{WAIT}/success"},
    "residency-corrupts-memory": {RESIDENT},
    "signal-offset-wraps": {f"{WRITE}/CL_INVALID_BUFFER_SIZE/1"},
    "signals-on-any-buffer-accepted": {f"{function}/CL_INVALID_MEM_OBJECT/2" for function in (WAIT, WRITE)},
    "signal-wait-completes-immediately": {STATUS},
    "signals-lost": {STATUS},
    "signals-above-16-bits-lost": {STATUS},
    "signal-wait-reports-write-type": {"CL_EVENT_COMMAND_TYPE"},
}
NEAR = {STATUS: f"{WRITE}/effect/1"}
"""Requirements, with the targets of the items that find their violation."""
TARGETS = {"residency-corrupts-memory": {"cl_mem_flags:CL_MEM_BUS_ADDRESSABLE_AMD"}}
"""Faults, with the targets of the items that violate the requirement of the fault alone."""


def test_every_bus_memory_fault_has_an_expected_result() -> None:
    planted = set(bus_memory.faults.entries)
    assert planted == set(FOUND)


@pytest.mark.parametrize("fault", FOUND)
def test_bus_memory_fault_causes_the_expected_deviation(fault: str) -> None:
    wanted = TARGETS.get(fault) or {NEAR.get(requirement, requirement) for requirement in FOUND[fault]}
    near = [case for case in CASES if wanted & {case.requirement, *case.further_requirements}]
    assert FOUND[fault] - run_and_get_deviating(TOPOLOGY, fault, near, until=FOUND[fault]) == set()


def test_conforming_platform_has_no_deviation() -> None:
    assert run_and_get_deviating(TOPOLOGY, "", test_signals.cases()) == set()
