"""Order of the test modules, reproducible random tests, and the location of bytecode."""

from __future__ import annotations

import gc
import os
import shutil
import sys
import tempfile

import pytest

from clconform.harness.gc_tuning import raise_gc_threshold
from clconform.runner.session.examples import disable_source_constants

SHARED_SCOPES = ("module", "package", "class")
"""Fixture scopes that several tests of a module share."""


def pytest_configure(config: pytest.Config) -> None:
    """Keep the order of the modules with ``--dist loadfile``, and draw examples regardless of the imported modules."""
    if hasattr(config.option, "loadscopereorder"):
        config.option.loadscopereorder = False
    disable_source_constants()
    if sys.dont_write_bytecode and "PYTEST_XDIST_WORKER" not in os.environ:
        _keep_bytecode(config)


def _keep_bytecode(config: pytest.Config) -> None:
    """Let the Python programs that tests start write their bytecode to a temporary folder outside the sources.

    If the environment disables bytecode, each program would compile all modules, a third of a short run.
    """
    folder = tempfile.mkdtemp(prefix="clconform-bytecode-")
    config.add_cleanup(lambda: shutil.rmtree(folder, ignore_errors=True))
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    os.environ["PYTHONPYCACHEPREFIX"] = folder


def pytest_collection_finish() -> None:
    """Exclude the collected tests and their modules from garbage collection, since they live to the end."""
    gc.freeze()
    raise_gc_threshold()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put modules with expensive shared fixtures, such as a run of the suites, first, because they take longest.

    Otherwise a run with ``--dist loadfile`` may end with a single process at work.
    """
    sharing = {item.path for item in items if isinstance(item, pytest.Function) and _has_shared_fixture(item)}
    items.sort(key=lambda item: item.path not in sharing)


def _has_shared_fixture(item: pytest.Function) -> bool:
    return any(
        fixture.scope in SHARED_SCOPES and fixture.func.__module__ == item.module.__name__
        for fixtures in item._fixtureinfo.name2fixturedefs.values()
        for fixture in fixtures
    )
