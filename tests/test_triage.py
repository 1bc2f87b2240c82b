"""The triage table agrees with findings, interpretations and rulebook; its commands find missing rows."""

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

from .findings import DOCS, ID, Finding, listed_as_found, rows, withdrawn
from .reports import fabricated
from .triage.__main__ import triage
from .triage.agreement import problems
from .triage.blind import drawn, expected
from .triage.moved import heirs_in
from .triage.table import Cause, Driver, Reading, Table, Triaged, driver_tested, load_table
from .triage.untriaged import without_a_row

if TYPE_CHECKING:
    from pathlib import Path

    from clconform.reports.run_result import RunResult

TEXT = (DOCS / "findings.md").read_text(encoding="utf-8")
TOLD = set(ID.findall(listed_as_found(TEXT)))
FLUSH = Triaged("ea447fdd", "hangs", "clFlush | clFlush/success | no answer")
"""A deviation attributed to the interpretation ``flush-that-waits``."""
REASON = "It waits for a user event."


def test_findings_table_register_and_rulebook_agree() -> None:
    assert problems(load_table(), rows(TEXT), withdrawn(TEXT), TOLD) == []


def with_one(**changed: object) -> Table:
    """Return a table with one row; ``changed`` replaces some values."""
    right = Cause(["one"], "interpretation", REASON, [FLUSH], "flush-that-waits")
    cause = msgspec.structs.replace(right, **changed)
    return Table([Driver("one", "Oclgrind", "Oclgrind", "1")], [cause])


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"drivers": ["another"]}, "no [[driver]] has the id 'another'"),
        ({"drivers": ["one", "one"]}, "2 rows for one by 3.0.17"),
        ({"tables": ["3.0.17", "3.0.17"]}, "2 rows for one by 3.0.17"),
        ({"tables": ["2.2"]}, "the package has no tables of '2.2'"),
        ({"reason": ""}, "the reason is not a sentence"),
        ({"entry": ""}, "names an entry of the register"),
        ({"entry": "nothing-of-the-kind"}, "names an entry of the register"),
        ({"kind": "driver bug"}, "names an entry of the register"),
        ({"kind": "driver bug", "entry": ""}, "the rule of clFlush/success is an interpretation"),
        ({"deviations": [msgspec.structs.replace(FLUSH, id="00000000")]}, "its key makes the id ea447fdd"),
        ({"deviations": [Triaged("180b3436", "hangs", "f | f/1 | no answer")]}, "no record has the id 'f/1'"),
        ({"deviations": [Triaged("180b3436", "hangs", "f | f/1 | no answer")]}, "docs/findings.md does not name it"),
    ],
)
def test_a_row_that_does_not_agree_is_told(changed: dict[str, object], says: str) -> None:
    assert problems(with_one(), [], [], TOLD) == []
    assert any(says in line for line in problems(with_one(**changed), [], [], TOLD))


@pytest.mark.parametrize(
    ("finding", "says"),
    [
        (Finding(("1",), (), (), ("clNothing/success",), "literal"), "its first record is not in the tables"),
        (Finding(("1",), (), (), ("clFinish/success",), "inferred"), "says 'inferred', the rules"),
        (Finding(("1",), (), (), ("clFlush/success",), "literal"), "says 'literal', the rules"),
        (Finding(("1",), (), (), ("clFlush/success",), "interpretation"), "the register has no entry ''"),
    ],
)
def test_a_finding_that_does_not_agree_is_told(finding: Finding, says: str) -> None:
    (line,) = problems(Table([], []), [finding], [], TOLD)
    assert says in line


def test_what_was_withdrawn_is_neither_found_nor_triaged() -> None:
    finding = Finding((FLUSH.id,), (), ("Oclgrind",), ("clFlush/success",), "interpretation", "flush-that-waits")
    told = problems(with_one(), [finding], [finding], TOLD)
    assert [line.split(":")[0] for line in told] == [f"findings, {FLUSH.id}", f"triage, {FLUSH.id}"]
    elsewhere = Finding((FLUSH.id,), (), ("PoCL",), ("clFlush/success",))
    assert problems(with_one(), [finding], [elsewhere], TOLD) == []


@pytest.fixture
def result(tmp_path: Path) -> RunResult:
    """Return a result with a deviation, a crash and a flaky deviation."""
    return result_of(fabricated.write_journal(tmp_path / "journal.jsonl"), fabricated.tables())


def called(*words: str) -> tuple[int, str]:
    done = CliRunner().invoke(triage, words)
    return done.exit_code, done.output


def as_toml(value: object) -> str:
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{name} = {as_toml(each)}" for name, each in value.items()) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(map(as_toml, value)) + "]"
    return json.dumps(value, ensure_ascii=False)


def stored(table: Table, path: Path) -> str:
    lines = (f"{name} = {as_toml(each)}" for name, each in msgspec.to_builtins(table).items())
    path.write_text("\n".join(lines), encoding="utf-8")
    return str(path)


