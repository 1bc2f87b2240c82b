"""The result of a mutant, derived from its findings, and its report."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest

from clconform.calls import exit_codes
from clconform.oracles.engine.predicate_result import NO
from clconform.reports.measurement import MeasurementMonitor
from clconform.selftest.mutation import explanations
from clconform.selftest.mutation.explanations import MutantExplanation
from clconform.selftest.mutation.mutant_results import (
    EQUIVALENT,
    KILLED,
    SURVIVED,
    MutantResult,
    evaluate,
    make_report,
)
from clconform.selftest.mutation.mutants import DROPPED, NEGATED, Mutant
from clconform.selftest.mutation.mutation_trials import MutantFinding, ReplyPair
from clconform.spec_tables import load
from clconform.tools.dev.mutate import print_verdicts, read_earlier, select_conditions, write_report

from ...reports.schemas import validated  # noqa: TID252 (tests are not part of the installed package)

if TYPE_CHECKING:
    from pathlib import Path


def make_mutant(operator: str = DROPPED) -> Mutant:
    return Mutant("f/CL_X/1", operator, "module", "predicate", 7, 0, "", lambda *_: NO, lambda *_: NO)


def explain(monkeypatch: pytest.MonkeyPatch, *patterns: str) -> None:
    """Explain dropped predicates of the requirements that match these patterns."""
    monkeypatch.setattr(explanations, "read_explanations", lambda: (MutantExplanation("why", DROPPED, patterns),))


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
    explain(monkeypatch, "g/*", "f/*")
    assert evaluate(make_mutant(), MutantFinding(applied=True, reply_pairs={("must", "no")})).reason == "why"
    assert evaluate(make_mutant(), MutantFinding(applied=True, reply_pairs={("may", "no")})).status == EQUIVALENT
    assert evaluate(make_mutant(NEGATED), MutantFinding()).status == SURVIVED
    explain(monkeypatch, "g/*")
    assert evaluate(make_mutant(), MutantFinding()).status == SURVIVED


def test_explanation_of_killed_mutant_is_reported_as_refuted(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    explain(monkeypatch, "*")
    assert print_verdicts([evaluate(make_mutant(), MutantFinding(noticed="an item"))]) == exit_codes.DEVIATIONS
    assert "explained, but detected: dropped (module:7): an item\n    f/CL_X/1" in capsys.readouterr().out


def test_surviving_mutants_are_reported_with_line_and_exit_code(capsys: pytest.CaptureFixture[str]) -> None:
    rows = [MutantResult(make_mutant(), SURVIVED, "no call"), MutantResult(make_mutant(NEGATED), KILLED, "an item")]
    assert print_verdicts(rows) == exit_codes.DEVIATIONS
    said = capsys.readouterr().out
    assert "survived: dropped (module:7): no call\n    f/CL_X/1" in said
    assert print_verdicts(rows[1:]) == exit_codes.AS_EXPECTED


def test_written_report_has_a_header_and_is_read_back(tmp_path: Path) -> None:
    file = tmp_path / "mutants.json"
    rows = [MutantResult(make_mutant(), SURVIVED, "no call"), MutantResult(make_mutant(NEGATED), KILLED, "an item")]
    report = make_report(rows, MeasurementMonitor(["dev", "mutate"]).create_header())
    write_report(str(file), report)
    assert read_earlier(str(file)) == report
    written = msgspec.json.decode(validated(file.read_text(encoding="ascii"), "mutants"))
    assert written["header"]["command"] == "clconform dev mutate"
    assert [row["status"] for row in written["mutants"]] == [SURVIVED, KILLED]


def test_requirement_patterns_apply_to_all_sections() -> None:
    """Samplers (5.7) are not in the sections that are tried by default."""
    samplers = {clause.section.number[:3] for clause in select_conditions((), ("clCreateSampler/*",), load())}
    assert samplers == {"5.7"}
    assert not [clause for clause in select_conditions((), (), load()) if clause.function == "clCreateSampler"]
    assert not select_conditions(("5.2",), ("clCreateSampler/*",), load())
    buffers = select_conditions(("5.2",), ("clCreateBuffer/*",), load())
    assert {clause.function for clause in buffers} == {"clCreateBuffer"}
