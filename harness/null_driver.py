"""A null driver: a platform whose functions return 0 and write nothing.

It exercises the session and the program that runs drivers with calls that would crash a real driver.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.harness.driver import Driver
from clconform.harness.driver_connection import DriverConnection

if TYPE_CHECKING:
    from collections.abc import Mapping

    from clconform.calls.call import Absent
    from clconform.harness.driver_process import DriverProcess
    from clconform.harness.entry_points import PlatformEntry
    from clconform.spec_tables import Tables
    from clconform.spec_tables.requirements import Function

_FIRST_ADDRESS, _ADDRESS_STEP = 1 << 30, 4096
_START_SECONDS = 60.0


class NullEntryPoints:
    """One platform whose functions all share one implementation."""

    access, loader = "idle", ""

    def __init__(self, address: int) -> None:
        """Use the function at this address."""
        self._address = address

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


def null_driver(process: DriverProcess, tables: Tables, objects: Mapping[str, int]) -> Driver:
    """Return a null driver in a process of ``Target.null()``, with permanent objects.

    ``objects``: maps handle types to numbers of objects.
    """
    connection = DriverConnection(process, _START_SECONDS)
    driver = Driver(tables, connection, NullEntryPoints(connection.null_function))
    driver.open()
    address = _FIRST_ADDRESS
    for handle_type, count in objects.items():
        for _ in range(count):
            driver.names.name_of(handle_type, address)
            address += _ADDRESS_STEP
    driver.names.make_permanent()
    return driver
