"""Each fault of kernels is found by the items that target the violated requirement.

The complete runs in ``tests/simulator`` show that nothing is found without a fault.
"""

from __future__ import annotations

import pytest

from clconform.selftest.faults import kernels
from clconform.selftest.faults.every_fault import get_every_fault
from clconform.suites.chapters.kernels.test_arguments import cases

from .blaming import run_and_get_deviating
from .calls import get_invalid_cases, get_valid_cases

RUN = "clEnqueueNDRangeKernel/success"
FOUND = {
    "released-program-invalidates-its-kernels": "clSetKernelArg/CL_INVALID_ARG_VALUE/2",
    "writes-of-other-devices-invisible": RUN,
    "second-context-of-device-rejected": RUN,
    "work-group-barrier-ineffective": RUN,
    "released-context-invalidates-queues": "clSetKernelArg/CL_INVALID_ARG_INDEX/1",
    "pending-writes-invisible": "clSetKernelArg/CL_INVALID_ARG_SIZE/1",
    "atomics-weaker-than-ordered": "clCreateKernel/CL_INVALID_KERNEL_NAME/1",
    "loads-go-backwards": "clCreateKernelsInProgram/success",
    "second-queue-of-context-rejected": RUN,
    "pending-copy-reads-released-memory": "clSetKernelArg/CL_INVALID_SAMPLER/1",
    "released-buffer-invalidates-sub-buffers": "clSetKernelArg/CL_INVALID_ARG_SIZE/1",
}
FUNCTIONS = ("clSetKernelArg/", "clCreateKernel", "clCloneKernel")
ERRORS = [case for case in (*get_valid_cases(), *get_invalid_cases()) if case.requirement.startswith(FUNCTIONS)]


def test_every_fault_has_a_row() -> None:
    planted = {name for name, fault in get_every_fault().items() if fault.__module__ == kernels.__name__}
    assert planted == set(FOUND)


@pytest.mark.parametrize("fault", FOUND)
def test_fault_is_found(fault: str) -> None:
    items = [case for case in (*ERRORS, *cases) if FOUND[fault] in (case.requirement, *case.further_requirements)]
    assert FOUND[fault] in run_and_get_deviating("everything", fault, items, until=[FOUND[fault]])
