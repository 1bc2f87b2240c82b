"""Postconditions of creating, signaling, awaiting, exporting and re-importing semaphores (section 5.13)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Handle
from clconform.oracles.chapters.semaphores.error_conditions.handles import DESCRIPTOR_BYTES, export_types, import_types
from clconform.oracles.chapters.semaphores.property_lists import (
    DESCRIPTOR_TYPES,
    DEVICES,
    TYPE,
    handle_types,
    parse_properties,
    property_values,
)
from clconform.oracles.common.object_creation import create_postcondition
from clconform.oracles.engine.matchers import OneOf, Postcondition
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.errors import UnknownFactError
from clconform.oracles.model.semaphores import Semaphore

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.oracles.engine.matchers import Element, Values
    from clconform.oracles.model.state import Model

rules = Rules()


@rules.postcondition("clCreateSemaphoreWithPropertiesKHR")
def expect_semaphore(call: Call, model: Model) -> Postcondition:
    """The call creates a new semaphore that is not signaled.

    The semaphore is for the devices in CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR, or without this property for all devices in
    context.
    """
    context = model.context(call.context)
    listed = parse_properties(call.sema_props, model) or []
    named = property_values(listed, DEVICES, model)
    devices = [Handle(device.name) for device in context.devices] if named is None else named
    (kind, *_) = property_values(listed, TYPE, model) or (None,)
    imports = import_types(call, model)
    semaphore = Semaphore(
        context=context,
        kind=kind if isinstance(kind, int) else None,
        device_names=tuple(each.name for each in devices if isinstance(each, Handle)),
        has_named_devices=named is not None,
        properties=call.sema_props,
        export_types=export_types(call, model),
        import_types=imports,
        is_shared=bool(imports),
    )
    return create_postcondition(semaphore, call, model)


@rules.postcondition("clEnqueueSignalSemaphoresKHR")
def expect_signaled_semaphores(call: Call, model: Model) -> Postcondition:
    """The semaphores in sema_objects are signaled once the command is complete."""
    del call, model
    return Postcondition()


@rules.postcondition("clEnqueueWaitSemaphoresKHR")
def expect_awaited_semaphores(call: Call, model: Model) -> Postcondition:
    """The command completes only after the signals of all semaphores in sema_objects are complete."""
    del call, model
    return Postcondition()


@rules.postcondition("clGetSemaphoreHandleForTypeKHR")
def expect_exported_handle(call: Call, model: Model) -> Postcondition:
    """The call returns a handle of handle_type, and the size of that handle in handle_size_ret.

    A file descriptor has the size of a C int.
    """
    semaphore = model.get(Semaphore, call.sema_object)
    name = handle_types(model).get(call.handle_type, "")
    if name not in DESCRIPTOR_TYPES:
        raise UnknownFactError("the size of a handle")

    def apply(_value: Element, _seen: dict[str, Values]) -> None:
        semaphore.is_shared = semaphore.is_shared or call.handle_ptr is not None

    size = OneOf(((DESCRIPTOR_BYTES,),), (f"{call.function}/success",))
    return Postcondition(outputs={"handle_size_ret": size}, apply=apply)


@rules.postcondition("clReImportSemaphoreSyncFdKHR")
def expect_reimported_handle(call: Call, model: Model) -> Postcondition:
    """sema_object has the state of a new semaphore that was created from the handle fd."""
    semaphore = model.get(Semaphore, call.sema_object)

    def apply(_value: Element, _seen: dict[str, Values]) -> None:
        semaphore.signaled_by = semaphore.awaited_by = None
        semaphore.was_reimported = True

    return Postcondition(apply=apply)
