"""Which tests stay together when several processes share the work (``-n``)."""

from __future__ import annotations

import pytest


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Keep tests that share a fixture of their module in one process, so that it is made once: some are long runs."""
    for item in items:
        if item.get_closest_marker("xdist_group") is None and _shares(item):
            item.add_marker(pytest.mark.xdist_group(item.location[0]))


def _shares(item: pytest.Item) -> bool:
    info = getattr(item, "_fixtureinfo", None)
    used = info.name2fixturedefs.values() if info is not None else ()
    return any(made[-1].scope == "module" for made in used)
