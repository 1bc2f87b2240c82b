"""Which cases of a test are made into items: none that the run's options leave out, since making one takes time."""

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
"""Tests, and the cases of each, in their brackets, that a smoke test has; all cases of a test that is not listed.

It has those of newer records, too, which the list cannot have.
"""
NOT_MADE_KEY = pytest.StashKey[list[tuple[str, ...]]]()
"""The records of each case that was not made into an item."""


class Targeting(Protocol):
    """A case: its main record and further ones, and the id that its item has in brackets."""

    @property
    def record(self) -> str:
        """Return the main record."""

    @property
    def records(self) -> tuple[str, ...]:
        """Return the further records."""

    @property
    def id(self) -> str:
        """Return the id."""


_Case = TypeVar("_Case", bound=Targeting)


def wanted_cases(metafunc: pytest.Metafunc, cases: Sequence[_Case]) -> Sequence[_Case]:
    """Return the cases that are to be items, at least one, and keep the records of the others in the config's stash."""
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
        plain = ids[case.id] == 1 and case.id.isascii()  # else pytest gives it another id
        beyond = listed is not None and plain and f"[{case.id}]" not in listed and not is_newer(case.record)
        if not wanted(aims, patterns) or beyond:
            away.append(aims)
        else:
            kept.append(case)
    config.stash.setdefault(NOT_MADE_KEY, []).extend(away)
    return kept or cases[:1]


def is_newer(record: str) -> bool:
    """Return whether the default tables, with which smoke tests are chosen, lack a record of the chosen ones."""
    return record in load().records and record not in default().records


def patterns_in(config: pytest.Config) -> list[str]:
    """Return the patterns of the records that were asked for, by their ids in the chosen tables; none: all are."""
    given: list[str] = config.getoption("--cl-record")
    return [each for pattern in given for each in in_place_of(pattern, load())]


def wanted(aims: Sequence[str], patterns: Sequence[str]) -> bool:
    """Return whether an item with these records is asked for; one without any is left out for another reason."""
    return not aims or not patterns or any(fnmatchcase(record, pattern) for record in aims for pattern in patterns)


def _listed(metafunc: pytest.Metafunc) -> set[str] | None:
    """Return the cases of a test that a smoke test has; None for all, or if its items have other ids than its cases."""
    if metafunc.definition.get_closest_marker("parametrize") is not None:
        return None
    name = getattr(metafunc.module, CONSTANT, None)
    test = metafunc.definition.nodeid.partition("::")[2]
    return metafunc.config.stash.get(LISTED_KEY, {}).get(f"{name}::{test}")
