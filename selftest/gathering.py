"""Finds what the modules of a package declare, each in a registry of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from clconform.oracles.engine.registry import Registry, declared_in

if TYPE_CHECKING:
    from collections.abc import Callable

_R = TypeVar("_R", bound=Registry[Any, Any])


def gathered(package: str, name: str, kind: Callable[[], _R]) -> _R:
    """Return one registry with all that the modules of a package, in their order, keep in theirs called ``name``.

    ``kind`` makes an empty one. ValueError where two modules declare the same.
    """
    whole = kind()
    for own in declared_in(package, name, type(whole)):
        whole.merge(own)
    return whole
