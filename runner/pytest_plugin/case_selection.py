"""Selects the cases of a test that become items.

Creating items for all cases would take too long.
"""

from __future__ import annotations

from collections import Counter
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Protocol, TypeVar

import pytest

from clconform.runner.journal.suite_names import NAME_CONSTANT
from clconform.runner.pytest_plugin import tiers
from clconform.spec_tables import load
from clconform.spec_tables.loading import load_default
from clconform.spec_tables.revision_ids import resolve_ids, resolve_pattern

if TYPE_CHECKING:
    from collections.abc import Sequence


SMOKE_CASES_KEY = pytest.StashKey[dict[str, set[str]]]()
"""Maps tests to the ids, in brackets, of their cases in a smoke test. A test that is not listed runs all its cases.

Cases of newer requirements, which the list cannot contain, also run."""
OMITTED_KEY = pytest.StashKey[list[tuple[str, ...]]]()
"""The requirements of each case that did not become an item."""


class CoveringCase(Protocol):
    """A case: its main requirement, its further requirements, and its id."""

    @property
    def requirement(self) -> str:
        """Return the main requirement of the case."""

    @property
    def further_requirements(self) -> tuple[str, ...]:
        """Return the further requirements of the case."""

    @property
    def id(self) -> str:
        """Return the id of the case, which is in brackets in the id of its item."""


_Case = TypeVar("_Case", bound=CoveringCase)


def select_cases(metafunc: pytest.Metafunc, cases: Sequence[_Case]) -> Sequence[_Case]:
    """Return the selected cases, or only the first case if none is selected.

    Stores the requirements of all other cases in the config's stash.
    """
    config = metafunc.config
    patterns = requirement_patterns(config)
    listed = _smoke_cases(metafunc) if config.getoption("--cl-tier") == tiers.SMOKE else None
    if not patterns and listed is None:
        return cases
    around = [requirement for mark in metafunc.definition.iter_markers("covers") for requirement in mark.args]
    ids = Counter(case.id for case in cases)
    kept: list[_Case] = []
    away: list[tuple[str, ...]] = []
    for case in cases:
        aims = resolve_ids((*around, case.requirement, *case.further_requirements), load())
        plain = ids[case.id] == 1 and case.id.isascii()  # otherwise pytest changes the id
        beyond = (
            listed is not None and plain and f"[{case.id}]" not in listed and not is_newer_requirement(case.requirement)
        )
        if not is_selected(aims, patterns) or beyond:
            away.append(aims)
        else:
            kept.append(case)
    config.stash.setdefault(OMITTED_KEY, []).extend(away)
    return kept or cases[:1]


def is_newer_requirement(requirement: str) -> bool:
    """Return whether the selected tables contain this requirement and the default tables do not.

    The list of smoke tests covers only the default tables.
    """
    return requirement in load().requirements and requirement not in load_default().requirements


def requirement_patterns(config: pytest.Config) -> list[str]:
    """Return the patterns of the requested requirements, as ids of the selected tables; empty if all are requested."""
    given: list[str] = config.getoption("--cl-requirement")
    return [each for pattern in given for each in resolve_pattern(pattern, load())]


def is_selected(requirements: Sequence[str], patterns: Sequence[str]) -> bool:
    """Return whether at least one of an item's requirements matches a pattern.

    True also if there are no requirements or no patterns.
    """
    return (
        not requirements
        or not patterns
        or any(fnmatchcase(requirement, pattern) for requirement in requirements for pattern in patterns)
    )


def _smoke_cases(metafunc: pytest.Metafunc) -> set[str] | None:
    """Return the ids of the cases that a smoke test runs of a test; None if it runs all cases."""
    name = getattr(metafunc.module, NAME_CONSTANT, None)
    test = metafunc.definition.nodeid.partition("::")[2]
    return metafunc.config.stash.get(SMOKE_CASES_KEY, {}).get(f"{name}::{test}")
