"""Several results joined: coverage of each requirement, or the reason without it; and the coverage page."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import pytest

from clconform.oracles.engine.reasons import categories_by_reason, load_reason_categories
from clconform.oracles.engine.rulebook import rulebook_of
from clconform.reports import assemble_result
from clconform.reports.coverage_page import COLUMNS, DetectedViolations, decide_coverage, format_coverage, is_within
from clconform.reports.journal_reader import parse_journal
from clconform.reports.revision_page import format_new_requirements
from clconform.reports.run_result import RequirementResult
from clconform.runner.journal.requirement_scope import find_untestable
from clconform.spec_tables import load, loading
from clconform.spec_tables.requirements import Limit, Query, Success

from . import fabricated

if TYPE_CHECKING:
    from clconform.reports.run_result import RunResult

PAGE = Path(__file__).parents[2] / "docs" / "coverage.md"
WHY, OTHER = "no call shows it", "no other device is here"
SORTS = {"not-visible": ("No call shows it.", (WHY,))}


def record(
    name: str, status: str, reason: str = "", section: str = "5.4.1", document: str = "OpenCL"
) -> RequirementResult:
    chapter = ".".join(section.split(".")[:2]) if document == "OpenCL" else document
    told = {"id": name, "kind": "effect", "document": document, "section": section, "status": status, "calls": 0}
    return msgspec.convert({**told, "chapter": chapter, "reason": reason}, RequirementResult)


@pytest.fixture
def run() -> RunResult:
    return assemble_result(parse_journal(fabricated.content(fabricated.lines()), "j"), fabricated.tables())


def with_records(run: RunResult, access: str, *records: RequirementResult) -> RunResult:
    assert run.platform is not None
    platform = msgspec.structs.replace(run.platform, access=access)
    return msgspec.structs.replace(run, platform=platform, records=list(records))


def outcomes(*results: RunResult, untestable: dict[str, str] | None = None) -> dict[str, tuple[str, str]]:
    return {each.id: (each.outcome, each.reason) for each in decide_coverage(results, untestable or {}, [WHY])}


@pytest.mark.parametrize("status", ["conforms", "deviates", "crashes", "hangs"])
def test_a_driver_counts_before_a_simulated_platform(run: RunResult, status: str) -> None:
    real = with_records(run, "loader", record("a", status), record("b", "not-provoked", OTHER))
    simulated = with_records(run, "simulated", record("a", "conforms"), record("b", status))
    for results in ((real, simulated), (simulated, real)):
        assert outcomes(*results) == {"a": ("real", ""), "b": ("simulated", "")}


@pytest.mark.parametrize("status", ["flaky", "inconclusive", "not-provoked", "not-run"])
def test_what_proves_nothing_is_left(run: RunResult, status: str) -> None:
    assert outcomes(with_records(run, "loader", record("a", status, OTHER))) == {"a": ("left", f"{status}: {OTHER}")}


def test_only_a_listed_reason_decides(run: RunResult) -> None:
    result = with_records(run, "loader", record("a", "untestable", WHY), record("b", "untestable", OTHER))
    reasons = {"a": WHY, "b": OTHER}
    assert outcomes(result, untestable=reasons) == {"a": ("reason", WHY), "b": ("left", f"untestable: {OTHER}")}


def test_a_reason_that_the_rules_give_no_more_decides_nothing(run: RunResult) -> None:
    result = with_records(run, "loader", record("a", "untestable", WHY))
    assert outcomes(result) == {"a": ("left", f"untestable: {WHY}")}


def test_a_reason_holds_where_a_record_does_not_apply_but_not_where_it_was_tested(run: RunResult) -> None:
    result = with_records(run, "loader", record("a", "not-applicable", "since 3.0"), record("b", "deviates"))
    assert outcomes(result, untestable={"a": WHY, "b": WHY}) == {"a": ("reason", WHY), "b": ("real", "")}


def test_a_record_that_is_left_is_shown_as_where_it_applies(run: RunResult) -> None:
    nowhere = with_records(run, "loader", record("a", "not-applicable", "since 3.0"))
    applies = with_records(run, "loader", record("a", "not-provoked", OTHER))
    for results in ((nowhere, applies), (applies, nowhere)):
        assert outcomes(*results) == {"a": ("left", f"not-provoked: {OTHER}")}


def test_sections_hold_what_is_below_them(run: RunResult) -> None:
    result = with_records(run, "loader", record("a", "conforms"), record("b", "conforms", "", "", "cl_ext_x"))
    first, second = decide_coverage([result], {}, [])
    assert is_within(first, ["5"])
    assert is_within(first, ["5.4"])
    assert not is_within(first, ["5.4.12", "4"])
    assert is_within(second, ["cl_ext_x"])
    assert not is_within(second, ["5"])


def test_the_page_counts_by_chapter_and_reason_and_lists_what_is_left(run: RunResult) -> None:
    records = (record("a", "conforms"), record("b", "untestable", WHY), record("c<", "not-run", "a_b"))
    result = with_records(run, "loader", *records, record("d", "deviates", "", "5.10"))
    text = format_coverage(decide_coverage([result], {"b": WHY}, [WHY]), [result], SORTS)
    assert text.index("| 5.4 | 3 | 1 |  | 1 | 1 |") < text.index("| 5.10 | 1 | 1 |  |  |  |")
    assert "| **all** | 4 | 2 |  | 1 | 1 |" in text
    assert "| not-visible | No call shows it. | 1 |" in text
    assert f"| not-visible | {WHY} | 1 |" in text
    assert text.endswith("- `c<` (5.4): not-run: a\\_b\n")


def test_the_page_counts_of_which_tested_records_a_violation_is_found(run: RunResult) -> None:
    records = (
        record("a", "conforms"),
        record("b", "deviates"),
        record("c", "untestable", WHY),
        record("d_", "conforms"),
    )
    result = with_records(run, "loader", *records, record("e", "conforms", "", "5.10"))
    shown = DetectedViolations(
        {"named": "It is named.", "not": "None."}, {"a": "named", "b": "named", "c": "named"}, {"d_": "1_2", "c": "1_2"}
    )
    text = format_coverage(decide_coverage([result], {"c": WHY}, [WHY]), [result], SORTS, shown)
    part = text.split("## Detected violations")[1].split("\n## ")[0]
    assert "- *named*: It is named.\n" in part
    assert part.index("| OpenCL | 5.4 | 3 | 2 | 1 |") < part.index("| OpenCL | 5.10 | 1 |  | 1 |")
    assert "| **all** |  | 4 | 2 | 2 |" in part
    assert part.endswith("The 1 requirements without a detected violation, by reason:\n\n- 1\\_2: `d_`\n")
    assert "## Detected violations" not in format_coverage(
        decide_coverage([result], {"c": WHY}, [WHY]), [result], SORTS
    )


NEWER = loading.REVISIONS / "3.1.1"


def test_the_page_of_a_revision_has_what_older_tables_lack_and_clauses_that_are_left(run: RunResult) -> None:
    """Check a function and a query of 3.1, covered and uncovered conditions, and a condition of both revisions."""
    asked, left, both = (f"clCreateBuffer/CL_INVALID_{name}" for name in ("BUFFER_SIZE/2", "HOST_PTR/5", "CONTEXT/1"))
    records = (
        record("clGetKernelSuggestedLocalWorkSize/success", "deviates"),
        record("CL_DEVICE_UUID", "not-run", "a_b"),
        *(record(name, status) for name, status in ((asked, "conforms"), (left, "not-run"), (both, "not-run"))),
    )
    result = with_records(run, "loader", *records)
    newer, older = loading.read_tables(NEWER), loading.load_default()
    text = format_new_requirements(
        decide_coverage([result], {}, [WHY]), [result], newer, older, lambda name: f"<{name}>"
    )
    assert "| Functions | 1 | 1 |  |  |  |" in text
    assert "| Queries | 1 |  |  |  | 1 |" in text
    assert "| Error conditions | 2 | 1 |  |  | 1 |" in text
    assert "not covered: not-run: a\\_b |" in text
    assert f"| `{left}` |" in text
    assert f"| `{asked}` |" not in text
    assert both not in text


def test_the_page_of_3_1_1_leaves_no_function_query_or_limit() -> None:
    """Check the file that ``clconform coverage --new RESULT... > docs/coverage-3.1.1.md`` writes."""
    text = PAGE.with_name("coverage-3.1.1.md").read_text(encoding="utf-8")
    newer, older = loading.read_tables(NEWER).requirements, loading.load_default().requirements
    for title, kind in (("Functions", Success), ("Queries", Query), ("Limits", Limit)):
        part = text.split(f"\n## {title}\n")[1].split("\n## ")[0]
        names = {name for name, each in newer.items() if isinstance(each, kind) and name not in older}
        assert names == set(re.findall(r"^\| `([^`]+)` ", part, re.MULTILINE))
        assert "not covered: " not in part


# the page in docs/


@pytest.fixture(scope="module")
def page() -> str:
    """Return the text of the page that ``.ci/coverage FOLDER`` writes."""
    return PAGE.read_text(encoding="utf-8").replace("\\", "")


def rows(text: str, columns: int) -> list[list[str]]:
    """Return the cells of all rows, without headers, of the tables with this number of columns."""
    found = [
        line.strip("| ").split(" | ") for line in re.sub(r"\|  (?=\|)", "| 0 ", text).splitlines() if line[:1] == "|"
    ]
    return [cells for cells in found if len(cells) == columns and cells[-1].isdigit()]


def test_the_page_has_every_record_of_the_tables_once(page: str) -> None:
    tables = Counter((each.document, each.id) for each in load().requirements.values())
    assert f"| {COLUMNS} |" in page
    told = {}
    for part in page.split("\n## ")[1:]:
        chapters = [[cells[0], *map(int, cells[1:])] for cells in rows(part, 6)]
        for _, number, *parts in chapters:
            assert number == sum(int(each) for each in parts)
        if chapters:
            told[part.splitlines()[0]] = sum(int(number) for name, number, *_ in chapters if name != "**all**")
            assert chapters[-1][1] == told[part.splitlines()[0]]
    assert told == Counter(document for document, _ in tables)


def test_the_page_gives_only_listed_reasons_and_none_more_often_than_the_rules(page: str) -> None:
    tables = load()
    given = Counter(find_untestable(tables, rulebook_of(tables)).values())
    part = page.split("## Untestable requirements by reason")[1]
    by_sort = {
        name: int(number)
        for name, means, number in rows(part, 3)
        if name != "**all**" and means not in categories_by_reason()
    }
    by_reason = {reason: int(number) for _, reason, number in rows(part, 3) if reason in categories_by_reason()}
    assert list(by_sort) == [sort.name for sort in load_reason_categories()]
    assert [reason for reason, number in by_reason.items() if number > given[reason] > 0] == []
    for sort in load_reason_categories():
        assert by_sort[sort.name] == sum(by_reason.get(reason, 0) for reason in sort.reasons), sort.name
    untestable = sum(int(cells[4]) for cells in rows(page, 6) if cells[0] != "**all**")
    assert untestable == sum(by_reason.values())


def test_what_the_page_leaves_are_records_without_a_reason(page: str) -> None:
    tables = load()
    listed = re.findall(r"^- `(.+?)` \(", page.split("## Requirements that are not covered")[1], re.MULTILINE)
    assert len(listed) == sum(int(cells[5]) for cells in rows(page, 6) if cells[0] != "**all**")
    assert [each for each in listed if each not in tables.requirements] == []
    known = find_untestable(tables, rulebook_of(tables))
    assert [each for each in listed if each in known] == [], "these have a reason now; write the page again"
