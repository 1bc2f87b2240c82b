"""Finds the tests of a requirement: the variations of a valid call, and the pytest items that target it.

It is the only module outside the suites that imports them, and only their variations; pytest collects the items as for
a run.
"""

from __future__ import annotations

import functools
import os
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from clconform.runner.pytest_plugin.items import collected_items
from clconform.runner.pytest_plugin.selection import aims_of, is_random, item_id
from clconform.spec_tables.records import ErrorClause, Success
from clconform.suites.errors.collection import by_kind, collected
from clconform.tools.explain.explanation import Aiming, Boundary, Place
from clconform.tools.explain.sources import place_at, place_of
from clconform.tools.resuming import SUITES
from clconform.tools.running import prepare_environment

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    import pytest

    from clconform.spec_tables import Tables
    from clconform.spec_tables.records import Record
    from clconform.suites.errors.variations import Variation


class Tried(NamedTuple):
    """The tests of a requirement."""

    valid_call: Place | None
    boundaries: list[Boundary]
    items: list[Aiming]


class Trying:
    """The items and variations of the suites, collected once; ValueError if a suite cannot be imported."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self._items: dict[str, list[pytest.Item]] = {}
        with _environment_for_pytest():
            items = collected_items(SUITES)
        for item in items:
            for record in dict.fromkeys(aims_of(item)):
                self._items.setdefault(record, []).append(item)
        self._collection = collected()

    def at(self, record: Record) -> Tried:
        """Return the tests of a requirement."""
        items = [_aiming(item) for item in self._items.get(record.id, [])]
        known = self._collection.valid_calls
        if not isinstance(record, (ErrorClause, Success)) or record.function not in known:
            return Tried(None, [], items)
        return Tried(place_of(known[record.function]), list(self._boundaries(record)), items)

    def _boundaries(self, record: ErrorClause | Success) -> Iterator[Boundary]:
        """Yield the boundaries, each with the function that yields it; ValueError if one occurs twice."""
        valid = isinstance(record, Success)
        if isinstance(record, Success):
            found = self._collection.leaving_valid(record.function, self._tables)
            clauses = [*self._tables.clauses_of(record.function)]
        else:
            found = self._collection.breaking(record, self._tables)
            clauses = [self._collection.lent(record, self._tables) or record]
        places = dict(self._yielding(record.id, clauses, valid=valid))
        for variation in found:
            yield Boundary(variation.boundary, places.get(variation.boundary), valid)

    def _yielding(self, record: str, clauses: Sequence[ErrorClause], *, valid: bool) -> Iterator[tuple[str, Place]]:
        """Yield the names of boundaries, each with the function that yields it."""
        variations = self._collection.variations
        kinds = (variations.leaving_valid if valid else variations.of_kinds).known
        yielding: list[tuple[Callable[..., object], Callable[[], Iterator[Variation]]]] = [
            (function, functools.partial(function, clause, self._tables))
            for clause in clauses
            if (function := by_kind(kinds, clause, self._tables)) is not None
        ]
        own_of = {record, *(clause.id for clause in clauses if not valid)}
        yielding += [(own, own) for each in sorted(own_of) for own in variations.of_records.get(each, ())]
        for yields, variations_of in yielding:
            place = place_of(yields)
            if place is not None:
                yield from ((each.boundary, place) for each in variations_of())


@contextmanager
def _environment_for_pytest() -> Iterator[None]:
    """Hide the user's pytest settings while suites are collected, and restore them afterwards."""
    before = dict(os.environ)
    prepare_environment()
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


@functools.cache
def _test_at(path: Path, line: int, name: str) -> Place:
    return place_at(path, line, name) or Place(str(path), line, name)


@functools.cache
def _aiming(item: pytest.Item) -> Aiming:
    path, line, name = item.reportinfo()
    return Aiming(item_id(item), _test_at(Path(path), (line or 0) + 1, name.partition("[")[0]), is_random(item))
