"""The key of a deviation: the string that identifies equal deviations; their id is the start of its digest."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

BETWEEN = " | "
"""The separator of a key's three parts; it does not occur in names of functions and ids of records."""
WRONG_BYTES = "wrong bytes"
"""The symptom's code where memory holds other bytes than its commands wrote: any of these may be to blame."""
NUMBERS = re.compile(r"(?<![A-Za-z_\d/])(0x[0-9a-f]+|\d+)")
"""The numbers in a key or a symptom's code, but for those that are part of a name or of a record's id."""


def key_of(function: str, records: Iterable[str], symptom: str) -> str:
    """Return the key of a deviation; ``symptom``: its code. Ids are made of keys, so their form must never change."""
    return BETWEEN.join((function, " + ".join(sorted(records)), symptom))


def function_in(key: str) -> str:
    """Return the function in a key."""
    return key.split(BETWEEN, 1)[0]


def symptom_in(key: str) -> str:
    """Return the symptom's code in a key: what follows its function and its records."""
    return key.split(BETWEEN, 2)[-1]


def without_numbers(code: str) -> str:
    """Return a key, or a symptom's code, with ``#`` for each number, so that numbers do not matter."""
    return NUMBERS.sub("#", code)
