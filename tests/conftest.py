"""In which order the modules of tests are run, what random tests do not draw, and where bytecode is kept."""

from __future__ import annotations

import gc
import os
import shutil
import sys
import tempfile

import pytest

from clconform.harness.gc_tuning import raise_gc_threshold
from clconform.runner.session.examples import disable_source_constants

SHARED = ("module", "package", "class")
"""Scopes of fixtures that the tests of a module share."""


def pytest_configure(config: pytest.Config) -> None:
    """Let ``--dist loadfile`` keep the order below, and draw the same whatever else has been imported."""
    if hasattr(config.option, "loadscopereorder"):
        config.option.loadscopereorder = False
    disable_source_constants()
    if sys.dont_write_bytecode and "PYTEST_XDIST_WORKER" not in os.environ:
        _keep_bytecode(config)


def _keep_bytecode(config: pytest.Config) -> None:
    """Have programs that tests start compile each module once, in a folder of these tests, and not beside the sources.

    Where the environment says that no bytecode be written, each would compile all modules, a third of a short run.
    """
    folder = tempfile.mkdtemp(prefix="clconform-bytecode-")
    config.add_cleanup(lambda: shutil.rmtree(folder, ignore_errors=True))
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    os.environ["PYTHONPYCACHEPREFIX"] = folder


def pytest_collection_finish() -> None:
    """Look for no garbage among the tests and what their modules have made: they live to the end."""
    gc.freeze()
    raise_gc_threshold()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the modules whose tests share a fixture, such as a run of the suites: they take longest.

    So nobody waits for one of them at the end of a run with ``--dist loadfile``.
    """
    sharing = {item.path for item in items if isinstance(item, pytest.Function) and _shares(item)}
    items.sort(key=lambda item: item.path not in sharing)


def _shares(item: pytest.Function) -> bool:
    return any(
        fixture.scope in SHARED and fixture.func.__module__ == item.module.__name__
        for fixtures in item._fixtureinfo.name2fixturedefs.values()
        for fixture in fixtures
    )
