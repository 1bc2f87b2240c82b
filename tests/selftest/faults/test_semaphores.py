"""Each fault of semaphores is found by the items that target the violated requirement."""

from __future__ import annotations

import pytest

from clconform.selftest.faults import semaphores
from clconform.selftest.faults.every_fault import get_every_fault
from clconform.suites.chapters.semaphores import test_order

from .blaming import run_and_get_deviating
from .calls import get_invalid_cases, get_valid_cases

TOPOLOGY = "everything"
CREATE, SIGNAL, WAIT = (
    "clCreateSemaphoreWithPropertiesKHR",
    "clEnqueueSignalSemaphoresKHR",
    "clEnqueueWaitSemaphoresKHR",
)
EXPORT, REIMPORT = "clGetSemaphoreHandleForTypeKHR", "clReImportSemaphoreSyncFdKHR"
PAYLOAD, STATUS = "CL_SEMAPHORE_PAYLOAD_KHR", "CL_EVENT_COMMAND_EXECUTION_STATUS"
CASES = [*get_valid_cases(), *get_invalid_cases(), *test_order.cases]
FOUND = {
    "semaphores-need-no-type": {f"{CREATE}/CL_INVALID_VALUE/4"},
    "any-type-is-binary": {f"{CREATE}/CL_INVALID_PROPERTY/1"},
    "semaphores-are-for-any-devices": {f"{CREATE}/CL_INVALID_DEVICE/1"},
    "several-types-are-exported": {f"{CREATE}/CL_INVALID_VALUE/2"},
    "imported-semaphores-are-exported": {f"{CREATE}/CL_INVALID_OPERATION/1"},
    "payloads-stay-zero": {PAYLOAD},
    "semaphores-begin-signaled": {PAYLOAD},
    "only-the-first-semaphore-is-signaled": {PAYLOAD},
    "waits-end-before-their-signals": {STATUS},
    "signals-do-not-end": {STATUS},
    "no-semaphores-are-enough": {f"{function}/CL_INVALID_VALUE/1" for function in (SIGNAL, WAIT)},
    "null-is-a-semaphore": {f"{function}/CL_INVALID_SEMAPHORE_KHR/1" for function in (SIGNAL, WAIT)},
    "semaphores-are-for-every-queue": {f"{function}/CL_INVALID_COMMAND_QUEUE/3" for function in (SIGNAL, WAIT)},
    "payloads-are-refused": {f"{function}/success" for function in (SIGNAL, WAIT)},
    "semaphores-are-signaled-once": {f"{SIGNAL}/success"},
    "handles-are-told-smaller": {f"{EXPORT}/success"},
    "handles-need-no-memory": {f"{EXPORT}/CL_INVALID_VALUE/2"},
    "all-semaphores-are-exported": {f"{EXPORT}/CL_INVALID_VALUE/1"},
    "sync-files-are-imported-into-all": {f"{REIMPORT}/CL_INVALID_SEMAPHORE_KHR/2"},
    "numbers-are-sync-files": {f"{REIMPORT}/CL_INVALID_VALUE/1"},
}


def test_every_fault_has_a_row() -> None:
    planted = {name for name, fault in get_every_fault().items() if fault.__module__ == semaphores.__name__}
    assert planted == set(FOUND)


@pytest.mark.parametrize("fault", FOUND)
def test_fault_is_found(fault: str) -> None:
    near = [case for case in CASES if FOUND[fault] & {case.requirement, *case.further_requirements}]
    assert FOUND[fault] - run_and_get_deviating(TOPOLOGY, fault, near, until=FOUND[fault]) == set()


def test_conforming_platform_has_no_deviation() -> None:
    assert run_and_get_deviating(TOPOLOGY, "", test_order.cases) == set()
