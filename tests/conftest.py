"""Which tests a worker of pytest-xdist gets together, and which come first."""

from __future__ import annotations

import pytest

SHARED = ("module", "package", "class")
"""Scopes of fixtures that several tests share, and that every worker with one of these tests would make anew."""


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Keep the tests of a module that share a fixture together (``--dist loadgroup``), and begin with them.

    They are the longest: nobody waits for them at the end.
    """
    for item in items:
        if isinstance(item, pytest.Function) and _shares(item):
            item.add_marker(pytest.mark.xdist_group(item.module.__name__))
    items.sort(key=lambda item: item.get_closest_marker("xdist_group") is None)


def _shares(item: pytest.Function) -> bool:
    return any(
        fixture.scope in SHARED and fixture.func.__module__ == item.module.__name__
        for fixtures in item._fixtureinfo.name2fixturedefs.values()
        for fixture in fixtures
    )
