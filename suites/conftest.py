"""Marks the items that a smoke test leaves out, by the list of those that it needs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from clconform.runner.pytest_plugin.cases import LISTED_KEY, is_newer
from clconform.runner.pytest_plugin.selection import item_id
from clconform.runner.pytest_plugin.tiers import BEYOND_SMOKE

if TYPE_CHECKING:
    import pytest

SMOKE = Path(__file__).with_name("smoke.txt")
"""Tests, and indented below each those of its cases that a smoke test has; ``python -m tests.smoke`` writes it."""
WHOLE = "-"
"""Stands for a test that has no cases."""


def pytest_configure(config: pytest.Config) -> None:
    """Tell which cases a smoke test has, so that the others need not be made."""
    config.stash[LISTED_KEY] = cases_of(SMOKE.read_text(encoding="utf-8"))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark the cases of the listed tests that are not listed themselves, and not of newer records."""
    listed = config.stash[LISTED_KEY]
    for item in items:
        test, bracket, case = item_id(item).partition("[")
        is_listed = test not in listed or (bracket + case or WHOLE) in listed[test]
        if not (is_listed or is_newer(case.partition("[")[0])):
            item.add_marker(BEYOND_SMOKE)


def cases_of(text: str) -> dict[str, set[str]]:
    """Return the cases of each test in the list's text, in their brackets."""
    found: dict[str, set[str]] = {}
    cases: set[str] = set()
    for line in text.splitlines():
        if line.startswith(" "):
            cases.add(line.strip())
        else:
            cases = found.setdefault(line, set())
    return found
