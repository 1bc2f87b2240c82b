"""Runs killed at random moments render, resume, and end with the verdicts of an uninterrupted run.

``CLCONFORM_KILLS`` sets the number of killed runs (by default few, since each takes one and a half runs).
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from clconform.calls import exit_codes

from . import forked_runs

REPOSITORY = Path(__file__).resolve().parents[1]
KILLS = int(os.environ.get("CLCONFORM_KILLS", "3"))


@pytest.fixture(scope="module")
def killed_runs(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    """Return the outcome of each killed run."""
    words = ("-m", "tests.killed_runs", str(tmp_path_factory.mktemp("killed")), str(KILLS))
    done = forked_runs.run(REPOSITORY, *words, seconds=100 + 30 * KILLS)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-4000:]
    found: list[dict[str, Any]] = json.loads(done.stdout)
    return found


def test_journals_of_killed_runs_render_reports(killed_runs: list[dict[str, Any]]) -> None:
    assert len(killed_runs) == KILLS
    assert all(run["rendered"] for run in killed_runs), killed_runs


def test_resumed_runs_have_the_same_verdicts_as_an_uninterrupted_run(killed_runs: list[dict[str, Any]]) -> None:
    assert {run["code"] for run in killed_runs} == {exit_codes.DEVIATIONS}, killed_runs
    assert all(run["equal"] for run in killed_runs), killed_runs


def test_resumed_run_does_not_rerun_finished_items(killed_runs: list[dict[str, Any]]) -> None:
    assert all(run["once"] for run in killed_runs), killed_runs


def test_sample_of_killed_runs_includes_different_times_and_a_truncated_line(killed_runs: list[dict[str, Any]]) -> None:
    assert sum(run["was running"] for run in killed_runs) >= len(killed_runs) / 2, killed_runs
    assert any(run["torn"] for run in killed_runs), killed_runs
    assert len({(run["items"], run["findings"]) for run in killed_runs}) > 1, killed_runs
