"""The key of a deviation: a string that identifies equal deviations; their id is the start of its digest."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

BETWEEN = " | "
"""The separator of a key's three parts; it does not occur in names of functions and ids of requirements."""
WRONG_BYTES = "wrong bytes"
"""The symptom code for memory with unexpected contents: any of its commands may be the cause."""
NUMBERS = re.compile(r"(?<![A-Za-z_\d/])(0x[0-9a-f]+|\d+)")
"""The numbers in a key or symptom code, except those that are part of a name or of a requirement's id."""


def key_of(function: str, records: Iterable[str], symptom: str) -> str:
    """Return the key of a deviation; ``symptom``: its code. Ids are derived from keys: never change their form."""
    return BETWEEN.join((function, " + ".join(sorted(records)), symptom))


def function_in(key: str) -> str:
    """Return the function in a key."""
    return key.split(BETWEEN, 1)[0]


def symptom_in(key: str) -> str:
    """Return the symptom code in a key: the part after function and requirements."""
    return key.split(BETWEEN, 2)[-1]


def without_numbers(code: str) -> str:
    """Return a key or symptom code with ``#`` for each number, so that numbers are ignored in comparisons."""
    return NUMBERS.sub("#", code)
