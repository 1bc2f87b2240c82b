"""Interpretations: counted from the calls that depend on them, shown in every report, and written to a page."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import pytest

from clconform.calls.call import Call, Returned
from clconform.calls.journal import Interpretation, ItemEnd, PlatformLine
from clconform.oracles.engine.call_context import CallContext
from clconform.oracles.engine.interpretation_list import INTERPRETATIONS
from clconform.oracles.engine.judgements import ClauseMatch, Expectation, Judgement
from clconform.oracles.engine.rulebook import rulebook_of
from clconform.oracles.model.state import Model
from clconform.reports import RunResult, assemble_result, format_interpretations
from clconform.reports.html_report import render_report
from clconform.reports.journal_reader import parse_journal
from clconform.runner.journal.recorder import Recorder, find_deciding_interpretations
from clconform.spec_tables import load
from clconform.spec_tables.requirements import ErrorCondition

from . import fabricated_journals

if TYPE_CHECKING:
    from clconform.calls.line_kinds import JournalLine

CALL = Call("clRetainDevice", {"device": None})
CALL_CONTEXT = CallContext(CALL, Model(load()), rulebook_of(load()))
PAGE = Path(__file__).parents[2] / "docs" / "interpretations.md"


def create_match(interpretation: str = "") -> ClauseMatch:
    clause = load().requirements["clRetainDevice/CL_INVALID_DEVICE/1"]
    assert isinstance(clause, ErrorCondition)
    return ClauseMatch(clause, interpretation)


@pytest.mark.parametrize(
    ("musts", "mays", "expected"),
    [
        ((), (), set()),
        ((), ("one",), {"one"}),
        ((), ("one", "two"), {"one", "two"}),
        (("read",), ("one",), {"read", "one"}),
        (("",), ("one",), set()),
        (("", "read"), (), set()),
    ],
)
def test_interpretations_decide_only_if_literal_conditions_do_not_hold(
    musts: tuple[str, ...], mays: tuple[str, ...], expected: set[str]
) -> None:
    expectation = Expectation(CALL_CONTEXT, tuple(map(create_match, musts)), tuple(map(create_match, mays)), ())
    assert find_deciding_interpretations(expectation) == expected


def test_outcomes_of_calls_that_depend_on_interpretations_are_counted() -> None:
    recorder = Recorder(None)
    recorder.begin_item("one")
    for code in ("CL_SUCCESS", "CL_SUCCESS", "CL_INVALID_DEVICE"):
        recorder.on_judged_call(
            Expectation(CALL_CONTEXT, (), (create_match("open"),), ()), Returned(0), Judgement(code), [], ""
        )
    assert recorder.interpretation_counts == {"open": {"CL_SUCCESS": 2, "CL_INVALID_DEVICE": 1}}
    recorder.begin_item("two")
    assert not recorder.interpretation_counts


def create_result(reason: str = "it is not said") -> RunResult:
    """Return a result with two interpretations; calls of every item depend on the first one only."""
    lines: list[JournalLine] = []
    for line in fabricated_journals.journal_lines():
        if isinstance(line, PlatformLine):
            entries = [
                Interpretation("met", "4.3, here", "both are right", reason),
                Interpretation("not-met", "", "", ""),
            ]
            lines.append(msgspec.structs.replace(line, interpretations=entries))
        elif isinstance(line, ItemEnd):
            lines.append(
                msgspec.structs.replace(line, interpretations={"met": {"CL_SUCCESS": 1, f"{line.outcome}?": 2}})
            )
        else:
            lines.append(line)
    return assemble_result(
        parse_journal(fabricated_journals.encode_journal(lines), "j"), fabricated_journals.create_tables()
    )


def test_result_sums_interpretation_counts_of_all_items() -> None:
    met, other = create_result().interpretations
    items = create_result().run.items
    assert met.observed["CL_SUCCESS"] == items > 1
    assert sum(met.observed.values()) == 3 * items
    assert other.observed == {}


def test_page_shows_every_interpretation_escaped() -> None:
    page = render_report(create_result("<script>alert(1)</script>"), fabricated_journals.create_tables())
    assert "not tested" in page
    assert "CL_SUCCESS (" in page
    assert "&lt;script&gt;alert(1)" in page
    assert "<script>alert" not in page


def test_interpretations_page_names_driver_and_outcomes() -> None:
    text = format_interpretations([Interpretation("met", "4.3", "both *are* right", "open")], [create_result()])
    assert "## met" in text
    assert "both \\*are\\* right" in text
    (line,) = (line for line in text.splitlines() if line.startswith("- Portable Computing Language 3.1: "))
    assert "`CL_SUCCESS`" in line
    assert "| Portable Computing Language 3.1 | through the loader | default | 2 | 5 | 2025-11-20 |" in text


def test_committed_page_matches_output_of_interpretations_command() -> None:
    """Without the lines about drivers, the page must equal the output of the command without results."""
    head, rest = PAGE.read_text(encoding="utf-8").split("\nEach interpretation lists", 1)
    table, entries = rest.split("\n## ", 1)
    drivers = [row.split(" | ")[0].removeprefix("| ") for row in table.splitlines() if row.startswith("| ")][1:]
    assert drivers
    of_drivers = tuple(f"- {name}: " for name in drivers)
    bare = [line for line in f"## {entries}".splitlines() if not line.startswith(of_drivers)]
    again = "write it again: clconform interpretations RESULT... > docs/interpretations.md"
    assert head + "\n" + "\n".join(bare) + "\n" == format_interpretations(INTERPRETATIONS.values(), []), again
