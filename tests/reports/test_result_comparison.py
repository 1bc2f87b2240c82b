"""Comparison of two results: regressions, fixes, and differences caused by different selections."""

from __future__ import annotations

import io
import json
from typing import TYPE_CHECKING

import msgspec
import pytest
from click.testing import CliRunner
from rich.console import Console

from clconform.calls import exit_codes
from clconform.calls.journal import (
    MAX_DEVIATION_TEST_VALUES,
    Confirmation,
    Deviation,
    FirstObservation,
    ItemEnd,
    RunHeader,
    Selection,
)
from clconform.oracles.engine.symptoms import process_ended
from clconform.reports.call_formatting import PROCESS_END_TEXTS
from clconform.reports.comparison_text import comparison_as_markdown, print_comparison
from clconform.reports.journal_reader import parse_journal
from clconform.reports.json_documents import encode_document
from clconform.reports.known_deviations import CRASH_SYMPTOMS
from clconform.reports.result_builder import assemble_result
from clconform.reports.result_comparison import KINDS, compare_results, comparison_verdict, kind_of_change
from clconform.reports.status_policy import STATUSES
from clconform.tools.cli import cli

from . import fabricated_journals, schemas
from .fabricated_journals import conforming_lines, journal_lines
from .rendered_markdown import parse_markdown

if TYPE_CHECKING:
    from pathlib import Path

    from clconform.calls.line_kinds import JournalLine
    from clconform.reports.result_comparison import ResultComparison
    from clconform.reports.run_result import RunResult

CHANGE_KINDS = [
    ("conforms", "deviates", "regression"),
    ("conforms", "crashes", "regression"),
    ("conforms", "hangs", "regression"),
    ("inconclusive", "deviates", "regression"),
    ("flaky", "deviates", "regression"),
    ("deviates", "hangs", "regression"),
    ("deviates", "crashes", "regression"),
    ("hangs", "crashes", "regression"),
    ("crashes", "conforms", "fix"),
    ("hangs", "conforms", "fix"),
    ("deviates", "conforms", "fix"),
    ("crashes", "deviates", "changed"),
    ("deviates", "flaky", "changed"),
    ("deviates", "inconclusive", "changed"),
    ("conforms", "flaky", "changed"),
    ("flaky", "conforms", "changed"),
    ("inconclusive", "conforms", "changed"),
    ("not-run", "crashes", "selection"),
    ("crashes", "not-run", "selection"),
    ("conforms", "not-covered", "selection"),
    ("not-covered", "deviates", "selection"),
    ("not-run", "not-covered", "selection"),
    ("not-applicable", "deviates", "scope"),
    ("conforms", "not-applicable", "scope"),
    ("not-run", "not-applicable", "scope"),
    ("untestable", "conforms", "scope"),
]


def create_result(lines: list[JournalLine], tables: fabricated_journals.FakeTables | None = None) -> RunResult:
    return assemble_result(
        parse_journal(fabricated_journals.encode_journal(lines), "j"), tables or fabricated_journals.create_tables()
    )


@pytest.mark.parametrize(("old", "new", "kind"), CHANGE_KINDS)
def test_change_of_status_has_expected_kind(old: str, new: str, kind: str) -> None:
    assert kind_of_change(old, new) == kind


def test_every_pair_of_different_statuses_has_a_kind_of_change() -> None:
    kinds = {(old, new): kind_of_change(old, new) for old in STATUSES for new in STATUSES}
    assert {kind for (old, new), kind in kinds.items() if old == new} == {None}
    assert {kind for (old, new), kind in kinds.items() if old != new} == set(KINDS) - {"new", "gone", "further-tests"}
    turned = {"regression": {"fix", "changed"}, "fix": {"regression"}}
    for (old, new), kind in kinds.items():
        if kind in turned:
            assert kinds[new, old] in turned[str(kind)], (old, new)


