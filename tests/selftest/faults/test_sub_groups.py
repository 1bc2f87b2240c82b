"""Each fault of queries about sub-groups violates the listed requirements."""

from __future__ import annotations

import pytest

from clconform.oracles.chapters.kernels.query_results.sub_groups import COMPILED, COUNT, LOCAL, SIZE
from clconform.selftest.faults import sub_groups
from clconform.suites.chapters.kernels.test_sub_groups import cases

from .attribution import record_run

FOUND = {
    "sub-groups-use-first-dimension-only": (f"{SIZE}/effect/2", f"{COUNT}/effect/2", f"{SIZE}_KHR/effect/2"),
    "more-sub-groups-than-work-items": (f"{SIZE}/effect/1", f"{SIZE}_KHR/effect/1"),
    "sub-group-local-size-repeated": (f"{LOCAL}/effect/1", f"{LOCAL}/effect/2"),
    "local-size-for-excess-sub-groups": (f"{LOCAL}/effect/4",),
    "required-sub-groups-always-one": (f"{COMPILED}/effect/1",),
}
"""The requirements that each fault violates."""


def test_every_sub_group_fault_has_an_expected_result() -> None:
    planted = set(sub_groups.faults.entries)
    assert planted == set(FOUND)


@pytest.mark.parametrize("fault", FOUND)
def test_sub_group_fault_causes_the_expected_deviation(fault: str) -> None:
    near = [case for case in cases() if case.requirement == FOUND[fault][0].partition("/")[0]]
    evidence = record_run("everything", fault, near).evidence
    assert all(evidence[sentence]["deviates"] for sentence in FOUND[fault]), evidence


def test_conforming_platform_has_no_deviation() -> None:
    recorder = record_run("everything", "", list(cases()))
    assert not recorder.deviations
    assert all(recorder.evidence[sentence]["conforms"] for found in FOUND.values() for sentence in found)
