"""Finds the tests of a requirement: the variations of a valid call, and the pytest items that target the requirement.

This is the only module outside the suites that imports suites, and it imports only their variations. Pytest collects
the items as for a run.
"""

from __future__ import annotations

import functools
import os
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

from clconform.runner.journal.suite_names import SUITES
from clconform.runner.pytest_plugin.environment import prepare_environment
from clconform.runner.pytest_plugin.item_collection import collect_items
from clconform.runner.pytest_plugin.item_selection import is_random, item_id, requirements_of
from clconform.spec_tables.requirements import ErrorCondition, Success
from clconform.suites.errors.variation_collection import collect_variations, find_kind_function
from clconform.tools.explain.explanation import SourceLocation, TargetingItem, TestValue
from clconform.tools.explain.source_index import location_in, location_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    import pytest

    from clconform.spec_tables import Tables
    from clconform.spec_tables.requirements import Requirement
    from clconform.suites.errors.negative_cases import Variation


class RequirementTests(NamedTuple):
    """The tests of one requirement.

    ``valid_call``: the function that makes the valid call. ``test_values``: the variations of this call. ``items``: the
    pytest items that target the requirement.
    """

    valid_call: SourceLocation | None
    test_values: list[TestValue]
    items: list[TargetingItem]


class TestIndex:
    """The items and variations of all suites, collected once; ValueError if a suite cannot be imported."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self._items: dict[str, list[pytest.Item]] = {}
        with _hidden_pytest_settings():
            items = collect_items(SUITES)
        for item in items:
            for requirement in dict.fromkeys(requirements_of(item)):
                self._items.setdefault(requirement, []).append(item)
        self._collection = collect_variations()

    def tests_of(self, requirement: Requirement) -> RequirementTests:
        """Return the tests of a requirement."""
        items = [_targeting_item(item) for item in self._items.get(requirement.id, [])]
        known = self._collection.valid_calls
        if not isinstance(requirement, (ErrorCondition, Success)) or requirement.function not in known:
            return RequirementTests(None, [], items)
        return RequirementTests(location_of(known[requirement.function]), list(self._test_values(requirement)), items)

    def _test_values(self, requirement: ErrorCondition | Success) -> Iterator[TestValue]:
        """Yield the test values of a requirement; ValueError if a test value occurs twice."""
        valid = isinstance(requirement, Success)
        if isinstance(requirement, Success):
            found = self._collection.valid_variations(requirement.function, self._tables)
            clauses = [*self._tables.error_conditions_of(requirement.function)]
        else:
            found = self._collection.violating_variations(requirement, self._tables)
            clauses = [self._collection.inherited_condition(requirement, self._tables) or requirement]
        places = dict(self._test_value_sources(requirement.id, clauses, valid=valid))
        for variation in found:
            yield TestValue(variation.test_value, places.get(variation.test_value), valid)

    def _test_value_sources(
        self, requirement: str, clauses: Sequence[ErrorCondition], *, valid: bool
    ) -> Iterator[tuple[str, SourceLocation]]:
        """Yield the names of test values, each with the source location of the function that creates it."""
        variations = self._collection.variations
        kinds = (variations.valid_by_kind if valid else variations.by_kind).entries
        yielding: list[tuple[Callable[..., object], Callable[[], Iterator[Variation]]]] = [
            (function, functools.partial(function, clause, self._tables))
            for clause in clauses
            if (function := find_kind_function(kinds, clause, self._tables)) is not None
        ]
        own_of = {requirement, *(clause.id for clause in clauses if not valid)}
        yielding += [(own, own) for each in sorted(own_of) for own in variations.by_requirement.get(each, ())]
        for yields, variations_of in yielding:
            place = location_of(yields)
            if place is not None:
                yield from ((each.test_value, place) for each in variations_of())


@contextmanager
def _hidden_pytest_settings() -> Iterator[None]:
    """Hide the user's pytest settings in this block, in which suites are collected."""
    before = dict(os.environ)
    prepare_environment()
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


@functools.cache
def _targeting_item(item: pytest.Item) -> TargetingItem:
    return TargetingItem(item_id(item), location_in(item.path, item.name.partition("[")[0]), is_random(item))
