"""Collects the items of the suites inside a test, without the plugins and options of the test run itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from clconform.runner.journal.suite_names import SUITES
from clconform.runner.pytest_plugin.item_collection import SuiteItem, collect_table_items

if TYPE_CHECKING:
    from pathlib import Path


def collect_suite_items(folder: Path = SUITES) -> list[SuiteItem]:
    """Return the items below a folder of the suites that are not random."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
        patch.delenv("PYTEST_ADDOPTS", raising=False)
        return collect_table_items(folder)
