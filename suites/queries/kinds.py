"""The kinds of objects to query: each creates its object; one table collects all kinds."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, NamedTuple, TypeAlias, TypeVar

from clconform.oracles.engine.registry import Registry, declared_in

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from clconform.calls.values import Value
    from clconform.suites.kit.kit import Kit

    About: TypeAlias = "dict[str, Value]"
    Maker: TypeAlias = "Callable[[Kit], About]"
    Family: TypeAlias = "Callable[[], Iterator[Kind]]"

PACKAGE = "clconform.suites.queries"
"""The package that is searched for modules with kinds."""
_F = TypeVar("_F", bound="Maker")
POINTERS = {"CL_PROGRAM_BINARIES": "CL_PROGRAM_BINARY_SIZES"}
"""Query whose value is a list of pointers to output buffers to the query that returns their sizes."""


class Kind(NamedTuple):
    """A kind of object: its label, the function that creates one, and additional requirements that it covers."""

    words: str
    make: Maker
    aims: tuple[str, ...] = ()


class Kinds:
    """The kinds of objects that one module declares as ``kinds``, in order of declaration.

    A kind returns the arguments that name the object, by parameter, without those common to all query functions
    (param_name and its successors).
    """

    def __init__(self) -> None:
        self._declared: list[tuple[str, Family]] = []

    def of(self, words: str, *functions: str, aims: tuple[str, ...] = ()) -> Callable[[_F], _F]:
        """Declare a kind of object for these query functions."""

        def take(maker: _F) -> _F:
            self.family(*functions)(lambda: iter((Kind(words, maker, aims),)))
            return maker

        return take

    def family(self, *functions: str) -> Callable[[Family], Family]:
        """Declare a function that yields kinds of objects for each of these query functions."""

        def take(family: Family) -> Family:
            self._declared.extend((function, family) for function in functions)
            return family

        return take

    def each(self) -> Iterator[tuple[str, Kind]]:
        """Yield each kind, with its query function."""
        for function, family in self._declared:
            for kind in family():
                yield function, kind


@functools.cache
def every_kind() -> Mapping[str, Mapping[str, Kind]]:
    """Return the kinds of all modules, by query function and label; ValueError if a function has one twice."""
    found: dict[str, Registry[str, Kind]] = {}
    for own in declared_in(PACKAGE, "kinds", Kinds):
        for function, kind in own.each():
            found.setdefault(function, Registry(f"kinds of objects for {function}")).add(kind.words, kind)
    return {function: kinds.known for function, kinds in found.items()}
