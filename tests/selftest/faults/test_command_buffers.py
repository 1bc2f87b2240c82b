"""Each fault of command-buffers is found by the items that target the violated requirement."""

from __future__ import annotations

import pytest

from clconform.selftest.faults import command_buffers
from clconform.selftest.faults.every_fault import get_every_fault
from clconform.suites.chapters.command_buffers.test_instances import cases as instances
from clconform.suites.chapters.command_buffers.test_remapping import cases as remapping
from clconform.suites.chapters.command_buffers.test_updates import cases as updates

from .blaming import run_and_get_deviating
from .calls import get_invalid_cases

LAUNCH, UPDATE = "clCommandNDRangeKernelKHR/success", "clUpdateMutableCommandsKHR/success"
COPY, FILL = "clCommandCopyBufferKHR/success", "clCommandFillBufferKHR/success"
PENDING = "clEnqueueCommandBufferKHR/CL_INVALID_OPERATION/2"
STATE, OFFSET = "CL_COMMAND_BUFFER_STATE_KHR", "CL_MUTABLE_DISPATCH_GLOBAL_WORK_OFFSET_KHR"
FOUND = {
    "any-field-can-be-updated": ("clUpdateMutableCommandsKHR/CL_INVALID_OPERATION/6",) * 2,
    "command-buffers-run-once": (LAUNCH, "clEnqueueCommandBufferKHR/success"),
    "commands-run-when-they-are-recorded": ("clEnqueueReadBuffer/success", "OpenCL:command-buffers/4"),
    "finalize-leaves-recording": (STATE, "OpenCL:command-buffer-lifecycle/1"),
    "finalized-command-buffers-record": ("clCommandFillBufferKHR/CL_INVALID_OPERATION/1",) * 2,
    "incompatible-queues-are-accepted": ("clEnqueueCommandBufferKHR/CL_INCOMPATIBLE_COMMAND_QUEUE_KHR/1",) * 2,
    "nothing-is-ever-pending": (STATE, "OpenCL:command-buffer-lifecycle/1"),
    "offsets-that-are-not-given-become-zero": (OFFSET, "OpenCL:kernel-command-update-structs/2"),
    "recorded-arguments-by-reference": (LAUNCH, "clCommandNDRangeKernelKHR/effect/2"),
    "recorded-barriers-hold-nothing-up": (COPY, "clCommandBarrierWithWaitListKHR/success"),
    "recorded-copies-may-overlap": ("clCommandCopyBufferKHR/via/clEnqueueCopyBuffer/CL_MEM_COPY_OVERLAP/1",) * 2,
    "remapped-command-buffers-are-empty": (LAUNCH, "OpenCL:remapping-command-buffers/1"),
    "simultaneous-instances-run-once": (LAUNCH, "clEnqueueCommandBufferKHR/success"),
    "sync-points-are-ignored": (COPY, COPY),
    "sync-points-repeat": ("clCommandCopyBufferKHR/effect/3", COPY),
    "the-last-command-is-lost": (COPY, COPY),
    "updates-are-applied-to-the-first-command": (UPDATE, UPDATE),
    "updates-are-not-applied": (UPDATE, UPDATE),
    "updates-change-the-kernel": ("clEnqueueNDRangeKernel/success", "OpenCL:mutable-commands/1"),
}
"""For each fault, the requirement that deviates, and the target of the items that find it."""
CASES = [*instances, *remapping, *updates, *(case for case in get_invalid_cases() if "Command" in case.requirement)]


def test_every_fault_has_a_row() -> None:
    planted = {name for name, fault in get_every_fault().items() if fault.__module__ == command_buffers.__name__}
    assert planted == set(FOUND)


@pytest.mark.parametrize("fault", FOUND)
def test_fault_is_found(fault: str) -> None:
    blamed, aimed = FOUND[fault]
    items = [case for case in CASES if aimed in (case.requirement, *case.further_requirements)]
    assert blamed in run_and_get_deviating("everything", fault, items, until=[blamed])
