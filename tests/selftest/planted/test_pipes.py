"""Each fault of pipes is found by the items that target the violated requirement.

The complete runs in ``tests/simulator`` show that nothing is found without a fault.
"""

from __future__ import annotations

import pytest

from clconform.selftest.planted import pipes
from clconform.selftest.planted.every_fault import every_fault
from clconform.suites.chapters.pipes.test_pipes import cases

from .blaming import blamed_with
from .calls import right, wrong

FOUND = {
    "last-packets-first": "clEnqueueNDRangeKernel/success",
    "packets-of-no-byte": "clCreatePipe/CL_INVALID_PIPE_SIZE/1",
    "packets-one-too-large": "clCreatePipe/CL_INVALID_PIPE_SIZE/1",
    "pipes-of-any-flag": "clCreatePipe/CL_INVALID_VALUE/1",
    "pipes-without-the-default-flags": "CL_MEM_FLAGS",
}
CASES = [*(case for case in (*right(), *wrong()) if "clCreatePipe" in case.record), *cases]


def test_every_fault_has_its_row() -> None:
    planted = {name for name, fault in every_fault().items() if fault.__module__ == pipes.__name__}
    assert planted == set(FOUND)


@pytest.mark.parametrize("fault", FOUND)
def test_a_fault_is_found(fault: str) -> None:
    assert FOUND[fault] in blamed_with("everything", fault, CASES, until=[FOUND[fault]])