def test_reversed_comparison_turns_regressions_into_fixes() -> None:
    there, back = (
        compare_results(create_result(old), create_result(new))
        for old, new in (
            (conforming_lines(), journal_lines()),
            (journal_lines(), conforming_lines()),
        )
    )
    worse = {change.id: (change.old, change.new) for change in there.of_kind("regression")}
    assert worse == {
        fabricated_journals.CRASHED: ("conforms", "deviates"),
        "clCreateSubDevices/CL_INVALID_VALUE/1": ("conforms", "crashes"),
        "clCreateSubDevices/CL_DEVICE_PARTITION_FAILED/1": ("conforms", "crashes"),
    }
    assert {change.id for change in back.of_kind("fix")} == set(worse)
    assert not back.of_kind("regression")
    (change,) = [change for change in there.of_kind("regression") if change.id == fabricated_journals.CRASHED]
    assert (change.new_observed, change.new_deviations) == (["CL_SUCCESS"], ["577c2a37"])


def test_requirement_not_run_in_one_result_has_change_kind_selection() -> None:
    nothing = [line for line in journal_lines()[:3] if not isinstance(line, Selection)]
    every = dict.fromkeys(fabricated_journals.create_tables().requirements, "deselected")
    old, new = (
        create_result([*nothing, Selection(0, every), journal_lines()[-1]]),
        create_result(journal_lines()),
    )
    for comparison in (compare_results(old, new), compare_results(new, old)):
        assert comparison.counts["selection"] >= 6
        assert {kind for kind, count in comparison.counts.items() if count} == {"selection"}


def test_added_and_removed_requirements_are_listed() -> None:
    _, more = fabricated_journals.create_large_journal(3)
    wider, whole = (
        create_result(journal_lines(), more),
        create_result(journal_lines()),
    )
    names = {requirement.id for requirement in wider.requirements} - {
        requirement.id for requirement in whole.requirements
    }
    assert {change.id for change in compare_results(whole, wider).of_kind("new")} == names
    assert {change.id for change in compare_results(wider, whole).of_kind("gone")} == names


def test_different_deviation_of_a_requirement_is_a_changed_observation() -> None:
    other = []
    for line in journal_lines():
        if isinstance(line, Deviation) and line.requirements == [fabricated_journals.CRASHED]:
            other.append(msgspec.structs.replace(line, key=f"{line.key}-2", observed="CL_INVALID_DEVICE"))
        else:
            other.append(line)
    (change,) = compare_results(create_result(journal_lines()), create_result(other)).of_kind("changed")
    assert (change.id, change.old_observed, change.new_observed) == (
        fabricated_journals.CRASHED,
        ["CL_SUCCESS"],
        ["CL_INVALID_DEVICE"],
    )


def test_deviation_in_more_tests_is_a_regression() -> None:
    old = create_result(journal_lines())
    wrong = next(each for each in old.deviations if each.verdict == "deviates")
    wider = msgspec.structs.replace(wrong, tests=[*wrong.tests, "x.y::test_x[another]"])
    new = msgspec.structs.replace(old, deviations=[wider if each is wrong else each for each in old.deviations])
    (change,) = compare_results(old, new).of_kind("regression")
    assert (change.id, change.old, change.new) == (wrong.requirements[0], "deviates", "deviates")
    assert change.new_tests == ["x.y::test_x[another]"]
    assert compare_results(new, old).requirements == []
    for another in ({"tier": "smoke"}, {"planned": old.run.planned + 1}, {"interrupted": True}):
        other = msgspec.structs.replace(old, run=msgspec.structs.replace(old.run, **another))
        assert compare_results(other, new).of_kind("regression") == [], "they did not run the same tests"
    for text in (comparison_output(compare_results(old, new)), comparison_as_markdown(compare_results(old, new))):
        assert "x.y::test_x[another]" in text


