"""The key of a deviation: the string by which equal deviations are found, and whose digest begins with their id."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

BETWEEN = " | "
"""Stands between a key's three parts. Names of functions and ids of records hold none."""
NUMBERS = re.compile(r"(?<![A-Za-z_\d/])(0x[0-9a-f]+|\d+)")
"""The numbers in a key or a symptom's code, but for those that are part of a name or of a record's id."""


def key_of(function: str, records: Iterable[str], symptom: str) -> str:
    """Return the key of a deviation; ``symptom``: its code. Ids are made of keys, so their form is never changed."""
    return BETWEEN.join((function, " + ".join(sorted(records)), symptom))


def symptom_in(key: str) -> str:
    """Return the symptom's code in a key: what follows its function and its records."""
    return key.split(BETWEEN, 2)[-1]


def without_numbers(code: str) -> str:
    """Return a key, or a symptom's code, with ``#`` for each number: what differs in numbers alone is then equal."""
    return NUMBERS.sub("#", code)
