"""Deviations from several conditions in one call, and deviations with a common cause."""

from __future__ import annotations

import pytest

from clconform.calls.deviation_keys import build_key
from clconform.calls.journal import Deviation
from clconform.reports.deviation_causes import drop_explained, group_causes
from clconform.reports.run_result import DeviatingStatus, DeviationResult
from clconform.spec_tables.requirements import Condition, ErrorCondition, Section

A, B = "f/CL_A/1", "f/CL_B/1"


def deviation(*records: str, verdict: str = "deviates", observed: str = "CL_SUCCESS") -> Deviation:
    key = build_key("f", records, observed)
    return Deviation(
        item="i",
        key=key,
        records=list(records),
        verdict=verdict,
        confidence="literal",
        allowed=[],
        observed=observed,
        conditions={},
        sequence=[],
    )


CASES = {
    "nothing alone": ([], deviation(A, B), True),
    "success, one alone": ([deviation(A)], deviation(A, B), True),
    "success, both alone": ([deviation(A), deviation(B, observed="CL_C")], deviation(A, B), False),
    "a code that one meets alone": ([deviation(B, observed="CL_C")], deviation(A, B, observed="CL_C"), False),
    "a code that none meets alone": ([deviation(B, observed="CL_D")], deviation(A, B, observed="CL_C"), True),
    "a crash that one meets alone": (
        [deviation(A, verdict="crashes", observed="SIGABRT")],
        deviation(A, B, verdict="crashes", observed="SIGSEGV"),
        False,
    ),
    "a crash where one deviates alone": ([deviation(A)], deviation(A, B, verdict="crashes", observed="SIGSEGV"), True),
}


@pytest.mark.parametrize("name", CASES)
def test_a_group_is_told_where_no_clause_explains_it_alone(name: str) -> None:
    alone, group, told = CASES[name]
    assert drop_explained([*alone, group]) == ([*alone, group] if told else alone)


def result(
    function: str, code: str, words: str, *, verdict: DeviatingStatus = "deviates", observed: str = "CL_SUCCESS"
) -> DeviationResult:
    record = f"{function}/{code}/1"
    key = build_key(function, [record], observed)
    return DeviationResult(
        id=key, key=key, function=function, records=[record], verdict=verdict, confidence="literal", allowed=[code],
        observed=observed, conditions={record: words}, sequence=[],
        minimised=True, repeated=2, attempts=2, full_history=False,
        item="i", items=1, seen=1,
    )  # fmt: skip


def clause(function: str, code: str, *parameters: str) -> ErrorCondition:
    return ErrorCondition(
        f"{function}/{code}/1", "d", Section("1", "t"), "x", function=function, code=code,
        condition=Condition("context-mismatch", parameters),
    )  # fmt: skip


def test_one_condition_with_one_answer_is_one_cause_whatever_its_parameters_are_called() -> None:
    records = {
        each.id: each
        for each in (clause("f", "CL_A", "queue", "buffer"), clause("g", "CL_A", "queue", "image"), clause("h", "CL_A"))
    }
    found = group_causes(
        [
            result("f", "CL_A", "queue and buffer are of two contexts"),
            result("g", "CL_A", "queue and image are of two contexts"),
            result("g", "CL_A", "queue and image are of two contexts", observed="CL_B"),
            result("h", "CL_A", "something else"),
        ],
        records,
    )
    assert [(cause.text, cause.functions) for cause in found] == [
        ("… are of two contexts", ["f", "g"]),
        ("queue and image are of two contexts", ["g"]),
        ("something else", ["h"]),
    ]


def test_what_a_success_must_bring_about_is_a_cause_of_each_function() -> None:
    found = group_causes([result("f", "success", "it is done"), result("g", "success", "it is done")], {})
    assert [cause.functions for cause in found] == [["f"], ["g"]]


def test_the_worst_cause_stands_first_then_the_widest() -> None:
    records = {
        each.id: each for each in (clause("f", "CL_A"), clause("g", "CL_A"), clause("h", "CL_A"), clause("i", "CL_A"))
    }
    found = group_causes(
        [
            result("h", "CL_A", "rare"),
            result("f", "CL_A", "often"),
            result("g", "CL_A", "often"),
            result("i", "CL_A", "bad", verdict="crashes", observed="signal SIGSEGV"),
        ],
        records,
    )
    assert [cause.text for cause in found] == ["bad", "often", "rare"]
