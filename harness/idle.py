"""Entry points of a driver that does nothing: each function returns 0 and writes nothing.

With them, the worker's side can be tried in any process, on calls that no driver would survive.
"""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING

from clconform.harness.addresses import Addresses
from clconform.harness.driver import Driver

if TYPE_CHECKING:
    from collections.abc import Mapping

    from clconform.calls.call import Absent
    from clconform.harness.entry_points import Platform
    from clconform.spec_tables import Tables
    from clconform.spec_tables.records import Function

_FIRST_ADDRESS, _STEP = 1 << 46, 4096
_nothing = ctypes.CFUNCTYPE(ctypes.c_size_t)(lambda: 0)


class IdleEntryPoints:
    """One platform, whose functions are all the same."""

    access, loader = "idle", ""

    def __init__(self) -> None:
        self._address = ctypes.cast(_nothing, ctypes.c_void_p).value or 0

    def platforms(self) -> list[int]:
        """Return the address of the platform, at which there is nothing."""
        return [_FIRST_ADDRESS - _STEP]

    def library_of(self, _platform: int) -> str:
        """Return that there is no library."""
        return ""

    def empty(self, _function: Function, _platform: Platform) -> Absent | None:
        """Return that every function is available."""
        return None

    def entry(self, _function: Function, _platform: Platform) -> int | Absent:
        """Return the address of the one function."""
        return self._address


def idle_driver(tables: Tables, objects: Mapping[str, int]) -> Driver:
    """Return a driver that does nothing, with objects for good: how many, by the type of their handles."""
    driver = Driver(tables, IdleEntryPoints(), Addresses())
    driver.survey()
    address = _FIRST_ADDRESS
    for handle_type, count in objects.items():
        for _ in range(count):
            driver.names.name(handle_type, address)
            address += _STEP
    driver.names.settle()
    return driver
