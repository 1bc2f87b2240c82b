"""Finds the interpretations that a rule depends on, by their names in its source."""

from __future__ import annotations

import ast
import functools
import inspect
from typing import TYPE_CHECKING

from clconform.oracles.engine.register import REGISTER
from clconform.tools.explain.explanation import Interpretation, Place
from clconform.tools.explain.sources import ROOT, Naming, imported, path_of, top_level

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

ORACLE = "clconform.oracles."
NO_PREDICATE = "no-predicate"
"""The interpretation about error conditions without a predicate."""


def interpretations_of(functions: Iterable[Callable[..., object]]) -> dict[str, Place]:
    """Return the interpretations that functions of the oracle name, directly or in their callees and globals.

    Each comes with the place that names it first. Helpers are followed across modules, but methods of the model's
    objects are not.
    """
    found: dict[str, Place] = {}
    for function in functions:
        home = inspect.unwrap(function)
        found = {**_points(home.__module__, home.__qualname__.partition(".")[0]), **found}
    return found


@functools.cache
def _points(module: str, name: str) -> dict[str, Place]:
    found: dict[str, Place] = {}
    for text, place in strings_below(module, name):
        if text in REGISTER:
            found.setdefault(text, place)
    return found


def strings_below(module: str, name: str) -> Iterator[tuple[str, Place]]:
    """Yield the strings in a top-level definition of a module, and in everything that it uses by name.

    Each comes with its location.
    """
    seen: set[tuple[str, str]] = set()
    left = [(module, name)]
    while left:
        here = left.pop(0)
        if here not in seen:
            seen.add(here)
            strings, used = _read(*here)
            yield from strings
            left += used


@functools.cache
def _read(module: str, name: str) -> tuple[list[tuple[str, Place]], list[tuple[str, str]]]:
    """Return the strings in a top-level definition, and the oracle's definitions (module and name) that it uses."""
    tree = top_level(module).get(name)
    if tree is None:
        return [], []
    file = path_of(module).relative_to(ROOT).as_posix()
    strings, used = [], []
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            strings.append((node.value, Place(file, node.lineno, name)))
        elif isinstance(node, ast.Name):
            home = imported(module).get(node.id, (module, node.id))
            if home[0].startswith(ORACLE):
                used.append(home)
    return strings, used


def entry_of(interpretation: str, used: Place | None) -> Interpretation:
    """Return the interpretation with that id and the place where a rule names it; KeyError if there is none."""
    entry = REGISTER[interpretation]
    return Interpretation(entry.id, entry.where, entry.reading, entry.reason, _place_of(interpretation), used)


@functools.cache
def _lists() -> Naming:
    return Naming((ROOT / "oracles").rglob("interpretations.py"))


def _place_of(interpretation: str) -> Place | None:
    """Return the location of an interpretation's definition."""
    return next((Place(place.file, place.line) for place in _lists().of(interpretation)), None)
