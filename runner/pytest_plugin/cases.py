"""Selects the cases of a test that become items; creating items for the others would take time."""

from __future__ import annotations

from collections import Counter
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Protocol, TypeVar

import pytest

from clconform.runner.journal.names import CONSTANT
from clconform.runner.pytest_plugin import tiers
from clconform.spec_tables import load
from clconform.spec_tables.across import in_place_of, parts_among
from clconform.spec_tables.loading import default

if TYPE_CHECKING:
    from collections.abc import Sequence


LISTED_KEY = pytest.StashKey[dict[str, set[str]]]()
"""Maps tests to the ids, in brackets, of their cases in a smoke test; a test that is not listed runs all its cases.

Cases of newer requirements, which the list cannot contain, also run.
"""
NOT_MADE_KEY = pytest.StashKey[list[tuple[str, ...]]]()
"""The requirements of each case that did not become an item."""


class Targeting(Protocol):
    """A case: its main requirement, further requirements, and the id of its item in brackets."""

    @property
    def record(self) -> str:
        """Return the main requirement."""

    @property
    def records(self) -> tuple[str, ...]:
        """Return the further requirements."""

    @property
    def id(self) -> str:
        """Return the id."""


_Case = TypeVar("_Case", bound=Targeting)


def wanted_cases(metafunc: pytest.Metafunc, cases: Sequence[_Case]) -> Sequence[_Case]:
    """Return the selected cases, at least one; store the requirements of the others in the config's stash."""
    config = metafunc.config
    patterns = patterns_in(config)
    listed = _listed(metafunc) if config.getoption("--cl-tier") == tiers.SMOKE else None
    if not patterns and listed is None:
        return cases
    around = [record for mark in metafunc.definition.iter_markers("aims") for record in mark.args]
    ids = Counter(case.id for case in cases)
    kept: list[_Case] = []
    away: list[tuple[str, ...]] = []
    for case in cases:
        aims = parts_among((*around, case.record, *case.records), load())
        plain = ids[case.id] == 1 and case.id.isascii()  # otherwise pytest changes the id
        beyond = listed is not None and plain and f"[{case.id}]" not in listed and not is_newer(case.record)
        if not wanted(aims, patterns) or beyond:
            away.append(aims)
        else:
            kept.append(case)
    config.stash.setdefault(NOT_MADE_KEY, []).extend(away)
    return kept or cases[:1]


def is_newer(record: str) -> bool:
    """Return whether a requirement of the chosen tables is missing in the default tables, which smoke tests are for."""
    return record in load().records and record not in default().records


def patterns_in(config: pytest.Config) -> list[str]:
    """Return the patterns of the requested requirements, as ids of the chosen tables; empty if all are requested."""
    given: list[str] = config.getoption("--cl-record")
    return [each for pattern in given for each in in_place_of(pattern, load())]


def wanted(aims: Sequence[str], patterns: Sequence[str]) -> bool:
    """Return whether a pattern matches a requirement of an item; True without requirements, and without patterns."""
    return not aims or not patterns or any(fnmatchcase(record, pattern) for record in aims for pattern in patterns)


def _listed(metafunc: pytest.Metafunc) -> set[str] | None:
    """Return the ids of a test's cases in a smoke test; None for all, or if its items have other ids than its cases."""
    if metafunc.definition.get_closest_marker("parametrize") is not None:
        return None
    name = getattr(metafunc.module, CONSTANT, None)
    test = metafunc.definition.nodeid.partition("::")[2]
    return metafunc.config.stash.get(LISTED_KEY, {}).get(f"{name}::{test}")
