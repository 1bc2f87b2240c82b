"""The collection of the variations that all chapters declare."""

from __future__ import annotations

import functools
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from clconform.oracles.engine.registry import find_declarations
from clconform.spec_tables.loading import load_default
from clconform.spec_tables.requirements import ErrorCondition
from clconform.spec_tables.revision_ids import extension_condition_of, extension_name_of, with_default_condition
from clconform.suites.errors.negative_cases import VariationRegistry
from clconform.suites.kit.valid_calls import all_valid_calls

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from clconform.spec_tables import Tables
    from clconform.suites.errors.negative_cases import KindVariationSource, Variation
    from clconform.suites.kit.valid_calls import ValidCall

PACKAGES = ("clconform.suites.common", "clconform.suites.chapters")
"""The packages that are searched for modules with variations, recursively."""


class VariationCollection(NamedTuple):
    """The valid calls, by function, and the variations of all modules."""

    valid_calls: Mapping[str, ValidCall]
    variations: VariationRegistry

    def variations_for(self, requirement: str) -> list[Variation]:
        """Return the variations declared for a requirement; ValueError if two have the same test value."""
        found = [each for function in self.variations.by_requirement.get(requirement, ()) for each in function()]
        twice = [name for name, number in Counter(each.test_value for each in found).items() if number > 1]
        if twice:
            raise ValueError(f"{requirement} is tried twice at {', '.join(map(repr, twice))}")
        return found

    def violating_variations(self, clause: ErrorCondition, tables: Tables) -> list[Variation]:
        """Return all variations that violate an error condition: those for its kind, and those for its requirement id.

        An inherited condition uses the variations of the original condition, if they can be adapted to calls of the
        function. If a newer revision splits a condition, the variations of the older condition belong to the first
        part. If the parts have different applicability conditions, the variations belong to the first part with each of
        these applicability conditions.
        """
        lent, carried = self.inherited_condition(clause, tables), self.variations.adapters.entries.get(clause.function)
        if carried is not None and lent is not None:
            return [*map(carried, self.violating_variations(lent, tables)), *self.variations_for(clause.id)]
        if clause.part_of and _is_first_with_applicability(clause, tables):
            whole = load_default().requirements.get(clause.part_of)
            if isinstance(whole, ErrorCondition):
                return [*self.violating_variations(whole, tables), *self.variations_for(clause.id)]
        if clause.part_of:
            return self.variations_for(clause.id)
        clause = with_default_condition(clause)
        counterpart = extension_condition_of(clause, tables)
        if counterpart is not None:
            return self.violating_variations(counterpart, tables)
        return [*_variations_of_kind(self.variations.by_kind.entries, clause, tables), *self.variations_for(clause.id)]

    def near_misses(self, clause: ErrorCondition, tables: Tables) -> list[Variation]:
        """Return the near misses that are declared for an error condition, or for the one that it inherits."""
        lent, adapt = self.inherited_condition(clause, tables), self.variations.adapters.entries.get(clause.function)
        inherited = [] if lent is None or adapt is None else list(map(adapt, self.near_misses(lent, tables)))
        sources = self.variations.near_misses.get(clause.part_of or clause.id, ())
        return [*inherited, *(each for source in sources for each in source())]

    def inherited_condition(self, clause: ErrorCondition, tables: Tables) -> ErrorCondition | None:
        """Return the other function's condition whose variations an inherited condition uses; None if there is none."""
        lent = (
            tables.requirements.get(clause.inherited_from)
            if clause.function in self.variations.adapters.entries
            else None
        )
        return lent if isinstance(lent, ErrorCondition) else None

    def valid_variations(self, function: str, tables: Tables) -> list[Variation]:
        """Return all variations that keep a function's call valid.

        They are declared for its success requirement, or for the kinds of its error conditions.
        """
        found = self.variations_for(f"{extension_name_of(function, tables) or function}/success")
        for clause in tables.error_conditions_of(function):
            found += _variations_of_kind(self.variations.valid_by_kind.entries, clause, tables)
        return found


def _is_first_with_applicability(clause: ErrorCondition, tables: Tables) -> bool:
    """Return whether a part of a split condition is the first part with its applicability conditions."""
    parts = (tables.requirements[name] for name in tables.parts_of(clause.part_of))
    alike = (
        each.id for each in parts if isinstance(each, ErrorCondition) and each.applicability == clause.applicability
    )
    return next(alike, "") == clause.id


def find_kind_function(
    known: Mapping[str, KindVariationSource], clause: ErrorCondition, tables: Tables
) -> KindVariationSource | None:
    """Return the function that yields the variations for the kind of a condition, or None."""
    own = {parameter.name for parameter in tables.functions[clause.function].parameters}
    if clause.inherited_from and not own.issuperset(clause.condition.parameters):
        return None  # the inherited condition names parameters that this function does not have
    return known.get(clause.condition.kind) if clause.condition.parameters else None


def _variations_of_kind(
    known: Mapping[str, KindVariationSource], clause: ErrorCondition, tables: Tables
) -> Iterator[Variation]:
    function = find_kind_function(known, clause, tables)
    return function(clause, tables) if function is not None else iter(())


@functools.cache
def collect_variations() -> VariationCollection:
    """Return the valid calls and variations of all modules.

    ValueError: two modules declare the same function or kind.
    """
    variations = VariationRegistry()
    for package in PACKAGES:
        for declared in find_declarations(package, "variations", VariationRegistry):
            variations.merge(declared)
    return VariationCollection(all_valid_calls(), variations)
