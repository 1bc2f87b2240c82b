"""The findings are consistent: ids, requirements and programs exist, and missing deviations are detected."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from clconform.reports.result_builder import result_of
from clconform.spec_tables import loading

from .findings import DOCS, rows, untriaged, withdrawn
from .reports import fabricated

if TYPE_CHECKING:
    from pathlib import Path

    from clconform.reports.run_result import RunResult

ROWS = rows((DOCS / "findings.md").read_text(encoding="utf-8"))


def test_every_row_has_ids_of_its_own() -> None:
    ids = [one for row in ROWS for one in row.ids]
    assert len(ROWS) > 100
    assert all(row.ids for row in ROWS)
    assert sorted(ids) == sorted(set(ids))


def test_every_row_begins_with_a_record_of_the_tables() -> None:
    known = set().union(
        *(loading.read_tables(loading.REVISIONS / name).requirements for name in loading.list_revisions())
    )
    assert [row.ids for row in ROWS if not row.records or row.records[0] not in known] == []


def test_every_program_belongs_to_a_row_and_is_there() -> None:
    told = {program for row in ROWS for program in row.programs}
    assert told == {path.stem for path in (DOCS / "findings").glob("*.c")}
    assert all(set(row.programs) <= set(row.ids) for row in ROWS)


@pytest.fixture
def result(tmp_path: Path) -> RunResult:
    """Return a result with a deviation, a crash and a flaky deviation."""
    tables = fabricated.tables()
    return result_of(fabricated.write_journal(tmp_path / "journal.jsonl"), tables)


def test_what_is_nowhere_in_the_findings_is_untriaged_and_what_is_flaky_is_left_out(result: RunResult) -> None:
    verdicts = {deviation.verdict for deviation in untriaged(result, "")}
    assert verdicts == {deviation.verdict for deviation in result.deviations} - {"flaky"}
    assert {"deviates", "crashes"} <= verdicts


def test_an_id_triages_a_deviation(result: RunResult) -> None:
    assert untriaged(result, "\n".join(deviation.id for deviation in result.deviations)) == []


def test_a_record_triages_a_crash_and_no_deviation(result: RunResult) -> None:
    named = "".join(f"`{record}`" for deviation in result.deviations for record in deviation.records)
    assert {deviation.verdict for deviation in untriaged(result, named)} == {"deviates"}


def test_what_was_withdrawn_is_no_finding_and_triages_nothing(result: RunResult) -> None:
    ids = " ".join(deviation.id for deviation in result.deviations)
    text = f"# Findings\n\n## Withdrawn\n\n| Withdrawn | driver | record |\n|---|---|---|\n| {ids} | PoCL | `a/1` |\n"
    assert rows(text) == []
    assert [row.families for row in withdrawn(text)] == [("PoCL",)]
    assert untriaged(result, text)
