"""Each fault of semaphores is found by the items that target the violated requirement."""

from __future__ import annotations

import pytest

from clconform.selftest.faults import semaphores
from clconform.suites.chapters.semaphores import test_order

from .attribution import run_and_get_deviating
from .calls import get_invalid_cases, get_valid_cases

TOPOLOGY = "everything"
CREATE, SIGNAL, WAIT = (
    "clCreateSemaphoreWithPropertiesKHR",
    "clEnqueueSignalSemaphoresKHR",
    "clEnqueueWaitSemaphoresKHR",
)
EXPORT, REIMPORT = "clGetSemaphoreHandleForTypeKHR", "clReImportSemaphoreSyncFdKHR"
PAYLOAD, STATUS = "CL_SEMAPHORE_PAYLOAD_KHR", "CL_EVENT_COMMAND_EXECUTION_STATUS"
CASES = [*get_valid_cases(), *get_invalid_cases(), *test_order.cases()]
FOUND = {
    "semaphore-without-type-accepted": {f"{CREATE}/CL_INVALID_VALUE/4"},
    "invalid-semaphore-type-accepted": {f"{CREATE}/CL_INVALID_PROPERTY/1"},
    "semaphore-devices-unchecked": {f"{CREATE}/CL_INVALID_DEVICE/1"},
    "several-export-types-accepted": {f"{CREATE}/CL_INVALID_VALUE/2"},
    "exportable-import-accepted": {f"{CREATE}/CL_INVALID_OPERATION/1"},
    "payload-always-zero": {PAYLOAD},
    "new-semaphore-is-signaled": {PAYLOAD},
    "only-first-semaphore-signaled": {PAYLOAD},
    "semaphore-wait-ends-before-signal": {STATUS},
    "semaphore-signal-never-completes": {STATUS},
    "empty-semaphore-list-accepted": {f"{function}/CL_INVALID_VALUE/1" for function in (SIGNAL, WAIT)},
    "null-semaphore-accepted": {f"{function}/CL_INVALID_SEMAPHORE_KHR/1" for function in (SIGNAL, WAIT)},
    "semaphore-of-other-device-accepted": {f"{function}/CL_INVALID_COMMAND_QUEUE/3" for function in (SIGNAL, WAIT)},
    "payload-list-rejected": {f"{function}/success" for function in (SIGNAL, WAIT)},
    "semaphore-signaled-only-once": {f"{SIGNAL}/success"},
    "handle-size-too-small": {f"{EXPORT}/success"},
    "short-handle-buffer-accepted": {f"{EXPORT}/CL_INVALID_VALUE/2"},
    "non-exportable-semaphore-exported": {f"{EXPORT}/CL_INVALID_VALUE/1"},
    "reimport-into-any-semaphore-accepted": {f"{REIMPORT}/CL_INVALID_SEMAPHORE_KHR/2"},
    "negative-descriptor-accepted": {f"{REIMPORT}/CL_INVALID_VALUE/1"},
}


def test_every_semaphore_fault_has_an_expected_result() -> None:
    planted = set(semaphores.faults.entries)
    assert planted == set(FOUND)


@pytest.mark.parametrize("fault", FOUND)
def test_semaphore_fault_causes_the_expected_deviation(fault: str) -> None:
    near = [case for case in CASES if FOUND[fault] & {case.requirement, *case.further_requirements}]
    assert FOUND[fault] - run_and_get_deviating(TOPOLOGY, fault, near, until=FOUND[fault]) == set()


def test_conforming_platform_has_no_deviation() -> None:
    assert run_and_get_deviating(TOPOLOGY, "", test_order.cases()) == set()
