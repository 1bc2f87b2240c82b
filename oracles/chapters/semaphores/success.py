"""Postconditions of creating, signaling, awaiting, exporting and re-importing semaphores (section 5.13)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Handle
from clconform.oracles.chapters.semaphores.clauses.handles import DESCRIPTOR_BYTES, exports_of, imports_of
from clconform.oracles.chapters.semaphores.lists import (
    DESCRIPTORS,
    DEVICES,
    TYPE,
    handle_types,
    read_properties,
    values_of,
)
from clconform.oracles.engine.rules import Rules
from clconform.oracles.engine.wants import OneOf, Promise
from clconform.oracles.model.errors import UnknownError
from clconform.oracles.model.semaphores import Semaphore
from clconform.oracles.recurring.making import made

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.oracles.engine.wants import Element, Values
    from clconform.oracles.model.world import Model

rules = Rules()


@rules.success("clCreateSemaphoreWithPropertiesKHR")
def semaphore_made(call: Call, model: Model) -> Promise:
    """The call creates a new semaphore, which is not signaled, for the given devices.

    Without given devices, the semaphore is for all devices in context.
    """
    context = model.context(call.context)
    listed = read_properties(call.sema_props, model) or []
    named = values_of(listed, DEVICES, model)
    devices = [Handle(device.name) for device in context.devices] if named is None else named
    (kind, *_) = values_of(listed, TYPE, model) or (None,)
    imports = imports_of(call, model)
    semaphore = Semaphore(
        context=context,
        kind=kind if isinstance(kind, int) else None,
        device_names=tuple(each.name for each in devices if isinstance(each, Handle)),
        named=named is not None,
        properties=call.sema_props,
        exports=exports_of(call, model),
        imports=imports,
        shared=bool(imports),
    )
    return made(semaphore, call, model)


@rules.success("clEnqueueSignalSemaphoresKHR")
def semaphores_signaled(call: Call, model: Model) -> Promise:
    """The semaphores are signaled once the command is complete."""
    del call, model
    return Promise()


@rules.success("clEnqueueWaitSemaphoresKHR")
def semaphores_awaited(call: Call, model: Model) -> Promise:
    """The command is complete only after the signals of all the semaphores are."""
    del call, model
    return Promise()


@rules.success("clGetSemaphoreHandleForTypeKHR")
def handle_exported(call: Call, model: Model) -> Promise:
    """The call returns a handle of the type, and its size; a file descriptor has the size of a C int."""
    semaphore = model.get(Semaphore, call.sema_object)
    name = handle_types(model).get(call.handle_type, "")
    if name not in DESCRIPTORS:
        raise UnknownError("the size of a handle")

    def apply(_value: Element, _seen: dict[str, Values]) -> None:
        semaphore.shared = semaphore.shared or call.handle_ptr is not None

    size = OneOf(((DESCRIPTOR_BYTES,),), (f"{call.function}/success",))
    return Promise(outputs={"handle_size_ret": size}, apply=apply)


@rules.success("clReImportSemaphoreSyncFdKHR")
def handle_imported_again(call: Call, model: Model) -> Promise:
    """The semaphore has the same state as if it were created again, from the handle fd."""
    semaphore = model.get(Semaphore, call.sema_object)

    def apply(_value: Element, _seen: dict[str, Values]) -> None:
        semaphore.signaled_by = semaphore.awaited_by = None
        semaphore.imported_again = True

    return Promise(apply=apply)
