"""Error conditions of exporting and re-importing semaphore handles (sections 5.13.3 and 5.13.5)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import OutputBuffer
from clconform.oracles.chapters.semaphores.lists import (
    ALREADY_SIGNALED,
    DESCRIPTORS,
    EXPORTS,
    SYNC_FD,
    handle_types,
    imports_in,
    read_properties,
    values_of,
)
from clconform.oracles.engine.answers import Answer, May, Reply
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.devices import Device
from clconform.oracles.model.errors import UnknownError
from clconform.oracles.model.semaphores import Semaphore
from clconform.oracles.recurring.contexts import association

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.oracles.model.world import Model

rules = Rules()

EXPORT, IMPORT_AGAIN = "clGetSemaphoreHandleForTypeKHR", "clReImportSemaphoreSyncFdKHR"
DESCRIPTOR_BYTES = 4


@rules.clause("clGetSemaphoreHandleForTypeKHR/CL_INVALID_DEVICE/3")
def of_another_context(call: Call, model: Model) -> Reply:
    """The context of sema_object does not contain device."""
    semaphore, device = model.get(Semaphore, call.sema_object), model.given(Device, call.device)
    if semaphore.context is None:
        raise UnknownError("the context of the semaphore")
    return association(semaphore.context, device)


@rules.clause("clGetSemaphoreHandleForTypeKHR/CL_INVALID_DEVICE/4")
def not_shared_with_the_device(call: Call, model: Model) -> Reply:
    """sema_object cannot be shared with device.

    The error is allowed only if sema_object was created for another device.
    """
    semaphore, device = model.get(Semaphore, call.sema_object), model.given(Device, call.device)
    apart = semaphore.named and device.name not in semaphore.device_names
    return May("shared-with-a-device") if apart else Answer.NO


@rules.clause("clGetSemaphoreHandleForTypeKHR/CL_INVALID_VALUE/1")
def not_to_be_exported(call: Call, model: Model) -> Reply:
    """handle_type is not one of the export types that sema_object was created with."""
    semaphore = model.get(Semaphore, call.sema_object)
    if semaphore.tainted:
        raise UnknownError("how the semaphore was made")
    return call.handle_type not in semaphore.exports


@rules.clause("clGetSemaphoreHandleForTypeKHR/CL_INVALID_VALUE/2")
def too_small_for_the_handle(call: Call, model: Model) -> Reply:
    """handle_ptr is not NULL, and handle_size is less than the size of a handle of handle_type."""
    if call.handle_ptr is None:
        return Answer.NO
    if isinstance(call.handle_ptr, OutputBuffer) and call.handle_ptr.count < call.handle_size:
        return Answer.UNDEFINED
    name = handle_types(model).get(call.handle_type, "")
    if not name:
        return Answer.NO
    if name not in DESCRIPTORS:
        raise UnknownError("the size of a handle of Windows")
    return bool(call.handle_size < DESCRIPTOR_BYTES)


@rules.clause("clReImportSemaphoreSyncFdKHR/CL_INVALID_SEMAPHORE_KHR/2")
def made_without_a_sync_file(call: Call, model: Model) -> Reply:
    """sema_object was not created from a handle of the type CL_SEMAPHORE_HANDLE_SYNC_FD_KHR."""
    semaphore = model.given(Semaphore, call.sema_object)
    if semaphore.tainted:
        raise UnknownError("how the semaphore was made")
    return model.value(SYNC_FD) not in semaphore.imports


@rules.clause("clReImportSemaphoreSyncFdKHR/CL_INVALID_VALUE/1")
def no_descriptor(call: Call, model: Model) -> Reply:
    """fd is negative, and not -1, which stands for an already signaled object."""
    del model
    if not isinstance(call.fd, int) or call.fd >= 0:
        return Answer.UNDEFINED
    return call.fd != ALREADY_SIGNALED


def exports_of(call: Call, model: Model) -> tuple[int, ...]:
    """Return the export handle types of a new semaphore."""
    values = values_of(read_properties(call.sema_props, model) or (), EXPORTS, model) or ()
    return tuple(value for value in values if isinstance(value, int))


def imports_of(call: Call, model: Model) -> tuple[int, ...]:
    """Return the types of the handles that a semaphore is created from."""
    return tuple(each.name for each in imports_in(read_properties(call.sema_props, model) or (), model))
