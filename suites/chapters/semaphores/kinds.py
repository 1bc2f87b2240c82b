"""Exportable and imported semaphores, for the devices and handle types that the driver reports."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.suites.steps import needs, promised

if TYPE_CHECKING:
    from clconform.calls.values import Handle
    from clconform.suites.kit.events import Events

OPAQUE_FD, SYNC_FD = "CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR", "CL_SEMAPHORE_HANDLE_SYNC_FD_KHR"
EXPORTS = (OPAQUE_FD,)
"""Handle types for exported semaphores; an export with these types does not change the semaphore."""
LIST = "CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR"


def exportable(kit: Events) -> str:
    """Return the handle type for exports; skip where the device does not support exports."""
    needs(promised(kit.cl, "clGetSemaphoreHandleForTypeKHR"), "cl_khr_external_semaphore is not supported")
    types = kit.cl.fact("CL_DEVICE_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR") or ()
    found = [name for name in EXPORTS if isinstance(types, tuple) and kit.value(name) in types]
    needs(found, "the device exports no semaphore as a file descriptor")
    return found[0]


def to_export(kit: Events) -> Handle:
    """Create an exportable semaphore."""
    return kit.semaphore(LIST, exportable(kit), 0)


def imports_sync_files(kit: Events) -> None:
    """Skip where the device does not import sync files."""
    needs(promised(kit.cl, "clReImportSemaphoreSyncFdKHR"), "cl_khr_external_semaphore_sync_fd is not supported")
    types = kit.cl.fact("CL_DEVICE_SEMAPHORE_IMPORT_HANDLE_TYPES_KHR") or ()
    needs(isinstance(types, tuple) and kit.value(SYNC_FD) in types, "the device imports no sync files")


def from_a_sync_file(kit: Events) -> Handle:
    """Create a semaphore from the sync file -1, which represents an already signaled object."""
    imports_sync_files(kit)
    return kit.semaphore(SYNC_FD, -1)
