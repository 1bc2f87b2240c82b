"""Variations of valid calls that violate an error condition or stay valid, declared by requirement."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from clconform.oracles.engine.registry import Registry

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from clconform.calls.values import Value
    from clconform.spec_tables import Tables
    from clconform.spec_tables.requirements import ErrorCondition
    from clconform.suites.kit.kit import Kit
    from clconform.suites.kit.valid_calls import Arguments

    Difference: TypeAlias = "Mapping[str, Value] | Callable[[Kit, Arguments], Mapping[str, Value]]"
    VariationSource: TypeAlias = "Callable[[], Iterator[Variation]]"
    VariationAdapter: TypeAlias = "Callable[[Variation], Variation]"
    KindVariationSource: TypeAlias = "Callable[[ErrorCondition, Tables], Iterator[Variation]]"


@dataclass(frozen=True)
class Variation:
    """One change of a valid call: ``test_value`` names the test value, ``difference`` holds the changed arguments."""

    test_value: str
    difference: Difference

    def changes_for(self, kit: Kit, arguments: Arguments) -> Mapping[str, Value]:
        """Return the changed arguments, by name."""
        return self.difference(kit, arguments) if callable(self.difference) else self.difference


def bind_values(function: Callable[..., Mapping[str, Value]], *values: object) -> Difference:
    """Return the difference that calls a function with the kit, the arguments, and these values."""
    return lambda kit, given: function(kit, given, *values)


class VariationRegistry:
    """The variations that one module declares as ``variations``; the collection merges them.

    Functions yield variations when needed, in the order in which they are tried. Those declared for a success
    requirement keep a call valid.
    """

    def __init__(self) -> None:
        self.by_requirement: dict[str, list[VariationSource]] = {}
        self.by_kind: Registry[str, KindVariationSource] = Registry("functions for the variations of a kind")
        self.valid_by_kind: Registry[str, KindVariationSource] = Registry("functions for what leaves a call valid")
        self.adapters: Registry[str, VariationAdapter] = Registry("functions for another function's variations")

    def declare(self, *records: str) -> Callable[[VariationSource], VariationSource]:
        """Declare a function that yields variations for a requirement, or the same ones for each of several."""

        def take(function: VariationSource) -> VariationSource:
            for record in records:
                self.by_requirement.setdefault(record, []).append(function)
            return function

        return take

    def declare_kind(self, *kinds: str) -> Callable[[KindVariationSource], KindVariationSource]:
        """Declare a function that yields variations for every error condition of these kinds."""
        return self.by_kind.declare(*kinds)

    def declare_valid_kind(self, *kinds: str) -> Callable[[KindVariationSource], KindVariationSource]:
        """Declare a function that yields variations on the valid side of such a condition."""
        return self.valid_by_kind.declare(*kinds)

    def declare_adapter(self, *functions: str) -> Callable[[VariationAdapter], VariationAdapter]:
        """Declare a function that adapts variations of inherited conditions to calls of these functions."""
        return self.adapters.declare(*functions)

    def merge(self, other: VariationRegistry) -> None:
        """Add all declarations of another module; ValueError if both have a function for the same kind."""
        for record, functions in other.by_requirement.items():
            self.by_requirement.setdefault(record, []).extend(functions)
        self.by_kind.merge(other.by_kind)
        self.valid_by_kind.merge(other.valid_by_kind)
        self.adapters.merge(other.adapters)
