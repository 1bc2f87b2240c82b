"""Deviations of several requirements in one call, and groups of deviations with a common cause."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from clconform.calls.deviation_keys import build_key
from clconform.calls.journal import Deviation
from clconform.reports.deviation_causes import drop_explained, group_causes
from clconform.reports.run_result import DeviationResult
from clconform.spec_tables.requirements import Condition, ErrorCondition, Section

if TYPE_CHECKING:
    from clconform.reports.status_policy import DeviatingStatus

A, B = "f/CL_A/1", "f/CL_B/1"


def create_deviation(*requirements: str, verdict: str = "deviates", observed: str = "CL_SUCCESS") -> Deviation:
    key = build_key("f", requirements, observed)
    return Deviation(
        item="i",
        key=key,
        requirements=list(requirements),
        verdict=verdict,
        confidence="literal",
        allowed=[],
        observed=observed,
        conditions={},
        sequence=[],
    )


CASES = {
    "nothing alone": ([], create_deviation(A, B), True),
    "success, one alone": ([create_deviation(A)], create_deviation(A, B), True),
    "success, both alone": ([create_deviation(A), create_deviation(B, observed="CL_C")], create_deviation(A, B), False),
    "a code that one meets alone": (
        [create_deviation(B, observed="CL_C")],
        create_deviation(A, B, observed="CL_C"),
        False,
    ),
    "a code that none meets alone": (
        [create_deviation(B, observed="CL_D")],
        create_deviation(A, B, observed="CL_C"),
        True,
    ),
    "a crash that one meets alone": (
        [create_deviation(A, verdict="crashes", observed="SIGABRT")],
        create_deviation(A, B, verdict="crashes", observed="SIGSEGV"),
        False,
    ),
    "a crash where one deviates alone": (
        [create_deviation(A)],
        create_deviation(A, B, verdict="crashes", observed="SIGSEGV"),
        True,
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_joint_deviation_is_dropped_if_deviation_of_one_requirement_explains_it(name: str) -> None:
    alone, group, told = CASES[name]
    assert drop_explained([*alone, group]) == ([*alone, group] if told else alone)


def create_result(
    function: str, code: str, words: str, *, verdict: DeviatingStatus = "deviates", observed: str = "CL_SUCCESS"
) -> DeviationResult:
    requirement = f"{function}/{code}/1"
    key = build_key(function, [requirement], observed)
    return DeviationResult(
        id=key, key=key, function=function, requirements=[requirement], verdict=verdict, confidence="literal",
        allowed=[code], observed=observed, conditions={requirement: words}, sequence=[],
        minimised=True, repeated=2, attempts=2, full_history=False,
        item="i", items=1, seen=1,
    )  # fmt: skip


def create_condition(function: str, code: str, *parameters: str) -> ErrorCondition:
    return ErrorCondition(
        f"{function}/{code}/1", "d", Section("1", "t"), "x", function=function, code=code,
        condition=Condition("context-mismatch", parameters),
    )  # fmt: skip


def test_deviations_with_same_condition_and_outcome_have_one_cause() -> None:
    requirements = {
        each.id: each
        for each in (
            create_condition("f", "CL_A", "queue", "buffer"),
            create_condition("g", "CL_A", "queue", "image"),
            create_condition("h", "CL_A"),
        )
    }
    found = group_causes(
        [
            create_result("f", "CL_A", "queue and buffer are of two contexts"),
            create_result("g", "CL_A", "queue and image are of two contexts"),
            create_result("g", "CL_A", "queue and image are of two contexts", observed="CL_B"),
            create_result("h", "CL_A", "something else"),
        ],
        requirements,
    )
    assert [(cause.text, cause.functions) for cause in found] == [
        ("… are of two contexts", ["f", "g"]),
        ("queue and image are of two contexts", ["g"]),
        ("something else", ["h"]),
    ]


def test_postcondition_deviations_of_two_functions_have_separate_causes() -> None:
    found = group_causes([create_result("f", "success", "it is done"), create_result("g", "success", "it is done")], {})
    assert [cause.functions for cause in found] == [["f"], ["g"]]


def test_causes_are_ordered_by_severity_and_number_of_functions() -> None:
    requirements = {
        each.id: each
        for each in (
            create_condition("f", "CL_A"),
            create_condition("g", "CL_A"),
            create_condition("h", "CL_A"),
            create_condition("i", "CL_A"),
        )
    }
    found = group_causes(
        [
            create_result("h", "CL_A", "rare"),
            create_result("f", "CL_A", "often"),
            create_result("g", "CL_A", "often"),
            create_result("i", "CL_A", "bad", verdict="crashes", observed="signal SIGSEGV"),
        ],
        requirements,
    )
    assert [cause.text for cause in found] == ["bad", "often", "rare"]
