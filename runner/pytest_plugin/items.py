"""Collects the suites' table-driven items with pytest, for repeated runs outside pytest."""

from __future__ import annotations

import contextlib
import functools
import io
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from clconform.runner.pytest_plugin.selection import aims_of, is_random, item_id
from clconform.spec_tables import load

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from clconform.runner.session.session import Session

PLUGINS = ("clconform.runner.pytest_plugin.plugin", "_hypothesis_pytestplugin")
NEEDLESS = ("-p", "no:cacheprovider", "-p", "no:unraisableexception", "-p", "no:threadexception")
"""Disables plugins that are only useful in runs; two of them run a full garbage collection at the end."""


@dataclass(frozen=True)
class Item:
    """An item of a suite: the requirements that it targets, the main one first, and its function of a session.

    ``fresh``: run in a new driver process.
    """

    name: str
    records: tuple[str, ...]
    act: Callable[[Session], object]
    fresh: bool = False

    @functools.cached_property
    def functions(self) -> frozenset[str]:
        """Return the functions of the requirements that the item targets."""
        records = load().records
        return frozenset(getattr(records[record], "function", "") for record in self.records)


class Collected:
    """A pytest plugin that stores the collected items."""

    def __init__(self) -> None:
        self.items: list[pytest.Item] = []

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Store the items."""
        self.items = list(session.items)


def collect(suites: Path) -> list[Item]:
    """Return the items below a folder that need only a session; ValueError if a suite cannot be imported."""
    return _table_driven(collected_items(suites))


def collected_items(suites: Path) -> list[pytest.Item]:
    """Return all items that pytest collects below a folder; ValueError if a suite cannot be imported.

    Plugins are loaded by name, so pytest must not load other installed plugins (PYTEST_DISABLE_PLUGIN_AUTOLOAD).
    """
    collected, said = Collected(), io.StringIO()
    words = ("-c", os.devnull, f"--rootdir={suites.parent}", f"--confcutdir={suites}", "--import-mode=importlib")
    named = (word for plugin in PLUGINS for word in ("-p", plugin))
    with contextlib.redirect_stdout(said):
        code = pytest.main([*words, *NEEDLESS, *named, "--collect-only", "-q", str(suites)], plugins=[collected])
    if code != pytest.ExitCode.OK:
        raise ValueError(f"cannot collect the suites:\n{said.getvalue()}")
    return collected.items


def _table_driven(items: Sequence[pytest.Item]) -> list[Item]:
    found = []
    for item in items:
        if not isinstance(item, pytest.Function) or is_random(item):
            continue
        given = dict(item.callspec.params) if hasattr(item, "callspec") else {}
        if set(item.fixturenames) - set(given) <= {"cl", "request"} and "cl" in item.fixturenames:
            fresh = bool(getattr(given.get("case"), "fresh", False))
            found.append(Item(item_id(item), aims_of(item), functools.partial(_act, item.obj, given), fresh))
    return found


def _act(test: Callable[..., object], given: dict[str, object], session: Session) -> None:
    test(cl=session, **given)
