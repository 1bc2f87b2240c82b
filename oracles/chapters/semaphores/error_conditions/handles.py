"""Error conditions of exporting and re-importing semaphore handles (sections 5.13.3 and 5.13.5)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import OutputBuffer
from clconform.oracles.chapters.semaphores.property_lists import (
    ALREADY_SIGNALED,
    DESCRIPTOR_TYPES,
    EXPORTS,
    SYNC_FD,
    handle_types,
    imported_handles,
    parse_properties,
    property_values,
)
from clconform.oracles.common.contexts import is_unassociated
from clconform.oracles.engine.predicate_result import NO, UNDEFINED, PredicateResult, may, must_if
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.devices import Device
from clconform.oracles.model.errors import UnknownFactError
from clconform.oracles.model.semaphores import Semaphore

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.oracles.model.state import Model

rules = Rules()

EXPORT = "clGetSemaphoreHandleForTypeKHR"
DESCRIPTOR_BYTES = 4


@rules.clause("clGetSemaphoreHandleForTypeKHR/CL_INVALID_DEVICE/3")
def is_outside_context(call: Call, model: Model) -> PredicateResult:
    """The context of sema_object does not contain device."""
    semaphore, device = model.get(Semaphore, call.sema_object), model.require(Device, call.device)
    if semaphore.context is None:
        raise UnknownFactError("the context of the semaphore")
    return is_unassociated(semaphore.context, device)


@rules.clause("clGetSemaphoreHandleForTypeKHR/CL_INVALID_DEVICE/4")
def is_not_shared_with_device(call: Call, model: Model) -> PredicateResult:
    """sema_object cannot be shared with device.

    The error is optional if sema_object was created for other devices, and otherwise not allowed.
    """
    semaphore, device = model.get(Semaphore, call.sema_object), model.require(Device, call.device)
    apart = semaphore.has_named_devices and device.name not in semaphore.device_names
    return may("semaphore-shared-with-device") if apart else NO


@rules.clause("clGetSemaphoreHandleForTypeKHR/CL_INVALID_VALUE/1")
def is_not_exportable(call: Call, model: Model) -> PredicateResult:
    """sema_object was not created with handle_type in CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR."""
    semaphore = model.get(Semaphore, call.sema_object)
    if semaphore.tainted:
        raise UnknownFactError("how the semaphore was made")
    return must_if(call.handle_type not in semaphore.export_types)


@rules.clause("clGetSemaphoreHandleForTypeKHR/CL_INVALID_VALUE/2")
def is_handle_size_too_small(call: Call, model: Model) -> PredicateResult:
    """handle_ptr is not NULL, and handle_size is less than the size of a handle of handle_type."""
    if call.handle_ptr is None:
        return NO
    if isinstance(call.handle_ptr, OutputBuffer) and call.handle_ptr.count < call.handle_size:
        return UNDEFINED
    name = handle_types(model).get(call.handle_type, "")
    if not name:
        return NO
    if name not in DESCRIPTOR_TYPES:
        raise UnknownFactError("the size of a handle of Windows")
    return must_if(bool(call.handle_size < DESCRIPTOR_BYTES))


@rules.clause("clReImportSemaphoreSyncFdKHR/CL_INVALID_SEMAPHORE_KHR/2")
def lacks_sync_file(call: Call, model: Model) -> PredicateResult:
    """sema_object was not created from a handle of the type CL_SEMAPHORE_HANDLE_SYNC_FD_KHR."""
    semaphore = model.require(Semaphore, call.sema_object)
    if semaphore.tainted:
        raise UnknownFactError("how the semaphore was made")
    return must_if(model.constant_value(SYNC_FD) not in semaphore.import_types)


@rules.clause("clReImportSemaphoreSyncFdKHR/CL_INVALID_VALUE/1")
def is_descriptor_invalid(call: Call, model: Model) -> PredicateResult:
    """fd is less than -1; the value -1 stands for an already signaled object."""
    del model
    if not isinstance(call.fd, int) or call.fd >= 0:
        return UNDEFINED
    return must_if(call.fd != ALREADY_SIGNALED)


def export_types(call: Call, model: Model) -> tuple[int, ...]:
    """Return the export handle types of a new semaphore."""
    values = property_values(parse_properties(call.sema_props, model) or (), EXPORTS, model) or ()
    return tuple(value for value in values if isinstance(value, int))


def import_types(call: Call, model: Model) -> tuple[int, ...]:
    """Return the types of the handles that a semaphore is created from."""
    return tuple(each.name for each in imported_handles(parse_properties(call.sema_props, model) or (), model))
