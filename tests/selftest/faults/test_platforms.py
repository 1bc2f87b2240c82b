"""Each fault of lists, timers and function addresses is found by the platform suite, with the violated requirement."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from clconform.spec_tables import load
from clconform.suites.chapters.platforms import test_functions, test_listing, test_timers

from .attribution import run_and_get_deviating
from .calls import get_valid_cases

if TYPE_CHECKING:
    from clconform.runner.pytest_plugin.covers import TableCase

FOUND = {
    "device-list-contains-sub-device": "clGetDeviceIDs/success",
    "default-type-counts-all-devices": "clGetDeviceIDs/effect/2",
    "list-fills-unused-entries": "clGetPlatformIDs/success",
    "host-timer-goes-backwards": "clGetHostTimer/success",
    "unknown-function-address-returned": "clGetExtensionFunctionAddressForPlatform/success",
}
"""A requirement that each fault must violate."""


MISSING = ("clSetCommandQueueProperty", "clEnqueueWaitForEvents", "clCreateImage2D")
"""Functions that the version of the platform deprecates, each with a fault by which it is missing."""


def get_cases() -> list[TableCase]:
    return [*test_listing.cases(), *test_timers.cases(), *test_functions.cases(load())]


@pytest.mark.parametrize("fault", FOUND)
def test_platform_fault_causes_the_expected_deviation(fault: str) -> None:
    assert FOUND[fault] in run_and_get_deviating("everything", fault, get_cases(), until=[FOUND[fault]])


@pytest.mark.parametrize("function", MISSING)
def test_missing_deprecated_function_deviates(function: str) -> None:
    """Before, the function had the status not-run."""
    near = [case for case in get_valid_cases() if case.requirement == f"{function}/success"]
    assert run_and_get_deviating("everything", f"{function}-missing", near) == {f"{function}/success"}


@pytest.mark.parametrize("topology", ["everything", "numa-16", "two-devices", "custom", "oldest", "flat-4"])
def test_conforming_platform_has_no_deviation(topology: str) -> None:
    assert run_and_get_deviating(topology, "", get_cases()) == set()
