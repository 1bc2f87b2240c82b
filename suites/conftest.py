"""Marks the items that a smoke test leaves out, according to the list in ``smoke.txt``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from clconform.runner.pytest_plugin.cases import LISTED_KEY, is_newer
from clconform.runner.pytest_plugin.selection import item_id
from clconform.runner.pytest_plugin.tiers import BEYOND_SMOKE

if TYPE_CHECKING:
    import pytest

SMOKE = Path(__file__).with_name("smoke.txt")
"""The smoke list: tests, and indented below each its selected cases; ``python -m tests.smoke`` writes it."""
WHOLE = "-"
"""The entry of a test without cases."""


def pytest_configure(config: pytest.Config) -> None:
    """Store the cases of the smoke list, so that collection can leave out the others."""
    config.stash[LISTED_KEY] = cases_of(SMOKE.read_text(encoding="utf-8"))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark the unlisted cases of listed tests, except those of requirements of a newer revision."""
    listed = config.stash[LISTED_KEY]
    for item in items:
        test, bracket, case = item_id(item).partition("[")
        is_listed = test not in listed or (bracket + case or WHOLE) in listed[test]
        if not (is_listed or is_newer(case.partition("[")[0])):
            item.add_marker(BEYOND_SMOKE)


def cases_of(text: str) -> dict[str, set[str]]:
    """Return the cases of each test in the text of the list, including their brackets."""
    found: dict[str, set[str]] = {}
    cases: set[str] = set()
    for line in text.splitlines():
        if line.startswith(" "):
            cases.add(line.strip())
        else:
            cases = found.setdefault(line, set())
    return found
