"""The key of a deviation: the string by which equal deviations are found, and whose digest begins with their id."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

BETWEEN = " | "
"""Stands between a key's three parts. Names of functions and ids of records hold none."""


def key_of(function: str, records: Iterable[str], symptom: str) -> str:
    """Return the key of a deviation; ``symptom``: its code. Ids are made of keys, so their form is never changed."""
    return BETWEEN.join((function, " + ".join(sorted(records)), symptom))


def symptom_in(key: str) -> str:
    """Return the symptom's code in a key: what follows its function and its records."""
    return key.split(BETWEEN, 2)[-1]
