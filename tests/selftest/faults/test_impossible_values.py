"""A value that violates a requirement is one deviation: rules about other queries and calls do not use the value."""

from __future__ import annotations

from contextlib import closing

import pytest

from clconform.harness import Target
from clconform.runner.journal.recorder import Recorder
from clconform.selftest.faults import impossible_values
from clconform.selftest.trial import run_item
from clconform.spec_tables import load
from clconform.suites.chapters.partition import test_create_sub_devices
from clconform.suites.queries import test_queries

from ...sessions import InProcessSession  # noqa: TID252 (tests are not part of the installed package)
from .attribution import get_deviating
from .calls import get_invalid_cases, get_valid_cases

FOUND = {name: f"{query}/limit/1" for name, query in impossible_values.ZEROS.items()} | {
    f"space-{place}-feature-names": "CL_DEVICE_OPENCL_C_FEATURES/effect/1" for place in ("before", "after")
}
"""The only requirement that each fault violates."""
PARTITION = (
    *(
        case
        for case in (*get_valid_cases(), *get_invalid_cases())
        if case.requirement.startswith("clCreateSubDevices/")
    ),
    *test_create_sub_devices.cases(),
)
BUFFERS = [case for case in get_invalid_cases() if case.requirement.startswith("clCreateSubBuffer/")]
KERNELS = [case for case in get_invalid_cases() if case.requirement.startswith("clEnqueueNDRangeKernel/")]


def test_each_fault_has_an_expected_requirement() -> None:
    assert set(impossible_values.faults.entries) == set(FOUND)


@pytest.mark.parametrize("fault", FOUND)
def test_impossible_value_is_a_deviation_of_one_requirement(fault: str) -> None:
    """On revision 9a89dfee, rules on sub-devices, work-item sizes, versions or macros were violated as well."""
    queries = [case for case in test_queries.cases(load()) if case.id == "clGetDeviceInfo/success[the root device]"]
    others = {"units": PARTITION, "dimensions": KERNELS, "alignment": BUFFERS, "names": ()}[fault.rpartition("-")[2]]
    assert queries
    recorder = Recorder(None)
    with closing(InProcessSession(Target.simulated("everything", "--fault", fault), load(), recorder)) as session:
        for case in (*queries, *others):
            run_item(case, session)
    assert get_deviating(recorder) == {FOUND[fault]}
