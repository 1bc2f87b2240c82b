"""Exportable and imported semaphores, with the devices and handle types that the driver reports."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.suites.helpers import is_available, skip_unless

if TYPE_CHECKING:
    from clconform.calls.values import Handle
    from clconform.suites.kit.events import EventKit

OPAQUE_FD, SYNC_FD = "CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR", "CL_SEMAPHORE_HANDLE_SYNC_FD_KHR"
EXPORTABLE_TYPES = (OPAQUE_FD,)
"""Handle types for export; the tests use only types whose export does not change the semaphore."""
EXPORT_TYPES = "CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR"


def get_export_type(kit: EventKit) -> str:
    """Return a handle type for export; skip where the device does not support an export with this type."""
    skip_unless(is_available(kit.cl, "clGetSemaphoreHandleForTypeKHR"), "cl_khr_external_semaphore is not supported")
    types = kit.cl.fact("CL_DEVICE_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR") or ()
    found = [name for name in EXPORTABLE_TYPES if isinstance(types, tuple) and kit.constant(name) in types]
    skip_unless(found, "the device exports no semaphore as a file descriptor")
    return found[0]


def create_exportable(kit: EventKit) -> Handle:
    """Create an exportable semaphore."""
    return kit.semaphore(EXPORT_TYPES, get_export_type(kit), 0)


def needs_sync_file_import(kit: EventKit) -> None:
    """Skip where the device does not import sync files."""
    skip_unless(
        is_available(kit.cl, "clReImportSemaphoreSyncFdKHR"), "cl_khr_external_semaphore_sync_fd is not supported"
    )
    types = kit.cl.fact("CL_DEVICE_SEMAPHORE_IMPORT_HANDLE_TYPES_KHR") or ()
    skip_unless(isinstance(types, tuple) and kit.constant(SYNC_FD) in types, "the device imports no sync files")


def create_from_sync_file(kit: EventKit) -> Handle:
    """Create a semaphore from the sync file -1, which stands for an object that is already signaled."""
    needs_sync_file_import(kit)
    return kit.semaphore(SYNC_FD, -1)
