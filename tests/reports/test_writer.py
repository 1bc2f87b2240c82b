"""The reports of a run are written into one folder; if that fails, one line gives the reason."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from clconform.reports import ReportError, result_of, write_reports
from clconform.reports.writer import REPORTS

from . import fabricated_journals

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("lines", [None, 1, 2, 6])
def test_all_reports_of_a_run_are_written(lines: int | None, tmp_path: Path) -> None:
    journal = fabricated_journals.write_journal(
        tmp_path / "j.jsonl", fabricated_journals.journal_lines(hostile=True)[:lines]
    )
    tables = fabricated_journals.create_tables()
    result = result_of(journal, tables)
    write_reports(result, tmp_path / "new" / "out", tables)
    written = sorted(path.name for path in (tmp_path / "new" / "out").iterdir())
    assert written == sorted(REPORTS)
    assert json.loads((tmp_path / "new/out/result.json").read_text())["summary"]["verdict"] == result.summary.verdict
    assert result.run.cut_short == (lines is not None)


def test_unwritable_report_folder_is_reported_in_one_line(tmp_path: Path) -> None:
    journal, tables = fabricated_journals.write_journal(tmp_path / "j.jsonl"), fabricated_journals.create_tables()
    (tmp_path / "file").write_text("")
    for out in (tmp_path / "file", tmp_path / "file" / "below"):
        with pytest.raises(ReportError, match="cannot write") as caught:
            write_reports(result_of(journal, tables), out, tables)
        assert "\n" not in str(caught.value)
