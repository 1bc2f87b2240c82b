"""Concurrent calls: attribution of the deviation if no order of the calls explains all results."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from clconform.calls.call import Returned
from clconform.calls.values import Handle
from clconform.oracles.engine.judge import Oracle
from clconform.oracles.engine.linearization import judge_concurrent_calls
from clconform.oracles.model.contexts import Context
from clconform.oracles.model.enqueued_command import Command
from clconform.oracles.model.events import UserEvent

from .oracle_setup import DevicePlan, OracleSetup

if TYPE_CHECKING:
    from collections.abc import Sequence

SET_STATUS = "clSetUserEventStatus"
SUCCESS, INVALID_VALUE, INVALID_OPERATION = 0, -30, -59


def judge_concurrent_sets(statuses: Sequence[int], answers: Sequence[int]) -> list[list[str]]:
    """Return the requirements violated by each of several calls that set one user event concurrently."""
    there = OracleSetup(DevicePlan())
    context = there.model.add(Context("context1", devices=list(there.roots)))
    event = UserEvent("event1", context=context, command=Command("clCreateUserEvent"))
    event.status = there.value("CL_SUBMITTED")
    there.model.add(event)
    calls = [there.call(SET_STATUS, Handle("event1"), status) for status in statuses]
    judged = judge_concurrent_calls(Oracle(there.model), calls, [Returned(answer) for answer in answers])
    return [
        [requirement for deviation in judgement.deviations for requirement in deviation.requirements]
        for _, judgement in judged
    ]


@pytest.mark.parametrize("failing", [0, 1])
def test_concurrent_results_conform_if_one_order_explains_all(failing: int) -> None:
    answers = [SUCCESS, SUCCESS]
    answers[failing] = INVALID_OPERATION
    assert judge_concurrent_sets((-5, 0), answers) == [[], []]


@pytest.mark.parametrize("failing", [0, 1])
def test_concurrent_call_with_unexpected_error_code_deviates(failing: int) -> None:
    answers = [SUCCESS, SUCCESS]
    answers[failing] = INVALID_VALUE
    expected: list[list[str]] = [[], []]
    expected[failing] = [f"{SET_STATUS}/CL_INVALID_OPERATION/1"]
    assert judge_concurrent_sets((-5, 0), answers) == expected


def test_two_concurrent_sets_that_both_succeed_give_one_deviation() -> None:
    assert judge_concurrent_sets((-5, 0), (SUCCESS, SUCCESS)) == [[], [f"{SET_STATUS}/CL_INVALID_OPERATION/1"]]


def test_two_concurrent_sets_that_both_fail_give_one_deviation() -> None:
    told = judge_concurrent_sets((-5, 0), (INVALID_OPERATION, INVALID_OPERATION))
    assert told == [[f"{SET_STATUS}/success"], []], "the first call may have set the event although it failed"
