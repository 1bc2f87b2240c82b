"""Error conditions of creating semaphores (section 5.13.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Handle
from clconform.oracles.chapters.semaphores.property_lists import (
    ALREADY_SIGNALED,
    DESCRIPTOR_TYPES,
    DEVICES,
    EXPORTS,
    SYNC_FD,
    TYPE,
    handle_types,
    imported_handles,
    parse_properties,
    property_values,
)
from clconform.oracles.common.contexts import is_unassociated
from clconform.oracles.common.objects import is_invalid_object
from clconform.oracles.common.property_lists import DEFINED_ELSEWHERE, function_properties
from clconform.oracles.engine.applicability import applies
from clconform.oracles.engine.predicate_result import (
    MUST,
    NO,
    UNDEFINED,
    UNKNOWN,
    PredicateResult,
    may,
    must_if,
    strongest_result,
)
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.call_scope import scope_of
from clconform.oracles.model.contexts import Context
from clconform.oracles.model.errors import UnknownFactError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from clconform.calls.call import Call
    from clconform.oracles.common.property_lists import PropertyEntry
    from clconform.oracles.model.devices import Device
    from clconform.oracles.model.state import Model

rules = Rules()

CREATE = "clCreateSemaphoreWithPropertiesKHR"
TYPES_QUERY = "CL_DEVICE_SEMAPHORE_TYPES_KHR"
IMPORTS_QUERY, EXPORTS_QUERY = (f"CL_DEVICE_SEMAPHORE_{way}_HANDLE_TYPES_KHR" for way in ("IMPORT", "EXPORT"))


@rules.clause("clCreateSemaphoreWithPropertiesKHR/CL_INVALID_PROPERTY/1")
def has_invalid_properties(call: Call, model: Model) -> PredicateResult:
    """sema_props contains an unsupported property name, an invalid value, or the same property name more than once.

    The error also applies if context has several devices and sema_props does not contain
    CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR.
    """
    listed = parse_properties(call.sema_props, model)
    if listed is None:
        return UNDEFINED
    names = [each.name for each in listed]
    checks = (reply for each in listed for reply in _check_property(each, call, model))
    return strongest_result([must_if(_has_repeated_name(listed)), _lacks_device(call, names, model), *checks])


def _has_repeated_name(listed: Sequence[PropertyEntry]) -> bool:
    """Return whether a list contains the same property name more than once."""
    return len({each.name for each in listed}) < len(listed)


@rules.alternatives_of("clCreateSemaphoreWithPropertiesKHR/CL_INVALID_PROPERTY/1")
def find_property_violations(call: Call, model: Model) -> Iterator[str]:
    """Yield each alternative that holds.

    The alternatives: sema_props has an unsupported name, an invalid value or a repeated name, or lacks a device
    list.
    """
    listed = parse_properties(call.sema_props, model) or []
    known = [
        each.name in handle_types(model) or each.name in function_properties(CREATE, model)
        for each in listed
        if any(reply.is_must for reply in _check_property(each, call, model))
    ]
    if False in known:
        yield "sema_props contains an unsupported property name"
    if True in known:
        yield "sema_props contains an invalid value"
    if _has_repeated_name(listed):
        yield "sema_props contains the same property name more than once"
    if _lacks_device(call, [each.name for each in listed], model).is_must:
        yield f"context has several devices and sema_props does not contain {DEVICES}"


def _lacks_device(call: Call, names: Sequence[int], model: Model) -> PredicateResult:
    """Return whether sema_props must contain a list of devices, but does not contain one."""
    context = model.find(call.context)
    if model.constant_value(DEVICES) in names or not isinstance(context, Context):
        return NO
    if not context.devices:
        return NO if len(context.candidates) == 1 else UNKNOWN
    return must_if(len(context.devices) > 1)


def _check_property(given: PropertyEntry, call: Call, model: Model) -> Iterator[PredicateResult]:
    """Yield each alternative that holds: the name of a property is unsupported, or its value is invalid."""
    types, known = handle_types(model), function_properties(CREATE, model).get(given.name)
    if known is not None and not applies(known.applicability, scope_of(call, model)):
        yield DEFINED_ELSEWHERE
    elif given.name == model.constant_value(TYPE):
        yield _is_type_invalid(given.values[0], call, model)
    elif given.name == model.constant_value(EXPORTS):
        yield strongest_result(_is_export_type_invalid(value, call, model) for value in given.values)
    elif given.name in types:
        yield is_handle_invalid(types[given.name], given.values[0], model)
        yield _is_import_unsupported(given.name, call, model)
    elif known is None:
        registered = model.tables.values_of_group("cl_semaphore_properties_khr").values()
        yield DEFINED_ELSEWHERE if given.name in registered else MUST


def _is_type_invalid(value: int | Handle | None, call: Call, model: Model) -> PredicateResult:
    """Return whether a value is not a semaphore type: neither the binary type nor one that a device lists."""
    if isinstance(value, Handle):
        return may("unspecified-property-value")
    if value == model.constant_value("CL_SEMAPHORE_TYPE_BINARY_KHR"):
        return NO
    lists = [_reported_list(device, TYPES_QUERY) for device in semaphore_devices(call, model)]
    return may("property-defined-elsewhere") if any(value in (each or ()) for each in lists) else MUST


def _is_export_type_invalid(value: int | Handle | None, call: Call, model: Model) -> PredicateResult:
    """Return whether a value is not a handle type.

    The error is optional for a handle type that a device does not list as exportable.
    """
    if isinstance(value, Handle):
        return may("unspecified-property-value")
    if value not in handle_types(model):
        return MUST
    listed = [_reported_list(device, EXPORTS_QUERY) for device in semaphore_devices(call, model)]
    by_all = bool(listed) and all(told is not None and value in told for told in listed)
    return NO if by_all else may("unlisted-semaphore-handle-type")


def _is_import_unsupported(handle_type: int, call: Call, model: Model) -> PredicateResult:
    """Return whether a device cannot import a handle type. The error for a property of this type is then optional."""
    listed = [_reported_list(device, IMPORTS_QUERY) for device in semaphore_devices(call, model)]
    by_all = bool(listed) and all(told is not None and handle_type in told for told in listed)
    return NO if by_all else may("unlisted-semaphore-handle-type")


def is_handle_invalid(type_name: str, value: int | Handle | None, model: Model) -> PredicateResult:
    """Return whether a value is not a valid external handle of the type ``type_name``.

    The suites pass only valid handles and negative numbers. A negative number is not a file descriptor. For a sync
    file, -1 is valid and means an already signaled object.
    """
    del model
    if type_name not in DESCRIPTOR_TYPES:
        return may("unspecified-property-value") if value in (0, None) else UNDEFINED
    if not isinstance(value, int) or value >= 0:
        return UNDEFINED
    return must_if(not (type_name == SYNC_FD and value == ALREADY_SIGNALED))


def semaphore_devices(call: Call, model: Model) -> list[Device]:
    """Return the devices of a new semaphore; empty if the devices are unknown."""
    named = property_values(parse_properties(call.sema_props, model) or (), DEVICES, model)
    context = model.find(call.context)
    if named is None:
        return context.devices if isinstance(context, Context) else []
    return [model.device(value) for value in named]


def _reported_list(device: Device, query: str) -> tuple[object, ...] | None:
    """Return the list that a device returned for a query; None if it was not queried."""
    told = device.facts.get(query)
    return told if isinstance(told, tuple) else None


@rules.clause("clCreateSemaphoreWithPropertiesKHR/CL_INVALID_PROPERTY/2")
def has_several_handles(call: Call, model: Model) -> PredicateResult:
    """sema_props contains more than one external handle."""
    return must_if(len(imported_handles(parse_properties(call.sema_props, model) or (), model)) > 1)


@rules.clause("clCreateSemaphoreWithPropertiesKHR/CL_INVALID_DEVICE/1")
def lacks_single_device(call: Call, model: Model) -> PredicateResult:
    """CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR in sema_props does not list exactly one valid device in context."""
    named = property_values(parse_properties(call.sema_props, model) or (), DEVICES, model)
    if named is None:
        return NO
    replies = [
        is_invalid_object(value, "cl_device_id", model) if not isinstance(value, int) else UNDEFINED for value in named
    ]
    known = strongest_result(replies)
    if known is not NO:
        return known
    if len(named) > 1 and len(set(named)) == 1:
        return may("repeated-semaphore-device")
    if len(named) != 1:
        return MUST
    return is_unassociated(model.context(call.context), model.device(named[0]))


@rules.alternatives_of("clCreateSemaphoreWithPropertiesKHR/CL_INVALID_DEVICE/1")
def find_device_list_violation(call: Call, model: Model) -> Iterator[str]:
    """Yield each alternative that holds.

    The alternatives: the device list is not a single device, or has an invalid device or one outside context.
    """
    named = property_values(parse_properties(call.sema_props, model) or (), DEVICES, model) or ()
    if any(is_invalid_object(value, "cl_device_id", model).is_must for value in named if not isinstance(value, int)):
        yield f"{DEVICES} in sema_props lists an invalid device"
    elif len(named) != 1:
        yield f"{DEVICES} in sema_props lists {len(named)} devices"
    else:
        yield f"{DEVICES} in sema_props lists a device that is not in context"


@rules.clause("clCreateSemaphoreWithPropertiesKHR/CL_INVALID_DEVICE/2")
def is_import_unsupported_by_device(call: Call, model: Model) -> PredicateResult:
    """sema_props lists a device that cannot import the type of the external handle in sema_props.

    CL_DEVICE_SEMAPHORE_IMPORT_HANDLE_TYPES_KHR lists the types that a device can import.
    """
    listed = parse_properties(call.sema_props, model) or []
    imported = imported_handles(listed, model)
    named = property_values(listed, DEVICES, model)
    if not imported or named is None:
        return NO
    devices = [model.device(value) for value in named]
    lists = [_reported_list(device, IMPORTS_QUERY) for device in devices]
    if any(each is None for each in lists):
        raise UnknownFactError(IMPORTS_QUERY)
    return must_if(any(given.name not in (each or ()) for given in imported for each in lists))


@rules.clause("clCreateSemaphoreWithPropertiesKHR/CL_INVALID_VALUE/2")
def has_several_export_types(call: Call, model: Model) -> PredicateResult:
    """CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR lists more than one handle type."""
    types = property_values(parse_properties(call.sema_props, model) or (), EXPORTS, model) or ()
    return must_if(len(types) > 1)


@rules.clause("clCreateSemaphoreWithPropertiesKHR/CL_INVALID_VALUE/4")
def lacks_type(call: Call, model: Model) -> PredicateResult:
    """sema_props does not contain CL_SEMAPHORE_TYPE_KHR."""
    if call.sema_props is None:
        return NO
    return must_if(property_values(parse_properties(call.sema_props, model) or (), TYPE, model) is None)


@rules.clause("clCreateSemaphoreWithPropertiesKHR/CL_INVALID_OPERATION/1")
def is_imported_and_exported(call: Call, model: Model) -> PredicateResult:
    """sema_props contains both an external handle and CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR."""
    listed = parse_properties(call.sema_props, model) or []
    return must_if(bool(imported_handles(listed, model)) and property_values(listed, EXPORTS, model) is not None)
