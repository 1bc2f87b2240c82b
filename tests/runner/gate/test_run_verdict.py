"""The table of verdicts: every combination of circumstances has a verdict, and none of them makes another milder."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import TYPE_CHECKING, get_args

import pytest
from click.testing import CliRunner

from clconform.calls import exit_codes
from clconform.calls.run_verdict import (
    COLORS,
    GREEN,
    JUNIT_OUTCOMES,
    PRECEDENCE,
    PRECEDENCE_TEXT,
    ROWS,
    Circumstance,
    decide_verdict,
    format_codes,
    format_rows,
)
from clconform.reports.result_verdict import CIRCUMSTANCES, KINDS, FoundDeviation, RunEvidence, judge_evidence
from clconform.reports.run_result import ENTRY_FINDINGS, GateKind
from clconform.reports.status_policy import DeviatingStatus
from clconform.runner.gate.policy import CODES
from clconform.tools.cli import cli
from tests.case_sampling import ALL

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

ROOT = Path(__file__).resolve().parents[3]
SIGNALS = tuple(name for name in ROWS if name.startswith("stopped-by-"))
BAD = tuple(name for name in ROWS if name != "as-expected")
ISSUED_ORDER = (3, 129, 130, 131, 138, 140, 142, 143, 152, 7, 11, 10, 13, 14, 9, 8, 12, 2, 6, 5, 0)
"""The exit codes in the order of precedence."""


def test_table_has_a_row_for_each_circumstance_and_each_exit_code() -> None:
    assert set(ROWS) == set(get_args(Circumstance))
    assert {row.code for row in ROWS.values()} == set(exit_codes.MEANINGS)
    assert PRECEDENCE == ISSUED_ORDER
    assert {row.color for row in ROWS.values()} == set(COLORS)
    assert {row.junit for row in ROWS.values()} == set(JUNIT_OUTCOMES)
    assert len({row.text for row in ROWS.values()}) == len(ROWS)


def test_only_the_expected_run_is_green_passed_and_has_exit_code_0() -> None:
    for name, row in ROWS.items():
        fine = (row.code == exit_codes.AS_EXPECTED, row.color == GREEN, row.junit == "passed")
        assert fine == (name == "as-expected",) * 3


def ranks(circumstances: list[Circumstance]) -> tuple[int, int, int]:
    """Return the ranks of a verdict's exit code, colour and JUnit outcome; higher ranks are worse."""
    code, color, junit = decide_verdict(circumstances)
    return -PRECEDENCE.index(code), COLORS.index(color), JUNIT_OUTCOMES.index(junit)


@pytest.mark.parametrize("stopped_by", SIGNALS if ALL else SIGNALS[:2])
def test_every_combination_has_a_verdict_and_further_circumstances_never_make_it_milder(
    stopped_by: Circumstance,
) -> None:
    names = [name for name in BAD if name not in SIGNALS or name == stopped_by]
    whole = [ranks([name for place, name in enumerate(names) if bits >> place & 1]) for bits in range(1 << len(names))]
    best = ranks([])
    assert best == ranks(["as-expected"]) == (-PRECEDENCE.index(0), 0, 0)
    for bits, found in enumerate(whole):
        assert bits == 0 or all(map(int.__gt__, found, best))
        for place in range(len(names)):
            more = whole[bits | 1 << place]
            assert found[0] <= more[0]
            assert found[1] <= more[1]
            assert found[2] <= more[2]


def test_signals_rank_above_all_but_internal_errors() -> None:
    for one, other in itertools.combinations(SIGNALS, 2):
        assert decide_verdict([other, one]) == decide_verdict([one])
        assert decide_verdict([one, other, *(set(BAD) - {"internal-error", *SIGNALS})]).code == ROWS[one].code


