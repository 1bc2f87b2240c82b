"""In which order the modules of tests are run."""

from __future__ import annotations

import pytest

SHARED = ("module", "package", "class")
"""Scopes of fixtures that the tests of a module share."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the modules whose tests share a fixture, such as a run of the suites: they take longest.

    So nobody waits for one of them at the end (``--dist loadfile --no-loadscope-reorder``).
    """
    sharing = {item.path for item in items if isinstance(item, pytest.Function) and _shares(item)}
    items.sort(key=lambda item: item.path not in sharing)


def _shares(item: pytest.Function) -> bool:
    return any(
        fixture.scope in SHARED and fixture.func.__module__ == item.module.__name__
        for fixtures in item._fixtureinfo.name2fixturedefs.values()
        for fixture in fixtures
    )