def replace_values(result: RunResult, deviating: list[str], used: list[str]) -> RunResult:
    """Return a result whose repeatable deviation has these test values, with those used for its requirement."""
    wrong = next(each for each in result.deviations if each.verdict == "deviates")
    deviations = [
        msgspec.structs.replace(each, test_values=deviating) if each is wrong else each for each in result.deviations
    ]
    requirements = [
        msgspec.structs.replace(each, test_values=used) if each.id == wrong.requirements[0] else each
        for each in result.requirements
    ]
    return msgspec.structs.replace(result, deviations=deviations, requirements=requirements)


@pytest.mark.parametrize(
    ("before", "used", "now", "new_values"),
    [
        (["a"], ["a", "b"], ["a", "b"], ["b"]),
        (["a", "b"], ["a", "b"], ["a"], []),
        (["a"], ["a"], ["a", "b"], []),
        ([], ["a", "b"], ["a", "b"], []),
        (["a"], ["a", "b"], [], []),
        ([str(number) for number in range(MAX_DEVIATION_TEST_VALUES)], ["b"], ["b"], []),
        (["CL_DEVICE_NAME: size"], ["size"], ["CL_DEVICE_NAME: size", f"{fabricated_journals.CRASHED}: size"], 1),
        (["CL_DEVICE_NAME: size"], ["size"], ["CL_DEVICE_NAME: size", "CL_DEVICE_VERSION: size"], []),
    ],
)
def test_deviation_at_another_test_value_is_a_regression_if_the_old_run_used_the_value(
    before: list[str], used: list[str], now: list[str], new_values: list[str] | int
) -> None:
    """Results of earlier versions have no test values, and a list of maximum length may be incomplete."""
    result = create_result(journal_lines())
    comparison = compare_results(replace_values(result, before, used), replace_values(result, now, used))
    expected = now[-new_values:] if isinstance(new_values, int) else new_values
    assert [each.new_test_values for each in comparison.of_kind("regression")] == ([expected] if expected else [])
    assert all(value in comparison_output(comparison) for value in expected)
    assert all(value in comparison_as_markdown(comparison) for value in expected)


def comparison_output(comparison: ResultComparison) -> str:
    """Return the text that a terminal shows for a comparison."""
    console = Console(file=io.StringIO(), width=200)
    print_comparison(comparison, console)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


@pytest.mark.parametrize(("boundaries", "kind"), [(["units=2"], "changed"), (["units=3"], "selection")])
def test_different_observed_value_is_a_change_only_for_equal_test_values(boundaries: list[str], kind: str) -> None:
    old = create_result(journal_lines())
    requirements = [
        msgspec.structs.replace(requirement, observed=["CL_INVALID_VALUE"], test_values=boundaries)
        if requirement.id == "clCreateSubDevices/success"
        else requirement
        for requirement in old.requirements
    ]
    comparison = compare_results(old, msgspec.structs.replace(old, requirements=requirements))
    assert {change.id: change.kind for change in comparison.requirements} == {"clCreateSubDevices/success": kind}


def test_comparison_notes_different_seed_or_tables_and_incomplete_run() -> None:
    lines = journal_lines(end=False)
    header = lines[0]
    assert isinstance(header, RunHeader)
    lines[0] = msgspec.structs.replace(header, seed=7, tables="others")
    comparison = compare_results(create_result(journal_lines()), create_result(lines))
    assert all(part in " | ".join(comparison.remarks) for part in ("42 and 7", "different documents"))
    assert comparison.losses == ["the new run: it did not finish"]
    assert compare_results(create_result(lines), create_result(lines)).counts["changed"] == 0


def test_comparison_is_written_as_terminal_text_markdown_and_json() -> None:
    comparison = compare_results(create_result(conforming_lines()), create_result(journal_lines(hostile=True)))
    out = io.StringIO()
    print_comparison(comparison, Console(file=out, width=100), new_path="b")
    told = out.getvalue()
    assert "3 regressions, 0 fixes" in told
    assert "clconform replay b ID" in told
    assert all(character.isprintable() or character == "\n" for character in told)
    page = parse_markdown(comparison_as_markdown(comparison))
    assert page.html == []
    assert page.links == []
    assert ["regression", fabricated_journals.CRASHED, "conforms", "deviates"] in [row[:4] for row in page.rows]
    schemas.validated(encode_document(comparison), "comparison")


