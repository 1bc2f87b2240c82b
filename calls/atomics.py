"""Atomic operations that the host makes on memory shared with a device, as the text of a step tells them.

They are made once for each of some instances, which lie one after the other: two atomic objects of 4 bytes, two numbers
of 2 bytes that tell what was seen, and 4 bytes for others.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

OBJECT_BYTES, NUMBER_BYTES = 4, 2
NUMBERS_AT, INSTANCE_BYTES = 2 * OBJECT_BYTES, 4 * OBJECT_BYTES
"""Where the numbers of an instance lie, and how many bytes an instance has."""
MOST_INSTANCES = 1 << 16
LOAD, STORE, ADD = "load", "store", "add"
ORDERS = {"relaxed": 0, "acquire": 2, "release": 3, "acq_rel": 4, "seq_cst": 5}
"""Order of an operation to its number in the interface of compilers to their library of atomic operations."""
_ONE = re.compile(rf"({LOAD}|{STORE}|{ADD}) ([01]) (\d{{1,4}}) ({'|'.join(ORDERS)})")
_BETWEEN, _MOST = "; ", 8


@dataclass(frozen=True)
class AtomicOperation:
    """One operation on object ``at`` of an instance: ``number`` is stored, or says which number tells what was seen.

    What adds adds 1, and tells what was there before.
    """

    what: str
    at: int
    number: int
    order: str

    @property
    def text(self) -> str:
        """Return it as a part of the step's text."""
        return f"{self.what} {self.at} {self.number} {self.order}"


def text_of(operations: tuple[AtomicOperation, ...]) -> str:
    """Return the text of a step."""
    return _BETWEEN.join(each.text for each in operations)


def operations_in(text: str) -> tuple[AtomicOperation, ...]:
    """Return the operations that a text tells; ValueError if it tells none, too many, or what is no operation."""
    parts = [_ONE.fullmatch(part) for part in text.split(_BETWEEN, _MOST)]
    found = tuple(AtomicOperation(one[1], int(one[2]), int(one[3]), one[4]) for one in parts if one is not None)
    if len(found) < len(parts) or any(each.what != STORE and each.number > 1 for each in found):
        raise ValueError(f"not a list of at most {_MOST} atomic operations: {text[:80]!r}")
    return found
