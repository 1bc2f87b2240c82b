"""Collects the suites' table-driven items with pytest, for repeated runs outside pytest."""

from __future__ import annotations

import contextlib
import functools
import io
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from clconform.runner.pytest_plugin.item_selection import is_random, item_id, requirements_of
from clconform.spec_tables import load

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from clconform.runner.session.session import Session

PLUGINS = ("clconform.runner.pytest_plugin.plugin", "_hypothesis_pytestplugin")
DISABLED_PLUGINS = ("-p", "no:cacheprovider", "-p", "no:unraisableexception", "-p", "no:threadexception")
"""Options that disable plugins which only runs need; two of these plugins run a full garbage collection at the end."""


@dataclass(frozen=True)
class SuiteItem:
    """An item of a suite: the requirements that it targets, and the function that makes its calls.

    ``requirements``: the main requirement comes first. ``action``: the function, which receives a session.
    ``needs_new_process``: run in a new driver process.
    """

    name: str
    requirements: tuple[str, ...]
    action: Callable[[Session], object]
    needs_new_process: bool = False

    @functools.cached_property
    def target_functions(self) -> frozenset[str]:
        """Return the OpenCL functions to which the requirements of the item belong."""
        requirements = load().requirements
        return frozenset(getattr(requirements[requirement], "function", "") for requirement in self.requirements)


class ItemCollector:
    """A pytest plugin that stores the collected items."""

    def __init__(self) -> None:
        self.items: list[pytest.Item] = []

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Store the items that pytest has collected."""
        self.items = list(session.items)


def collect_table_items(suites: Path) -> list[SuiteItem]:
    """Return the items below a folder whose only fixture is the session; ValueError if a suite cannot be imported."""
    return _select_table_items(collect_items(suites))


def collect_items(suites: Path) -> list[pytest.Item]:
    """Return all items that pytest collects below a folder; ValueError if a suite cannot be imported.

    Plugins are loaded by name, so PYTEST_DISABLE_PLUGIN_AUTOLOAD must prevent pytest from loading other plugins.
    """
    collected, said = ItemCollector(), io.StringIO()
    words = ("-c", os.devnull, f"--rootdir={suites.parent}", f"--confcutdir={suites}", "--import-mode=importlib")
    named = (word for plugin in PLUGINS for word in ("-p", plugin))
    with contextlib.redirect_stdout(said):
        code = pytest.main(
            [*words, *DISABLED_PLUGINS, *named, "--collect-only", "-q", str(suites)], plugins=[collected]
        )
    if code != pytest.ExitCode.OK:
        raise ValueError(f"cannot collect the suites:\n{said.getvalue()}")
    return collected.items


def _select_table_items(items: Sequence[pytest.Item]) -> list[SuiteItem]:
    found = []
    for item in items:
        if not isinstance(item, pytest.Function) or is_random(item):
            continue
        given = dict(item.callspec.params) if hasattr(item, "callspec") else {}
        if set(item.fixturenames) - set(given) <= {"cl", "request"} and "cl" in item.fixturenames:
            isolated = bool(getattr(given.get("case"), "needs_new_process", False))
            found.append(
                SuiteItem(item_id(item), requirements_of(item), functools.partial(_run_test, item.obj, given), isolated)
            )
    return found


def _run_test(test: Callable[..., object], given: dict[str, object], session: Session) -> None:
    test(cl=session, **given)