def test_rows_are_printed_for_what_is_not_triaged_and_lack_a_reason(result: RunResult, tmp_path: Path) -> None:
    given, empty = tmp_path / "result.json", stored(Table([], []), tmp_path / "empty.toml")
    given.write_text(encode_document(result), encoding="utf-8")
    code, lines = called("untriaged", str(given), "--table", empty)
    shown = {deviation.id for deviation in result.deviations if deviation.verdict != "flaky"}
    assert code == 1
    assert set(ID.findall(lines)) >= shown
    code, printed = called("rows", str(given), "--table", empty)
    filled = tmp_path / "filled.toml"
    filled.write_text(printed, encoding="utf-8")
    table = load_table(filled)
    assert {row.id for _, row, _ in table.rows()} == shown
    assert sum("the reason is not a sentence" in line for line in problems(table, [], [], shown)) == len(shown)
    assert called("untriaged", str(given), "--table", str(filled)) == (0, "")
    other = Table([msgspec.structs.replace(each, version="another") for each in table.driver], table.cause)
    assert called("untriaged", str(given), "--table", stored(other, tmp_path / "other.toml"))[0] == 1


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
def test_a_crash_has_the_row_of_another_one_where_the_call_had_to_fail(
    result: RunResult, records: list[str], others: list[str], *, has_one: bool
) -> None:
    driver = Driver("one", "PoCL", *driver_tested(result))
    key = build_key("clF", others, "abort SIGABRT")
    table = Table([driver], [Cause(["one"], "driver bug", REASON, [Triaged(key_digest(key)[:8], "crashes", key)])])
    crash = msgspec.structs.replace(
        result.deviations[0], id="00000000", verdict="crashes", key=build_key("clF", records, "died"), records=records
    )
    left = without_a_row(table, msgspec.structs.replace(result, deviations=[crash]))
    assert left == ([] if has_one else [crash])


def test_the_page_of_a_newer_revision_names_its_rows() -> None:
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


def test_what_became_of_a_deviation_is_told_by_the_texts() -> None:
    """Cover an unchanged condition, a split condition, and a removed condition."""
    heirs = heirs_in(loading.read_tables(loading.REVISIONS / "3.1.1"))
    assert [each.id for each in heirs["clFlush/success"]] == ["clFlush/success"]
    whole = "clCreateSubDevices/CL_INVALID_VALUE/1"
    assert {(each.id.rpartition("/")[2], each.found) for each in heirs[whole]} == {("3", "part"), ("4", "part")}
    assert "clCreateImage/CL_INVALID_IMAGE_DESCRIPTOR/1" not in heirs


def test_a_row_is_for_the_tables_that_it_names(result: RunResult, tmp_path: Path) -> None:
    platform, version = driver_tested(result)
    driver = Driver("one", "PoCL", platform, version)
    run = msgspec.structs.replace(result.run, documents={**result.run.documents, "OpenCL": "3.1.1"})
    newer = msgspec.structs.replace(result, run=run)
    rows = [Triaged(each.id, "deviates", each.key) for each in result.deviations]
    for tables, ends in ((["3.0.17"], 1), (["3.1.1"], 0), (["3.0.17", "3.1.1"], 0)):
        table = Table([driver], [Cause(["one"], "driver bug", REASON, rows, tables=tables)])
        given = tmp_path / "newer.json"
        given.write_text(encode_document(newer), encoding="utf-8")
        code, told = called("untriaged", str(given), "--table", stored(table, tmp_path / "table.toml"))
        assert (code, "OpenCL 3.1.1" in told) == (ends, bool(ends))
    code, printed = called("rows", str(given), "--table", stored(Table([driver], []), tmp_path / "none.toml"))
    assert 'tables = ["3.1.1"]' in printed


def test_a_blind_reading_shows_no_verdict_and_is_compared_with_the_table(result: RunResult, tmp_path: Path) -> None:
    given = tmp_path / "result.json"
    given.write_text(encode_document(result), encoding="utf-8")
    platform, version = driver_tested(result)
    bad = [deviation for deviation in result.deviations if deviation.verdict == "deviates"]
    triaged = [Triaged(each.id, "deviates", each.key) for each in bad]
    table = Table([Driver("one", "PoCL", platform, version)], [Cause(["one"], "driver bug", REASON, triaged)])
    every = drawn(table, [result], 1, 30)
    assert [each.deviation.id for each in every] == [each.deviation.id for each in drawn(table, [result], 1, 30)]
    file = stored(table, tmp_path / "table.toml")
    code, page = called("draw", str(given), "--seed", "1", "--table", file)
    assert code == 0
    assert all(f"{each.driver}, {each.deviation.id}" in page for each in every)
    assert "allowed" not in page
    readings = [Reading(each.driver, each.deviation.id, expected(table, each), "so it says") for each in every]
    blind = {"seed": 1, "date": "2026-11-22", "readings": readings}
    right = msgspec.convert(msgspec.to_builtins(table) | {"blind": [msgspec.to_builtins(blind)]}, Table)
    assert called("compare", str(given), "--seed", "1", "--table", stored(right, tmp_path / "right.toml"))[0] == 0
    assert called("compare", str(given), "--seed", "2", "--table", str(tmp_path / "right.toml"))[0] == 2
    blind["readings"] = [msgspec.structs.replace(each, judged="open") for each in readings]
    wrong = msgspec.convert(msgspec.to_builtins(table) | {"blind": [msgspec.to_builtins(blind)]}, Table)
    code, told = called("compare", str(given), "--seed", "1", "--table", stored(wrong, tmp_path / "wrong.toml"))
    assert (code, told.count("judged 'open'")) == (1, sum(each.judged == "deviation" for each in readings))


def test_an_answer_that_was_exchanged_is_an_allowed_one(result: RunResult) -> None:
    platform, version = driver_tested(result)
    table = Table([Driver("one", "PoCL", platform, version)], [])
    seen = [each for seed in range(40) for each in drawn(table, [result], seed, 30)]
    assert {each.exchanged for each in seen} == {True, False}
    assert all(each.answer in each.deviation.allowed for each in seen if each.exchanged)
    assert all(each.answer == each.deviation.observed for each in seen if not each.exchanged)
