"""Entry points of a null driver: each function returns 0 and writes nothing.

A null driver exercises the worker's code in any process, even with calls that would crash a real driver.
"""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING

from clconform.harness.addresses import ProcessMemory
from clconform.harness.driver import Driver

if TYPE_CHECKING:
    from collections.abc import Mapping

    from clconform.calls.call import Absent
    from clconform.harness.entry_points import PlatformEntry
    from clconform.spec_tables import Tables
    from clconform.spec_tables.requirements import Function

_FIRST_ADDRESS, _ADDRESS_STEP = 1 << 46, 4096
_return_zero = ctypes.CFUNCTYPE(ctypes.c_size_t)(lambda: 0)


class NullEntryPoints:
    """One platform whose functions all share one implementation."""

    access, loader = "idle", ""

    def __init__(self) -> None:
        self._address = ctypes.cast(_return_zero, ctypes.c_void_p).value or 0

    def platforms(self) -> list[int]:
        """Return the address of the only platform; the address is not mapped."""
        return [_FIRST_ADDRESS - _ADDRESS_STEP]

    def library_of(self, _platform: int) -> str:
        """Return an empty path: the platform does not come from a library."""
        return ""

    def find_missing(self, _function: Function, _platform: PlatformEntry) -> Absent | None:
        """Return None: every function is available."""
        return None

    def find_entry(self, _function: Function, _platform: PlatformEntry) -> int | Absent:
        """Return the address of the shared function."""
        return self._address


def null_driver(tables: Tables, objects: Mapping[str, int]) -> Driver:
    """Return a null driver with permanent objects; ``objects``: maps handle types to numbers of objects."""
    driver = Driver(tables, NullEntryPoints(), ProcessMemory())
    driver.query_platforms()
    address = _FIRST_ADDRESS
    for handle_type, count in objects.items():
        for _ in range(count):
            driver.names.name_of(handle_type, address)
            address += _ADDRESS_STEP
    driver.names.make_permanent()
    return driver
