"""Randomly changed results of a driver do not cause internal errors in the suites."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from ... import forked_runs  # noqa: TID252 (tests are no part of the installed package)

REPOSITORY = Path(__file__).resolve().parents[3]
RUNS = {
    "partitions": (1, 0.08, "numa-16", ("suites/chapters/partition/test_create_sub_devices.py",)),
    "errors": (2, 0.05, "flat-4", ("suites/errors", "-k", "test_valid_call_succeeds and (Context or Buffer)")),
    "programs": (
        3,
        0.03,
        "everything",
        ("suites/chapters/usm/test_usm_machine.py", "suites/chapters/linked_allocations"),
    ),
}


@pytest.mark.parametrize("name", RUNS)
def test_random_results_cause_no_internal_error(name: str) -> None:
    seed, rate, topology, suites = RUNS[name]
    options = [f"--cl-simulated={topology}", "--cl-seed=3", "--cl-examples=3", *suites]
    variables = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTEST_ADDOPTS": ""}
    words = ("-m", "tests.runner.session.odd_outcomes", str(seed), str(rate), *options)
    done = forked_runs.run(REPOSITORY, *words, environment=variables, seconds=300)
    last = (done.stdout.splitlines() or [""])[-1]
    assert last.startswith("{"), done.stdout[-2000:] + done.stderr[-2000:]
    told = json.loads(last)
    assert told["items"] > 20
    assert not told["ours"]
