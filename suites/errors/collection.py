"""All variations, collected once from the modules of the chapters."""

from __future__ import annotations

import functools
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from clconform.oracles.engine.registry import declared_in
from clconform.spec_tables.across import as_before, clause_of_twin, twin_of
from clconform.spec_tables.loading import default
from clconform.spec_tables.records import ErrorClause
from clconform.suites.errors.variations import Variations
from clconform.suites.kit.valid_calls import every_valid_call

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from clconform.spec_tables import Tables
    from clconform.suites.errors.variations import OfKind, Variation
    from clconform.suites.kit.valid_calls import ValidCall

PACKAGES = ("clconform.suites.recurring", "clconform.suites.chapters")
"""The packages that are searched for modules with variations, recursively."""


class Collection(NamedTuple):
    """The valid calls by function, and the variations of all modules."""

    valid_calls: Mapping[str, ValidCall]
    variations: Variations

    def aiming_at(self, record: str) -> list[Variation]:
        """Return the variations declared for a requirement; ValueError if two have the same test value."""
        found = [each for function in self.variations.of_records.get(record, ()) for each in function()]
        twice = [name for name, number in Counter(each.boundary for each in found).items() if number > 1]
        if twice:
            raise ValueError(f"{record} is tried twice at {', '.join(map(repr, twice))}")
        return found

    def breaking(self, clause: ErrorClause, tables: Tables) -> list[Variation]:
        """Return all variations that violate an error condition: those of its kind, and those declared for it.

        For an inherited condition, these are the variations of the condition that it is inherited from, if they can be
        adapted to the function's own calls. The variations of an older condition that a newer revision splits belong to
        its first part; if parts have different applicability conditions, to the first part with each of these.
        """
        lent, carried = self.lent(clause, tables), self.variations.carried.known.get(clause.function)
        if carried is not None and lent is not None:
            return [*map(carried, self.breaking(lent, tables)), *self.aiming_at(clause.id)]
        if clause.part_of and _first_of_its_versions(clause, tables):
            whole = default().records.get(clause.part_of)
            if isinstance(whole, ErrorClause):
                return [*self.breaking(whole, tables), *self.aiming_at(clause.id)]
        if clause.part_of:
            return self.aiming_at(clause.id)
        clause = as_before(clause)
        twin = clause_of_twin(clause, tables)
        if twin is not None:
            return self.breaking(twin, tables)
        return [*_of_kind(self.variations.of_kinds.known, clause, tables), *self.aiming_at(clause.id)]

    def lent(self, clause: ErrorClause, tables: Tables) -> ErrorClause | None:
        """Return the other function's condition whose variations are inherited; None if there is none."""
        lent = tables.records.get(clause.same_as) if clause.function in self.variations.carried.known else None
        return lent if isinstance(lent, ErrorClause) else None

    def leaving_valid(self, function: str, tables: Tables) -> list[Variation]:
        """Return all variations that keep a function's call valid: its own, and those of its conditions' kinds."""
        found = self.aiming_at(f"{twin_of(function, tables) or function}/success")
        for clause in tables.clauses_of(function):
            found += _of_kind(self.variations.leaving_valid.known, clause, tables)
        return found


def _first_of_its_versions(clause: ErrorClause, tables: Tables) -> bool:
    """Return whether a part is the first one with its applicability conditions."""
    parts = (tables.records[name] for name in tables.parts_of(clause.part_of))
    alike = (each.id for each in parts if isinstance(each, ErrorClause) and each.gates == clause.gates)
    return next(alike, "") == clause.id


def by_kind(known: Mapping[str, OfKind], clause: ErrorClause, tables: Tables) -> OfKind | None:
    """Return the function that yields the variations for a condition's kind, or None."""
    own = {parameter.name for parameter in tables.functions[clause.function].parameters}
    if clause.same_as and not own.issuperset(clause.condition.parameters):
        return None  # it names parameters of the function that it is inherited from
    return known.get(clause.condition.kind) if clause.condition.parameters else None


def _of_kind(known: Mapping[str, OfKind], clause: ErrorClause, tables: Tables) -> Iterator[Variation]:
    function = by_kind(known, clause, tables)
    return function(clause, tables) if function is not None else iter(())


@functools.cache
def collected() -> Collection:
    """Return the declarations of all modules; ValueError if two declare the same function or kind."""
    variations = Variations()
    for package in PACKAGES:
        for declared in declared_in(package, "variations", Variations):
            variations.merge(declared)
    return Collection(every_valid_call(), variations)
