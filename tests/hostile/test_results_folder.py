"""Results that a driver or a user removes, moves or changes in mid-run are saved elsewhere; the exit code is 7."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest

from clconform.calls import exit_codes
from clconform.reports import load_result, read_journal
from clconform.reports.writer import BADGE, RESULT
from clconform.runner.journal.writer import JOURNAL_FILE

from . import building
from .cases import CONTEXTS, FILE_ATTACKS, QUICK_SECONDS
from .runs import run_command

pytestmark = pytest.mark.skipif(building.COMPILER is None, reason="needs a C compiler")
OPTIONS = ("--direct", "--tier", "tables", "--seed", "1", "--minimise-seconds", "0")
ALWAYS = ("removes_the_results", "links_the_results", "cuts_the_journal", "appends_to_the_journal")
ATTACKS = FILE_ATTACKS if os.environ.get("CLCONFORM_HOSTILE") == "all" else ALWAYS


@pytest.mark.parametrize(
    ("attack", "workers"), [*((each, "0") for each in ATTACKS), ("truncates_the_journal", "2")], ids="-n ".join
)
def test_attacked_results_are_saved_elsewhere(attack: str, workers: str, library: Path, tmp_path: Path) -> None:
    words = [f"--driver={library}", *OPTIONS, "-n", workers, *CONTEXTS]
    ended = run_command(tmp_path, words, {"HOSTILE": attack}, 2 * QUICK_SECONDS)
    assert ended.code == exit_codes.NO_RESOURCES, ended.output[-3000:]
    assert not ended.processes
    assert "Traceback" not in ended.output
    printed = re.search(r"the results are saved in (\S+)", ended.output)
    assert printed is not None, ended.output[-3000:]
    saved = Path(printed[1])
    journal, result = read_journal(saved / JOURNAL_FILE), load_result(saved / RESULT)
    assert len(journal.items) == len(set(journal.items)) >= 8
    assert result.run.items == len(journal.items)
    assert result.run.gaps
    assert json.loads((saved / BADGE).read_text(encoding="utf-8"))["color"] != "brightgreen"


def test_unharmed_results_stay_where_they_are(library: Path, tmp_path: Path) -> None:
    ended = run_command(tmp_path, [f"--driver={library}", *OPTIONS, *CONTEXTS], {}, QUICK_SECONDS)
    assert ended.code == exit_codes.AS_EXPECTED, ended.output[-3000:]
    assert (ended.out / RESULT).is_file()
    assert "saved in" not in ended.output
