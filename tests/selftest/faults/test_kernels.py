"""Each fault of kernels is found by the items that target the violated requirement.

Memory objects of another kind than declared are passed without ``--robustness``. The complete runs in
``tests/simulator`` show that nothing is found without a fault.
"""

from __future__ import annotations

import pytest

from clconform.selftest.faults import kernels
from clconform.suites.chapters.kernels.test_arguments import cases

from .attribution import run_and_get_deviating
from .calls import get_invalid_cases, get_valid_cases

RUN = "clEnqueueNDRangeKernel/success"
FOUND = {
    "write-only-image-accepted-for-reading": "clSetKernelArg/CL_INVALID_ARG_VALUE/2",
    "arguments-not-copied": RUN,
    "clone-shares-arguments": RUN,
    "clone-loses-first-value": RUN,
    "argument-index-off-by-one-accepted": "clSetKernelArg/CL_INVALID_ARG_INDEX/1",
    "empty-local-memory-accepted": "clSetKernelArg/CL_INVALID_ARG_SIZE/1",
    "kernel-name-case-ignored": "clCreateKernel/CL_INVALID_KERNEL_NAME/1",
    "kernel-count-off-by-one": "clCreateKernelsInProgram/success",
    "rejected-argument-kept": RUN,
    "null-sampler-argument-accepted": "clSetKernelArg/CL_INVALID_SAMPLER/1",
    "argument-one-byte-too-large-accepted": "clSetKernelArg/CL_INVALID_ARG_SIZE/1",
    "image-accepted-for-pointer": "clSetKernelArg/CL_INVALID_ARG_VALUE/1",
    "buffer-accepted-for-image": "clSetKernelArg/CL_INVALID_ARG_VALUE/1",
    "image-accepted-by-native-kernel": "clEnqueueNativeKernel/CL_INVALID_MEM_OBJECT/1",
    "image-accepted-by-update": "clUpdateMutableCommandsKHR/via/clSetKernelArg/CL_INVALID_ARG_VALUE/1",
}
FUNCTIONS = (
    "clSetKernelArg/",
    "clCreateKernel",
    "clCloneKernel",
    "clEnqueueNativeKernel/CL_INVALID_MEM_OBJECT",
    "clUpdateMutableCommandsKHR/via/clSetKernelArg/",
)
ERRORS = [case for case in (*get_valid_cases(), *get_invalid_cases()) if case.requirement.startswith(FUNCTIONS)]


def test_every_kernel_fault_has_an_expected_result() -> None:
    planted = set(kernels.faults.entries)
    assert planted == set(FOUND)


@pytest.mark.parametrize("fault", FOUND)
def test_kernel_fault_causes_the_expected_deviation(fault: str) -> None:
    items = [case for case in (*ERRORS, *cases()) if FOUND[fault] in (case.requirement, *case.further_requirements)]
    assert FOUND[fault] in run_and_get_deviating("everything", fault, items, until=[FOUND[fault]])
