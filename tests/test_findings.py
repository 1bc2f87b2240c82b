"""The findings are consistent: ids, requirements and programs exist, and missing deviations are detected."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from clconform.reports.result_builder import result_of
from clconform.spec_tables import loading

from .findings import DOCS, find_untriaged, read_findings, read_withdrawn
from .reports import fabricated_journals

if TYPE_CHECKING:
    from pathlib import Path

    from clconform.reports.run_result import RunResult

ROWS = read_findings((DOCS / "findings.md").read_text(encoding="utf-8"))


def test_deviation_ids_in_the_findings_are_unique() -> None:
    ids = [one for row in ROWS for one in row.ids]
    assert len(ROWS) > 100
    assert all(row.ids for row in ROWS)
    assert sorted(ids) == sorted(set(ids))


def test_every_row_of_findings_starts_with_a_requirement_of_the_tables() -> None:
    known = set().union(
        *(loading.read_tables(loading.REVISIONS / name).requirements for name in loading.list_revisions())
    )
    assert [row.ids for row in ROWS if not row.records or row.records[0] not in known] == []


def test_every_c_program_of_the_findings_exists_and_belongs_to_a_row() -> None:
    told = {program for row in ROWS for program in row.programs}
    assert told == {path.stem for path in (DOCS / "findings").glob("*.c")}
    assert all(set(row.programs) <= set(row.ids) for row in ROWS)


@pytest.fixture
def result(tmp_path: Path) -> RunResult:
    """Return a result with a deviation, a crash and a flaky deviation."""
    tables = fabricated_journals.create_tables()
    return result_of(fabricated_journals.write_journal(tmp_path / "journal.jsonl"), tables)


def test_deviation_missing_in_findings_is_untriaged_unless_flaky(result: RunResult) -> None:
    verdicts = {deviation.verdict for deviation in find_untriaged(result, "")}
    assert verdicts == {deviation.verdict for deviation in result.deviations} - {"flaky"}
    assert {"deviates", "crashes"} <= verdicts


def test_deviation_whose_id_is_in_the_findings_is_triaged(result: RunResult) -> None:
    assert find_untriaged(result, "\n".join(deviation.id for deviation in result.deviations)) == []


def test_named_requirement_triages_crashes_but_no_other_deviations(result: RunResult) -> None:
    named = "".join(f"`{requirement}`" for deviation in result.deviations for requirement in deviation.requirements)
    assert {deviation.verdict for deviation in find_untriaged(result, named)} == {"deviates"}


def test_deviation_named_only_by_withdrawn_finding_is_untriaged(result: RunResult) -> None:
    ids = " ".join(deviation.id for deviation in result.deviations)
    text = (
        f"# Findings\n\n## Withdrawn\n\n| Withdrawn | driver | requirement |\n|---|---|---|\n| {ids} | PoCL | `a/1` |\n"
    )
    assert read_findings(text) == []
    assert [row.families for row in read_withdrawn(text)] == [("PoCL",)]
    assert find_untriaged(result, text)
