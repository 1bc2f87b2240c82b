"""The kinds of objects that are queried, collected from all modules.

Each kind has a function that creates the object.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, NamedTuple, TypeAlias, TypeVar

from clconform.oracles.engine.registry import Registry, find_declarations

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from clconform.calls.values import Value
    from clconform.suites.kit.kit import Kit

    QuerySubject: TypeAlias = "dict[str, Value]"
    SubjectFactory: TypeAlias = "Callable[[Kit], QuerySubject]"
    KindFamily: TypeAlias = "Callable[[], Iterator[ObjectKind]]"

PACKAGE = "clconform.suites.queries"
"""The package that is searched for modules with kinds."""
_F = TypeVar("_F", bound="SubjectFactory")
POINTER_QUERIES = {"CL_PROGRAM_BINARIES": "CL_PROGRAM_BINARY_SIZES"}
"""Maps each query whose value is a list of pointers to output buffers to the query of the sizes of these buffers."""


class ObjectKind(NamedTuple):
    """A kind of object: its label, the function that creates such an object, and requirements that it also covers."""

    label: str
    create: SubjectFactory
    covers: tuple[str, ...] = ()


class ObjectKindRegistry:
    """The kinds of objects that one module declares as ``kinds``, in order of declaration.

    The creating function returns the arguments that identify the object, by parameter name. The common arguments of
    queries (param_name and the following parameters) are not included.
    """

    def __init__(self) -> None:
        self._declared: list[tuple[str, KindFamily]] = []

    def declare(self, words: str, *functions: str, covers: tuple[str, ...] = ()) -> Callable[[_F], _F]:
        """Return a decorator that declares the creating function of a kind of object, for these query functions."""

        def take(maker: _F) -> _F:
            self.declare_family(*functions)(lambda: iter((ObjectKind(words, maker, covers),)))
            return maker

        return take

    def declare_family(self, *functions: str) -> Callable[[KindFamily], KindFamily]:
        """Return a decorator that declares a function which yields kinds of objects for these query functions."""

        def take(family: KindFamily) -> KindFamily:
            self._declared.extend((function, family) for function in functions)
            return family

        return take

    def iterate_kinds(self) -> Iterator[tuple[str, ObjectKind]]:
        """Yield each kind of object together with its query function."""
        for function, family in self._declared:
            for kind in family():
                yield function, kind


@functools.cache
def all_object_kinds() -> Mapping[str, Mapping[str, ObjectKind]]:
    """Map query functions to their kinds of objects in all modules, named by label; ValueError if two share a label."""
    found: dict[str, Registry[str, ObjectKind]] = {}
    for own in find_declarations(PACKAGE, "kinds", ObjectKindRegistry):
        for function, kind in own.iterate_kinds():
            found.setdefault(function, Registry(f"kinds of objects for {function}")).add(kind.label, kind)
    return {function: kinds.entries for function, kinds in found.items()}
