"""The triage table agrees with findings, interpretations and rulebook. Its commands find missing rows."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import msgspec
import pytest
from click.testing import CliRunner

from clconform.calls.deviation_keys import build_key
from clconform.reports.json_documents import encode_document
from clconform.reports.result_builder import result_of
from clconform.reports.run_result import key_digest
from clconform.spec_tables import loading

from .findings import DOCS, ID, Finding, read_findings, read_withdrawn, without_withdrawn
from .reports import fabricated_journals
from .triage.__main__ import triage
from .triage.blind_reading import draw_deviations, get_expected_judgement
from .triage.consistency import find_inconsistencies
from .triage.revision_changes import find_later_conditions
from .triage.table import (
    DeviationReading,
    DeviationTable,
    TriagedCause,
    TriagedDeviation,
    TriagedDriver,
    get_tested_driver,
    load_table,
)
from .triage.untriaged import list_untriaged_deviations

if TYPE_CHECKING:
    from pathlib import Path

    from clconform.reports.run_result import RunResult

TEXT = (DOCS / "findings.md").read_text(encoding="utf-8")
FINDING_IDS = set(ID.findall(without_withdrawn(TEXT)))
FLUSH_ROW = TriagedDeviation("ea447fdd", "hangs", "clFlush | clFlush/success | no answer")
"""A deviation attributed to the interpretation ``blocking-flush``."""
REASON = "It waits for a user event."


def test_triage_table_agrees_with_findings_and_rulebook() -> None:
    assert find_inconsistencies(load_table(), read_findings(TEXT), read_withdrawn(TEXT), FINDING_IDS) == []


def create_table(**changed: object) -> DeviationTable:
    """Return a table with one row. ``changed`` replaces some values."""
    right = TriagedCause(["one"], "interpretation", REASON, [FLUSH_ROW], "blocking-flush")
    cause = msgspec.structs.replace(right, **changed)
    return DeviationTable([TriagedDriver("one", "Oclgrind", "Oclgrind", "1")], [cause])


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"drivers": ["another"]}, "no [[driver]] has the id 'another'"),
        ({"drivers": ["one", "one"]}, "2 rows for one by 3.0.17"),
        ({"tables": ["3.0.17", "3.0.17"]}, "2 rows for one by 3.0.17"),
        ({"tables": ["2.2"]}, "the package has no tables of '2.2'"),
        ({"reason": ""}, "the reason is not a sentence"),
        ({"entry": ""}, "names an interpretation"),
        ({"entry": "nothing-of-the-kind"}, "names an interpretation"),
        ({"kind": "driver bug"}, "names an interpretation"),
        ({"kind": "driver bug", "entry": ""}, "the rule of clFlush/success is an interpretation"),
        ({"deviations": [msgspec.structs.replace(FLUSH_ROW, id="00000000")]}, "its key makes the id ea447fdd"),
        ({"deviations": [TriagedDeviation("180b3436", "hangs", "f | f/1 | no answer")]}, "no record has the id 'f/1'"),
        (
            {"deviations": [TriagedDeviation("180b3436", "hangs", "f | f/1 | no answer")]},
            "docs/findings.md does not name it",
        ),
    ],
)
def test_consistency_check_reports_invalid_row_of_triage_table(changed: dict[str, object], says: str) -> None:
    assert find_inconsistencies(create_table(), [], [], FINDING_IDS) == []
    assert any(says in line for line in find_inconsistencies(create_table(**changed), [], [], FINDING_IDS))


@pytest.mark.parametrize(
    ("finding", "says"),
    [
        (Finding(("1",), (), (), ("clNothing/success",), "literal"), "its first record is not in the tables"),
        (Finding(("1",), (), (), ("clFinish/success",), "inferred"), "says 'inferred', the rules"),
        (Finding(("1",), (), (), ("clFlush/success",), "literal"), "says 'literal', the rules"),
        (Finding(("1",), (), (), ("clFlush/success",), "interpretation"), "there is no interpretation ''"),
    ],
)
def test_consistency_check_reports_finding_that_contradicts_the_rules(finding: Finding, says: str) -> None:
    (line,) = find_inconsistencies(DeviationTable([], []), [finding], [], FINDING_IDS)
    assert says in line


def test_deviation_in_withdrawn_findings_must_not_be_found_or_triaged() -> None:
    finding = Finding((FLUSH_ROW.id,), (), ("Oclgrind",), ("clFlush/success",), "interpretation", "blocking-flush")
    told = find_inconsistencies(create_table(), [finding], [finding], FINDING_IDS)
    assert [line.split(":")[0] for line in told] == [f"findings, {FLUSH_ROW.id}", f"triage, {FLUSH_ROW.id}"]
    elsewhere = Finding((FLUSH_ROW.id,), (), ("PoCL",), ("clFlush/success",))
    assert find_inconsistencies(create_table(), [finding], [elsewhere], FINDING_IDS) == []


@pytest.fixture
def result(tmp_path: Path) -> RunResult:
    """Return a result with a deviation, a crash and a flaky deviation."""
    return result_of(fabricated_journals.write_journal(tmp_path / "journal.jsonl"), fabricated_journals.create_tables())


def run_triage(*words: str) -> tuple[int, str]:
    done = CliRunner().invoke(triage, words)
    return done.exit_code, done.output


def to_toml(value: object) -> str:
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{name} = {to_toml(each)}" for name, each in value.items()) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(map(to_toml, value)) + "]"
    return json.dumps(value, ensure_ascii=False)


def store_table(table: DeviationTable, path: Path) -> str:
    lines = (f"{name} = {to_toml(each)}" for name, each in msgspec.to_builtins(table).items())
    path.write_text("\n".join(lines), encoding="utf-8")
    return str(path)


def test_rows_command_prints_a_row_for_each_untriaged_deviation(result: RunResult, tmp_path: Path) -> None:
    given, empty = tmp_path / "result.json", store_table(DeviationTable([], []), tmp_path / "empty.toml")
    given.write_text(encode_document(result), encoding="utf-8")
    code, lines = run_triage("untriaged", str(given), "--table", empty)
    shown = {deviation.id for deviation in result.deviations if deviation.verdict != "flaky"}
    assert code == 1
    assert set(ID.findall(lines)) >= shown
    code, printed = run_triage("rows", str(given), "--table", empty)
    filled = tmp_path / "filled.toml"
    filled.write_text(printed, encoding="utf-8")
    table = load_table(filled)
    assert {row.id for _, row, _ in table.rows()} == shown
    assert sum("the reason is not a sentence" in line for line in find_inconsistencies(table, [], [], shown)) == len(
        shown
    )
    assert run_triage("untriaged", str(given), "--table", str(filled)) == (0, "")
    other = DeviationTable([msgspec.structs.replace(each, version="another") for each in table.driver], table.cause)
    assert run_triage("untriaged", str(given), "--table", store_table(other, tmp_path / "other.toml"))[0] == 1


@pytest.mark.parametrize(
    ("records", "others", "has_one"),
    [
        (["clF/A/1"], ["clF/A/1"], True),
        (["clF/A/1", "clF/B/1"], ["clF/A/1"], True),
        (["clF/A/1"], ["clF/B/1"], False),
        (["clF/success"], ["clF/success"], False),
        (["clF/success", "clG/success"], ["clF/success"], False),
        (["clF/A/1", "clF/success"], ["clF/A/1"], True),
    ],
)
def test_crash_is_triaged_by_row_of_another_crash_on_the_same_condition(
    result: RunResult, records: list[str], others: list[str], *, has_one: bool
) -> None:
    driver = TriagedDriver("one", "PoCL", *get_tested_driver(result))
    key = build_key("clF", others, "abort SIGABRT")
    table = DeviationTable(
        [driver], [TriagedCause(["one"], "driver bug", REASON, [TriagedDeviation(key_digest(key)[:8], "crashes", key)])]
    )
    crash = msgspec.structs.replace(
        result.deviations[0],
        id="00000000",
        verdict="crashes",
        key=build_key("clF", records, "died"),
        requirements=records,
    )
    left = list_untriaged_deviations(table, msgspec.structs.replace(result, deviations=[crash]))
    assert left == ([] if has_one else [crash])


def test_page_of_moved_deviations_matches_the_rows_of_both_revisions() -> None:
    """Check the file that ``python -m tests.triage moved OLD NEW > docs/triage-3.1.1.md`` writes."""
    older, newer = (DOCS / "triage-3.1.1.md").read_text(encoding="utf-8").split("## New by")
    rows: dict[str, set[str]] = {"3.0.17": set(), "3.1.1": set()}
    for driver, triaged, cause in load_table().rows():
        for tables in cause.tables if driver == "intel-2026.2" else ():
            rows[tables].add(triaged.id)
    listed = [line.strip("| ").split(" | ") for line in older.splitlines() if ID.match(line[2:])]
    again, parts, gone = (
        [cells for cells in listed if cells[2].startswith(words)] for words in ("found again", "found as", "gone: ")
    )
    assert len(listed) == len(again) + len(parts) + len(gone) > 0
    assert {cells[0] for cells in listed} <= rows["3.0.17"]
    found = {cells[0] for cells in again} | {each for cells in parts for each in ID.findall(cells[2])}
    assert found | set(ID.findall(newer)) == rows["3.1.1"]
    assert {cells[0] for cells in (*parts, *gone)} & rows["3.1.1"] == set()


def test_later_conditions_of_an_older_condition_follow_from_the_review() -> None:
    """The cases are an unchanged condition, a split condition, and a removed condition."""
    heirs = find_later_conditions(loading.read_tables(loading.REVISIONS / "3.1.1"))
    assert [each.id for each in heirs["clFlush/success"]] == ["clFlush/success"]
    whole = "clCreateSubDevices/CL_INVALID_VALUE/1"
    assert {(each.id.rpartition("/")[2], each.relation) for each in heirs[whole]} == {("3", "part"), ("4", "part")}
    assert "clCreateImage/CL_INVALID_IMAGE_DESCRIPTOR/1" not in heirs


def test_triage_row_applies_only_to_results_with_its_tables(result: RunResult, tmp_path: Path) -> None:
    platform, version = get_tested_driver(result)
    driver = TriagedDriver("one", "PoCL", platform, version)
    run = msgspec.structs.replace(result.run, documents={**result.run.documents, "OpenCL": "3.1.1"})
    newer = msgspec.structs.replace(result, run=run)
    rows = [TriagedDeviation(each.id, "deviates", each.key) for each in result.deviations]
    for tables, ends in ((["3.0.17"], 1), (["3.1.1"], 0), (["3.0.17", "3.1.1"], 0)):
        table = DeviationTable([driver], [TriagedCause(["one"], "driver bug", REASON, rows, tables=tables)])
        given = tmp_path / "newer.json"
        given.write_text(encode_document(newer), encoding="utf-8")
        code, told = run_triage("untriaged", str(given), "--table", store_table(table, tmp_path / "table.toml"))
        assert (code, "OpenCL 3.1.1" in told) == (ends, bool(ends))
    code, printed = run_triage(
        "rows", str(given), "--table", store_table(DeviationTable([driver], []), tmp_path / "none.toml")
    )
    assert 'tables = ["3.1.1"]' in printed


def test_drawn_page_hides_verdicts_and_compare_command_finds_differences(result: RunResult, tmp_path: Path) -> None:
    given = tmp_path / "result.json"
    given.write_text(encode_document(result), encoding="utf-8")
    platform, version = get_tested_driver(result)
    bad = [deviation for deviation in result.deviations if deviation.verdict == "deviates"]
    triaged = [TriagedDeviation(each.id, "deviates", each.key) for each in bad]
    table = DeviationTable(
        [TriagedDriver("one", "PoCL", platform, version)], [TriagedCause(["one"], "driver bug", REASON, triaged)]
    )
    every = draw_deviations(table, [result], 1, 30)
    assert [each.deviation.id for each in every] == [
        each.deviation.id for each in draw_deviations(table, [result], 1, 30)
    ]
    file = store_table(table, tmp_path / "table.toml")
    code, page = run_triage("draw", str(given), "--seed", "1", "--table", file)
    assert code == 0
    assert all(f"{each.driver}, {each.deviation.id}" in page for each in every)
    assert "allowed" not in page
    readings = [
        DeviationReading(each.driver, each.deviation.id, get_expected_judgement(table, each), "so it says")
        for each in every
    ]
    blind = {"seed": 1, "date": "2026-11-22", "readings": readings}
    right = msgspec.convert(msgspec.to_builtins(table) | {"blind": [msgspec.to_builtins(blind)]}, DeviationTable)
    assert (
        run_triage("compare", str(given), "--seed", "1", "--table", store_table(right, tmp_path / "right.toml"))[0] == 0
    )
    assert run_triage("compare", str(given), "--seed", "2", "--table", str(tmp_path / "right.toml"))[0] == 2
    blind["readings"] = [msgspec.structs.replace(each, judged="open") for each in readings]
    wrong = msgspec.convert(msgspec.to_builtins(table) | {"blind": [msgspec.to_builtins(blind)]}, DeviationTable)
    code, told = run_triage(
        "compare", str(given), "--seed", "1", "--table", store_table(wrong, tmp_path / "wrong.toml")
    )
    assert (code, told.count("judged 'open'")) == (1, sum(each.judged == "deviation" for each in readings))


def test_drawn_deviation_shows_the_observed_or_an_allowed_result(result: RunResult) -> None:
    platform, version = get_tested_driver(result)
    table = DeviationTable([TriagedDriver("one", "PoCL", platform, version)], [])
    seen = [each for seed in range(40) for each in draw_deviations(table, [result], seed, 30)]
    assert {each.is_exchanged for each in seen} == {True, False}
    assert all(each.shown_result in each.deviation.allowed for each in seen if each.is_exchanged)
    assert all(each.shown_result == each.deviation.observed for each in seen if not each.is_exchanged)
