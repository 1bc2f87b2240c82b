"""Fixture: the folder of a run with a full journal."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from clconform.calls import exit_codes

from ... import forked_runs  # noqa: TID252 (tests are no part of the installed package)

if TYPE_CHECKING:
    from pathlib import Path

FAULT = "partition-count-off-by-one"
RECORDS = ("CL_DEVICE_PARTITION_EQUALLY", "clCreateContext/CL_INVALID_VALUE/*")
SUITES = ("suites/chapters/partition", "suites/chapters/contexts")


@pytest.fixture(scope="session")
def full_journal(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a full journal of two processes on a platform with one planted fault."""
    folder = tmp_path_factory.mktemp("full")
    requirements = [word for requirement in RECORDS for word in ("--requirement", requirement)]
    settings = ("--fault", FAULT, "--tier", "tables", "--seed", "7", "-n", "2", "--minimise-seconds", "1")
    command = [
        "run",
        "--simulated",
        "flat-4",
        *settings,
        "--journal",
        "full",
        *requirements,
        "--out",
        str(folder),
        *SUITES,
    ]
    done = forked_runs.run(folder, *command)
    assert done.returncode == exit_codes.DEVIATIONS, done.stdout + done.stderr
    return folder
