"""The result of a mutant, derived from its findings, and its report."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from clconform.runner.gate import exit_codes
from clconform.selftest.mutation import equivalent_mutants as explaining
from clconform.selftest.mutation.explanations import MutantExplanation
from clconform.selftest.mutation.mutant_results import (
    EQUIVALENT,
    EXPLANATION,
    KILLED,
    SURVIVED,
    MutantResult,
    evaluate,
    evaluate_all,
)
from clconform.selftest.mutation.mutants import DROPPED, NEGATED, Mutant
from clconform.selftest.mutation.mutation_operators import JUNCTION
from clconform.selftest.mutation.mutation_trials import MutantFinding, ReplyPair
from clconform.spec_tables import load
from clconform.tools.mutate import print_verdicts, select_conditions

if TYPE_CHECKING:
    from pathlib import Path


def make_mutant(operator: str = DROPPED, change: str = "") -> Mutant:
    return Mutant("f/CL_X/1", operator, "module", "predicate", 7, change, lambda *_: False, lambda *_: False)


@pytest.mark.parametrize(
    ("turns", "status"),
    [
        (set(), SURVIVED),
        ({("must", "no")}, SURVIVED),
        ({("no", "may"), ("must", "no")}, SURVIVED),
        ({("may", "no")}, EQUIVALENT),
        ({("no", "may"), ("may", "no")}, EQUIVALENT),
        ({("must", "may"), ("no", "may")}, EQUIVALENT),
    ],
)
def test_mutant_is_equivalent_only_if_every_changed_decision_is_from_or_to_may(
    turns: set[ReplyPair], status: str
) -> None:
    assert evaluate(make_mutant(), MutantFinding(applied=True, reply_pairs=turns)).status == status


def test_detected_mutant_counts_as_killed_for_any_replies() -> None:
    found = evaluate(make_mutant(), MutantFinding(applied=True, reply_pairs={("may", "no")}, noticed="item: why"))
    assert (found.status, found.reason) == (KILLED, "item: why")


def test_explanation_covers_only_its_operator_and_requirements(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(explaining, "EXPLAINED", (MutantExplanation("why", DROPPED, "g/* f/*"),))
    assert evaluate(make_mutant(), MutantFinding(applied=True, reply_pairs={("must", "no")})).reason == "why"
    assert evaluate(make_mutant(), MutantFinding(applied=True, reply_pairs={("may", "no")})).status == EQUIVALENT
    assert evaluate(make_mutant(NEGATED), MutantFinding()).status == SURVIVED
    monkeypatch.setattr(explaining, "EXPLAINED", (MutantExplanation("why", DROPPED, "g/*"),))
    assert evaluate(make_mutant(), MutantFinding()).status == SURVIVED


def test_explanation_with_outdated_text_applies_and_is_reported(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(
        explaining, "EXPLAINED", (MutantExplanation("why", JUNCTION, "f/*", ("helper: a is None or b < 1",)),)
    )
    reworded = make_mutant(JUNCTION, "thing is None or thing.life < 1 -> thing is None and thing.life < 1")
    (verdict,) = evaluate_all({reworded: MutantFinding()})
    assert (verdict.status, verdict.reason, verdict.explained_change) == (
        EXPLANATION,
        "why",
        "helper: a is None or b < 1",
    )
    assert print_verdicts([verdict], "") == exit_codes.AS_EXPECTED
    assert "explained differently: predicate: thing is None or thing.life < 1" in capsys.readouterr().out
    (killed,) = evaluate_all({reworded: MutantFinding(noticed="an item")})
    assert print_verdicts([killed], "") == exit_codes.AS_EXPECTED


def test_explanation_of_killed_mutant_is_reported_as_refuted(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(explaining, "EXPLAINED", (MutantExplanation("why", DROPPED, "*"),))
    assert print_verdicts([evaluate(make_mutant(), MutantFinding(noticed="an item"))], "") == exit_codes.DEVIATIONS
    assert "explained, but detected: dropped (module:7): an item\n    f/CL_X/1" in capsys.readouterr().out


def test_surviving_mutants_are_reported_with_line_and_exit_code(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "mutants.json"
    rows = [MutantResult(make_mutant(), SURVIVED, "no call"), MutantResult(make_mutant(NEGATED), KILLED, "an item")]
    assert print_verdicts(rows, str(file)) == exit_codes.DEVIATIONS
    said = capsys.readouterr().out
    assert "survived: dropped (module:7): no call\n    f/CL_X/1" in said
    assert [row["status"] for row in json.loads(file.read_text())["mutants"]] == [SURVIVED, KILLED]
    assert print_verdicts(rows[1:], "") == exit_codes.AS_EXPECTED


def test_requirement_patterns_apply_to_all_sections() -> None:
    """Samplers (5.7) are not in the sections that are tried by default."""
    samplers = {clause.section.number[:3] for clause in select_conditions((), ("clCreateSampler/*",), load())}
    assert samplers == {"5.7"}
    assert not [clause for clause in select_conditions((), (), load()) if clause.function == "clCreateSampler"]
    assert not select_conditions(("5.2",), ("clCreateSampler/*",), load())
    buffers = select_conditions(("5.2",), ("clCreateBuffer/*",), load())
    assert {clause.function for clause in buffers} == {"clCreateBuffer"}
