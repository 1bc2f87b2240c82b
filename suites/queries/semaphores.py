"""Semaphores to query: of all devices and of one, signaled, waited for, retained, exportable, and imported."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Items
from clconform.suites.chapters.semaphores.kinds import from_a_sync_file
from clconform.suites.queries.kinds import Kinds
from clconform.suites.steps import needs

if TYPE_CHECKING:
    from clconform.suites.kit.kit import Kit
    from clconform.suites.queries.kinds import About

FUNCTION = "clGetSemaphoreInfoKHR"
EXPORTED = "CL_DEVICE_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR"
kinds = Kinds()


@kinds.of("a semaphore", FUNCTION)
def semaphore(kit: Kit) -> About:
    return {"sema_object": kit.semaphore()}


@kinds.of("a semaphore of a device that is named", FUNCTION)
def semaphore_of_a_device(kit: Kit) -> About:
    return {"sema_object": kit.semaphore("CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR", kit.cl.device, 0)}


@kinds.of("a semaphore to be exported", FUNCTION)
def semaphore_to_export(kit: Kit) -> About:
    types = kit.cl.fact(EXPORTED)
    needs(types, "the device does not export semaphores")
    return {"sema_object": kit.semaphore("CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR", types[0], 0)}


@kinds.of("a semaphore that has been signaled", FUNCTION)
def signaled(kit: Kit) -> About:
    it = kit.semaphore()
    kit.cl.clEnqueueSignalSemaphoresKHR(kit.queue, 1, Items((it,)), None, 0, None, None)
    kit.finish()
    return {"sema_object": it}


@kinds.of("a semaphore that was signaled and waited for", FUNCTION)
def awaited(kit: Kit) -> About:
    it = kit.semaphore()
    kit.cl.clEnqueueSignalSemaphoresKHR(kit.queue, 1, Items((it,)), None, 0, None, None)
    kit.cl.clEnqueueWaitSemaphoresKHR(kit.queue, 1, Items((it,)), None, 0, None, None)
    kit.finish()
    return {"sema_object": it}


@kinds.of("a semaphore that was retained", FUNCTION)
def retained(kit: Kit) -> About:
    it = kit.semaphore()
    kit.cl.clRetainSemaphoreKHR(it)
    return {"sema_object": it}


@kinds.of("a semaphore created from what stands for a sync file", FUNCTION)
def imported(kit: Kit) -> About:
    return {"sema_object": from_a_sync_file(kit)}


@kinds.of("a semaphore into which a sync file was imported again", FUNCTION)
def imported_again(kit: Kit) -> About:
    it = from_a_sync_file(kit)
    kit.cl.clReImportSemaphoreSyncFdKHR(it, None, -1)
    return {"sema_object": it}
