"""Creation, changes and default selection of queues (section 5.1): invalid and valid variations of the calls."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.suites.chapters.partition.entries import CORE_ENTRY
from clconform.suites.chapters.partition.partition_cases import create_sub_device
from clconform.suites.errors.negative_cases import Variation, VariationRegistry, bind_values
from clconform.suites.helpers import skip_unless
from clconform.suites.kit.queues import (
    DEFAULT,
    MAX_DEVICE_QUEUE_SIZE,
    ON_DEVICE,
    OUT_OF_ORDER,
    PROFILING,
    QUEUE_PROPERTIES,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from clconform.calls.values import Handle, Value
    from clconform.suites.kit.kit import Kit
    from clconform.suites.kit.valid_calls import Arguments

UNKNOWN_BITS = (4, 20, 32, 63)
"""Bits of queue properties that are not in the registry."""
variations = VariationRegistry()

# properties given as bits


@variations.declare("clCreateCommandQueue/CL_INVALID_VALUE/1")
def invalid_bits_at_creation() -> Iterator[Variation]:
    """Yield bits that are not in the registry, and bits that are valid only for on-device queues."""
    yield from _invalid_bits(base=0)


@variations.declare("clSetCommandQueueProperty/CL_INVALID_VALUE/1")
def invalid_bits_to_change() -> Iterator[Variation]:
    """Yield invalid bits in a call that also changes profiling.

    The bits are not in the registry, or belong to on-device queues.
    """
    yield from _invalid_bits(base=2)


def _invalid_bits(base: int) -> Iterator[Variation]:
    for bit in UNKNOWN_BITS:
        yield Variation(f"bit {bit}", {"properties": 1 << bit})
        yield Variation(f"profiling and bit {bit}", {"properties": 1 << bit | 2})
    for name in (ON_DEVICE, DEFAULT):
        yield Variation(f"{name} alone", bind_values(_with_bits, base, name))
        yield Variation(f"{name} among others", bind_values(_with_bits, base, name, OUT_OF_ORDER, PROFILING))


@variations.declare(
    "clCreateCommandQueue/CL_INVALID_QUEUE_PROPERTIES/1", "clSetCommandQueueProperty/CL_INVALID_QUEUE_PROPERTIES/1"
)
def unsupported_properties() -> Iterator[Variation]:
    """Yield an out-of-order queue, for a device that does not support such queues."""
    yield Variation("out-of-order on a device that does not support it", _with_unsupported_out_of_order)


@variations.declare("clCreateCommandQueue/success", "clSetCommandQueueProperty/success")
def valid_bits() -> Iterator[Variation]:
    """Yield each supported set of properties."""
    yield Variation("out of order", bind_values(_with_supported_bits, OUT_OF_ORDER))
    yield Variation("profiling", bind_values(_with_supported_bits, PROFILING))
    yield Variation("out of order and profiling", bind_values(_with_supported_bits, OUT_OF_ORDER, PROFILING))
    yield Variation("properties=0", {"properties": 0})


@variations.declare("clSetCommandQueueProperty/success")
def disabled_properties() -> Iterator[Variation]:
    """Yield a call that disables a property, and a call with NULL as the output of the old properties."""
    yield Variation("disable a property", {"enable": 0})
    yield Variation("old_properties=NULL", {"old_properties": None})


@variations.declare("clSetCommandQueueProperty/CL_INVALID_OPERATION/1")
def enabled_properties() -> Iterator[Variation]:
    """Yield a call that enables a property; it must fail where properties of queues cannot be changed."""
    yield Variation("enable a property", {"enable": 1})


@variations.declare("clSetCommandQueueProperty/CL_INVALID_QUEUE_PROPERTIES/1")
def disabled_unsupported_properties() -> Iterator[Variation]:
    """Yield a call that disables a property which the device does not support."""
    yield Variation(
        "disable an unsupported property",
        lambda kit, given: {**_with_unsupported_out_of_order(kit, given), "enable": 0},
    )


def _with_bits(kit: Kit, _given: Arguments, base: int, *names: str) -> Mapping[str, Value]:
    return {"properties": base | kit.constant(*names)}


def _with_supported_bits(kit: Kit, _given: Arguments, *names: str) -> Mapping[str, Value]:
    skip_unless(kit.has_bits("CL_DEVICE_QUEUE_PROPERTIES", *names), "the device does not support such queues")
    return {"properties": kit.constant(*names)}


def _with_unsupported_out_of_order(kit: Kit, _given: Arguments) -> Mapping[str, Value]:
    skip_unless(not kit.has_bits("CL_DEVICE_QUEUE_PROPERTIES", OUT_OF_ORDER), "the device supports out-of-order queues")
    return {"properties": kit.constant(OUT_OF_ORDER)}


# devices


@variations.declare(
    "clCreateCommandQueue/CL_INVALID_DEVICE/1",
    "clCreateCommandQueueWithProperties/CL_INVALID_DEVICE/1",
    "clCreateCommandQueueWithPropertiesKHR/CL_INVALID_DEVICE/1",
)
def devices_not_in_the_context() -> Iterator[Variation]:
    """Yield devices outside the context, including sub-devices and parents of its devices."""
    yield Variation("the parent of the context's device", _with_parent_device)
    yield Variation("a sub-device of another device", _with_sub_device_of_another)
    yield Variation("a sub-device of the context's device", _with_sub_device)
    yield Variation("a device of another type than the context's", _in_context_of_another_type)


@variations.declare(
    "clCreateCommandQueue/success",
    "clCreateCommandQueueWithProperties/success",
    "clCreateCommandQueueWithPropertiesKHR/success",
)
def devices_in_the_context() -> Iterator[Variation]:
    """Yield a sub-device in its own context, a second device, and the device in a context of its device type."""
    yield Variation("a sub-device in a context of its own", _with_sub_device_in_own_context)
    yield Variation("the second of two devices", _with_second_device)
    yield Variation("in a context created by device type", _in_context_of_type)


def _with_parent_device(kit: Kit, _given: Arguments) -> Mapping[str, Value]:
    return {"context": kit.new_context(create_sub_device(kit.cl, CORE_ENTRY)), "device": kit.cl.device}


def _with_sub_device_of_another(kit: Kit, _given: Arguments) -> Mapping[str, Value]:
    return {"context": kit.new_context(kit.other_available_device), "device": create_sub_device(kit.cl, CORE_ENTRY)}


def _with_sub_device(kit: Kit, _given: Arguments) -> Mapping[str, Value]:
    return {"device": create_sub_device(kit.cl, CORE_ENTRY)}


def _in_context_of_another_type(kit: Kit, _given: Arguments) -> Mapping[str, Value]:
    other, fact = kit.other_available_device, "CL_DEVICE_TYPE"
    skip_unless(kit.cl.fact(fact, other) != kit.cl.fact(fact), "all available devices have the same type")
    return {"context": kit.context_of_type(kit.cl.fact("CL_DEVICE_TYPE", other) or 0)}


def _with_sub_device_in_own_context(kit: Kit, _given: Arguments) -> Mapping[str, Value]:
    device = create_sub_device(kit.cl, CORE_ENTRY)
    return {"context": kit.new_context(device), "device": device}


def _with_second_device(kit: Kit, _given: Arguments) -> Mapping[str, Value]:
    return {"context": kit.new_context(kit.cl.device, kit.other_available_device), "device": kit.other_available_device}


def _in_context_of_type(kit: Kit, _given: Arguments) -> Mapping[str, Value]:
    return {"context": kit.context_of_type(kit.cl.fact("CL_DEVICE_TYPE") or 0)}


# clSetDefaultDeviceCommandQueue


@variations.declare("clSetDefaultDeviceCommandQueue/CL_INVALID_OPERATION/1")
def devices_without_replaceable_default() -> Iterator[Variation]:
    """Yield a device that supports on-device queues but cannot replace its default queue."""
    yield Variation("a device whose default queue cannot be replaced", _with_permanent_default)


@variations.declare("clSetDefaultDeviceCommandQueue/CL_INVALID_COMMAND_QUEUE/1")
def invalid_default_queues() -> Iterator[Variation]:
    """Yield NULL, host queues, and queues of another device or context."""
    yield Variation("command_queue=NULL", {"command_queue": None})
    yield Variation("a host queue", lambda kit, _given: {"command_queue": kit.queue})
    yield Variation("a queue of another device", _with_queue_of_another_device)
    yield Variation("a queue of another context", _with_queue_of_another_context)


@variations.declare("clSetDefaultDeviceCommandQueue/CL_INVALID_DEVICE/1")
def devices_without_the_queue() -> Iterator[Variation]:
    """Yield a device outside the queue's context."""
    yield Variation("a sub-device of the context's device", _with_sub_device)


