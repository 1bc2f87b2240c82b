"""Semaphores for queries: of all devices and of one, signaled, waited for, retained, exportable, and imported."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import ElementList
from clconform.suites.chapters.semaphores.external_semaphores import create_from_sync_file
from clconform.suites.helpers import skip_unless
from clconform.suites.queries.kinds import ObjectKindRegistry

if TYPE_CHECKING:
    from clconform.suites.kit.kit import Kit
    from clconform.suites.queries.kinds import QuerySubject

FUNCTION = "clGetSemaphoreInfoKHR"
EXPORTED = "CL_DEVICE_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR"
kinds = ObjectKindRegistry()


@kinds.declare("a semaphore", FUNCTION)
def semaphore(kit: Kit) -> QuerySubject:
    return {"sema_object": kit.semaphore()}


@kinds.declare("a semaphore of a device that is named", FUNCTION)
def semaphore_of_a_device(kit: Kit) -> QuerySubject:
    return {"sema_object": kit.semaphore("CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR", kit.cl.device, 0)}


@kinds.declare("a semaphore to be exported", FUNCTION)
def semaphore_to_export(kit: Kit) -> QuerySubject:
    types = kit.cl.fact(EXPORTED)
    skip_unless(types, "the device does not export semaphores")
    return {"sema_object": kit.semaphore("CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR", types[0], 0)}


@kinds.declare("a semaphore that has been signaled", FUNCTION)
def signaled_semaphore(kit: Kit) -> QuerySubject:
    it = kit.semaphore()
    kit.cl.clEnqueueSignalSemaphoresKHR(kit.queue, 1, ElementList((it,)), None, 0, None, None)
    kit.finish()
    return {"sema_object": it}


@kinds.declare("a semaphore that was signaled and waited for", FUNCTION)
def awaited_semaphore(kit: Kit) -> QuerySubject:
    it = kit.semaphore()
    kit.cl.clEnqueueSignalSemaphoresKHR(kit.queue, 1, ElementList((it,)), None, 0, None, None)
    kit.cl.clEnqueueWaitSemaphoresKHR(kit.queue, 1, ElementList((it,)), None, 0, None, None)
    kit.finish()
    return {"sema_object": it}


@kinds.declare("a semaphore that was retained", FUNCTION)
def retained_semaphore(kit: Kit) -> QuerySubject:
    it = kit.semaphore()
    kit.cl.clRetainSemaphoreKHR(it)
    return {"sema_object": it}


@kinds.declare("a semaphore created from the placeholder for a sync file", FUNCTION)
def imported_semaphore(kit: Kit) -> QuerySubject:
    return {"sema_object": create_from_sync_file(kit)}


@kinds.declare("a semaphore into which a sync file was imported again", FUNCTION)
def reimported_semaphore(kit: Kit) -> QuerySubject:
    it = create_from_sync_file(kit)
    kit.cl.clReImportSemaphoreSyncFdKHR(it, None, -1)
    return {"sema_object": it}
