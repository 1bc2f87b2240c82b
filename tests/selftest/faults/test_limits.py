"""Each fault at a limit is found by the items that reach limits, with the violated requirement."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from clconform.selftest.faults import limits
from clconform.suites.chapters.contexts import test_repeated_set_up
from clconform.suites.chapters.images import test_largest_images
from clconform.suites.chapters.kernels import test_limits
from clconform.suites.chapters.programs import test_large_programs

from .attribution import run_and_get_deviating

if TYPE_CHECKING:
    from clconform.runner.pytest_plugin.covers import TableCase

FOUND = {
    "late-argument-rejected": "clSetKernelArg/success",
    "large-arguments-rejected": "clEnqueueNDRangeKernel/success",
    "largest-width-rejected": "clCreateImage/success",
    "many-queues-rejected": "clCreateCommandQueue/success",
    "long-name-rejected": "clCreateKernel/success",
    "contexts-never-destroyed": "clCreateContext/success",
}
"""A requirement that each fault must violate; no other suite reaches these limits."""


def get_cases() -> list[TableCase]:
    modules = (test_limits, test_largest_images, test_large_programs, test_repeated_set_up)
    return [case for module in modules for case in module.cases()]


def test_every_fault_at_a_limit_has_an_expected_result() -> None:
    assert set(limits.faults.entries) == set(FOUND)


@pytest.mark.parametrize("fault", FOUND)
def test_fault_at_a_limit_causes_the_expected_deviation(fault: str) -> None:
    assert FOUND[fault] in run_and_get_deviating("everything", fault, get_cases(), until=[FOUND[fault]])


@pytest.mark.parametrize("topology", ["everything", "oldest", "embedded-3.0", "everything-3.1", "images-1.2"])
def test_conforming_platform_has_no_deviation(topology: str) -> None:
    assert run_and_get_deviating(topology, "", get_cases()) == set()