VERDICTS = get_args(DeviatingStatus)
FOUND = [FoundDeviation(verdict, kind) for verdict in VERDICTS for kind in (*KINDS, None) if kind not in ENTRY_FINDINGS]
HARMLESS = {FoundDeviation(verdict, "known") for verdict in VERDICTS if verdict != "unconfirmed"} | {
    FoundDeviation(verdict, None) for verdict in VERDICTS if verdict != "unconfirmed"
}
"""Deviations that are accepted; without a finding, only unconfirmed ones occur."""


def evidences() -> Iterator[RunEvidence]:
    """Yield evidence with up to two deviations, and each combination of all other facts."""
    deviations = [(), *((each,) for each in FOUND), *itertools.combinations(FOUND, 2)]
    entries: list[tuple[GateKind, ...]] = [(), *((kind,) for kind in ENTRY_FINDINGS)]
    for found, of_entries, has_file, covered, gaps in itertools.product(
        deviations[:: 1 if ALL else 7], entries, (False, True), (False, True), ((), ("it did not finish",))
    ):
        yield RunEvidence(found, of_entries, has_file, 3 * covered, 3 * covered, 4, covered, True, gaps)


def test_evidence_without_a_green_verdict_is_exactly_evidence_of_something_bad() -> None:
    for evidence in evidences():
        verdict = judge_evidence(evidence)
        bad = (
            bool(set(evidence.deviations) - HARMLESS)
            or any(kind in CIRCUMSTANCES for kind in evidence.entries)
            or bool(evidence.gaps)
            or not evidence.is_covered
        )
        fine = (verdict.exit_code == exit_codes.AS_EXPECTED, verdict.color == GREEN, verdict.junit == "passed")
        assert fine == (not bad,) * 3, evidence
        assert verdict.message.isprintable()
        assert verdict.message.endswith("(incomplete)") == bool(verdict.losses)
        assert verdict.headline
        assert all(loss in verdict.headline for loss in verdict.losses)


def test_nothing_selected_is_no_success() -> None:
    verdict = judge_evidence(RunEvidence(is_covered=False, selected=False))
    assert (verdict.exit_code, verdict.color, verdict.losses) == (exit_codes.NOTHING_SELECTED, "lightgrey", ())


FLAKY: Mapping[str, tuple[DeviatingStatus, GateKind]] = {
    "flaky crash": ("flaky", "flaky"),
    "flaky, new": ("flaky", "new"),
}


@pytest.mark.parametrize("name", FLAKY)
def test_flaky_deviation_beside_a_known_one_is_neither_green_nor_passed(name: str) -> None:
    known = FoundDeviation("deviates", "known")
    verdict = judge_evidence(RunEvidence((known, FoundDeviation(*FLAKY[name])), has_known_file=True))
    assert verdict[:3] == (exit_codes.FLAKY, "yellow", "failure")


def test_worse_and_new_deviations_come_before_stale_entries() -> None:
    for kind, verdict, code in (("worse", "crashes", 11), ("new", "deviates", 10), ("elsewhere", "hangs", 10)):
        evidence = RunEvidence((FoundDeviation(verdict, kind),), ("fixed",), has_known_file=True)
        judged = judge_evidence(evidence)
        assert judged.exit_code == code
        assert judged.message == f"1 {kind}, 1 fixed"
    assert CODES["fixed"] == exit_codes.OUT_OF_DATE


def test_lists_in_documents_and_help_are_those_of_the_table() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert "\n".join(format_codes()) in readme
    assert PRECEDENCE_TEXT in " ".join(readme.split())
    assert "\n".join(format_rows()) in (ROOT / "docs" / "gate.md").read_text(encoding="utf-8")
    for command in ("run", "merge", "gate", "validate"):
        told = " ".join(CliRunner().invoke(cli, [command, "--help"]).output.split())
        assert " ".join(PRECEDENCE_TEXT.split()) in told
        assert all(f"{code} {meaning}" in told for code, meaning in exit_codes.MEANINGS.items())
