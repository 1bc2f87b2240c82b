"""The suites' table-driven items, as collected by pytest, for repeated runs outside pytest."""

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
"""Plugins of pytest that are about runs; two look for garbage at the end, in all that a process holds."""


@dataclass(frozen=True)
class Item:
    """An item of a suite: the records that it targets, main record first, and what it does with a session.

    ``fresh``: it runs in a new driver process.
    """

    name: str
    records: tuple[str, ...]
    act: Callable[[Session], object]
    fresh: bool = False

    @functools.cached_property
    def functions(self) -> frozenset[str]:
        """Return the functions whose records it targets."""
        records = load().records
        return frozenset(getattr(records[record], "function", "") for record in self.records)


class Collected:
    """A plugin of pytest that keeps what was collected."""

    def __init__(self) -> None:
        self.items: list[pytest.Item] = []

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Keep the items."""
        self.items = list(session.items)


def collect(suites: Path) -> list[Item]:
    """Return the items below a folder that only need a session; ValueError if a suite cannot be imported."""
    return _table_driven(collected_items(suites))


def collected_items(suites: Path) -> list[pytest.Item]:
    """Return all items below a folder, as collected by pytest; ValueError if a suite cannot be imported.

    Plugins are loaded by name, so pytest must not load what else is installed (PYTEST_DISABLE_PLUGIN_AUTOLOAD).
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
