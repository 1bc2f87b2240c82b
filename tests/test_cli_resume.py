"""Runs killed at random moments render, resume, and end with the verdicts of an uninterrupted run.

``CLCONFORM_KILLS`` sets the number of killed runs (by default few, since each takes one and a half runs).
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from clconform.runner.gate import exit_codes

from . import forked

REPOSITORY = Path(__file__).resolve().parents[1]
KILLS = int(os.environ.get("CLCONFORM_KILLS", "3"))


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    """Return the outcome of each killed run."""
    words = ("-m", "tests.killed_runs", str(tmp_path_factory.mktemp("killed")), str(KILLS))
    done = forked.run(REPOSITORY, *words, seconds=100 + 30 * KILLS)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-4000:]
    found: list[dict[str, Any]] = json.loads(done.stdout)
    return found


def test_every_journal_renders(runs: list[dict[str, Any]]) -> None:
    assert len(runs) == KILLS
    assert all(run["rendered"] for run in runs), runs


def test_every_run_goes_on_to_the_verdicts_of_an_unbroken_one(runs: list[dict[str, Any]]) -> None:
    assert {run["code"] for run in runs} == {exit_codes.DEVIATIONS}, runs
    assert all(run["equal"] for run in runs), runs


def test_no_finished_item_is_run_again(runs: list[dict[str, Any]]) -> None:
    assert all(run["once"] for run in runs), runs


def test_the_kills_came_in_the_middle(runs: list[dict[str, Any]]) -> None:
    assert sum(run["was running"] for run in runs) >= len(runs) / 2, runs
    assert any(run["torn"] for run in runs), runs
    assert len({(run["items"], run["findings"]) for run in runs}) > 1, runs
