"""Each fault of pipes is found by the items that target the violated requirement.

The complete runs in ``tests/simulator`` show that nothing is found without a fault.
"""

from __future__ import annotations

import pytest

from clconform.selftest.faults import pipes
from clconform.suites.chapters.pipes.test_pipes import cases

from .attribution import run_and_get_deviating
from .calls import get_invalid_cases, get_valid_cases

FOUND = {
    "pipe-packets-reversed": "clEnqueueNDRangeKernel/success",
    "zero-packet-size-accepted": "clCreatePipe/CL_INVALID_PIPE_SIZE/1",
    "packet-size-above-maximum-accepted": "clCreatePipe/CL_INVALID_PIPE_SIZE/1",
    "pipe-flags-unchecked": "clCreatePipe/CL_INVALID_VALUE/1",
    "default-pipe-flags-incomplete": "CL_MEM_FLAGS",
}
CASES = [*(case for case in (*get_valid_cases(), *get_invalid_cases()) if "clCreatePipe" in case.requirement), *cases()]


def test_every_pipe_fault_has_an_expected_result() -> None:
    planted = set(pipes.faults.entries)
    assert planted == set(FOUND)


@pytest.mark.parametrize("fault", FOUND)
def test_pipe_fault_causes_the_expected_deviation(fault: str) -> None:
    assert FOUND[fault] in run_and_get_deviating("everything", fault, CASES, until=[FOUND[fault]])
