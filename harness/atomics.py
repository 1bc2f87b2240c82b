"""Atomic operations of the host, as a compiler's library makes them, so that they are those of C."""

from __future__ import annotations

import ctypes
import functools
from typing import TYPE_CHECKING

from clconform.calls.atomics import (
    ADD,
    INSTANCE_BYTES,
    NUMBER_BYTES,
    NUMBERS_AT,
    OBJECT_BYTES,
    ORDERS,
    STORE,
    AtomicOperation,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

LIBRARY = "libatomic.so.1"
"""Part of what GCC and Clang need at run time; a machine may lack it."""
_ON_OBJECTS = {"load": (), "store": (ctypes.c_uint32,), "fetch_add": (ctypes.c_uint32,)}
"""Function to its arguments between the address and the order."""


@functools.cache
def _functions() -> dict[str, Callable[..., int]]:
    """Return the library's functions for objects of 4 bytes; none where it is missing."""
    try:
        library = ctypes.PyDLL(LIBRARY)  # a call that does not wait need not let other threads run
        found = {name: library[f"__atomic_{name}_{OBJECT_BYTES}"] for name in _ON_OBJECTS}
    except (OSError, AttributeError):
        return {}
    for name, function in found.items():
        function.argtypes = [ctypes.c_void_p, *_ON_OBJECTS[name], ctypes.c_int]
        function.restype = None if name == "store" else ctypes.c_uint32
    return dict(found)


def make_on(address: int, instances: int, operations: Sequence[AtomicOperation]) -> bool:
    """Make the operations on each instance from an address on; return whether this machine can make them.

    It is not checked that the memory may be accessed.
    """
    functions = _functions()
    if not functions:
        return False
    steps = [_step(each, functions) for each in operations]
    for start in range(address, address + instances * INSTANCE_BYTES, INSTANCE_BYTES):
        for step in steps:
            step(start)
    return True


def _step(operation: AtomicOperation, functions: dict[str, Callable[..., int]]) -> Callable[[int], object]:
    """Return what makes one operation on the instance at an address."""
    at, order = operation.at * OBJECT_BYTES, ORDERS[operation.order]
    if operation.what == STORE:
        store, value = functions["store"], operation.number
        return lambda start: store(start + at, value, order)
    tells = NUMBERS_AT + operation.number * NUMBER_BYTES
    if operation.what == ADD:
        add = functions["fetch_add"]
        return lambda start: _tell(start + tells, add(start + at, 1, order))
    load = functions["load"]
    return lambda start: _tell(start + tells, load(start + at, order))


def _tell(address: int, number: int) -> None:
    ctypes.c_uint16.from_address(address).value = number
