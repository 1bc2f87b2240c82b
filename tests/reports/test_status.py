"""The status of a record, as a table."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from clconform.reports.status import (
    BAD,
    INCONCLUSIVE,
    NO_CALL,
    REFUSED,
    STATUSES,
    WEAK_ONLY,
    Blame,
    Blamed,
    Verdict,
    settle,
    status_of,
)

GROUP = "as a group: other error conditions held in the same call"


@pytest.mark.parametrize(
    ("evidence", "expected"),
    [
        ({}, Verdict("not-provoked", NO_CALL)),
        ({"conforms": 0}, Verdict("not-provoked", NO_CALL)),
        ({"weak": 9}, Verdict("not-provoked", WEAK_ONLY)),
        ({"refused": 9}, Verdict("not-provoked", REFUSED)),
        ({"refused": 9, "conforms": 1}, Verdict("conforms")),
        ({"inconclusive": 1}, Verdict("inconclusive", INCONCLUSIVE)),
        ({"inconclusive": 1, "weak": 9}, Verdict("inconclusive", INCONCLUSIVE)),
        ({"conforms": 1}, Verdict("conforms")),
        ({"conforms": 1, "weak": 3, "inconclusive": 2}, Verdict("conforms")),
        ({"conforms": 8, "deviates": 1}, Verdict("deviates")),
        ({"conforms": 8, "deviates": 1, "hangs": 1}, Verdict("hangs")),
        ({"conforms": 8, "deviates": 1, "hangs": 1, "crashes": 1}, Verdict("crashes")),
    ],
)
def test_evidence_alone(evidence: dict[str, int], expected: Verdict) -> None:
    assert status_of(evidence) == expected


@pytest.mark.parametrize(
    ("blames", "expected"),
    [
        ([Blame("deviates")], Verdict("deviates")),
        ([Blame("deviates"), Blame("crashes")], Verdict("crashes")),
        ([Blame("hangs"), Blame("deviates")], Verdict("hangs")),
        ([Blame("flaky")], Verdict("flaky", "not reproduced in a new worker process")),
        ([Blame("flaky"), Blame("deviates")], Verdict("deviates")),
        ([Blame("crashes", group=True)], Verdict("crashes", GROUP)),
        ([Blame("crashes", group=True), Blame("crashes")], Verdict("crashes")),
        ([], Verdict("conforms")),
    ],
)
def test_blame_outweighs_evidence(blames: list[Blame], expected: Verdict) -> None:
    assert status_of({"conforms": 4}, blames) == expected


def test_counts_of_an_explained_or_flaky_deviation_say_nothing() -> None:
    assert status_of({"conforms": 4, "crashes": 2}, [], blamed_before=True).status == "conforms"
    assert status_of({"conforms": 4, "deviates": 2}, [Blame("flaky")], blamed_before=True).status == "flaky"


@pytest.mark.parametrize(
    ("evidence", "kept", "expected"),
    [
        ({}, {"gate": "g"}, Verdict("not-applicable", "g")),
        ({}, {"untestable": "u"}, Verdict("untestable", "u")),
        ({}, {"not_run": "n"}, Verdict("not-run", "n")),
        ({}, {"untried": "s"}, Verdict("not-provoked", "s")),
        ({"refused": 1}, {"untried": "s"}, Verdict("not-provoked", REFUSED)),
        ({}, {"gate": "g", "untestable": "u", "not_run": "n"}, Verdict("not-applicable", "g")),
        ({}, {"untestable": "u", "not_run": "n"}, Verdict("untestable", "u")),
        ({"conforms": 1}, {"not_run": "n"}, Verdict("conforms")),
        ({"weak": 1}, {"not_run": "n"}, Verdict("not-provoked", WEAK_ONLY)),
        ({"conforms": 1}, {"gate": "g"}, Verdict("not-applicable", "g")),
        ({"crashes": 1}, {"gate": "g"}, Verdict("crashes", "although not applicable: g")),
        ({"deviates": 1}, {"untestable": "u"}, Verdict("deviates", "although untestable: u")),
    ],
)
def test_what_kept_a_record_from_being_asked(evidence: dict[str, int], kept: dict[str, Any], expected: Verdict) -> None:
    assert status_of(evidence, **kept) == expected


def test_it_is_total_and_ordered() -> None:
    kinds = ["conforms", "weak", "deviates", "crashes", "hangs", "inconclusive"]
    for chosen in itertools.product([0, 1], repeat=len(kinds)):
        evidence = dict(zip(kinds, chosen, strict=True))
        for gate, untestable, not_run in itertools.product(["", "x"], repeat=3):
            verdict = status_of(evidence, gate=gate, untestable=untestable, not_run=not_run)
            assert verdict.status in STATUSES
            assert verdict.reason or verdict.status in {"conforms", *BAD}
            if verdict.status == "conforms":
                assert evidence["conforms"]


def _settled(*deviations: tuple[str, str], also: str = "") -> dict[str, list[tuple[str, bool]]]:
    further = tuple(also.split())
    blames = settle(Blamed(tuple(records.split()), verdict, further) for records, verdict in deviations)
    return {record: [(blame.verdict, blame.group) for blame in taken] for record, taken in blames.items()}


def test_settling_as_a_table() -> None:
    assert _settled() == {}
    assert _settled(("a", "deviates")) == {"a": [("deviates", False)]}
    assert _settled(("a b", "deviates")) == {"a": [("deviates", True)], "b": [("deviates", True)]}
    assert _settled(("a b", "deviates"), ("a", "deviates")) == {"a": [("deviates", False)]}
    assert _settled(("a b", "deviates"), ("a", "crashes")) == {"a": [("crashes", False)]}
    assert _settled(("a b", "flaky"), ("a", "deviates")) == {"a": [("deviates", False)]}


def test_what_is_flaky_or_milder_alone_explains_no_group() -> None:
    both = _settled(("a b", "deviates"), ("a", "flaky"))
    assert both == {"a": [("flaky", False), ("deviates", True)], "b": [("deviates", True)]}
    both = _settled(("a b", "crashes"), ("a", "deviates"))
    assert both == {"a": [("deviates", False), ("crashes", True)], "b": [("crashes", True)]}


def test_further_records_share_what_is_not_explained() -> None:
    assert _settled(("a", "flaky"), also="c") == {"a": [("flaky", False)], "c": [("flaky", False)]}
    both = _settled(("a b", "deviates"), also="c")
    assert both == {"a": [("deviates", True)], "b": [("deviates", True)], "c": [("deviates", True)]}
    explained = _settled(("a b", "deviates"), ("a", "deviates"), also="c")
    assert explained == {"a": [("deviates", False)], "c": [("deviates", False)]}
