"""Whatever a driver answers, no item ends in a failure of ours: suites run with answers changed at random."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

CHILD = Path(__file__).with_name("odd_answers.py")
REPOSITORY = CHILD.parents[3]
RUNS = {
    "partitions": (1, 0.08, "numa-16", ("suites/chapters/partition/test_create_sub_devices.py",)),
    "errors": (2, 0.05, "flat-4", ("suites/errors", "-k", "test_right and (Context or Buffer)")),
    "programs": (3, 0.03, "everything", ("suites/chapters/usm/test_programs.py", "suites/chapters/linked")),
}


@pytest.mark.parametrize("words", RUNS)
def test_no_answer_is_our_failure(words: str) -> None:
    seed, rate, topology, suites = RUNS[words]
    options = [f"--cl-simulated={topology}", "--cl-seed=3", "--cl-examples=3", *suites]
    done = subprocess.run(
        [sys.executable, str(CHILD), str(seed), str(rate), *options],
        cwd=REPOSITORY,
        env={**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTEST_ADDOPTS": ""},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    last = (done.stdout.splitlines() or [""])[-1]
    assert last.startswith("{"), done.stdout[-2000:] + done.stderr[-2000:]
    told = json.loads(last)
    assert told["items"] > 20
    assert not told["ours"]
