"""Atomic operations on the host with the semantics of C11, through the compiler's runtime library."""

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
"""Runtime library of GCC and Clang; it is not installed on every machine."""
_ON_OBJECTS = {"load": (), "store": (ctypes.c_uint32,), "fetch_add": (ctypes.c_uint32,)}
"""Maps each function to its parameters between the address and the memory order."""


@functools.cache
def _functions() -> dict[str, Callable[..., int]]:
    """Return the library's functions for 4-byte objects; empty if the library is missing."""
    try:
        library = ctypes.PyDLL(LIBRARY)  # keeps the interpreter lock: these calls never block
        found = {name: library[f"__atomic_{name}_{OBJECT_BYTES}"] for name in _ON_OBJECTS}
    except (OSError, AttributeError):
        return {}
    for name, function in found.items():
        function.argtypes = [ctypes.c_void_p, *_ON_OBJECTS[name], ctypes.c_int]
        function.restype = None if name == "store" else ctypes.c_uint32
    return dict(found)


def make_on(address: int, instances: int, operations: Sequence[AtomicOperation]) -> bool:
    """Perform the operations on each of the consecutive instances at an address; return whether this is supported.

    The caller checks that the memory is accessible.
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
    """Return a function that performs one operation on the instance at the address passed to it."""
    at, order = operation.object_index * OBJECT_BYTES, ORDERS[operation.order]
    if operation.operation == STORE:
        store, value = functions["store"], operation.number
        return lambda start: store(start + at, value, order)
    tells = NUMBERS_AT + operation.number * NUMBER_BYTES
    if operation.operation == ADD:
        add = functions["fetch_add"]
        return lambda start: _tell(start + tells, add(start + at, 1, order))
    load = functions["load"]
    return lambda start: _tell(start + tells, load(start + at, order))


def _tell(address: int, number: int) -> None:
    ctypes.c_uint16.from_address(address).value = number
