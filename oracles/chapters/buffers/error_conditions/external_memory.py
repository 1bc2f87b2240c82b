"""Error conditions of imported memory: handles in properties and their devices (sections 5.2.1 and 5.3.1)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import ElementList, Handle
from clconform.oracles.chapters.buffers.error_conditions.sub_buffers import FROM_HOST
from clconform.oracles.common.contexts import is_unassociated
from clconform.oracles.common.objects import is_invalid_object
from clconform.oracles.common.property_lists import DEFINED_ELSEWHERE, parse_nested_list
from clconform.oracles.engine.predicate_result import (
    MUST,
    NO,
    UNDEFINED,
    PredicateResult,
    may,
    must_if,
    strongest_result,
)
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.errors import UnknownFactError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from clconform.calls.call import Call
    from clconform.calls.values import Value
    from clconform.oracles.common.property_lists import PropertyEntry
    from clconform.oracles.model.devices import Device
    from clconform.oracles.model.state import Model

rules = Rules()

DEVICES = "CL_MEM_DEVICE_HANDLE_LIST_KHR"
EXTERNAL = "cl_khr_external_memory"
TYPES = "cl_external_memory_handle_type_khr"
IMPORTS_OF = "CL_DEVICE_EXTERNAL_MEMORY_IMPORT_HANDLE_TYPES_KHR"
DESCRIPTORS = ("CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR", "CL_EXTERNAL_MEMORY_HANDLE_DMA_BUF_KHR")
"""Handle types that are file descriptors."""


def read_properties(properties: Value, model: Model) -> list[PropertyEntry] | None:
    """Return the entries of a property list in order; empty for NULL, None for a list without a terminating 0."""
    return parse_nested_list(
        properties if isinstance(properties, ElementList) else None, (model.constant_value(DEVICES),)
    )


def external_handles(properties: Value, model: Model) -> list[PropertyEntry]:
    """Return the entries of a property list that contain an external memory handle."""
    types = model.tables.values_of_group(TYPES).values()
    return [each for each in read_properties(properties, model) or () if each.name in types]


def listed_devices(properties: Value, model: Model) -> tuple[int | Handle | None, ...] | None:
    """Return the devices in CL_MEM_DEVICE_HANDLE_LIST_KHR of a property list; None without this property."""
    listed = read_properties(properties, model) or ()
    return next((each.values for each in listed if each.name == model.constant_value(DEVICES)), None)


@rules.clause("clCreateBufferWithProperties/CL_INVALID_PROPERTY/1")
def is_property_invalid(call: Call, model: Model) -> PredicateResult:
    """properties contains an unsupported property name, an invalid value, or the same name more than once.

    A negative number is not a valid file descriptor.
    """
    listed = read_properties(call.properties, model)
    if listed is None:
        return UNDEFINED
    known = {model.constant_value(DEVICES), *model.tables.values_of_group("cl_mem_properties").values()}
    types = {value: name for name, value in model.tables.values_of_group(TYPES).items()}
    replies: list[PredicateResult] = [is_property_repeated(call, model)]
    for each in listed:
        if each.name in types:
            replies.append(_is_handle_invalid(types[each.name], each, call, model))
        else:
            replies.append(DEFINED_ELSEWHERE if each.name in known else MUST)
    return strongest_result(replies)


def is_property_unknown(call: Call, model: Model) -> PredicateResult:
    """properties contains an unsupported property name."""
    groups = (model.tables.values_of_group(name).values() for name in ("cl_mem_properties", TYPES))
    known = {model.constant_value(DEVICES), *(value for values in groups for value in values)}
    return must_if(any(each.name not in known for each in read_properties(call.properties, model) or ()))


def is_property_value_invalid(call: Call, model: Model) -> PredicateResult:
    """properties contains an invalid value for a property."""
    types = {value: name for name, value in model.tables.values_of_group(TYPES).items()}
    handles = [each for each in read_properties(call.properties, model) or () if each.name in types]
    return strongest_result(_is_handle_invalid(types[each.name], each, call, model) for each in handles)


def is_property_repeated(call: Call, model: Model) -> PredicateResult:
    """properties contains the same property name more than once."""
    names = [each.name for each in read_properties(call.properties, model) or ()]
    return must_if(len(set(names)) < len(names))


@rules.alternatives_of(
    "clCreateBufferWithProperties/CL_INVALID_PROPERTY/1", "clCreateImageWithProperties/CL_INVALID_PROPERTY/1"
)
def find_property_violations(call: Call, model: Model) -> Iterator[str]:
    """Yield each alternative that holds.

    The alternatives: properties contains an unsupported name, an invalid value, or the same name more than once.
    """
    if is_property_unknown(call, model).is_must:
        yield "properties contains an unsupported property name"
    if is_property_value_invalid(call, model).is_must:
        yield "properties contains an invalid value"
    if is_property_repeated(call, model).is_must:
        yield "properties contains the same name more than once"


def _is_handle_invalid(type_name: str, given: PropertyEntry, call: Call, model: Model) -> PredicateResult:
    """Return whether a handle is invalid for its type.

    The suites pass only negative file descriptors, because no other descriptor is known to be valid.
    """
    (value,) = given.values
    if type_name not in DESCRIPTORS:
        return may("unspecified-property-value") if value in (0, None) else UNDEFINED
    if not isinstance(value, int) or value >= 0:
        return UNDEFINED
    return MUST if _is_supported([given], call, model) else DEFINED_ELSEWHERE


def _is_supported(handles: Sequence[PropertyEntry], call: Call, model: Model) -> bool:
    """Return whether all devices that import the memory report that they can import the types of ``handles``."""
    told = [_importable_types(device) for device in _importing_devices(call, model)]
    return bool(told) and all(types is not None and given.name in types for given in handles for types in told)


def _importable_types(device: Device) -> tuple[object, ...] | None:
    """Return the handle types that a device reports as importable; None if no call has queried them."""
    told = device.facts.get(IMPORTS_OF)
    return told if isinstance(told, tuple) else None


def _importing_devices(call: Call, model: Model) -> Sequence[Device]:
    """Return the devices that import the memory: those in properties, or otherwise all devices of context."""
    named = listed_devices(call.properties, model)
    if named is None:
        return model.context(call.context).devices
    return [model.device(value) for value in named]


@rules.clause("clCreateBufferWithProperties/CL_INVALID_PROPERTY/3")
def has_devices_without_handle(call: Call, model: Model) -> PredicateResult:
    """properties contains CL_MEM_DEVICE_HANDLE_LIST_KHR, but no external memory handle."""
    names = [each.name for each in read_properties(call.properties, model) or ()]
    if model.constant_value(DEVICES) not in names:
        return NO
    device = next((model.find(value) for value in call.properties.values if isinstance(value, Handle)), None)
    extensions: frozenset[str] = getattr(device, "extensions", frozenset())
    known = {*model.tables.values_of_group("cl_mem_properties").values(), model.constant_value(DEVICES)}
    others = {*known, *model.tables.values_of_group(TYPES).values()} - {model.constant_value(DEVICES)}
    handles = external_handles(call.properties, model)
    if handles:
        return NO if _is_supported(handles, call, model) else DEFINED_ELSEWHERE
    return MUST if not others.intersection(names) and EXTERNAL in extensions else DEFINED_ELSEWHERE


@rules.clause("clCreateBufferWithProperties/CL_INVALID_PROPERTY/4")
def has_several_handles(call: Call, model: Model) -> PredicateResult:
    """properties contains more than one external memory handle."""
    return must_if(len(external_handles(call.properties, model)) > 1)


@rules.clause("clCreateBufferWithProperties/CL_INVALID_DEVICE/2")
def has_device_outside_context(call: Call, model: Model) -> PredicateResult:
    """CL_MEM_DEVICE_HANDLE_LIST_KHR in properties names a device that is not valid or not a device of context."""
    named = listed_devices(call.properties, model) or ()
    known = strongest_result(
        UNDEFINED if isinstance(value, int) else is_invalid_object(value, "cl_device_id", model) for value in named
    )
    if known is not NO or not named:
        return known
    context = model.context(call.context)
    return strongest_result(is_unassociated(context, model.device(value)) for value in named)


@rules.clause("clCreateBufferWithProperties/CL_INVALID_DEVICE/3")
def is_import_unsupported_by_named_device(call: Call, model: Model) -> PredicateResult:
    """CL_MEM_DEVICE_HANDLE_LIST_KHR in properties names a device that cannot import the external memory."""
    return must_if(listed_devices(call.properties, model) is not None and _cannot_import(call, model))


@rules.clause("clCreateBufferWithProperties/CL_INVALID_DEVICE/4")
def is_import_unsupported_by_context(call: Call, model: Model) -> PredicateResult:
    """properties does not contain CL_MEM_DEVICE_HANDLE_LIST_KHR, and a device of context cannot import the memory."""
    return must_if(listed_devices(call.properties, model) is None and _cannot_import(call, model))


def _cannot_import(call: Call, model: Model) -> bool:
    """Return whether a device that imports the memory does not report a handle type in properties as importable."""
    handles = external_handles(call.properties, model)
    if not handles:
        return False
    told = [_importable_types(device) for device in _importing_devices(call, model)]
    if not told or None in told:
        raise UnknownFactError(IMPORTS_OF)
    return any(given.name not in (types or ()) for given in handles for types in told)


@rules.clause("clCreateBufferWithProperties/CL_INVALID_VALUE/2")
def has_handle_and_host_flag(call: Call, model: Model) -> PredicateResult:
    """properties contains a supported external memory handle, and flags contains a CL_MEM_*_HOST_PTR flag."""
    from_host = any(call.flags & model.constant_value(name) for name in FROM_HOST)
    return _has_supported_handle(call, model) if from_host else NO


@rules.clause("clCreateBufferWithProperties/CL_INVALID_HOST_PTR/2")
def has_handle_and_host_ptr(call: Call, model: Model) -> PredicateResult:
    """properties contains a supported external memory handle, and host_ptr is not NULL."""
    return _has_supported_handle(call, model) if call.host_ptr is not None else NO


def _has_supported_handle(call: Call, model: Model) -> PredicateResult:
    """Return whether properties contains a handle of a supported type.

    For other types the result is undecided, because a device may support types that it does not report.
    """
    handles = external_handles(call.properties, model)
    if not handles:
        return NO
    return MUST if _is_supported(handles, call, model) else DEFINED_ELSEWHERE
