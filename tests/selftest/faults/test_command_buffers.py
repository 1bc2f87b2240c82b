"""Each fault of command-buffers is found by the items that target the violated requirement."""

from __future__ import annotations

import pytest

from clconform.selftest.faults import command_buffers
from clconform.suites.chapters.command_buffers.test_instances import cases as instances
from clconform.suites.chapters.command_buffers.test_remapping import cases as remapping
from clconform.suites.chapters.command_buffers.test_updates import cases as updates

from .attribution import run_and_get_deviating
from .calls import get_invalid_cases

LAUNCH, UPDATE = "clCommandNDRangeKernelKHR/success", "clUpdateMutableCommandsKHR/success"
COPY, FILL = "clCommandCopyBufferKHR/success", "clCommandFillBufferKHR/success"
PENDING = "clEnqueueCommandBufferKHR/CL_INVALID_OPERATION/2"
STATE, OFFSET = "CL_COMMAND_BUFFER_STATE_KHR", "CL_MUTABLE_DISPATCH_GLOBAL_WORK_OFFSET_KHR"
FOUND = {
    "non-mutable-field-updated": ("clUpdateMutableCommandsKHR/CL_INVALID_OPERATION/6",) * 2,
    "command-buffer-runs-once": (LAUNCH, "clEnqueueCommandBufferKHR/success"),
    "recording-executes-command": ("clCommandFillBufferKHR/success", "OpenCL:command-buffers/4"),
    "finalized-stays-recording": (STATE, "OpenCL:command-buffer-lifecycle/1"),
    "recording-after-finalize-accepted": ("clCommandFillBufferKHR/CL_INVALID_OPERATION/1",) * 2,
    "incompatible-queue-accepted": ("clEnqueueCommandBufferKHR/CL_INCOMPATIBLE_COMMAND_QUEUE_KHR/1",) * 2,
    "pending-state-skipped": (STATE, "OpenCL:command-buffer-lifecycle/1"),
    "update-without-offset-clears-it": (OFFSET, "OpenCL:kernel-command-update-structs/2"),
    "recorded-arguments-not-copied": (LAUNCH, "clCommandNDRangeKernelKHR/effect/2"),
    "recorded-barriers-ignored": (COPY, "clCommandBarrierWithWaitListKHR/success"),
    "recorded-overlapping-copy-accepted": ("clCommandCopyBufferKHR/via/clEnqueueCopyBuffer/CL_MEM_COPY_OVERLAP/1",) * 2,
    "remapped-command-buffer-empty": (LAUNCH, "OpenCL:remapping-command-buffers/1"),
    "simultaneous-instance-skipped": (LAUNCH, "clEnqueueCommandBufferKHR/success"),
    "sync-points-ignored": (COPY, COPY),
    "sync-points-not-unique": ("clCommandCopyBufferKHR/effect/3", COPY),
    "last-recorded-command-skipped": (COPY, COPY),
    "only-first-update-applied": (UPDATE, UPDATE),
    "updates-not-applied": (UPDATE, UPDATE),
    "update-changes-source-kernel": ("clEnqueueNDRangeKernel/success", "OpenCL:mutable-commands/1"),
}
"""For each fault, the requirement that deviates, and the target of the items that find it."""
CASES = [
    *instances(),
    *remapping(),
    *updates(),
    *(case for case in get_invalid_cases() if "Command" in case.requirement),
]


def test_every_command_buffer_fault_has_an_expected_result() -> None:
    planted = set(command_buffers.faults.entries)
    assert planted == set(FOUND)


@pytest.mark.parametrize("fault", FOUND)
def test_command_buffer_fault_causes_the_expected_deviation(fault: str) -> None:
    blamed, aimed = FOUND[fault]
    items = [case for case in CASES if aimed in (case.requirement, *case.further_requirements)]
    assert blamed in run_and_get_deviating("everything", fault, items, until=[blamed])
