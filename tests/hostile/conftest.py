"""Fixture: the library of all hostile drivers, built once for all processes of a test run."""

from __future__ import annotations

import fcntl
import os
from typing import TYPE_CHECKING

import pytest

from . import building

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="session")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the path of the library with all hostile drivers."""
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "hostile-library"
    folder.mkdir(exist_ok=True)
    with (folder / "lock").open("wb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        built = folder / "built"
        if not built.exists():
            building.build_library(folder)
            built.touch()
    return folder / building.LIBRARY
