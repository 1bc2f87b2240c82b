"""Error conditions of imported memory: handles in properties and their devices (sections 5.2.1 and 5.3.1)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Handle, Items
from clconform.oracles.chapters.buffers.clauses.sub_buffers import FROM_HOST
from clconform.oracles.engine.answers import Answer, May, Reply
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.errors import UnknownError
from clconform.oracles.recurring.contexts import association
from clconform.oracles.recurring.objects import gravest, valid_object
from clconform.oracles.recurring.property_lists import ELSEWHERE, with_lists

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clconform.calls.call import Call
    from clconform.calls.values import Value
    from clconform.oracles.model.devices import Device
    from clconform.oracles.model.world import Model
    from clconform.oracles.recurring.property_lists import Given

rules = Rules()

DEVICES = "CL_MEM_DEVICE_HANDLE_LIST_KHR"
EXTERNAL = "cl_khr_external_memory"
TYPES = "cl_external_memory_handle_type_khr"
IMPORTS_OF = "CL_DEVICE_EXTERNAL_MEMORY_IMPORT_HANDLE_TYPES_KHR"
DESCRIPTORS = ("CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR", "CL_EXTERNAL_MEMORY_HANDLE_DMA_BUF_KHR")
"""Handle types that are file descriptors."""


def given_in(properties: Value, model: Model) -> list[Given] | None:
    """Return the properties of a list in order, empty for NULL; None if the list has no end."""
    return with_lists(properties if isinstance(properties, Items) else None, (model.value(DEVICES),))


def handles_in(properties: Value, model: Model) -> list[Given]:
    """Return the properties of a list that name an external memory handle."""
    types = model.tables.values_of_group(TYPES).values()
    return [each for each in given_in(properties, model) or () if each.name in types]


def devices_in(properties: Value, model: Model) -> tuple[int | Handle | None, ...] | None:
    """Return the devices that a property list names; None if it has no device list."""
    listed = given_in(properties, model) or ()
    return next((each.values for each in listed if each.name == model.value(DEVICES)), None)


@rules.clause("clCreateBufferWithProperties/CL_INVALID_PROPERTY/1")
def property_not_valid(call: Call, model: Model) -> Reply:
    """properties contains an unsupported property name, an invalid value, or the same name more than once.

    A negative number is not a valid file descriptor.
    """
    listed = given_in(call.properties, model)
    if listed is None:
        return Answer.UNDEFINED
    names = [each.name for each in listed]
    known = {model.value(DEVICES), *model.tables.values_of_group("cl_mem_properties").values()}
    types = {value: name for name, value in model.tables.values_of_group(TYPES).items()}
    replies: list[Reply] = [Answer.MUST if len(set(names)) < len(names) else Answer.NO]
    for each in listed:
        if each.name in types:
            replies.append(_handle_not_valid(types[each.name], each, call, model))
        else:
            replies.append(ELSEWHERE if each.name in known else Answer.MUST)
    return gravest(replies)


@rules.part("clCreateBufferWithProperties/CL_INVALID_PROPERTY/5", "clCreateImageWithProperties/CL_INVALID_PROPERTY/5")
def property_not_known(call: Call, model: Model) -> Reply:
    """properties contains an unsupported property name."""
    groups = (model.tables.values_of_group(name).values() for name in ("cl_mem_properties", TYPES))
    known = {model.value(DEVICES), *(value for values in groups for value in values)}
    return any(each.name not in known for each in given_in(call.properties, model) or ())


@rules.part("clCreateBufferWithProperties/CL_INVALID_PROPERTY/6", "clCreateImageWithProperties/CL_INVALID_PROPERTY/6")
def value_of_a_property_not_valid(call: Call, model: Model) -> Reply:
    """properties contains an invalid value for a property."""
    types = {value: name for name, value in model.tables.values_of_group(TYPES).items()}
    handles = [each for each in given_in(call.properties, model) or () if each.name in types]
    return gravest(_handle_not_valid(types[each.name], each, call, model) for each in handles)


@rules.part("clCreateBufferWithProperties/CL_INVALID_PROPERTY/7", "clCreateImageWithProperties/CL_INVALID_PROPERTY/7")
def property_more_than_once(call: Call, model: Model) -> Reply:
    """properties contains the same property name more than once."""
    names = [each.name for each in given_in(call.properties, model) or ()]
    return len(set(names)) < len(names)


def _handle_not_valid(type_name: str, given: Given, call: Call, model: Model) -> Reply:
    """Return whether a handle is invalid for its type.

    The suites send no non-negative file descriptor, because none is known to be valid.
    """
    (value,) = given.values
    if type_name not in DESCRIPTORS:
        return May("property-value") if value in (0, None) else Answer.UNDEFINED
    if not isinstance(value, int) or value >= 0:
        return Answer.UNDEFINED
    return Answer.MUST if _supported([given], call, model) else ELSEWHERE


def _supported(handles: Sequence[Given], call: Call, model: Model) -> bool:
    """Return whether all devices are known to import handles of these types."""
    told = [_imports(device) for device in _devices_of(call, model)]
    return bool(told) and all(types is not None and given.name in types for given in handles for types in told)


def _imports(device: Device) -> tuple[object, ...] | None:
    """Return the handle types that a device reports as importable; None if that was not queried."""
    told = device.facts.get(IMPORTS_OF)
    return told if isinstance(told, tuple) else None


def _devices_of(call: Call, model: Model) -> Sequence[Device]:
    """Return the devices to import the memory for: those named in properties, or all of the context."""
    named = devices_in(call.properties, model)
    if named is None:
        return model.context(call.context).devices
    return [model.device(value) for value in named]


@rules.clause("clCreateBufferWithProperties/CL_INVALID_PROPERTY/3")
def devices_without_a_handle(call: Call, model: Model) -> Reply:
    """properties contains CL_MEM_DEVICE_HANDLE_LIST_KHR, but no external memory handle."""
    names = [each.name for each in given_in(call.properties, model) or ()]
    if model.value(DEVICES) not in names:
        return Answer.NO
    device = next((model.known(value) for value in call.properties.values if isinstance(value, Handle)), None)
    extensions: frozenset[str] = getattr(device, "extensions", frozenset())
    known = {*model.tables.values_of_group("cl_mem_properties").values(), model.value(DEVICES)}
    others = {*known, *model.tables.values_of_group(TYPES).values()} - {model.value(DEVICES)}
    handles = handles_in(call.properties, model)
    if handles:
        return Answer.NO if _supported(handles, call, model) else ELSEWHERE
    return Answer.MUST if not others.intersection(names) and EXTERNAL in extensions else ELSEWHERE


@rules.clause("clCreateBufferWithProperties/CL_INVALID_PROPERTY/4")
def several_handles(call: Call, model: Model) -> Reply:
    """properties contains more than one external memory handle."""
    return len(handles_in(call.properties, model)) > 1


@rules.clause("clCreateBufferWithProperties/CL_INVALID_DEVICE/2")
def devices_not_of_the_context(call: Call, model: Model) -> Reply:
    """CL_MEM_DEVICE_HANDLE_LIST_KHR in properties names a device that is not valid or not a device of context."""
    named = devices_in(call.properties, model) or ()
    known = gravest(
        Answer.UNDEFINED if isinstance(value, int) else valid_object(value, "cl_device_id", model) for value in named
    )
    if known is not Answer.NO or not named:
        return known
    context = model.context(call.context)
    return gravest(association(context, model.device(value)) for value in named)


@rules.clause("clCreateBufferWithProperties/CL_INVALID_DEVICE/3")
def not_imported_by_a_named_device(call: Call, model: Model) -> Reply:
    """CL_MEM_DEVICE_HANDLE_LIST_KHR in properties names a device that cannot import the external memory."""
    return devices_in(call.properties, model) is not None and _cannot_import(call, model)


@rules.clause("clCreateBufferWithProperties/CL_INVALID_DEVICE/4")
def not_imported_by_a_device(call: Call, model: Model) -> Reply:
    """properties does not contain CL_MEM_DEVICE_HANDLE_LIST_KHR, and a device of context cannot import the memory."""
    return devices_in(call.properties, model) is None and _cannot_import(call, model)


def _cannot_import(call: Call, model: Model) -> bool:
    """Return whether a device cannot import handles of a given type."""
    handles = handles_in(call.properties, model)
    if not handles:
        return False
    told = [_imports(device) for device in _devices_of(call, model)]
    if not told or None in told:
        raise UnknownError(IMPORTS_OF)
    return any(given.name not in (types or ()) for given in handles for types in told)


@rules.clause("clCreateBufferWithProperties/CL_INVALID_VALUE/2")
def imported_and_from_the_host(call: Call, model: Model) -> Reply:
    """properties contains a supported external memory handle, and flags contains a CL_MEM_*_HOST_PTR flag."""
    from_host = any(call.flags & model.value(name) for name in FROM_HOST)
    return _beside_a_handle(call, model) if from_host else Answer.NO


@rules.clause("clCreateBufferWithProperties/CL_INVALID_HOST_PTR/2")
def imported_and_given(call: Call, model: Model) -> Reply:
    """properties contains a supported external memory handle, and host_ptr is not NULL."""
    return _beside_a_handle(call, model) if call.host_ptr is not None else Answer.NO


def _beside_a_handle(call: Call, model: Model) -> Reply:
    """Return whether properties contains a handle of a supported type.

    The result is open for other types, which a device may also support.
    """
    handles = handles_in(call.properties, model)
    if not handles:
        return Answer.NO
    return Answer.MUST if _supported(handles, call, model) else ELSEWHERE
