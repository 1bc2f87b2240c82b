"""Runs of the whole suite on simulated platforms, shared by the tests of several modules."""

from __future__ import annotations

import fcntl
import json
from dataclasses import astuple
from typing import TYPE_CHECKING

import pytest

from ..suite_runs import Run, run_suites  # noqa: TID252 (tests are no part of the installed package)
from .whole import WHOLE

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="session")
def whole_out(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Path:
    """Return the folder of all results of ``whole_runs``, one folder in it for each platform.

    Test processes that run side by side (``-n``) have one such folder between them.
    """
    base = tmp_path_factory.getbasetemp()
    out = (base if worker_id == "master" else base.parent) / "whole"
    out.mkdir(exist_ok=True)
    return out


@pytest.fixture(scope="session")
def whole_runs(whole_out: Path) -> dict[str, Run]:
    """Return one run of the whole suite on each platform, with one example of each random test.

    The first test process that asks makes the runs, the others wait for it and read how they ended.
    """
    few = ["--cl-examples", "1", "--cl-seed", "1"]
    ended = whole_out / "ended.json"
    with (whole_out / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not ended.exists():
            options = {name: ["--cl-simulated", name, *few, "--cl-out", str(whole_out / name)] for name in WHOLE}
            runs = run_suites(options, seconds=900)
            ended.write_text(json.dumps({name: astuple(run) for name, run in runs.items()}))
    return {name: Run(*how) for name, how in json.loads(ended.read_text()).items()}
