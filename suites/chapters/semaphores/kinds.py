"""Semaphores that can be exported or were imported, of devices and of types that the driver reports."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.suites.steps import needs, promised

if TYPE_CHECKING:
    from clconform.calls.values import Handle
    from clconform.suites.kit.events import Events

OPAQUE_FD, SYNC_FD = "CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR", "CL_SEMAPHORE_HANDLE_SYNC_FD_KHR"
EXPORTS = (OPAQUE_FD,)
"""Types of handles to which semaphores are exported: those with which an export changes nothing."""
LIST = "CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR"


def exportable(kit: Events) -> str:
    """Return the type of handles to export to; the item is skipped where the device exports none."""
    needs(promised(kit.cl, "clGetSemaphoreHandleForTypeKHR"), "cl_khr_external_semaphore is not supported")
    types = kit.cl.fact("CL_DEVICE_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR") or ()
    found = [name for name in EXPORTS if isinstance(types, tuple) and kit.value(name) in types]
    needs(found, "the device exports no semaphore as a file descriptor")
    return found[0]


def to_export(kit: Events) -> Handle:
    """Make a semaphore that can be exported."""
    return kit.semaphore(LIST, exportable(kit), 0)


def imports_sync_files(kit: Events) -> None:
    """Skip the item where the device does not import sync files."""
    needs(promised(kit.cl, "clReImportSemaphoreSyncFdKHR"), "cl_khr_external_semaphore_sync_fd is not supported")
    types = kit.cl.fact("CL_DEVICE_SEMAPHORE_IMPORT_HANDLE_TYPES_KHR") or ()
    needs(isinstance(types, tuple) and kit.value(SYNC_FD) in types, "the device imports no sync files")


def from_a_sync_file(kit: Events) -> Handle:
    """Make a semaphore from what stands for an object that has signaled."""
    imports_sync_files(kit)
    return kit.semaphore(SYNC_FD, -1)
