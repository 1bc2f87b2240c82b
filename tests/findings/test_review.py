"""The triage table agrees with findings, interpretations and rulebook. Its commands find missing rows."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import pytest
from click.testing import CliRunner

from clconform.calls.deviation_keys import build_key
from clconform.findings.chapters import (
    DEVIATION_ID,
    Finding,
    FindingChapter,
    FindingNote,
    WithdrawnFinding,
    load_chapters,
    load_withdrawn,
)
from clconform.findings.deviations import (
    DeviationReading,
    DeviationTable,
    TriagedCause,
    TriagedDeviation,
    TriagedDriver,
    load_deviations,
)
from clconform.findings.review.__main__ import review
from clconform.findings.review.blind_reading import draw_deviations, get_expected_judgement
from clconform.findings.review.consistency import find_inconsistencies
from clconform.findings.review.revision_changes import find_later_conditions
from clconform.findings.review.tested_driver import find_driver, get_tested_driver
from clconform.findings.review.untriaged import list_unlisted_deviations, list_untriaged_deviations
from clconform.reports.json_documents import encode_document
from clconform.reports.result_builder import result_of
from clconform.reports.run_result import key_digest
from clconform.spec_tables import loading

from ..reports import fabricated_journals  # noqa: TID252 (tests are no part of the installed package)
from ..reports.consistent_results import encode_consistent  # noqa: TID252 (as above)

if TYPE_CHECKING:
    from clconform.reports.run_result import RunResult

DOCS = Path(__file__).resolve().parents[2] / "docs"
CHAPTERS = load_chapters()
FLUSH_ROW = TriagedDeviation("ea447fdd", "hangs", "clFlush | clFlush/success | no answer")
"""A deviation attributed to the interpretation ``blocking-flush``."""
FLUSH_FINDING = Finding(
    (FLUSH_ROW.id,),
    ("Oclgrind",),
    ("clFlush/success",),
    "success",
    "hang",
    "interpretation",
    interpretation="blocking-flush",
)
REASON = "It waits for a user event."


def test_findings_agree_with_triage_interpretations_and_rulebook() -> None:
    assert find_inconsistencies(load_deviations(), CHAPTERS, load_withdrawn()) == []


def create_table(**changed: object) -> DeviationTable:
    """Return a table with one row. ``changed`` replaces some values."""
    valid = TriagedCause(["one"], "interpretation", REASON, [FLUSH_ROW], "blocking-flush")
    cause = msgspec.structs.replace(valid, **changed)
    return DeviationTable([TriagedDriver("one", "Oclgrind", "Oclgrind", "1")], [cause])


def create_chapter(*findings: Finding, notes: tuple[FindingNote, ...] = ()) -> FindingChapter:
    return FindingChapter("A chapter", findings=findings, notes=notes)


UNKNOWN_REQUIREMENT = TriagedDeviation("180b3436", "hangs", "f | f/1 | no answer")


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"drivers": ["another"]}, "no [[driver]] has the id 'another'"),
        ({"drivers": ["one", "one"]}, "2 rows for one by 3.0.17"),
        ({"tables": ["3.0.17", "3.0.17"]}, "2 rows for one by 3.0.17"),
        ({"tables": ["2.2"]}, "the package has no tables of '2.2'"),
        ({"reason": ""}, "the reason is not a sentence"),
        ({"interpretation": ""}, "names an interpretation"),
        ({"interpretation": "nothing-of-the-kind"}, "names an interpretation"),
        ({"kind": "driver bug"}, "names an interpretation"),
        ({"kind": "driver bug", "interpretation": ""}, "the rule of clFlush/success is an interpretation"),
        ({"deviations": [msgspec.structs.replace(FLUSH_ROW, id="00000000")]}, "its key has the id ea447fdd"),
        ({"deviations": [UNKNOWN_REQUIREMENT]}, "no requirement of 3.0.17 has the id 'f/1'"),
        ({"deviations": [UNKNOWN_REQUIREMENT]}, "the findings do not name it"),
    ],
)
def test_consistency_check_reports_invalid_row_of_triage_table(changed: dict[str, object], message: str) -> None:
    assert find_inconsistencies(create_table(), [create_chapter(FLUSH_FINDING)], []) == []
    lines = find_inconsistencies(create_table(**changed), [create_chapter(FLUSH_FINDING)], [])
    assert any(message in line for line in lines)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"requirements": ("clFlush/success", "clNothing/success")}, "requirements that are not in the tables"),
        ({"requirements": ()}, "requirements that are not in the tables"),
        ({"requirements": ("clFinish/success",), "confidence": "inferred"}, "'inferred', but the rules have"),
        ({"confidence": "literal"}, "'literal', but the rules have"),
        ({"interpretation": ""}, "there is no interpretation ''"),
        ({"programs": ("00000000",)}, "the C programs are of other deviations"),
    ],
)
def test_consistency_check_reports_finding_that_contradicts_the_rules(changed: dict[str, object], message: str) -> None:
    finding = msgspec.structs.replace(FLUSH_FINDING, **changed)
    (line,) = find_inconsistencies(DeviationTable([], []), [create_chapter(finding)], [])
    assert message in line


def test_consistency_check_reports_note_without_text_and_cause() -> None:
    for driver, lines in (("one", 0), ("another", 1)):
        chapter = create_chapter(FLUSH_FINDING, notes=(FindingNote((FLUSH_ROW.id,), (driver,)),))
        assert len(find_inconsistencies(create_table(), [chapter], [])) == lines


def test_deviation_in_withdrawn_findings_must_not_be_found_or_triaged() -> None:
    withdrawn = WithdrawnFinding((FLUSH_ROW.id,), ("Oclgrind",), ("clFlush/success",), "hang", "It is allowed.")
    lines = find_inconsistencies(create_table(), [create_chapter(FLUSH_FINDING)], [withdrawn])
    assert [line.split(":")[0] for line in lines] == [f"findings, {FLUSH_ROW.id}", f"triage, {FLUSH_ROW.id}"]
    elsewhere = msgspec.structs.replace(withdrawn, drivers=("PoCL 3.1",))
    assert find_inconsistencies(create_table(), [create_chapter(FLUSH_FINDING)], [elsewhere]) == []
    unknown = msgspec.structs.replace(elsewhere, interpretation="nothing-of-the-kind")
    assert len(find_inconsistencies(create_table(), [create_chapter(FLUSH_FINDING)], [unknown])) == 1


@pytest.fixture
def result(tmp_path: Path) -> RunResult:
    """Return a result with a deviation, a crash and a flaky deviation."""
    return result_of(fabricated_journals.write_journal(tmp_path / "journal.jsonl"), fabricated_journals.create_tables())


def create_naming_chapter(*ids: str, text: str = "") -> FindingChapter:
    return FindingChapter("A chapter", notes=(FindingNote(ids, text=text),))


def test_unnamed_deviation_is_unlisted_unless_flaky(result: RunResult) -> None:
    verdicts = {deviation.verdict for deviation in list_unlisted_deviations([], result)}
    assert verdicts == {deviation.verdict for deviation in result.deviations} - {"flaky"}
    assert {"deviates", "crashes"} <= verdicts


def test_deviation_whose_id_the_findings_name_is_listed(result: RunResult) -> None:
    chapter = create_naming_chapter(*(deviation.id for deviation in result.deviations))
    assert list_unlisted_deviations([chapter], result) == []


def test_named_requirement_lists_crashes_but_no_other_deviations(result: RunResult) -> None:
    named = "".join(f"`{requirement}`" for deviation in result.deviations for requirement in deviation.requirements)
    unlisted = list_unlisted_deviations([create_naming_chapter(text=named)], result)
    assert {deviation.verdict for deviation in unlisted} == {"deviates"}


def test_unlisted_command_fails_for_deviations_that_no_finding_names(result: RunResult, tmp_path: Path) -> None:
    given = tmp_path / "result.json"
    found = result.deviations[0]
    unknown = [
        msgspec.structs.replace(found, id=f"0000000{number}", key=f"{found.key}{number}", verdict="deviates")
        for number in (0, 1)
    ]
    for deviations, code in ((unknown, 1), ([], 0)):
        changed = msgspec.structs.replace(result, deviations=deviations)
        given.write_text(encode_consistent(changed), encoding="utf-8")
        ended, printed = run_review("unlisted", str(given))
        listed = re.findall(r"^not in the findings: (\w+)", printed, re.MULTILINE)
        assert (ended, listed) == (code, [each.id for each in deviations]), printed
        assert len(printed.splitlines()) == len(deviations)


def run_review(*words: str) -> tuple[int, str]:
    done = CliRunner().invoke(review, words)
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
    code, lines = run_review("untriaged", str(given), "--table", empty)
    shown = {deviation.id for deviation in result.deviations if deviation.verdict != "flaky"}
    assert code == 1
    assert set(DEVIATION_ID.findall(lines)) >= shown
    code, printed = run_review("rows", str(given), "--table", empty)
    filled = tmp_path / "filled.toml"
    filled.write_text(printed, encoding="utf-8")
    table = load_deviations(filled)
    assert {row.id for _, row, _ in table.rows()} == shown
    assert sum("the reason is not a sentence" in line for line in find_inconsistencies(table, [], [])) == len(shown)
    assert run_review("untriaged", str(given), "--table", str(filled)) == (0, "")
    other = DeviationTable([msgspec.structs.replace(each, version="another") for each in table.driver], table.cause)
    assert run_review("untriaged", str(given), "--table", store_table(other, tmp_path / "other.toml"))[0] == 1


@pytest.mark.parametrize(
    ("requirements", "others", "has_row"),
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
    result: RunResult, requirements: list[str], others: list[str], *, has_row: bool
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
        key=build_key("clF", requirements, "died"),
        requirements=requirements,
    )
    left = list_untriaged_deviations(table, msgspec.structs.replace(result, deviations=[crash]))
    assert left == ([] if has_row else [crash])


def test_entry_for_the_kind_of_the_device_comes_before_the_entry_of_its_driver(result: RunResult) -> None:
    assert result.platform is not None
    identity = get_tested_driver(result)
    version = next(each.version for each in result.platform.devices if each.handle == result.platform.device)
    every = TriagedDriver("every", "PoCL", *identity)
    own, other = (TriagedDriver(device, "PoCL", *identity, device) for device in (version[-4:], "another kind"))
    for drivers, expected in (
        ([every, own, other], own),
        ([own, every], own),
        ([other, every], every),
        ([other], None),
    ):
        assert find_driver(DeviationTable(drivers, []), result) == expected


def test_page_of_moved_deviations_matches_the_rows_of_both_revisions() -> None:
    """Check the file that ``python -m clconform.findings.review moved OLD NEW > docs/triage-3.1.1.md`` writes."""
    older, newer = (DOCS / "triage-3.1.1.md").read_text(encoding="utf-8").split("## New by")
    rows: dict[str, set[str]] = {"3.0.17": set(), "3.1.1": set()}
    for driver, triaged, cause in load_deviations().rows():
        for tables in cause.tables if driver == "intel-2026.2" else ():
            rows[tables].add(triaged.id)
    listed = [line.strip("| ").split(" | ") for line in older.splitlines() if DEVIATION_ID.match(line[2:])]
    again, parts, gone = (
        [cells for cells in listed if cells[2].startswith(words)] for words in ("found again", "found as", "gone: ")
    )
    assert len(listed) == len(again) + len(parts) + len(gone) > 0
    assert {cells[0] for cells in listed} <= rows["3.0.17"]
    found = {cells[0] for cells in again} | {each for cells in parts for each in DEVIATION_ID.findall(cells[2])}
    assert found | set(DEVIATION_ID.findall(newer)) == rows["3.1.1"]
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
        code, told = run_review("untriaged", str(given), "--table", store_table(table, tmp_path / "table.toml"))
        assert (code, "OpenCL 3.1.1" in told) == (ends, bool(ends))
    code, printed = run_review(
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
    code, page = run_review("draw", str(given), "--seed", "1", "--table", file)
    assert code == 0
    assert all(f"{each.driver}, {each.deviation.id}" in page for each in every)
    assert "allowed" not in page
    readings = [
        DeviationReading(each.driver, each.deviation.id, get_expected_judgement(table, each), "So it is.")
        for each in every
    ]
    blind = {"seed": 1, "date": "2026-11-22", "readings": readings}
    right = msgspec.convert(msgspec.to_builtins(table) | {"blind": [msgspec.to_builtins(blind)]}, DeviationTable)
    assert (
        run_review("compare", str(given), "--seed", "1", "--table", store_table(right, tmp_path / "right.toml"))[0] == 0
    )
    assert run_review("compare", str(given), "--seed", "2", "--table", str(tmp_path / "right.toml"))[0] == 2
    blind["readings"] = [msgspec.structs.replace(each, judged="open") for each in readings]
    wrong = msgspec.convert(msgspec.to_builtins(table) | {"blind": [msgspec.to_builtins(blind)]}, DeviationTable)
    code, told = run_review(
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


@pytest.mark.parametrize("command", ["unlisted", "untriaged", "rows"])
def test_result_that_cannot_be_read_is_a_usage_error(tmp_path: Path, command: str) -> None:
    for given, said in ((tmp_path / "none.json", "no such file"), (tmp_path, "result.json")):
        done = CliRunner().invoke(review, [command, str(given)])
        assert done.exit_code == 2
        assert said in done.output