@variations.declare("clSetDefaultDeviceCommandQueue/CL_INVALID_CONTEXT/1")
def invalid_contexts() -> Iterator[Variation]:
    """Yield NULL, and a context other than the context of the queue."""
    yield Variation("context=NULL", {"context": None})
    yield Variation("a context other than the queue's", lambda kit, _given: {"context": kit.foreign.context})


@variations.declare("clSetDefaultDeviceCommandQueue/success")
def valid_defaults() -> Iterator[Variation]:
    """Yield the current default queue, another queue, and a queue in a context created by device type."""
    yield Variation("in a context created by device type", _with_queue_in_context_of_type)
    yield Variation("replacing the current default", _with_replacing_queue)
    yield Variation("the current default", lambda kit, _given: {"command_queue": _get_default_queue(kit)})


def _get_default_queue(kit: Kit) -> Handle:
    """Return the default on-device queue; create it if it does not exist, otherwise retain it."""
    skip_unless(kit.cl.fact(MAX_DEVICE_QUEUE_SIZE), "the device does not support device queues")
    return kit.device_queue(QUEUE_PROPERTIES, f"{ON_DEVICE}+{OUT_OF_ORDER}+{DEFAULT}")


def _with_replacing_queue(kit: Kit, _given: Arguments) -> Mapping[str, Value]:
    present = _get_default_queue(kit)
    skip_unless(
        (kit.cl.fact("CL_DEVICE_MAX_ON_DEVICE_QUEUES") or 0) > 1, "the device supports only one device queue at a time"
    )
    replacing = kit.device_queue()
    kit.cl.query("clGetCommandQueueInfo", present, "CL_QUEUE_DEVICE_DEFAULT")
    return {"command_queue": replacing}


