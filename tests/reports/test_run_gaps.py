"""The reasons why a run is incomplete, as a table; every report of an incomplete run states its reason."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import msgspec
import pytest

from clconform.calls.call import Call
from clconform.calls.journal import (
    BUDGET_SPENT,
    Confirmation,
    Deviation,
    FirstObservation,
    ItemEnd,
    KilledProcess,
    Resumed,
    RunEnd,
    Selection,
)
from clconform.reports.badge import badge_of
from clconform.reports.html_report import render_report
from clconform.reports.journal_reader import parse_journal
from clconform.reports.junit_report import render_junit
from clconform.reports.markdown_summary import format_summary
from clconform.reports.result_builder import assemble_result
from clconform.reports.run_gaps import find_gaps
from clconform.spec_tables import load

from . import fabricated_journals

if TYPE_CHECKING:
    from clconform.calls.line_kinds import JournalLine
    from clconform.reports.run_result import RunResult

CLEAN = fabricated_journals.conforming_lines()
END = RunEnd("2025-11-20T23:40:09Z", 9.0)
ITEM = next(line for line in CLEAN if isinstance(line, ItemEnd))
KILLED = KilledProcess(
    ITEM.item, "F | F/success | killed SIGKILL", ["F/success"], "literal", [], "killed SIGKILL", {}, []
)
CRASH = Deviation(ITEM.item, KILLED.key, ["F/success"], "crashes", "literal", [], "killed SIGKILL", {}, [],
                  while_confirming=True)  # fmt: skip
CALL = Call("clCreateContext", {})
SPENT_BUDGET = {"CL_DEVICE_PARTITION_EQUALLY": BUDGET_SPENT}

CASES: dict[str, tuple[list[JournalLine], list[str]]] = {
    "complete": ([], []),
    "an item is lost": ([Selection(3)], ["1 of 3 items did not finish"]),
    "interrupted": (
        [msgspec.structs.replace(END, interrupted=True), Selection(3)], ["it was stopped after 2 of 3 items"],
    ),
    "the budget is spent": ([Selection(5), Selection(0, SPENT_BUDGET, 3)], []),
    "the budget is spent, and an item is lost": (
        [Selection(5), Selection(0, SPENT_BUDGET, 2)], ["1 of 5 items did not finish"],
    ),
    "a budget by an earlier version": ([Selection(5), Selection(0, SPENT_BUDGET)], []),
    "the budget is spent again": (
        [Selection(5), Selection(0, SPENT_BUDGET, 3), Resumed("t"), ITEM, END, Selection(0, {}, 3)], [],
    ),
    "our failure": (
        [msgspec.structs.replace(ITEM, outcome="error")], ["1 item failed by an internal error"],
    ),
    "the driver was killed": (
        [KILLED, ITEM], ["1 item lost the driver's process to SIGKILL, for an unknown reason"],
    ),
    "the device was lost": (
        [msgspec.structs.replace(END, device_lost="CL_DEVICE_AVAILABLE is not CL_TRUE"), Selection(9)],
        ["the device was lost: CL_DEVICE_AVAILABLE is not CL_TRUE"],
    ),
    "a deviation is unconfirmed": (
        [ITEM, CRASH, Confirmation(CRASH.key, "unconfirmed", 0, 0, [], note="not repeated")],
        ["1 deviation could not be confirmed"],
    ),
    "a run is resumed after a loss": (
        [msgspec.structs.replace(END, device_lost="CL_DEVICE_AVAILABLE is not CL_TRUE"), Resumed("t"), ITEM, END], [],
    ),
    "a kill that repeats is a crash": ([KILLED, ITEM, CRASH], []),
    "no context was created": (
        [FirstObservation(ITEM.item, "clCreateContext/success", [], "CL_OUT_OF_RESOURCES", "", CALL), ITEM],
        ["every call of clCreateContext failed for lack of resources in 1 test; 1 requirement was not tested"],
    ),
}  # fmt: skip
INCOMPLETE = [name for name, (_, gaps) in CASES.items() if gaps]


def create_result(*more: JournalLine) -> RunResult:
    return assemble_result(
        parse_journal(fabricated_journals.encode_journal([*CLEAN, *more]), "j"), fabricated_journals.create_tables()
    )


@pytest.mark.parametrize("name", CASES)
def test_find_gaps_returns_reasons_why_a_run_is_incomplete(name: str) -> None:
    lines, gaps = CASES[name]
    run = create_result(*lines).run
    assert find_gaps(run) == run.gaps == gaps


def test_run_without_end_line_in_journal_is_incomplete() -> None:
    run = assemble_result(
        parse_journal(fabricated_journals.encode_journal(CLEAN[:-1]), "j"), fabricated_journals.create_tables()
    ).run
    assert find_gaps(run) == ["it did not finish"]


@pytest.mark.parametrize("name", INCOMPLETE)
def test_every_report_of_an_incomplete_run_shows_its_gap(name: str) -> None:
    lines, (gap,) = CASES[name]
    result = create_result(*lines)
    badge = json.loads(badge_of(result))
    assert badge["color"] != "brightgreen"
    assert badge["message"].endswith("(incomplete)")
    assert result.summary.verdict.endswith(f"the run is incomplete: {gap}")
    assert gap in format_summary(result, fabricated_journals.create_tables()).replace("\\", "").replace("&#39;", "'")
    assert "the run is complete" in render_junit(result, fabricated_journals.create_tables())
    page = render_report(result, load())
    assert 'class="verdict good"' not in page
    assert gap in page.replace("&#39;", "'")


def test_complete_run_has_green_badge() -> None:
    result = create_result()
    assert json.loads(badge_of(result))["color"] == "brightgreen"
    assert "the run is complete" not in render_junit(result, fabricated_journals.create_tables())


RUN = create_result().run


@pytest.mark.parametrize(
    ("changes", "gaps"),
    [
        ({"covered": 0}, ["no requirement was covered"]),
        ({"covered": 0, "budget_spent": True, "items": 0, "not_started": 2}, ["no requirement was covered"]),
        ({"covered": None}, []),
        ({"covered": 1}, []),
        ({"covered": 0, "planned": 0, "items": 0}, []),
        ({"covered": 0, "shard": "1/2"}, []),
        (
            {"unreadable_versions": ["CL_PLATFORM_VERSION"]},
            ["CL_PLATFORM_VERSION cannot be read, so it is unknown which requirements apply"],
        ),
        (
            {"unreadable_versions": ["CL_PLATFORM_VERSION", "CL_DEVICE_VERSION"], "covered": 0},
            ["CL_PLATFORM_VERSION and CL_DEVICE_VERSION cannot be read, so it is unknown which requirements apply"],
        ),
    ],
)
def test_run_without_coverage_or_version_has_a_gap(changes: dict[str, object], gaps: list[str]) -> None:
    assert find_gaps(msgspec.structs.replace(RUN, **changes)) == gaps


def test_journal_without_conclusive_evidence_covers_nothing() -> None:
    items = [msgspec.structs.replace(line, evidence={}) for line in CLEAN if isinstance(line, ItemEnd)]
    others = [line for line in CLEAN if not isinstance(line, ItemEnd)]
    journal = parse_journal(fabricated_journals.encode_journal([*others, *items]), "j")
    run = assemble_result(journal, fabricated_journals.create_tables()).run
    assert (run.covered, run.gaps) == (0, ["no requirement was covered"])
