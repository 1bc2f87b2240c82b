"""Finds the interpretations on which a rule depends, by their ids in the source of the rule."""

from __future__ import annotations

import ast
import functools
import inspect
from typing import TYPE_CHECKING

from clconform.oracles.engine.interpretation_list import INTERPRETATIONS
from clconform.tools.explain.explanation import AppliedInterpretation, SourceLocation
from clconform.tools.explain.source_index import ROOT, NameIndex, imported_names, path_of, top_level_definitions

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

ORACLE_PACKAGE = "clconform.oracles."
NO_PREDICATE_ID = "no-predicate"
"""The id of the interpretation about error conditions without a predicate."""


def interpretations_of(functions: Iterable[Callable[..., object]]) -> dict[str, SourceLocation]:
    """Map the interpretations that functions of the oracle name to the first place that names them.

    Functions and values that these functions use are included, also in other modules, but methods of objects of the
    model are not.
    """
    found: dict[str, SourceLocation] = {}
    for function in functions:
        home = inspect.unwrap(function)
        found = {**_interpretations_in(home.__module__, home.__qualname__.partition(".")[0]), **found}
    return found


@functools.cache
def _interpretations_in(module: str, name: str) -> dict[str, SourceLocation]:
    found: dict[str, SourceLocation] = {}
    for text, place in reachable_strings(module, name):
        if text in INTERPRETATIONS:
            found.setdefault(text, place)
    return found


def reachable_strings(module: str, name: str) -> Iterator[tuple[str, SourceLocation]]:
    """Yield the strings in a top-level definition of a module, and in everything that it uses by name.

    Each string comes with its source location.
    """
    seen: set[tuple[str, str]] = set()
    left = [(module, name)]
    while left:
        here = left.pop(0)
        if here not in seen:
            seen.add(here)
            strings, used = _read_definition(*here)
            yield from strings
            left += used


@functools.cache
def _read_definition(module: str, name: str) -> tuple[list[tuple[str, SourceLocation]], list[tuple[str, str]]]:
    """Return the strings in a top-level definition, and the oracle's definitions (module, name) that it uses."""
    tree = top_level_definitions(path_of(module)).get(name)
    if tree is None:
        return [], []
    file = path_of(module).relative_to(ROOT).as_posix()
    strings, used = [], []
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            strings.append((node.value, SourceLocation(file, node.lineno, name)))
        elif isinstance(node, ast.Name):
            home = imported_names(module).get(node.id, (module, node.id))
            if home[0].startswith(ORACLE_PACKAGE):
                used.append(home)
    return strings, used


def applied_interpretation(interpretation: str, used: SourceLocation | None) -> AppliedInterpretation:
    """Return the interpretation with this id, with the place where a rule names it; KeyError if there is none."""
    entry = INTERPRETATIONS[interpretation]
    return AppliedInterpretation(
        entry.id, entry.where, entry.text, entry.reason, _definition_place(interpretation), used
    )


@functools.cache
def _interpretation_names() -> NameIndex:
    return NameIndex((ROOT / "oracles").rglob("interpretations.py"))


def _definition_place(interpretation: str) -> SourceLocation | None:
    """Return the source location of an interpretation's definition, or None if it is not found."""
    return next(
        (SourceLocation(place.file, place.line) for place in _interpretation_names().locations_of(interpretation)), None
    )
