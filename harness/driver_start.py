"""Starts a driver in its process: loads the loader or the driver's library, and finds the platforms."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.harness.driver import Driver
from clconform.harness.driver_connection import DriverConnection
from clconform.harness.entry_points import DispatchTableEntryPoints, LoaderEntryPoints
from clconform.harness.errors import HarnessError
from clconform.harness.known_platforms import note_platforms, recall_platforms
from clconform.harness.worker_process import ProcessEndedError
from clconform.spec_tables import load

if TYPE_CHECKING:
    from clconform.calls.protocol import TargetReached
    from clconform.harness.driver_process import DriverProcess
    from clconform.harness.entry_points import EntryPoints
    from clconform.harness.targets import Target


DEVICE_LOADERS = (
    "libOpenCL.so.1",
    "libOpenCL.so",
    "/vendor/lib64/libOpenCL.so",
    "/vendor/lib/libOpenCL.so",
    "OpenCL.dll",
)
"""Loaders and, on Android, libraries of the vendor that are tried on another machine, in this order."""


def start_driver(process: DriverProcess, target: Target, seconds: float) -> tuple[Driver, TargetReached]:
    """Return the driver in a new process, and its platforms.

    ``seconds``: the deadline of each step. HarnessError if there is nothing to test. ProcessEndedError, with the call
    in flight, if the process ends.
    """
    driver: Driver | None = None
    try:
        connection = DriverConnection(process, seconds)
        connection.subject = "the start"
        driver = Driver(load(), connection, _load_libraries(connection, target))
        reached = driver.open(target.name_part, recall_platforms(target))
        note_platforms(target, reached)
        connection.limit_data(target.data_limit_bytes)
    except ProcessEndedError as ended:
        ended.call = driver.announced_call if driver is not None else None
        raise
    return driver, reached


def _load_libraries(connection: DriverConnection, target: Target) -> EntryPoints:
    if target.direct:
        return DispatchTableEntryPoints(target.library, load(), connection)
    if target.device is None:
        return LoaderEntryPoints(target.loader_library(), target.library or None, load(), connection)
    reasons = []
    for loader in DEVICE_LOADERS:
        try:
            found = LoaderEntryPoints(loader, target.library or None, load(), connection)
        except HarnessError as error:
            reasons.append(str(error))
            continue
        if target.library and found.is_loader(target.library):
            return LoaderEntryPoints(loader, None, load(), connection)
        return found
    if not target.library:
        raise HarnessError(f"{target.device} has no OpenCL loader; name a library there with --driver: {reasons[0]}")
    return LoaderEntryPoints(target.library, None, load(), connection)  # it exports the functions itself
