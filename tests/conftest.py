"""In which order tests are run."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pytest

LONGEST = Path(__file__).parent / "simulator"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the folder of the longest runs, so that nobody waits for them at the end (``--dist worksteal``)."""
    items.sort(key=lambda item: LONGEST not in item.path.parents)
