"""Which items are run: by the records that they aim at and by the tier; aims that no table has are errors."""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

import pytest

from clconform.spec_tables import load

if TYPE_CHECKING:
    from collections.abc import Sequence


def aims_of(item: pytest.Item) -> tuple[str, ...]:
    """Return the records that an item aims at."""
    return tuple(record for mark in item.iter_markers("aims") for record in mark.args)


def select(items: Sequence[pytest.Item], config: pytest.Config) -> tuple[list[pytest.Item], list[pytest.Item]]:
    """Split items into those to run and those left out.

    UsageError for an aim that is no record of the tables, and for a pattern that matches no record.
    """
    records = load().records
    patterns: list[str] = config.getoption("--cl-record")
    for pattern in patterns:
        if not any(fnmatchcase(record, pattern) for record in records):
            raise pytest.UsageError(f"--cl-record {pattern}: no record matches; list them with: clconform tables")
    smoke = config.getoption("--cl-tier") == "smoke"
    kept: list[pytest.Item] = []
    left_out: list[pytest.Item] = []
    for item in items:
        aims = aims_of(item)
        unknown = [record for record in aims if record not in records]
        if unknown:
            raise pytest.UsageError(f"{item.nodeid} aims at {', '.join(unknown)}, which the tables do not have")
        wanted = not patterns or any(fnmatchcase(record, pattern) for record in aims for pattern in patterns)
        (kept if wanted and not (smoke and is_random(item)) else left_out).append(item)
    return kept, left_out


def is_random(item: pytest.Item) -> bool:
    """Tell whether an item draws its examples: a Hypothesis test or a state machine."""
    return hasattr(getattr(item, "obj", None), "hypothesis") or item.get_closest_marker("machine") is not None
