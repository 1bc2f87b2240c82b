"""Each fault of samplers is found by the items that target the violated requirement."""

from __future__ import annotations

import pytest

from clconform.selftest.faults import samplers
from clconform.spec_tables import load
from clconform.suites.queries.test_queries import cases

from .attribution import run_and_get_deviating
from .calls import get_invalid_cases, get_valid_cases

FOUND = {
    "invalid-sampler-modes-accepted": "clCreateSampler/CL_INVALID_VALUE/1",
    "default-addressing-mode-is-clamp-to-edge": "CL_SAMPLER_ADDRESSING_MODE",
    "duplicate-sampler-property-accepted": "clCreateSamplerWithProperties/CL_INVALID_VALUE/1",
    "null-sampler-properties-rejected": "clCreateSamplerWithProperties/success",
    "invalid-sampler-returns-invalid-operation": "clCreateSampler/CL_INVALID_VALUE/1",
}
CASES = [
    *(case for case in (*get_valid_cases(), *get_invalid_cases()) if "Sampler" in case.requirement),
    *cases(load(), {"CL_SAMPLER_ADDRESSING_MODE"}),
]


def test_every_sampler_fault_has_an_expected_result() -> None:
    planted = set(samplers.faults.entries)
    assert planted == set(FOUND)


@pytest.mark.parametrize("fault", FOUND)
def test_sampler_fault_causes_the_expected_deviation(fault: str) -> None:
    assert FOUND[fault] in run_and_get_deviating("everything", fault, CASES, until=[FOUND[fault]])


@pytest.mark.parametrize("topology", ["everything", "hints", "strict", "numa-16", "oldest", "everything-1.2"])
def test_conforming_platform_has_no_deviation(topology: str) -> None:
    assert run_and_get_deviating(topology, "", CASES) == set()
