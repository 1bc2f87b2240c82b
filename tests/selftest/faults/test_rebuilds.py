"""Each fault of builds after the use of a program's kernels is found by the items that build programs after use."""

from __future__ import annotations

import pytest

from clconform.selftest.faults import rebuilds
from clconform.suites.chapters.programs.test_rebuild_after_use import cases

from .attribution import run_and_get_deviating

FOUND = {
    "event-blocks-build": "clBuildProgram/success",
    "clone-blocks-builds": "clBuildProgram/success",
    "rare-build-blocked": "clBuildProgram/success",
    "used-program-not-compiled": "clCompileProgram/success",
    "second-link-fails": "clLinkProgram/success",
}
"""A requirement that each fault must violate."""


def test_every_rebuild_fault_has_an_expected_result() -> None:
    assert set(rebuilds.faults.entries) == set(FOUND)


@pytest.mark.parametrize("fault", FOUND)
def test_rebuild_fault_causes_the_expected_deviation(fault: str) -> None:
    """No other suite builds a program after its kernels were run, so that some of these faults were not found."""
    assert run_and_get_deviating("everything", fault, cases()) == {FOUND[fault]}


@pytest.mark.parametrize("topology", ["everything", "numa-16", "oldest", "everything-3.1"])
def test_conforming_platform_has_no_deviation(topology: str) -> None:
    assert run_and_get_deviating(topology, "", cases()) == set()