def _with_queue_in_context_of_type(kit: Kit, _given: Arguments) -> Mapping[str, Value]:
    skip_unless(kit.cl.fact(MAX_DEVICE_QUEUE_SIZE), "the device does not support device queues")
    context = kit.context_of_type(kit.cl.fact("CL_DEVICE_TYPE") or 0)
    return {"context": context, "command_queue": kit.for_context(context).device_queue()}


def _with_permanent_default(kit: Kit, _given: Arguments) -> Mapping[str, Value]:
    cl = kit.cl
    only = {cl.tables.enumerants["CL_DEVICE_QUEUE_SUPPORTED"].value}
    capable = [device for device in cl.devices if cl.fact("CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES", device) in only]
    skip_unless(capable, "no device supports device queues without a replaceable default")
    context = kit.new_context(capable[0])
    made = kit.for_context(context).device_queue(device=capable[0])
    return {"context": context, "device": capable[0], "command_queue": made}


def _with_queue_of_another_device(kit: Kit, _given: Arguments) -> Mapping[str, Value]:
    context, other = kit.new_context(kit.cl.device, kit.other_available_device), kit.other_available_device
    skip_unless(kit.cl.fact(MAX_DEVICE_QUEUE_SIZE, other), "the other device does not support device queues")
    return {"context": context, "command_queue": kit.for_context(context).device_queue(device=other)}


def _with_queue_of_another_context(kit: Kit, _given: Arguments) -> Mapping[str, Value]:
    skip_unless(kit.cl.fact(MAX_DEVICE_QUEUE_SIZE), "the device does not support device queues")
    return {"command_queue": kit.foreign.device_queue()}
