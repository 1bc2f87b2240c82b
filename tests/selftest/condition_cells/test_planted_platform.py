"""The simulated platform with a planted fault: exactly the calls of the cell get another result, and are named."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from clconform.selftest.condition_cells.planted_platform import AcceptedViolation, CellTrial, RejectedNearMiss
from clconform.spec_tables import load
from clconform.suites.errors.near_miss_tests import near_miss_cases
from clconform.suites.errors.negative_tests import single_violation_cases

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.runner.pytest_plugin.covers import TableCase

ARGUMENT_INDEX = "clSetKernelArg/CL_INVALID_ARG_INDEX/1"


@pytest.fixture(scope="module")
def trial() -> Iterator[CellTrial]:
    found = CellTrial("everything", load())
    yield found
    found.session.close()


def find_case(cases: Iterator[TableCase], requirement: str) -> TableCase:
    return next(case for case in cases if case.requirement == requirement)


def test_rejected_near_miss_is_named_with_its_test_value(trial: CellTrial) -> None:
    case = find_case(near_miss_cases(load()), "clSetKernelArg/success")
    wanted = "arg_index=5, near arg_index=number of arguments"
    fault = RejectedNearMiss("clSetKernelArg", "CL_INVALID_ARG_INDEX", frozenset((wanted,)))
    found = trial.try_faults({fault: {"clSetKernelArg/success"}}, case)[fault]
    assert (found.noticed, found.unnoticed, found.requirements) == ([wanted], [], ("clSetKernelArg/success",))


def test_accepted_violation_hits_only_calls_through_the_carrier(trial: CellTrial) -> None:
    case = find_case(single_violation_cases(load()), ARGUMENT_INDEX)
    fault = AcceptedViolation(ARGUMENT_INDEX, "clone", frozenset(("kernel",)))
    found = trial.try_faults({fault: {ARGUMENT_INDEX}}, case)[fault]
    assert found.noticed == ["kernel: clone, arg_index=number of arguments"]


def test_deviation_of_another_requirement_does_not_count(trial: CellTrial) -> None:
    case = find_case(single_violation_cases(load()), ARGUMENT_INDEX)
    fault = AcceptedViolation(ARGUMENT_INDEX, "clone", frozenset(("kernel",)))
    found = trial.try_faults({fault: {"clSetKernelArg/CL_INVALID_KERNEL/1"}}, case)[fault]
    assert found.noticed == []
    assert found.requirements == ()
    assert found.unnoticed


def test_platform_without_a_fault_shows_nothing(trial: CellTrial) -> None:
    case = find_case(single_violation_cases(load()), ARGUMENT_INDEX)
    fault = AcceptedViolation(ARGUMENT_INDEX, "sub-buffer", frozenset(("kernel",)))
    assert trial.try_faults({fault: {ARGUMENT_INDEX}}, case) == {}