def test_compare_command_accepts_results_journals_and_folders(tmp_path: Path) -> None:
    old, new = tmp_path / "old", tmp_path / "new"
    for folder, lines in ((old, conforming_lines()), (new, journal_lines())):
        folder.mkdir()
        fabricated_journals.write_journal(folder / "journal.jsonl", lines)
    (tmp_path / "old.json").write_text(encode_document(create_result(conforming_lines(), None)), encoding="utf-8")
    (new / "result.json").write_text(encode_document(create_result(journal_lines())), encoding="utf-8")

    def call(*words: object) -> tuple[int, str]:
        done = CliRunner().invoke(cli, ["compare", *map(str, words)])
        return done.exit_code, done.output

    code, told = call(tmp_path / "old.json", new)
    assert (code, "3 regressions" in told) == (exit_codes.DEVIATIONS, True)
    code, told = call(new, tmp_path / "old.json", "--json")
    assert (code, json.loads(told)["counts"]["fix"]) == (exit_codes.AS_EXPECTED, 3)
    code, told = call(new / "journal.jsonl", old, "--markdown")
    assert (code, told.startswith("# clconform: comparison")) == (exit_codes.AS_EXPECTED, True)
    assert call(new, new, "--json", "--markdown")[0] == exit_codes.BAD_USAGE
    assert call(new, tmp_path / "none")[0] == exit_codes.BAD_USAGE


def flaky_lines(verdict: str) -> list[JournalLine]:
    """Return a run in which the only deviation has this verdict, and did not repeat."""
    kept: list[JournalLine] = []
    for line in conforming_lines():
        if isinstance(line, ItemEnd) and not kept.count(line):
            kept += [
                each
                for each in journal_lines()
                if isinstance(each, Deviation) and each.verdict == verdict and each.item == line.item
            ]
        kept.append(line)
    keys = [line.key for line in kept if isinstance(line, Deviation)]
    return [*kept[:-1], *(Confirmation(key, "flaky", 0, 3, []) for key in keys), kept[-1]]


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        (conforming_lines(), conforming_lines(), exit_codes.AS_EXPECTED),
        (conforming_lines(), journal_lines(), exit_codes.DEVIATIONS),
        (journal_lines(), conforming_lines(), exit_codes.AS_EXPECTED),
        (conforming_lines(), flaky_lines("crashes"), exit_codes.DEVIATIONS),
        (conforming_lines(), flaky_lines("deviates"), exit_codes.FLAKY),
        (conforming_lines(), conforming_lines()[:-1], exit_codes.INCOMPLETE),
        (conforming_lines()[:-1], conforming_lines(), exit_codes.INCOMPLETE),
        (conforming_lines(), [*conforming_lines()[:3], conforming_lines()[-1]], exit_codes.INCOMPLETE),
        (conforming_lines(), journal_lines()[:-1], exit_codes.DEVIATIONS),
    ],
)
def test_comparison_has_the_exit_code_of_its_worst_change(
    old: list[JournalLine], new: list[JournalLine], code: int
) -> None:
    assert comparison_verdict(compare_results(create_result(old), create_result(new))).code == code


def test_requirement_without_conclusive_result_is_a_loss() -> None:
    lost = [
        msgspec.structs.replace(line, evidence={key: {"inconclusive": 1} for key in line.evidence})
        if isinstance(line, ItemEnd) and line.item.startswith("partition.equally")
        else line
        for line in conforming_lines()
    ]
    comparison = compare_results(create_result(conforming_lines()), create_result(lost))
    assert comparison_verdict(comparison).code == exit_codes.INCOMPLETE


