"""A registry of rules, variations, faults or operators by key."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Iterator
from typing import Generic, TypeVar

_K = TypeVar("_K")
_V = TypeVar("_V")
_T = TypeVar("_T")
_F = TypeVar("_F", bound=Callable[..., object])


class Registry(Generic[_K, _V]):
    """A registry of entries of one kind, each under a unique key; ``what`` names the entries in messages."""

    def __init__(self, what: str) -> None:
        self.noun = what
        self.entries: dict[_K, _V] = {}

    def add(self, key: _K, value: _V) -> None:
        """Add an entry; ValueError if the key already has one."""
        if key in self.entries:
            raise ValueError(f"{key} has two {self.noun}: {self.entries[key]!r} and {value!r}")
        self.entries[key] = value

    def declare(self, *keys: _K) -> Callable[[_F], _F]:
        """Return a decorator that adds a function under each of the keys."""

        def take(function: _F) -> _F:
            for key in keys:
                self.add(key, function)  # type: ignore[arg-type]
            return function

        return take

    def merge(self, other: Registry[_K, _V]) -> None:
        """Add all entries of another registry; ValueError as for ``add``."""
        for key, value in other.entries.items():
            self.add(key, value)


def find_modules(package: str) -> Iterator[str]:
    """Yield the full names of all modules in a package, at any depth, except programs and tests."""
    for found in pkgutil.walk_packages(importlib.import_module(package).__path__, f"{package}."):
        own = found.name.rpartition(".")[2]
        if not found.ispkg and own != "__main__" and not own.startswith("test_"):
            yield found.name


def find_declarations(package: str, name: str, kind: type[_T]) -> Iterator[_T]:
    """Yield the object that each module of a package defines under a name, if it is an instance of ``kind``."""
    for module in find_modules(package):
        own = vars(importlib.import_module(module)).get(name)
        if isinstance(own, kind):
            yield own
