"""Variations of valid calls, declared by requirement: they violate an error condition, or keep the call valid."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from clconform.oracles.engine.registry import Registry

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

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
    """A change of a valid call's arguments; ``test_value`` is the name of the change in reports.

    ``difference``: the changed arguments, or a function that returns them.
    """

    test_value: str
    difference: Difference

    def changes_for(self, kit: Kit, arguments: Arguments) -> Mapping[str, Value]:
        """Map the parameters of the changed arguments to their new values."""
        return self.difference(kit, arguments) if callable(self.difference) else self.difference

    def apply(self, kit: Kit, arguments: Arguments) -> Arguments:
        """Return the arguments with those that the variation changes; other parameters are ignored."""
        return arguments | {
            name: value for name, value in self.changes_for(kit, arguments).items() if name in arguments
        }


def bind_values(function: Callable[..., Mapping[str, Value]], *values: object) -> Difference:
    """Return a function that calls ``function`` with the kit, the arguments of the valid call, and these values."""
    return lambda kit, given: function(kit, given, *values)


def set_sizes(**numbers: int) -> Difference:
    """Return the argument changes that set parameters of type size_t to these numbers, converted by ``to_size``."""
    return lambda kit, _given: {name: kit.to_size(number) for name, number in numbers.items()}


class VariationRegistry:
    """The variations that a module declares as ``variations``; the collection merges all registries.

    Functions yield the variations when they are needed, in the order of the tests. Variations that are declared for a
    success requirement keep the call valid.
    """

    def __init__(self) -> None:
        self.by_requirement: dict[str, list[VariationSource]] = {}
        self.near_misses: dict[str, list[VariationSource]] = {}
        self.by_kind: Registry[str, KindVariationSource] = Registry("functions for the variations of a kind")
        self.valid_by_kind: Registry[str, KindVariationSource] = Registry("functions for what leaves a call valid")
        self.adapters: Registry[str, VariationAdapter] = Registry("functions for another function's variations")

    def declare(self, *requirements: str) -> Callable[[VariationSource], VariationSource]:
        """Return a decorator that declares a function which yields variations for each of these requirements."""
        return _declare_in(self.by_requirement, requirements)

    def declare_near_miss(self, *conditions: str) -> Callable[[VariationSource], VariationSource]:
        """Return a decorator that declares a function which yields near misses of each of these error conditions."""
        return _declare_in(self.near_misses, conditions)

    def declare_kind(self, *kinds: str) -> Callable[[KindVariationSource], KindVariationSource]:
        """Return a decorator that declares a function which yields variations for error conditions of these kinds."""
        return self.by_kind.declare(*kinds)

    def declare_valid_kind(self, *kinds: str) -> Callable[[KindVariationSource], KindVariationSource]:
        """Return a decorator that declares a function which yields valid variations for these kinds of conditions."""
        return self.valid_by_kind.declare(*kinds)

    def declare_adapter(self, *functions: str) -> Callable[[VariationAdapter], VariationAdapter]:
        """Return a decorator that declares a function which adapts inherited variations to calls of these functions."""
        return self.adapters.declare(*functions)

    def merge(self, other: VariationRegistry) -> None:
        """Add all declarations of another registry; ValueError if both have a function for the same kind."""
        for own, others in ((self.by_requirement, other.by_requirement), (self.near_misses, other.near_misses)):
            for requirement, functions in others.items():
                own.setdefault(requirement, []).extend(functions)
        self.by_kind.merge(other.by_kind)
        self.valid_by_kind.merge(other.valid_by_kind)
        self.adapters.merge(other.adapters)


def _declare_in(
    declared: dict[str, list[VariationSource]], keys: Sequence[str]
) -> Callable[[VariationSource], VariationSource]:
    def take(function: VariationSource) -> VariationSource:
        for key in keys:
            declared.setdefault(key, []).append(function)
        return function

    return take