@pytest.mark.parametrize(
    "header",
    [{"tier": "smoke"}, {"seed": 7}, {"revision": "another"}],
)
def test_same_calls_that_deviate_are_a_regression_whatever_the_tier_and_seed(header: dict[str, object]) -> None:
    old = conforming_lines()
    assert isinstance(old[0], RunHeader)
    old[0] = msgspec.structs.replace(old[0], **header)
    comparison = compare_results(create_result(old), create_result(journal_lines()))
    assert comparison.counts["regression"] == 3
    assert comparison.deviations["regression"] == 2
    assert comparison.counts["further-tests"] == 0


def test_deviations_in_items_that_only_one_run_has_made_are_no_regressions() -> None:
    """The requirements conform in the old run, by other items, another seed, or other test values."""
    renamed = [
        msgspec.structs.replace(line, item=f"other::{line.item}")
        if isinstance(line, (ItemEnd, FirstObservation))
        else line
        for line in conforming_lines()
    ]
    other_seed = [
        msgspec.structs.replace(line, seed=7) if isinstance(line, RunHeader) else line for line in conforming_lines()
    ]
    random = [
        msgspec.structs.replace(line, is_random=True) if isinstance(line, Deviation) else line
        for line in journal_lines()
    ]
    for old, new in ((renamed, journal_lines()), (other_seed, random)):
        comparison = compare_results(create_result(old), create_result(new))
        assert (comparison.counts["regression"], comparison.counts["further-tests"]) == (0, 3)
        assert comparison_verdict(comparison).code == exit_codes.AS_EXPECTED
        assert "3 deviate in calls that only the new run has made" in comparison_output(comparison)
        back = compare_results(create_result(new), create_result(old))
        assert (back.counts["fix"], back.counts["selection"] > 2) == (0, True)


def test_further_deviation_of_a_deviating_requirement_is_a_regression() -> None:
    lines = journal_lines()
    known = next(line for line in lines if isinstance(line, Deviation) and line.verdict == "deviates")
    another = msgspec.structs.replace(known, key=f"{known.key}-2", observed="CL_INVALID_DEVICE")
    at = lines.index(known)
    more = [*lines[:at], another, *lines[at:]]
    comparison = compare_results(create_result(lines), create_result(more))
    assert [change.id for change in comparison.of_kind("regression")] == [fabricated_journals.CRASHED]
    assert comparison.deviations["regression"] == 1


def test_run_without_a_test_is_a_loss() -> None:
    nothing = [line for line in conforming_lines() if not isinstance(line, ItemEnd)]
    empty = create_result(
        [msgspec.structs.replace(line, items=0) if hasattr(line, "items") else line for line in nothing]
    )
    assert empty.run.items == 0
    comparison = compare_results(create_result(conforming_lines()), empty)
    assert comparison.losses
    assert comparison_verdict(comparison).code == exit_codes.INCOMPLETE


def test_crash_that_did_not_repeat_is_a_regression_of_a_deviating_requirement() -> None:
    lines = journal_lines()
    known = next(line for line in lines if isinstance(line, Deviation) and line.verdict == "deviates")
    crash = next(line for line in lines if isinstance(line, Deviation) and line.verdict == "crashes")
    further = msgspec.structs.replace(crash, key=f"{known.key}-crash", requirements=known.requirements, item=known.item)
    at = lines.index(known) + 1
    more = [*lines[:at], further, *lines[at:-1], Confirmation(further.key, "flaky", 0, 3, []), lines[-1]]
    comparison = compare_results(create_result(lines), create_result(more))
    assert set(known.requirements) <= {change.id for change in comparison.of_kind("regression")}


def test_every_end_of_a_process_is_a_crash_symptom() -> None:
    for how in PROCESS_END_TEXTS:
        assert process_ended(how, "detail").code.startswith(CRASH_SYMPTOMS), how
