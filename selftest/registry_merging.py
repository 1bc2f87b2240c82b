"""Merges the registries of a package's modules."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from clconform.oracles.engine.registry import Registry, find_declarations

if TYPE_CHECKING:
    from collections.abc import Callable

_R = TypeVar("_R", bound=Registry[Any, Any])


def merge_registries(package: str, name: str, kind: Callable[[], _R]) -> _R:
    """Return one registry with the entries of all registries called ``name`` in a package's modules, in order.

    ``kind`` creates an empty registry. ValueError if two modules declare the same entry.
    """
    whole = kind()
    for own in find_declarations(package, name, type(whole)):
        whole.merge(own)
    return whole
