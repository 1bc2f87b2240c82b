"""Runs of the whole suite on simulated platforms, shared by the tests of several modules."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ..suite_runs import Run, run_suites  # noqa: TID252 (tests are no part of the installed package)
from .whole import WHOLE

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="session")
def whole_out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of all results of ``whole_runs``, one folder in it for each platform."""
    return tmp_path_factory.mktemp("whole")


@pytest.fixture(scope="session")
def whole_runs(whole_out: Path) -> dict[str, Run]:
    """Return one run of the whole suite on each platform, with one example of each random test."""
    few = ["--cl-examples", "1", "--cl-seed", "1"]
    return run_suites(
        {name: ["--cl-simulated", name, *few, "--cl-out", str(whole_out / name)] for name in WHOLE}, seconds=900
    )
