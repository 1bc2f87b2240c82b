"""Marks the items that a smoke test excludes, because ``smoke.txt`` does not list them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from clconform.runner.pytest_plugin.case_selection import SMOKE_CASES_KEY, is_newer_requirement
from clconform.runner.pytest_plugin.item_selection import item_id
from clconform.runner.pytest_plugin.tiers import BEYOND_SMOKE

if TYPE_CHECKING:
    import pytest

SMOKE_LIST = Path(__file__).with_name("smoke.txt")
"""The list of smoke tests: each test, and its selected cases indented below; ``python -m tests.smoke`` writes it."""
WITHOUT_CASES = "-"
"""The entry for a test that is not parametrized."""


def pytest_configure(config: pytest.Config) -> None:
    """Store the cases of the smoke list in the configuration, so that collection can exclude other cases."""
    config.stash[SMOKE_CASES_KEY] = parse_smoke_list(SMOKE_LIST.read_text(encoding="utf-8"))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark the cases of listed tests that the list does not contain.

    Cases for requirements of a newer revision are not marked.
    """
    listed = config.stash[SMOKE_CASES_KEY]
    for item in items:
        test, bracket, case = item_id(item).partition("[")
        is_listed = test not in listed or (bracket + case or WITHOUT_CASES) in listed[test]
        if not (is_listed or is_newer_requirement(case.partition("[")[0])):
            item.add_marker(BEYOND_SMOKE)


def parse_smoke_list(text: str) -> dict[str, set[str]]:
    """Return the listed cases of each test, with their brackets, from the text of the list."""
    found: dict[str, set[str]] = {}
    cases: set[str] = set()
    for line in text.splitlines():
        if line.startswith(" "):
            cases.add(line.strip())
        else:
            cases = found.setdefault(line, set())
    return found
