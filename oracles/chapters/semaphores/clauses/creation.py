"""Error conditions of creating semaphores (section 5.13.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Handle
from clconform.oracles.chapters.semaphores.lists import (
    ALREADY_SIGNALED,
    DESCRIPTORS,
    DEVICES,
    EXPORTS,
    SYNC_FD,
    TYPE,
    handle_types,
    imports_in,
    read_properties,
    values_of,
)
from clconform.oracles.engine.answers import UNKNOWN, Answer, May, Reply
from clconform.oracles.engine.gates import applies
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.contexts import Context
from clconform.oracles.model.errors import UnknownError
from clconform.oracles.model.scope import scope_of
from clconform.oracles.recurring.contexts import association
from clconform.oracles.recurring.objects import gravest, valid_object
from clconform.oracles.recurring.property_lists import ELSEWHERE, properties_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from clconform.calls.call import Call
    from clconform.oracles.model.devices import Device
    from clconform.oracles.model.world import Model
    from clconform.oracles.recurring.property_lists import Given

rules = Rules()

MAKE = "clCreateSemaphoreWithPropertiesKHR"
TYPES_OF = "CL_DEVICE_SEMAPHORE_TYPES_KHR"
IMPORTS_OF, EXPORTS_OF = (f"CL_DEVICE_SEMAPHORE_{way}_HANDLE_TYPES_KHR" for way in ("IMPORT", "EXPORT"))


@rules.clause("clCreateSemaphoreWithPropertiesKHR/CL_INVALID_PROPERTY/1")
def properties_not_valid(call: Call, model: Model) -> Reply:
    """sema_props contains an unsupported name, an invalid value, or the same name more than once.

    The error also applies if context has several devices and sema_props does not name one of them.
    """
    listed = read_properties(call.sema_props, model)
    if listed is None:
        return Answer.UNDEFINED
    names = [each.name for each in listed]
    twice = len(set(names)) < len(names)
    return gravest([twice, _names_no_device(call, names, model), *_of_each(listed, call, model)])


def _names_no_device(call: Call, names: Sequence[int], model: Model) -> Reply:
    """Return whether the list must name a device and does not."""
    context = model.known(call.context)
    if model.value(DEVICES) in names or not isinstance(context, Context):
        return Answer.NO
    if not context.devices:
        return Answer.NO if len(context.candidates) == 1 else UNKNOWN
    return len(context.devices) > 1


def _of_each(listed: Sequence[Given], call: Call, model: Model) -> Iterator[Reply]:
    """Yield for each property whether it is unsupported or has an invalid value."""
    table, types = properties_of(MAKE, model), handle_types(model)
    registered = set(model.tables.values_of_group("cl_semaphore_properties_khr").values())
    scope = scope_of(call, model)
    for each in listed:
        known = table.get(each.name)
        if known is not None and not applies(known.gates, scope):
            yield ELSEWHERE
        elif each.name == model.value(TYPE):
            yield _no_type(each.values[0], call, model)
        elif each.name == model.value(EXPORTS):
            yield gravest(_not_exported(value, call, model) for value in each.values)
        elif each.name in types:
            yield handle_not_valid(types[each.name], each.values[0], model)
            yield _imported_by_none(each.name, call, model)
        elif known is None:
            yield ELSEWHERE if each.name in registered else Answer.MUST


def _no_type(value: int | Handle | None, call: Call, model: Model) -> Reply:
    """Return whether a value is not a semaphore type: neither the binary type nor one that a device lists."""
    if isinstance(value, Handle):
        return May("property-value")
    if value == model.value("CL_SEMAPHORE_TYPE_BINARY_KHR"):
        return Answer.NO
    told = [_told(device, TYPES_OF) for device in devices_of(call, model)]
    return May("property-of-elsewhere") if any(value in (each or ()) for each in told) else Answer.MUST


def _not_exported(value: int | Handle | None, call: Call, model: Model) -> Reply:
    """Return whether a value is not a handle type; the error is allowed for one that no device exports."""
    if isinstance(value, Handle):
        return May("property-value")
    if value not in handle_types(model):
        return Answer.MUST
    listed = [_told(device, EXPORTS_OF) for device in devices_of(call, model)]
    by_all = bool(listed) and all(told is not None and value in told for told in listed)
    return Answer.NO if by_all else May("handle-type-of-no-device")


def _imported_by_none(handle_type: int, call: Call, model: Model) -> Reply:
    """Return whether a device does not list imports of a handle type; its name may then be rejected."""
    listed = [_told(device, IMPORTS_OF) for device in devices_of(call, model)]
    by_all = bool(listed) and all(told is not None and handle_type in told for told in listed)
    return Answer.NO if by_all else May("handle-type-of-no-device")


def handle_not_valid(type_name: str, value: int | Handle | None, model: Model) -> Reply:
    """Return whether a value is not a handle of an external type; only valid handles and negative numbers are passed.

    A negative number is not a file descriptor, except -1 for a sync file, which means an already signaled object.
    """
    del model
    if type_name not in DESCRIPTORS:
        return May("property-value") if value in (0, None) else Answer.UNDEFINED
    if not isinstance(value, int) or value >= 0:
        return Answer.UNDEFINED
    return not (type_name == SYNC_FD and value == ALREADY_SIGNALED)


def devices_of(call: Call, model: Model) -> list[Device]:
    """Return the devices of a new semaphore; empty if unknown."""
    named = values_of(read_properties(call.sema_props, model) or (), DEVICES, model)
    context = model.known(call.context)
    if named is None:
        return context.devices if isinstance(context, Context) else []
    return [model.device(value) for value in named]


def _told(device: Device, query: str) -> tuple[object, ...] | None:
    """Return the list that a device returned for a query; None if it was not queried."""
    told = device.facts.get(query)
    return told if isinstance(told, tuple) else None


@rules.clause("clCreateSemaphoreWithPropertiesKHR/CL_INVALID_PROPERTY/2")
def several_handles(call: Call, model: Model) -> Reply:
    """sema_props contains more than one external handle."""
    return len(imports_in(read_properties(call.sema_props, model) or (), model)) > 1


@rules.clause("clCreateSemaphoreWithPropertiesKHR/CL_INVALID_DEVICE/1")
def not_one_device(call: Call, model: Model) -> Reply:
    """CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR is given, and does not name exactly one valid device of context."""
    named = values_of(read_properties(call.sema_props, model) or (), DEVICES, model)
    if named is None:
        return Answer.NO
    replies = [
        valid_object(value, "cl_device_id", model) if not isinstance(value, int) else Answer.UNDEFINED
        for value in named
    ]
    known = gravest(replies)
    if known is not Answer.NO:
        return known
    if len(named) > 1 and len(set(named)) == 1:
        return May("one-device-twice")
    if len(named) != 1:
        return Answer.MUST
    return association(model.context(call.context), model.device(named[0]))


@rules.clause("clCreateSemaphoreWithPropertiesKHR/CL_INVALID_DEVICE/2")
def not_imported_by_the_device(call: Call, model: Model) -> Reply:
    """The device that sema_props names cannot import handles of the type of the external handle in sema_props."""
    listed = read_properties(call.sema_props, model) or []
    imported = imports_in(listed, model)
    named = values_of(listed, DEVICES, model)
    if not imported or named is None:
        return Answer.NO
    devices = [model.device(value) for value in named]
    told = [_told(device, IMPORTS_OF) for device in devices]
    if any(each is None for each in told):
        raise UnknownError(IMPORTS_OF)
    return any(given.name not in (each or ()) for given in imported for each in told)


@rules.clause("clCreateSemaphoreWithPropertiesKHR/CL_INVALID_VALUE/2")
def several_types_to_export(call: Call, model: Model) -> Reply:
    """CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR lists more than one handle type."""
    types = values_of(read_properties(call.sema_props, model) or (), EXPORTS, model) or ()
    return len(types) > 1


@rules.clause("clCreateSemaphoreWithPropertiesKHR/CL_INVALID_VALUE/4")
def no_type_of_semaphore(call: Call, model: Model) -> Reply:
    """sema_props does not contain CL_SEMAPHORE_TYPE_KHR."""
    if call.sema_props is None:
        return Answer.NO
    return values_of(read_properties(call.sema_props, model) or (), TYPE, model) is None


@rules.clause("clCreateSemaphoreWithPropertiesKHR/CL_INVALID_OPERATION/1")
def imported_and_exported(call: Call, model: Model) -> Reply:
    """sema_props contains both an external handle and CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR."""
    listed = read_properties(call.sema_props, model) or []
    return bool(imports_in(listed, model)) and values_of(listed, EXPORTS, model) is not None
