"""All variations: found in the modules of the chapters, joined once, and never changed."""

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
"""Where modules with variations are looked for, at any depth."""


class Collection(NamedTuple):
    """``valid_calls``: one for each function, by its name; ``variations``: those of all modules."""

    valid_calls: Mapping[str, ValidCall]
    variations: Variations

    def aiming_at(self, record: str) -> list[Variation]:
        """Return the variations that are declared for a record; ValueError where two of them have one boundary."""
        found = [each for function in self.variations.of_records.get(record, ()) for each in function()]
        twice = [name for name, number in Counter(each.boundary for each in found).items() if number > 1]
        if twice:
            raise ValueError(f"{record} is tried twice at {', '.join(map(repr, twice))}")
        return found

    def breaking(self, clause: ErrorClause, tables: Tables) -> list[Variation]:
        """Return all variations that aim at a clause: those of its kind, and its own.

        For a clause that a function has from another one, they are those of the other, as far as there is a way to
        make them variations of the function's own calls. Those of an older clause that a revision has taken apart are
        for the first of the parts, and where parts are about other versions, for the first of these, too.
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
        """Return the other function's clause whose variations a clause has, or None where it has its own."""
        lent = tables.records.get(clause.same_as) if clause.function in self.variations.carried.known else None
        return lent if isinstance(lent, ErrorClause) else None

    def leaving_valid(self, function: str, tables: Tables) -> list[Variation]:
        """Return all variations that leave a function's call valid: its own, and by the kinds of its clauses."""
        found = self.aiming_at(f"{twin_of(function, tables) or function}/success")
        for clause in tables.clauses_of(function):
            found += _of_kind(self.variations.leaving_valid.known, clause, tables)
        return found


def _first_of_its_versions(clause: ErrorClause, tables: Tables) -> bool:
    """Return whether a part is the first of those that apply to the same versions and extensions."""
    parts = (tables.records[name] for name in tables.parts_of(clause.part_of))
    alike = (each.id for each in parts if isinstance(each, ErrorClause) and each.gates == clause.gates)
    return next(alike, "") == clause.id


def by_kind(known: Mapping[str, OfKind], clause: ErrorClause, tables: Tables) -> OfKind | None:
    """Return what yields the variations of a clause of its kind, or None where none can be made."""
    own = {parameter.name for parameter in tables.functions[clause.function].parameters}
    if clause.same_as and not own.issuperset(clause.condition.parameters):
        return None  # it is about parameters of the function that lends it
    return known.get(clause.condition.kind) if clause.condition.parameters else None


def _of_kind(known: Mapping[str, OfKind], clause: ErrorClause, tables: Tables) -> Iterator[Variation]:
    function = by_kind(known, clause, tables)
    return function(clause, tables) if function is not None else iter(())


@functools.cache
def collected() -> Collection:
    """Return what all modules declare; ValueError where a function has two valid calls, or a kind two functions."""
    variations = Variations()
    for package in PACKAGES:
        for declared in declared_in(package, "variations", Variations):
            variations.merge(declared)
    return Collection(every_valid_call(), variations)
