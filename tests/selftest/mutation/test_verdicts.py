"""The result of a mutant, derived from its findings, and its report."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from clconform.runner.gate import exit_codes
from clconform.selftest.mutation import explained as explaining
from clconform.selftest.mutation.explanations import Explanation
from clconform.selftest.mutation.mutants import DROPPED, NEGATED, Mutant
from clconform.selftest.mutation.operators import JUNCTION
from clconform.selftest.mutation.trials import Finding, Turn
from clconform.selftest.mutation.verdicts import (
    EQUIVALENT,
    EXPLANATION,
    KILLED,
    SURVIVED,
    Verdict,
    verdict_of,
    verdicts_of,
)
from clconform.spec_tables import load
from clconform.tools.mutating import chosen_of, told

if TYPE_CHECKING:
    from pathlib import Path


def mutant(operator: str = DROPPED, change: str = "") -> Mutant:
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
def test_the_same_by_a_rule_is_what_no_right_answer_can_tell_apart(turns: set[Turn], status: str) -> None:
    assert verdict_of(mutant(), Finding(applied=True, turns=turns)).status == status


def test_what_a_run_noticed_is_killed_whatever_the_turns() -> None:
    found = verdict_of(mutant(), Finding(applied=True, turns={("may", "no")}, noticed="item: why"))
    assert (found.status, found.why) == (KILLED, "item: why")


def test_an_explanation_is_for_the_mutants_of_its_kind_and_records(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(explaining, "EXPLAINED", (Explanation("why", DROPPED, "g/* f/*"),))
    assert verdict_of(mutant(), Finding(applied=True, turns={("must", "no")})).why == "why"
    assert verdict_of(mutant(), Finding(applied=True, turns={("may", "no")})).status == EQUIVALENT
    assert verdict_of(mutant(NEGATED), Finding()).status == SURVIVED
    monkeypatch.setattr(explaining, "EXPLAINED", (Explanation("why", DROPPED, "g/*"),))
    assert verdict_of(mutant(), Finding()).status == SURVIVED


def test_an_explanation_is_kept_where_its_words_have_changed_and_the_new_ones_are_told(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(
        explaining, "EXPLAINED", (Explanation("why", JUNCTION, "f/*", ("helper: a is None or b < 1",)),)
    )
    reworded = mutant(JUNCTION, "thing is None or thing.life < 1 -> thing is None and thing.life < 1")
    (verdict,) = verdicts_of({reworded: Finding()})
    assert (verdict.status, verdict.why, verdict.worded) == (EXPLANATION, "why", "helper: a is None or b < 1")
    assert told([verdict], "") == exit_codes.AS_EXPECTED
    assert "explained differently: predicate: thing is None or thing.life < 1" in capsys.readouterr().out
    (killed,) = verdicts_of({reworded: Finding(noticed="an item")})
    assert told([killed], "") == exit_codes.AS_EXPECTED


def test_an_explanation_of_what_a_run_notices_is_not_true(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(explaining, "EXPLAINED", (Explanation("why", DROPPED, "*"),))
    assert told([verdict_of(mutant(), Finding(noticed="an item"))], "") == exit_codes.DEVIATIONS
    assert "explained, but detected: dropped (module:7): an item\n    f/CL_X/1" in capsys.readouterr().out


def test_survivors_are_named_with_their_line_and_set_the_exit_code(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "mutants.json"
    rows = [Verdict(mutant(), SURVIVED, "no call"), Verdict(mutant(NEGATED), KILLED, "an item")]
    assert told(rows, str(file)) == exit_codes.DEVIATIONS
    said = capsys.readouterr().out
    assert "survived: dropped (module:7): no call\n    f/CL_X/1" in said
    assert [row["status"] for row in json.loads(file.read_text())["mutants"]] == [SURVIVED, KILLED]
    assert told(rows[1:], "") == exit_codes.AS_EXPECTED


def test_records_alone_are_looked_for_in_all_sections() -> None:
    """Samplers (5.7) are not in the sections that are tried by default."""
    samplers = {clause.section.number[:3] for clause in chosen_of((), ("clCreateSampler/*",), load())}
    assert samplers == {"5.7"}
    assert not [clause for clause in chosen_of((), (), load()) if clause.function == "clCreateSampler"]
    assert not chosen_of(("5.2",), ("clCreateSampler/*",), load())
    buffers = chosen_of(("5.2",), ("clCreateBuffer/*",), load())
    assert {clause.function for clause in buffers} == {"clCreateBuffer"}
