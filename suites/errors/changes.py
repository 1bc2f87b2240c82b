"""What can be wrong with a call: for each clause the changes that make a right call break it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from clconform.calls.values import Value
    from clconform.spec_tables import Tables
    from clconform.spec_tables.records import ErrorClause
    from clconform.suites.errors.bench import Bench
    from clconform.suites.errors.controls import Arguments

    Difference: TypeAlias = "Mapping[str, Value] | Callable[[Bench, Arguments], Mapping[str, Value]]"
    Recurring: TypeAlias = "Callable[[ErrorClause, Tables], Iterator[Change]]"


@dataclass(frozen=True)
class Change:
    """One way to make a right call another one: ``boundary`` names it, ``difference`` are the arguments that change."""

    boundary: str
    difference: Difference

    def of(self, bench: Bench, arguments: Arguments) -> Mapping[str, Value]:
        """Return the arguments that change, by name."""
        return self.difference(bench, arguments) if callable(self.difference) else self.difference


def bound(function: Callable[..., Mapping[str, Value]], *values: object) -> Difference:
    """Return the difference that a function makes of the bench, the arguments, and these values."""
    return lambda bench, given: function(bench, given, *values)


CHANGES: dict[str, list[Change]] = {}
"""Record to the changes that aim at it; for the record of a success, changes after which a call is still right."""

RECURRING: dict[str, Recurring] = {}
"""Kind of condition to what makes the changes for a clause of that kind."""

STILL_RIGHT: dict[str, Recurring] = {}
"""Kind of condition to what makes the changes that stay at the right side of the boundary of such a clause."""


def change(record: str, boundary: str, difference: Difference) -> None:
    """Declare one change that aims at a record; ValueError where it has one of that name already."""
    known = CHANGES.setdefault(record, [])
    if any(each.boundary == boundary for each in known):
        raise ValueError(f"{record} is tried twice at {boundary!r}")
    known.append(Change(boundary, difference))


def recurring(kind: str) -> Callable[[Recurring], Recurring]:
    """Declare what makes the changes for all clauses of a kind."""

    def declare(maker: Recurring) -> Recurring:
        RECURRING[kind] = maker
        return maker

    return declare


def still_right(kind: str) -> Callable[[Recurring], Recurring]:
    """Declare what makes, for all clauses of a kind, the changes that do not quite break them."""

    def declare(maker: Recurring) -> Recurring:
        STILL_RIGHT[kind] = maker
        return maker

    return declare


def right_changes(function: str, tables: Tables) -> list[Change]:
    """Return all changes after which a function's call is still right: by the kinds of its clauses, and its own."""
    found = list(CHANGES.get(f"{function}/success", ()))
    for clause in tables.clauses_of(function):
        maker = STILL_RIGHT.get(clause.condition.kind) if clause.condition.parameters else None
        found += maker(clause, tables) if maker else ()
    return found


def changes_for(clause: ErrorClause, tables: Tables) -> list[Change]:
    """Return all changes that aim at a clause: those of its kind, and its own."""
    maker = RECURRING.get(clause.condition.kind) if clause.condition.parameters else None
    return [*(maker(clause, tables) if maker else ()), *CHANGES.get(clause.id, ())]
