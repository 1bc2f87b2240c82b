"""Each covered requirement of the execution model (section 3.2) is violated by some fault."""

from __future__ import annotations

import pytest

from clconform.oracles.chapters.execution_model.coverage_points import commands, index_spaces
from clconform.selftest.faults.every_fault import get_every_fault
from clconform.suites.chapters.events import test_order, test_states, test_synchronization
from clconform.suites.chapters.execution import test_ranges

from .in_this_process import find_missed

MODEL, INSTANCES, SYNC = "OpenCL:execution-model", "OpenCL:execution-of-kernel-instances", "OpenCL:synchronization"
MAPPING = "OpenCL:mapping-work-items-onto-an-nd-range"
CASES = [*test_order.cases(), *test_states.cases(), *test_synchronization.cases(), *test_ranges.cases()]
FOUND = {
    "command-ignores-user-event": (
        *(f"{MODEL}/{number}" for number in (14, 17, 24)),
        *(f"{INSTANCES}/{number}" for number in (2, 3)),
        f"{SYNC}/5",
        "OpenCL:categories-of-kernels/3",
    ),
    "barrier-does-not-block": (f"{MODEL}/15", f"{SYNC}/4", f"{SYNC}/9"),
    "barrier-waits-for-nothing": (f"{SYNC}/3",),
    "in-order-queue-reorders": (f"{MODEL}/16",),
    "terminated-command-completes": (f"{MODEL}/13",),
    "user-event-reported-queued": ("cl_event:new/CL_SUBMITTED/clCreateUserEvent",),
    "writes-invisible-without-wait-list": (
        *(f"{MODEL}/{number}" for number in (9, 10, 20)),
        *(f"{INSTANCES}/{number}" for number in (1, 5, 6)),
        *(f"{SYNC}/{number}" for number in (10, 12, 14)),
    ),
    "writes-invisible-in-other-queues": (f"{SYNC}/11", f"{SYNC}/13"),
    "blocking-read-returns-early": (f"{MODEL}/18", f"{SYNC}/8"),
    "completion-not-reported": (
        *(f"{MODEL}/{number}" for number in (6, 12, 23)),
        f"{INSTANCES}/4",
        f"{SYNC}/7",
        "cl_event:CL_RUNNING/CL_COMPLETE/progress",
    ),
    "second-queue-of-device-rejected": (f"{MODEL}/22", f"{INSTANCES}/7", f"{INSTANCES}/8"),
    "last-work-group-skipped": (f"{MODEL}/25", f"{MAPPING}/3"),
    "global-offset-ignored": (f"{MAPPING}/5",),
    "local-size-ignored": (f"{MAPPING}/10", f"{MAPPING}/12"),
    "remainder-group-reports-enqueued-size": (f"{MAPPING}/8",),
    "global-ids-not-from-zero": (f"{MAPPING}/4",),
    "group-ids-inconsistent": (f"{MAPPING}/11", f"{MAPPING}/13"),
    "remainder-changes-group-count": (f"{MAPPING}/6",),
    "remainder-changes-full-group-size": (f"{MAPPING}/7",),
    "local-ids-not-from-zero": (f"{MAPPING}/9",),
}
"""The requirements that each fault must violate."""


@pytest.mark.parametrize("fault", FOUND)
def test_execution_model_fault_causes_the_expected_deviation(fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert find_missed(monkeypatch, get_every_fault()[fault], CASES, FOUND[fault]) == set()


def test_every_covered_execution_model_requirement_has_a_fault() -> None:
    declared = {
        requirement
        for rules in (commands.rules, index_spaces.rules)
        for requirement, _ in rules.coverage_points.entries
    }
    of_queues = {f"{MODEL}/22", f"{INSTANCES}/7", f"{INSTANCES}/8"}  # declared in other packages
    going_back = {f"{MODEL}/7"}  # tested in test_memory_model.py
    assert (
        declared - going_back
        == {requirement for requirements in FOUND.values() for requirement in requirements} - of_queues
    )
