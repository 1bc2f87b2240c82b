"""Variations of valid calls that violate an error condition or stay valid, declared by requirement."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from clconform.oracles.engine.registry import Registry

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from clconform.calls.values import Value
    from clconform.spec_tables import Tables
    from clconform.spec_tables.records import ErrorClause
    from clconform.suites.kit.kit import Kit
    from clconform.suites.kit.valid_calls import Arguments

    Difference: TypeAlias = "Mapping[str, Value] | Callable[[Kit, Arguments], Mapping[str, Value]]"
    OfRecord: TypeAlias = "Callable[[], Iterator[Variation]]"
    Carried: TypeAlias = "Callable[[Variation], Variation]"
    OfKind: TypeAlias = "Callable[[ErrorClause, Tables], Iterator[Variation]]"


@dataclass(frozen=True)
class Variation:
    """One change of a valid call: ``boundary`` names the test value, ``difference`` holds the changed arguments."""

    boundary: str
    difference: Difference

    def of(self, kit: Kit, arguments: Arguments) -> Mapping[str, Value]:
        """Return the changed arguments, by name."""
        return self.difference(kit, arguments) if callable(self.difference) else self.difference


def bound(function: Callable[..., Mapping[str, Value]], *values: object) -> Difference:
    """Return the difference that calls a function with the kit, the arguments, and these values."""
    return lambda kit, given: function(kit, given, *values)


class Variations:
    """The variations that one module declares as ``variations``; the collection merges them.

    Functions yield variations when needed, in the order in which they are tried. Those declared for a success
    requirement keep a call valid.
    """

    def __init__(self) -> None:
        self.of_records: dict[str, list[OfRecord]] = {}
        self.of_kinds: Registry[str, OfKind] = Registry("functions for the variations of a kind")
        self.leaving_valid: Registry[str, OfKind] = Registry("functions for what leaves a call valid")
        self.carried: Registry[str, Carried] = Registry("functions for another function's variations")

    def of(self, *records: str) -> Callable[[OfRecord], OfRecord]:
        """Declare a function that yields variations for a requirement, or the same ones for each of several."""

        def take(function: OfRecord) -> OfRecord:
            for record in records:
                self.of_records.setdefault(record, []).append(function)
            return function

        return take

    def of_kind(self, *kinds: str) -> Callable[[OfKind], OfKind]:
        """Declare a function that yields variations for every error condition of these kinds."""
        return self.of_kinds.declare(*kinds)

    def of_kind_leaving_valid(self, *kinds: str) -> Callable[[OfKind], OfKind]:
        """Declare a function that yields variations on the valid side of such a condition."""
        return self.leaving_valid.declare(*kinds)

    def carries(self, *functions: str) -> Callable[[Carried], Carried]:
        """Declare a function that adapts variations of inherited conditions to calls of these functions."""
        return self.carried.declare(*functions)

    def merge(self, other: Variations) -> None:
        """Add all declarations of another module; ValueError if both have a function for the same kind."""
        for record, functions in other.of_records.items():
            self.of_records.setdefault(record, []).extend(functions)
        self.of_kinds.merge(other.of_kinds)
        self.leaving_valid.merge(other.leaving_valid)
        self.carried.merge(other.carried)
