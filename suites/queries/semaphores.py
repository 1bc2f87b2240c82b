"""Semaphores to ask: of all devices and of one, signaled, and to be exported."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Handle, Items, Room
from clconform.suites.queries.contexts import About, a_context
from clconform.suites.queries.kinds import Kinds
from clconform.suites.queries.queues import a_queue
from clconform.suites.steps import needs, one, promised, value

if TYPE_CHECKING:
    from clconform.runner.session.session import Session

FUNCTION = "clGetSemaphoreInfoKHR"
EXPORTED = "CL_DEVICE_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR"
kinds = Kinds()


def a_semaphore(cl: Session, context: Handle, *more: int | Handle) -> Handle:
    """Make a semaphore of two states; ``more``: properties besides its type."""
    needs(promised(cl, FUNCTION), "cl_khr_semaphore is not supported")
    binary = value(cl, "CL_SEMAPHORE_TYPE_BINARY_KHR")
    types = cl.fact("CL_DEVICE_SEMAPHORE_TYPES_KHR")
    needs(types is None or binary in types, "the device has no semaphores of two states")
    properties = Items((value(cl, "CL_SEMAPHORE_TYPE_KHR"), binary, *more, 0))
    return one(cl.clCreateSemaphoreWithPropertiesKHR(context, properties, Room(1)))


@kinds.of("a semaphore", FUNCTION)
def semaphore(cl: Session) -> About:
    return {"sema_object": a_semaphore(cl, a_context(cl))}


@kinds.of("a semaphore of a device that is named", FUNCTION)
def semaphore_of_a_device(cl: Session) -> About:
    named = value(cl, "CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR")
    return {"sema_object": a_semaphore(cl, a_context(cl), named, cl.device, 0)}


@kinds.of("a semaphore to be exported", FUNCTION)
def semaphore_to_export(cl: Session) -> About:
    types = cl.fact(EXPORTED)
    needs(types, "the device exports no semaphores")
    listed = value(cl, "CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR")
    return {"sema_object": a_semaphore(cl, a_context(cl), listed, types[0], 0)}


@kinds.of("a semaphore that has been signaled", FUNCTION)
def signaled(cl: Session) -> About:
    context = a_context(cl)
    it, queue = a_semaphore(cl, context), a_queue(cl, context)
    cl.clEnqueueSignalSemaphoresKHR(queue, 1, Items((it,)), None, 0, None, None)
    cl.clFinish(queue)
    return {"sema_object": it}
