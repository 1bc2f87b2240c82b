"""The key of a deviation: a string that is the same for equal deviations. Deviation ids are derived from its digest."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

SEPARATOR = " | "
"""The separator of a key's three parts; it does not occur in names of functions and ids of requirements."""
UNEXPECTED_BYTES = "wrong bytes"
"""The symptom code for memory with unexpected contents: any command that wrote the memory may be the cause."""
NUMBERS = re.compile(r"(?<![A-Za-z_\d/])(0x[0-9a-f]+|\d+)")
"""The numbers in a key or symptom code, except those that are part of a name or of a requirement's id."""


def build_key(function: str, requirements: Iterable[str], symptom: str) -> str:
    """Return the key of a deviation; ``symptom``: the symptom code.

    The form of keys must not change, because ids are derived from them.
    """
    return SEPARATOR.join((function, " + ".join(sorted(requirements)), symptom))


def parse_function(key: str) -> str:
    """Return the name of the function in a key."""
    return key.split(SEPARATOR, 1)[0]


def parse_symptom(key: str) -> str:
    """Return the symptom code in a key: the part after the function and the requirements."""
    return key.split(SEPARATOR, 2)[-1]


def mask_numbers(code: str) -> str:
    """Return a key or symptom code with ``#`` for each number, so that numbers are ignored in comparisons."""
    return NUMBERS.sub("#", code)
