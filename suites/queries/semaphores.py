"""Semaphores to ask: of all devices and of one, signaled, and to be exported."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Items
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
