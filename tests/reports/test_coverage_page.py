"""The coverage page lists each requirement with the result that covers it, or the reason why no result does."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import pytest

from clconform.oracles.engine.reasons import load_reason_categories
from clconform.oracles.engine.rulebook import rulebook_of
from clconform.reports import assemble_result
from clconform.reports.coverage_page import COLUMNS, DetectedViolations, decide_coverage, format_coverage, is_within
from clconform.reports.journal_reader import parse_journal
from clconform.reports.revision_page import format_new_requirements
from clconform.reports.run_result import RequirementResult
from clconform.runner.journal.requirement_scope import find_untestable
from clconform.spec_tables import load, loading
from clconform.spec_tables.requirements import Limit, Query, Success

from . import fabricated_journals

if TYPE_CHECKING:
    from clconform.reports.run_result import RunResult

PAGE = Path(__file__).parents[2] / "docs" / "coverage.md"
LISTED_REASON, OTHER_REASON = "no call shows it", "no other device is here"
REASON_KINDS = {"not-visible": ("No call shows it.", (LISTED_REASON,))}


def create_requirement(
    name: str, status: str, reason: str = "", section: str = "5.4.1", document: str = "OpenCL"
) -> RequirementResult:
    chapter = ".".join(section.split(".")[:2]) if document == "OpenCL" else document
    told = {"id": name, "kind": "effect", "document": document, "section": section, "status": status, "calls": 0}
    return msgspec.convert({**told, "chapter": chapter, "reason": reason}, RequirementResult)


@pytest.fixture
def run_result() -> RunResult:
    return assemble_result(
        parse_journal(fabricated_journals.encode_journal(fabricated_journals.journal_lines()), "j"),
        fabricated_journals.create_tables(),
    )


def replace_requirements(run_result: RunResult, access: str, *requirements: RequirementResult) -> RunResult:
    assert run_result.platform is not None
    platform = msgspec.structs.replace(run_result.platform, access=access)
    return msgspec.structs.replace(run_result, platform=platform, requirements=list(requirements))


def coverage_outcomes(*results: RunResult, untestable: dict[str, str] | None = None) -> dict[str, tuple[str, str]]:
    return {
        each.id: (each.outcome, each.reason) for each in decide_coverage(results, untestable or {}, [LISTED_REASON])
    }


@pytest.mark.parametrize("status", ["conforms", "deviates", "crashes", "hangs"])
def test_coverage_by_driver_takes_precedence_over_simulated_platform(run_result: RunResult, status: str) -> None:
    real = replace_requirements(
        run_result, "loader", create_requirement("a", status), create_requirement("b", "not-covered", OTHER_REASON)
    )
    simulated = replace_requirements(
        run_result, "simulated", create_requirement("a", "conforms"), create_requirement("b", status)
    )
    for results in ((real, simulated), (simulated, real)):
        assert coverage_outcomes(*results) == {"a": ("real", ""), "b": ("simulated", "")}


@pytest.mark.parametrize("status", ["flaky", "inconclusive", "not-covered", "not-run"])
def test_requirement_with_status_without_evidence_counts_as_uncovered(run_result: RunResult, status: str) -> None:
    assert coverage_outcomes(
        replace_requirements(run_result, "loader", create_requirement("a", status, OTHER_REASON))
    ) == {"a": ("left", f"{status}: {OTHER_REASON}")}


def test_only_listed_reasons_explain_missing_coverage(run_result: RunResult) -> None:
    result = replace_requirements(
        run_result,
        "loader",
        create_requirement("a", "untestable", LISTED_REASON),
        create_requirement("b", "untestable", OTHER_REASON),
    )
    reasons = {"a": LISTED_REASON, "b": OTHER_REASON}
    assert coverage_outcomes(result, untestable=reasons) == {
        "a": ("reason", LISTED_REASON),
        "b": ("left", f"untestable: {OTHER_REASON}"),
    }


def test_reason_that_is_no_longer_given_does_not_explain_missing_coverage(run_result: RunResult) -> None:
    result = replace_requirements(run_result, "loader", create_requirement("a", "untestable", LISTED_REASON))
    assert coverage_outcomes(result) == {"a": ("left", f"untestable: {LISTED_REASON}")}


def test_reason_for_missing_coverage_is_ignored_if_requirement_was_tested(run_result: RunResult) -> None:
    result = replace_requirements(
        run_result,
        "loader",
        create_requirement("a", "not-applicable", "since 3.0"),
        create_requirement("b", "deviates"),
    )
    assert coverage_outcomes(result, untestable={"a": LISTED_REASON, "b": LISTED_REASON}) == {
        "a": ("reason", LISTED_REASON),
        "b": ("real", ""),
    }


def test_reason_for_uncovered_requirement_is_from_a_run_in_which_it_applies(run_result: RunResult) -> None:
    nowhere = replace_requirements(run_result, "loader", create_requirement("a", "not-applicable", "since 3.0"))
    applies = replace_requirements(run_result, "loader", create_requirement("a", "not-covered", OTHER_REASON))
    for results in ((nowhere, applies), (applies, nowhere)):
        assert coverage_outcomes(*results) == {"a": ("left", f"not-covered: {OTHER_REASON}")}


def test_requirement_belongs_only_to_its_own_section_and_chapter(run_result: RunResult) -> None:
    result = replace_requirements(
        run_result,
        "loader",
        create_requirement("a", "conforms"),
        create_requirement("b", "conforms", "", "", "cl_ext_x"),
    )
    first, second = decide_coverage([result], {}, [])
    assert is_within(first, ["5"])
    assert is_within(first, ["5.4"])
    assert not is_within(first, ["5.4.12", "4"])
    assert is_within(second, ["cl_ext_x"])
    assert not is_within(second, ["5"])


def test_page_counts_by_chapter_and_reason_and_lists_uncovered_requirements(run_result: RunResult) -> None:
    requirements = (
        create_requirement("a", "conforms"),
        create_requirement("b", "untestable", LISTED_REASON),
        create_requirement("c<", "not-run", "a_b"),
    )
    result = replace_requirements(run_result, "loader", *requirements, create_requirement("d", "deviates", "", "5.10"))
    text = format_coverage(decide_coverage([result], {"b": LISTED_REASON}, [LISTED_REASON]), [result], REASON_KINDS)
    assert text.index("| 5.4 | 3 | 1 |  | 1 | 1 |") < text.index("| 5.10 | 1 | 1 |  |  |  |")
    assert "| **all** | 4 | 2 |  | 1 | 1 |" in text
    assert "| not-visible | No call shows it. | 1 |" in text
    assert f"| not-visible | {LISTED_REASON} | 1 |" in text
    assert text.endswith("- `c<` (5.4): not-run: a\\_b\n")


def test_page_counts_tested_requirements_with_detected_violation(run_result: RunResult) -> None:
    requirements = (
        create_requirement("a", "conforms"),
        create_requirement("b", "deviates"),
        create_requirement("c", "untestable", LISTED_REASON),
        create_requirement("d_", "conforms"),
    )
    result = replace_requirements(run_result, "loader", *requirements, create_requirement("e", "conforms", "", "5.10"))
    shown = DetectedViolations(
        {"named": "It is named.", "not": "None."}, {"a": "named", "b": "named", "c": "named"}, {"d_": "1_2", "c": "1_2"}
    )
    text = format_coverage(
        decide_coverage([result], {"c": LISTED_REASON}, [LISTED_REASON]), [result], REASON_KINDS, shown
    )
    part = text.split("## Detected violations")[1].split("\n## ")[0]
    assert "- *named*: It is named.\n" in part
    assert part.index("| OpenCL | 5.4 | 3 | 2 | 1 |") < part.index("| OpenCL | 5.10 | 1 |  | 1 |")
    assert "| **all** |  | 4 | 2 | 2 |" in part
    assert part.endswith("The 1 requirements without a detected violation, by reason:\n\n- 1\\_2: `d_`\n")
    assert "## Detected violations" not in format_coverage(
        decide_coverage([result], {"c": LISTED_REASON}, [LISTED_REASON]), [result], REASON_KINDS
    )


NEWER_TABLES = loading.REVISIONS / "3.1.1"


def test_revision_page_lists_additions_and_uncovered_conditions(run_result: RunResult) -> None:
    """The result has a function and a query of 3.1, and error conditions: covered, uncovered, and of both revisions."""
    asked, left, both = (f"clCreateBuffer/CL_INVALID_{name}" for name in ("BUFFER_SIZE/2", "HOST_PTR/5", "CONTEXT/1"))
    requirements = (
        create_requirement("clGetKernelSuggestedLocalWorkSize/success", "deviates"),
        create_requirement("CL_DEVICE_UUID", "not-run", "a_b"),
        *(
            create_requirement(name, status)
            for name, status in ((asked, "conforms"), (left, "not-run"), (both, "not-run"))
        ),
    )
    result = replace_requirements(run_result, "loader", *requirements)
    newer, older = loading.read_tables(NEWER_TABLES), loading.load_default()
    text = format_new_requirements(
        decide_coverage([result], {}, [LISTED_REASON]), [result], newer, older, lambda name: f"<{name}>"
    )
    assert "| Functions | 1 | 1 |  |  |  |" in text
    assert "| Queries | 1 |  |  |  | 1 |" in text
    assert "| Error conditions | 2 | 1 |  |  | 1 |" in text
    assert "not covered: not-run: a\\_b |" in text
    assert f"| `{left}` |" in text
    assert f"| `{asked}` |" not in text
    assert both not in text


def test_page_of_3_1_1_has_no_uncovered_function_query_or_limit() -> None:
    """``clconform dev coverage --new-requirements RESULT... > docs/coverage-3.1.1.md`` writes the page."""
    text = PAGE.with_name("coverage-3.1.1.md").read_text(encoding="utf-8")
    newer, older = loading.read_tables(NEWER_TABLES).requirements, loading.load_default().requirements
    for title, kind in (("Functions", Success), ("Queries", Query), ("Limits", Limit)):
        part = text.split(f"\n## {title}\n")[1].split("\n## ")[0]
        names = {name for name, each in newer.items() if isinstance(each, kind) and name not in older}
        assert names == set(re.findall(r"^\| `([^`]+)` ", part, re.MULTILINE))
        assert "not covered: " not in part


# tests of the committed page, docs/coverage.md


@pytest.fixture(scope="module")
def coverage_page() -> str:
    """Return the text of the page that ``.ci/coverage FOLDER`` writes."""
    return PAGE.read_text(encoding="utf-8").replace("\\", "")


def table_rows(text: str, columns: int) -> list[list[str]]:
    """Return the cells of all rows, without headers, of the tables that have ``columns`` columns."""
    found = [
        line.strip("| ").split(" | ") for line in re.sub(r"\|  (?=\|)", "| 0 ", text).splitlines() if line[:1] == "|"
    ]
    return [cells for cells in found if len(cells) == columns and cells[-1].isdigit()]


def test_committed_page_counts_every_requirement_once(coverage_page: str) -> None:
    tables = Counter((each.document, each.id) for each in load().requirements.values())
    assert f"| {COLUMNS} |" in coverage_page
    told = {}
    for part in coverage_page.split("\n## ")[1:]:
        chapters = [[cells[0], *map(int, cells[1:])] for cells in table_rows(part, 6)]
        for _, number, *parts in chapters:
            assert number == sum(int(each) for each in parts)
        if chapters:
            told[part.splitlines()[0]] = sum(int(number) for name, number, *_ in chapters if name != "**all**")
            assert chapters[-1][1] == told[part.splitlines()[0]]
    assert told == Counter(document for document, _ in tables)


def test_committed_page_contains_only_listed_reasons_with_plausible_counts(coverage_page: str) -> None:
    tables = load()
    given = Counter(find_untestable(tables, rulebook_of(tables)).values())
    part = coverage_page.split("## Untestable requirements by reason")[1]
    descriptions = {sort.description for sort in load_reason_categories()}
    rows = [row for row in table_rows(part, 3) if row[0] != "**all**"]
    by_sort = {name: int(number) for name, means, number in rows if means in descriptions}
    by_reason = {reason: int(number) for _, reason, number in rows if reason not in descriptions}
    of_sort = Counter[str]()
    for name, reason, number in rows:  # a reason that the code has lost since the runs of the page is still in it
        of_sort[name] += int(number) if reason not in descriptions else 0
    assert list(by_sort) == [sort.name for sort in load_reason_categories()]
    assert [reason for reason, number in by_reason.items() if number > given[reason] > 0] == []
    assert by_sort == dict(of_sort)
    untestable = sum(int(cells[4]) for cells in table_rows(coverage_page, 6) if cells[0] != "**all**")
    assert untestable == sum(by_reason.values())


def test_requirements_listed_as_uncovered_are_not_untestable(coverage_page: str) -> None:
    tables = load()
    listed = re.findall(r"^- `(.+?)` \(", coverage_page.split("## Requirements that are not covered")[1], re.MULTILINE)
    assert len(listed) == sum(int(cells[5]) for cells in table_rows(coverage_page, 6) if cells[0] != "**all**")
    assert [each for each in listed if each not in tables.requirements] == []
    known = find_untestable(tables, rulebook_of(tables))
    assert [each for each in listed if each in known] == [], "these have a reason now; write the page again"
