"""Atomic operations of the host on memory shared with a device, and their textual form in a harness action.

The operations are executed once for each of some consecutive instances. An instance consists of two atomic objects of 4
bytes, two numbers of 2 bytes that store observed values, and 4 bytes for other uses.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

OBJECT_BYTES, NUMBER_BYTES = 4, 2
NUMBERS_AT, INSTANCE_BYTES = 2 * OBJECT_BYTES, 4 * OBJECT_BYTES
"""The offset of the numbers in an instance, and the size of an instance in bytes."""
MAX_INSTANCES = 1 << 16
LOAD, STORE, ADD = "load", "store", "add"
ORDERS = {"relaxed": 0, "acquire": 2, "release": 3, "acq_rel": 4, "seq_cst": 5}
"""Maps memory orders to their numbers in the interface between compilers and their library of atomic operations."""
_OPERATION = re.compile(rf"({LOAD}|{STORE}|{ADD}) ([01]) (\d{{1,4}}) ({'|'.join(ORDERS)})")
_SEPARATOR, _MAX_OPERATIONS = "; ", 8


@dataclass(frozen=True)
class AtomicOperation:
    """One operation on the atomic object ``object_index`` of an instance.

    ``number``: the value that a store writes; for loads and adds, the index of the number that receives the observed
    value. An add adds 1; its observed value is the previous one.
    """

    operation: str
    object_index: int
    number: int
    order: str

    @property
    def text(self) -> str:
        """Return the operation in textual form."""
        return f"{self.operation} {self.object_index} {self.number} {self.order}"


def format_operations(operations: tuple[AtomicOperation, ...]) -> str:
    """Return the textual form of operations, which ``parse_operations`` reads."""
    return _SEPARATOR.join(each.text for each in operations)


def parse_operations(text: str) -> tuple[AtomicOperation, ...]:
    """Return the operations in a text; ValueError if it has none, too many, or an invalid one."""
    parts = [_OPERATION.fullmatch(part) for part in text.split(_SEPARATOR, _MAX_OPERATIONS)]
    found = tuple(AtomicOperation(one[1], int(one[2]), int(one[3]), one[4]) for one in parts if one is not None)
    if len(found) < len(parts) or any(each.operation != STORE and each.number > 1 for each in found):
        raise ValueError(f"not a list of at most {_MAX_OPERATIONS} atomic operations: {text[:80]!r}")
    return found
