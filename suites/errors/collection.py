"""All valid calls and variations: found in the modules of the chapters, joined once, and never changed."""

from __future__ import annotations

import functools
import importlib
import pkgutil
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from clconform.suites.errors.valid_calls import ValidCalls
from clconform.suites.errors.variations import Variations

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from clconform.spec_tables import Tables
    from clconform.spec_tables.records import ErrorClause
    from clconform.suites.errors.valid_calls import ValidCall
    from clconform.suites.errors.variations import OfKind, Variation

PACKAGES = ("clconform.suites.recurring", "clconform.suites.chapters")
"""Where modules with valid calls and variations are looked for, at any depth."""
NAMES = ("valid_calls", "variations")
"""What such a module is called, alone or followed by ``_of_...``, and the object of the same name that it holds."""


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
        """Return all variations that aim at a clause: those of its kind, and its own."""
        return [*_of_kind(self.variations.of_kinds.known, clause, tables), *self.aiming_at(clause.id)]

    def leaving_valid(self, function: str, tables: Tables) -> list[Variation]:
        """Return all variations that leave a function's call valid: its own, and by the kinds of its clauses."""
        found = self.aiming_at(f"{function}/success")
        for clause in tables.clauses_of(function):
            found += _of_kind(self.variations.leaving_valid.known, clause, tables)
        return found


def _of_kind(known: Mapping[str, OfKind], clause: ErrorClause, tables: Tables) -> Iterator[Variation]:
    function = known.get(clause.condition.kind) if clause.condition.parameters else None
    return function(clause, tables) if function is not None else iter(())


def modules() -> Iterator[str]:
    """Yield the full names of all modules with valid calls or variations."""
    for package in PACKAGES:
        for found in pkgutil.walk_packages(importlib.import_module(package).__path__, f"{package}."):
            name = found.name.rpartition(".")[2]
            if not found.ispkg and any(name == each or name.startswith(f"{each}_of_") for each in NAMES):
                yield found.name


@functools.cache
def collected() -> Collection:
    """Return what all modules declare; ValueError where a function has two valid calls, or a kind two functions."""
    valid_calls, variations = ValidCalls(), Variations()
    for name in modules():
        module = importlib.import_module(name)
        if isinstance(own := getattr(module, "valid_calls", None), ValidCalls):
            valid_calls.merge(own)
        if isinstance(declared := getattr(module, "variations", None), Variations):
            variations.merge(declared)
    return Collection(valid_calls.known, variations)
