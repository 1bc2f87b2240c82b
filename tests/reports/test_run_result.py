"""The result contains every requirement, matches its schema, and can be read back."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING

import msgspec
import pytest

from clconform.calls.journal import Confirmation, Deviation, FirstObservation, ItemEnd, RunEnd, Selection
from clconform.calls.values import OutputBuffer
from clconform.reports.journal_reader import parse_journal
from clconform.reports.json_documents import ResultError, encode_document, format_json
from clconform.reports.result_builder import CUT_SHORT, STOPPED, assemble_result
from clconform.reports.result_consistency import load_result
from clconform.spec_tables.requirements import ErrorCondition, Section

from . import fabricated_journals, schemas

if TYPE_CHECKING:
    from pathlib import Path

    from clconform.calls.line_kinds import JournalLine
    from clconform.reports.run_result import RunResult

SUB = fabricated_journals.SUB


def create_result(lines: list[JournalLine] | None = None) -> RunResult:
    journal = parse_journal(
        fabricated_journals.encode_journal(fabricated_journals.journal_lines() if lines is None else lines), "j"
    )
    return assemble_result(journal, fabricated_journals.create_tables())


def test_result_contains_status_and_reason_of_every_requirement() -> None:
    result = create_result()
    assert {requirement.id: requirement.status for requirement in result.requirements} == {
        f"{SUB}/CL_INVALID_DEVICE/1": "not-covered",
        f"{SUB}/CL_INVALID_VALUE/1": "crashes",
        f"{SUB}/CL_INVALID_VALUE/2": "deviates",
        f"{SUB}/CL_DEVICE_PARTITION_FAILED/1": "crashes",
        f"{SUB}/success": "conforms",
        f"{SUB}/parent/1": "not-covered",
        "CL_DEVICE_PARTITION_EQUALLY": "not-covered",
        "CL_DEVICE_PARTITION_MAX_SUB_DEVICES": "not-run",
        "clReleaseDevice/use/1": "untestable",
        "clReleaseDevice/success": "flaky",
        f"{SUB}EXT/CL_INVALID_VALUE/1": "not-applicable",
    }
    requirements = {requirement.id: requirement for requirement in result.requirements}
    crashed = requirements[fabricated_journals.CRASHED]
    assert crashed.condition.startswith("out_devices is not NULL")
    assert crashed.calls == 4
    assert crashed.test_values == ["num_devices=1", "num_devices=0"]
    assert requirements[f"{SUB}/success"].observed == ["CL_SUCCESS"]
    assert requirements["CL_DEVICE_PARTITION_MAX_SUB_DEVICES"].reason == "deselected"
    assert "not offered" in requirements[f"{SUB}EXT/CL_INVALID_VALUE/1"].reason
    assert "never sent" in requirements["clReleaseDevice/use/1"].reason


def test_summary_of_result_contains_verdict_and_counts() -> None:
    summary = create_result().summary
    found, tested = summary.verdict.split(" · ")
    assert found == "3 distinct deviations (1 crash, 1 wrong result, 1 flaky deviation) affecting 4 requirements"
    assert tested == "5 of 9 applicable requirements tested"
    assert sum(summary.statuses.values()) == summary.requirements == 11
    assert [chapter.name for chapter in summary.chapters] == ["4.2", "4.3", fabricated_journals.FISSION]
    assert summary.chapters[1].title == "Partitioning a Device"
    assert {kind.name: kind.requirements for kind in summary.kinds}["error-clause"] == 5
    for groups in (summary.chapters, summary.kinds):
        assert sum(group.requirements for group in groups) == 11


def test_chapters_of_summary_are_sorted_by_number() -> None:
    extra = [
        ErrorCondition(f"f/CL_X/{number}", fabricated_journals.MAIN, Section(section, "T"), "d", function="f")
        for number, section in enumerate(["5.10.2", "5.9", "5.2.1", "A.3", "6"])
    ]
    journal = parse_journal(fabricated_journals.encode_journal(fabricated_journals.journal_lines()), "j")
    result = assemble_result(journal, fabricated_journals.create_tables(extra))
    names = [chapter.name for chapter in result.summary.chapters]
    assert names == ["4.2", "4.3", "5.2", "5.9", "5.10", "6", "A.3", fabricated_journals.FISSION]


def test_deviations_have_stable_ids_and_minimised_sequence() -> None:
    result = create_result()
    assert [deviation.verdict for deviation in result.deviations] == ["crashes", "deviates", "flaky"]
    deviates = result.deviations[1]
    assert deviates.id == hashlib.sha256(deviates.key.encode()).hexdigest()[:8]
    assert deviates.sequence == [fabricated_journals.TOO_FEW_ENTRIES]
    assert deviates.operands == {fabricated_journals.CRASHED: {"out_devices": OutputBuffer(1), "num_devices": 1}}
    assert deviates.minimised
    assert (deviates.repeated, deviates.attempts, deviates.seen, deviates.items) == (3, 3, 1, 1)
    assert result.find_deviation(deviates.id[:5]) == deviates
    with pytest.raises(ResultError, match="no deviation with id 'zz'"):
        result.find_deviation("zz")
    with pytest.raises(ResultError, match="no deviation"):
        result.find_deviation("")


def test_deviation_without_confirmation_has_its_original_sequence() -> None:
    result = create_result([line for line in fabricated_journals.journal_lines() if not isinstance(line, Confirmation)])
    deviates = next(deviation for deviation in result.deviations if deviation.verdict == "deviates")
    assert not deviates.minimised
    assert deviates.operands == {fabricated_journals.CRASHED: {"out_devices": OutputBuffer(9), "num_devices": 9}}
    assert len(deviates.sequence) == 2
    assert deviates.attempts == 0
    assert {
        requirement.status for requirement in result.requirements if requirement.id == "clReleaseDevice/success"
    } == {"hangs"}


def test_crash_of_one_requirement_explains_a_joint_crash() -> None:
    lines = fabricated_journals.journal_lines()
    group = next(line for line in lines if isinstance(line, Deviation) and len(line.requirements) > 1)
    alone = msgspec.structs.replace(group, item="other", key="alone", requirements=group.requirements[:1])
    proof = ItemEnd("other", "passed", 0.1, 1, {group.requirements[1]: {"conforms": 1}})
    statuses = {
        requirement.id: requirement.status for requirement in create_result([*lines, alone, proof]).requirements
    }
    assert statuses[group.requirements[0]] == "crashes"
    assert statuses[group.requirements[1]] == "conforms"


def test_requirement_that_is_also_violated_has_status_of_the_deviation() -> None:
    further = f"{SUB}/success"
    flaky = [
        msgspec.structs.replace(line, also_violated=[further])
        if isinstance(line, Deviation) and line.key == fabricated_journals.HUNG_KEY
        else line
        for line in fabricated_journals.journal_lines()
    ]
    requirements = {requirement.id: requirement for requirement in create_result(flaky).requirements}
    (hung,) = (line for line in create_result(flaky).deviations if line.key == fabricated_journals.HUNG_KEY)
    assert hung.also_violated == [further]
    assert requirements[further].status == hung.verdict == "flaky"
    assert requirements[further].deviations == [hung.id]


def test_deviation_is_removed_if_an_observed_deviation_replaces_it() -> None:
    lines = fabricated_journals.journal_lines()
    (end,) = [line for line in lines if isinstance(line, Confirmation) and line.key == fabricated_journals.GROUP_KEY]
    replaced = msgspec.structs.replace(end, replaced_by=fabricated_journals.CRASHED_KEY)
    result = create_result([replaced if line is end else line for line in lines])
    assert fabricated_journals.GROUP_KEY not in {deviation.key for deviation in result.deviations}
    assert "crashes" not in {requirement.status for requirement in result.requirements}
    unknown = msgspec.structs.replace(end, replaced_by="f | f/success | never seen")
    kept = create_result([unknown if line is end else line for line in lines])
    assert fabricated_journals.GROUP_KEY in {deviation.key for deviation in kept.deviations}


def _replacements(*ends: tuple[str, str, str]) -> dict[str, set[str]]:
    """Return the verdicts of the listed deviations by function; ``ends``: key, verdict and replacing key of each."""
    lines = [
        line
        for line in fabricated_journals.journal_lines()
        if not isinstance(line, (Deviation, Confirmation, FirstObservation))
    ]
    (crash,) = (
        line
        for line in fabricated_journals.journal_lines()
        if isinstance(line, Deviation) and line.key == fabricated_journals.CRASHED_KEY
    )
    found = [msgspec.structs.replace(crash, key=key, verdict="crashes") for key, _, _ in ends]
    ended = [Confirmation(key, verdict, 2, 2, [], replaced_by=other) for key, verdict, other in ends]
    at = next(index for index, line in enumerate(lines) if isinstance(line, ItemEnd) and line.item == crash.item)
    result = create_result([*lines[:at], *found, lines[at], *ended, *lines[at + 1 :]])
    listed: dict[str, set[str]] = {}
    for deviation in result.deviations:
        listed.setdefault(deviation.key[0], set()).add(deviation.verdict)
    return listed


def _key(letter: str) -> str:
    return f"{letter} | {fabricated_journals.CRASHED} | signal SIGSEGV"


@pytest.mark.parametrize(
    ("ends", "listed"),
    [
        ([("A", "crashes", "B"), ("B", "crashes", "")], {"B": {"crashes"}}),
        ([("A", "crashes", "B"), ("B", "crashes", "C"), ("C", "crashes", "")], {"C": {"crashes"}}),
        ([("A", "crashes", "A")], {"A": {"crashes"}}),
        ([("A", "crashes", "B"), ("B", "crashes", "A")], {"A": {"crashes"}, "B": {"crashes"}}),
        ([("A", "crashes", "B"), ("B", "crashes", "C"), ("C", "crashes", "B")], {"B": {"crashes"}, "C": {"crashes"}}),
        ([("A", "crashes", "B"), ("B", "flaky", "")], {"A": {"crashes"}, "B": {"flaky"}}),
        ([("A", "flaky", "B"), ("B", "flaky", "")], {"B": {"flaky"}}),
        ([("A", "flaky", "B"), ("B", "crashes", "")], {"B": {"crashes"}}),
    ],
    ids=["one", "chain", "itself", "circle", "into-a-circle", "by-a-flaky-one", "both-flaky", "flaky-by-a-crash"],
)
def test_replacing_deviations_never_remove_each_other(
    ends: list[tuple[str, str, str]], listed: dict[str, set[str]]
) -> None:
    """Each of two crashes may show the other one when it is repeated. Both would disappear, and the run would pass."""
    assert _replacements(*((_key(name), verdict, other and _key(other)) for name, verdict, other in ends)) == listed


def test_requirement_not_reached_by_truncated_run_has_truncation_as_reason() -> None:
    result = create_result(fabricated_journals.journal_lines(end=False)[:4])
    assert result.run.cut_short
    assert result.summary.verdict.endswith("the run is incomplete: it did not finish")
    assert (
        next(
            requirement for requirement in result.requirements if requirement.id == "CL_DEVICE_PARTITION_EQUALLY"
        ).reason
        == CUT_SHORT
    )
    assert result.run.unfinished == ["partition.equally::test_room[0]"]
    bare = create_result(fabricated_journals.journal_lines()[:1])
    assert bare.platform is None
    assert bare.summary.verdict.startswith("Nothing was tested")


def test_requirement_not_reached_by_stopped_run_has_stop_as_reason() -> None:
    lines = [
        *fabricated_journals.journal_lines(end=False),
        RunEnd("2025-11-20T23:40:09Z", 9, interrupted=True),
        Selection(7),
    ]
    assert create_result(lines).summary.verdict.endswith("the run is incomplete: it was stopped after 2 of 7 items")
    result = create_result([*fabricated_journals.journal_lines(), Selection(7)])
    assert result.summary.verdict.endswith("the run is incomplete: 5 of 7 items did not finish")
    assert (
        next(
            requirement for requirement in result.requirements if requirement.id == "CL_DEVICE_PARTITION_EQUALLY"
        ).reason
        == STOPPED
    )


def test_requirements_missing_in_the_tables_are_listed_as_unknown() -> None:
    stray = ItemEnd("other", "passed", 0.1, 1, {"clNoSuch/success": {"conforms": 1}})
    assert create_result([*fabricated_journals.journal_lines(), stray]).run.unknown_requirements == ["clNoSuch/success"]


def test_reasons_of_several_selection_lines_are_merged() -> None:
    result = create_result(
        [*fabricated_journals.journal_lines(), Selection(3, {"CL_DEVICE_PARTITION_EQUALLY": "budget spent"})]
    )
    reasons = {
        requirement.id: requirement.reason for requirement in result.requirements if requirement.status == "not-run"
    }
    assert reasons == {
        "CL_DEVICE_PARTITION_EQUALLY": "budget spent",
        "CL_DEVICE_PARTITION_MAX_SUB_DEVICES": "deselected",
    }


@pytest.mark.parametrize("hostile", [False, True])
def test_result_matches_schema_and_is_read_back(hostile: bool, tmp_path: Path) -> None:  # noqa: FBT001
    result = create_result(fabricated_journals.journal_lines(hostile=hostile))
    text = schemas.validated(encode_document(result), "result")
    assert text.isascii()
    assert all(character.isprintable() or character == "\n" for character in text)
    path = tmp_path / "result.json"
    path.write_text(text, encoding="ascii")
    assert load_result(path) == result


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", "not a result"),
        ("{}", "not a result"),
        ("[]", "not a result"),
        ('{"format": 7}', "format 7"),
        ('{"summary": 1}', "not a result"),
    ],
)
def test_invalid_or_missing_result_file_is_refused(content: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / "result.json"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(ResultError, match=said):
        load_result(path)
    with pytest.raises(ResultError, match="cannot read"):
        load_result(tmp_path / "missing.json")


@pytest.mark.parametrize("end", ["", "\udc80"], ids=["text", "half a pair"])
def test_json_is_printable_ascii_for_any_text(end: str) -> None:
    """Names of files may contain bytes that are not text."""
    document = {"a": [], "b": {}, "c": [1, -1.5e-7, None, {"d": [True]}], "e": f'é\x7f\n"\u202e{end}'}
    text = format_json(document)
    assert json.loads(text) == document
    assert text.isascii()
    assert text.replace("\n", "").isprintable()
    assert text.splitlines()[:4] == ["{", ' "a": [],', ' "b": {},', ' "c": [']
