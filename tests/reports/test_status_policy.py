"""The status of a requirement depends on its evidence, its deviations, and the reasons for missing coverage."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from clconform.reports.status_policy import (
    DEVIATING_STATUSES,
    FUNCTION_FAILED,
    INCONCLUSIVE,
    NOT_TESTED,
    STATUSES,
    WEAK_ONLY,
    ConfirmedDeviation,
    DeviationShare,
    StatusReason,
    evaluate_deviations,
    requirement_status,
)

GROUP = "as a group: other error conditions held in the same call"


@pytest.mark.parametrize(
    ("evidence", "expected"),
    [
        ({}, StatusReason("not-covered", NOT_TESTED)),
        ({"conforms": 0}, StatusReason("not-covered", NOT_TESTED)),
        ({"weak": 9}, StatusReason("not-covered", WEAK_ONLY)),
        ({"refused": 9}, StatusReason("not-covered", FUNCTION_FAILED)),
        ({"refused": 9, "conforms": 1}, StatusReason("conforms")),
        ({"inconclusive": 1}, StatusReason("inconclusive", INCONCLUSIVE)),
        ({"inconclusive": 1, "weak": 9}, StatusReason("inconclusive", INCONCLUSIVE)),
        ({"conforms": 1}, StatusReason("conforms")),
        ({"conforms": 1, "weak": 3, "inconclusive": 2}, StatusReason("conforms")),
        ({"conforms": 8, "deviates": 1}, StatusReason("deviates")),
        ({"conforms": 8, "deviates": 1, "hangs": 1}, StatusReason("hangs")),
        ({"conforms": 8, "deviates": 1, "hangs": 1, "crashes": 1}, StatusReason("crashes")),
    ],
)
def test_worst_evidence_determines_status_without_deviations(evidence: dict[str, int], expected: StatusReason) -> None:
    assert requirement_status(evidence) == expected


@pytest.mark.parametrize(
    ("blames", "expected"),
    [
        ([DeviationShare("deviates")], StatusReason("deviates")),
        ([DeviationShare("deviates"), DeviationShare("crashes")], StatusReason("crashes")),
        ([DeviationShare("hangs"), DeviationShare("deviates")], StatusReason("hangs")),
        ([DeviationShare("flaky")], StatusReason("flaky", "not reproduced in a new worker process")),
        ([DeviationShare("flaky"), DeviationShare("deviates")], StatusReason("deviates")),
        ([DeviationShare("crashes", group=True)], StatusReason("crashes", GROUP)),
        ([DeviationShare("crashes", group=True), DeviationShare("crashes")], StatusReason("crashes")),
        ([], StatusReason("conforms")),
    ],
)
def test_confirmed_deviations_take_precedence_over_conforming_evidence(
    blames: list[DeviationShare], expected: StatusReason
) -> None:
    assert requirement_status({"conforms": 4}, blames) == expected


def test_evidence_counts_of_explained_or_flaky_deviation_are_ignored() -> None:
    assert requirement_status({"conforms": 4, "crashes": 2}, [], has_journalled_deviation=True).status == "conforms"
    assert (
        requirement_status(
            {"conforms": 4, "deviates": 2}, [DeviationShare("flaky")], has_journalled_deviation=True
        ).status
        == "flaky"
    )


@pytest.mark.parametrize(
    ("evidence", "kept", "expected"),
    [
        ({}, {"not_applicable": "g"}, StatusReason("not-applicable", "g")),
        ({}, {"untestable": "u"}, StatusReason("untestable", "u")),
        ({}, {"not_run": "n"}, StatusReason("not-run", "n")),
        ({}, {"untested_reason": "s"}, StatusReason("not-covered", "s")),
        ({"refused": 1}, {"untested_reason": "s"}, StatusReason("not-covered", FUNCTION_FAILED)),
        ({}, {"not_applicable": "g", "untestable": "u", "not_run": "n"}, StatusReason("not-applicable", "g")),
        ({}, {"untestable": "u", "not_run": "n"}, StatusReason("untestable", "u")),
        ({"conforms": 1}, {"not_run": "n"}, StatusReason("conforms")),
        ({"weak": 1}, {"not_run": "n"}, StatusReason("not-covered", WEAK_ONLY)),
        ({"conforms": 1}, {"not_applicable": "g"}, StatusReason("not-applicable", "g")),
        ({"crashes": 1}, {"not_applicable": "g"}, StatusReason("crashes", "although not applicable: g")),
        ({"deviates": 1}, {"untestable": "u"}, StatusReason("deviates", "although untestable: u")),
    ],
)
def test_reason_for_missing_coverage_determines_status_without_evidence(
    evidence: dict[str, int], kept: dict[str, Any], expected: StatusReason
) -> None:
    assert requirement_status(evidence, **kept) == expected


def test_every_combination_of_evidence_has_a_status_and_reason() -> None:
    kinds = ["conforms", "weak", "deviates", "crashes", "hangs", "inconclusive"]
    for chosen in itertools.product([0, 1], repeat=len(kinds)):
        evidence = dict(zip(kinds, chosen, strict=True))
        for gate, untestable, not_run in itertools.product(["", "x"], repeat=3):
            verdict = requirement_status(evidence, not_applicable=gate, untestable=untestable, not_run=not_run)
            assert verdict.status in STATUSES
            assert verdict.reason or verdict.status in {"conforms", *DEVIATING_STATUSES}
            if verdict.status == "conforms":
                assert evidence["conforms"]


def _evaluate(*deviations: tuple[str, str], further_requirements: str = "") -> dict[str, list[tuple[str, bool]]]:
    further = tuple(further_requirements.split())
    blames = evaluate_deviations(
        ConfirmedDeviation(tuple(requirements.split()), verdict, further) for requirements, verdict in deviations
    )
    return {
        requirement: [(deviation.verdict, deviation.group) for deviation in taken]
        for requirement, taken in blames.items()
    }


def test_single_deviation_of_a_requirement_replaces_joint_deviations() -> None:
    assert _evaluate() == {}
    assert _evaluate(("a", "deviates")) == {"a": [("deviates", False)]}
    assert _evaluate(("a b", "deviates")) == {"a": [("deviates", True)], "b": [("deviates", True)]}
    assert _evaluate(("a b", "deviates"), ("a", "deviates")) == {"a": [("deviates", False)]}
    assert _evaluate(("a b", "deviates"), ("a", "crashes")) == {"a": [("crashes", False)]}
    assert _evaluate(("a b", "flaky"), ("a", "deviates")) == {"a": [("deviates", False)]}


def test_flaky_or_milder_deviation_does_not_explain_a_joint_deviation() -> None:
    both = _evaluate(("a b", "deviates"), ("a", "flaky"))
    assert both == {"a": [("flaky", False), ("deviates", True)], "b": [("deviates", True)]}
    both = _evaluate(("a b", "crashes"), ("a", "deviates"))
    assert both == {"a": [("deviates", False), ("crashes", True)], "b": [("crashes", True)]}


def test_deviation_is_also_attributed_to_further_violated_requirements() -> None:
    assert _evaluate(("a", "flaky"), further_requirements="c") == {"a": [("flaky", False)], "c": [("flaky", False)]}
    both = _evaluate(("a b", "deviates"), further_requirements="c")
    assert both == {"a": [("deviates", True)], "b": [("deviates", True)], "c": [("deviates", True)]}
    explained = _evaluate(("a b", "deviates"), ("a", "deviates"), further_requirements="c")
    assert explained == {"a": [("deviates", False)], "c": [("deviates", False)]}
