"""One valid call of each function about semaphores (section 5.13)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import ElementList, OutputBuffer
from clconform.suites.chapters.semaphores.external_semaphores import (
    EXPORTABLE_TYPES,
    create_exportable,
    create_from_sync_file,
)
from clconform.suites.kit.valid_calls import ValidCalls

if TYPE_CHECKING:
    from clconform.calls.values import Handle
    from clconform.suites.kit.kit import Kit
    from clconform.suites.kit.valid_calls import Arguments

valid_calls = ValidCalls()
DESCRIPTOR_BYTES = 4


@valid_calls.declare("clCreateSemaphoreWithPropertiesKHR")
def semaphore(kit: Kit) -> Arguments:
    """Create a binary semaphore."""
    return {
        "context": kit.context,
        "sema_props": kit.property_list("CL_SEMAPHORE_TYPE_KHR", "CL_SEMAPHORE_TYPE_BINARY_KHR"),
    }


@valid_calls.declare("clEnqueueSignalSemaphoresKHR")
def signal(kit: Kit) -> Arguments:
    """Signal two new semaphores."""
    return {"command_queue": kit.queue, **list_semaphores(kit.semaphore(), kit.semaphore()), "sema_payload_list": None}


@valid_calls.declare("clEnqueueWaitSemaphoresKHR")
def wait(kit: Kit) -> Arguments:
    """Wait for two signaled semaphores."""
    return {"command_queue": kit.queue, **list_signaled(kit, 2), "sema_payload_list": None}


def list_signaled(kit: Kit, count: int) -> Arguments:
    """Enqueue signals of new semaphores, and return the arguments that list these semaphores."""
    semaphores = tuple(kit.semaphore() for _ in range(count))
    kit.cl.clEnqueueSignalSemaphoresKHR(kit.queue, count, ElementList(semaphores), None, 0, None, None)
    kit.cl.clFlush(kit.queue)
    return list_semaphores(*semaphores)


def list_semaphores(*semaphores: Handle | None) -> Arguments:
    """Return the arguments that list these semaphores, with their number."""
    return {"num_sema_objects": len(semaphores), "sema_objects": ElementList(semaphores)}


@valid_calls.declare("clRetainSemaphoreKHR", "clReleaseSemaphoreKHR")
def retain_or_release(kit: Kit) -> Arguments:
    """Retain or release a new semaphore."""
    return {"sema_object": kit.semaphore()}


@valid_calls.declare("clGetSemaphoreHandleForTypeKHR")
def export(kit: Kit) -> Arguments:
    """Query the handle of an exportable semaphore, and its size."""
    return {
        "sema_object": create_exportable(kit),
        "device": kit.cl.device,
        "handle_type": kit.constant(EXPORTABLE_TYPES[0]),
        "handle_size": DESCRIPTOR_BYTES,
        "handle_ptr": OutputBuffer(DESCRIPTOR_BYTES),
        "handle_size_ret": OutputBuffer(1),
    }


@valid_calls.declare("clReImportSemaphoreSyncFdKHR")
def reimport(kit: Kit) -> Arguments:
    """Import the sync file -1 into a semaphore that was created from a sync file."""
    return {"sema_object": create_from_sync_file(kit), "reimport_props": None, "fd": -1}
