"""Creation, changes and default selection of queues (section 5.1): invalid and valid variations of the calls."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.suites.chapters.partition.cases import part
from clconform.suites.chapters.partition.entries import CORE_ENTRY
from clconform.suites.errors.variations import Variation, Variations, bound
from clconform.suites.kit.queues import BITS, DEFAULT, LARGEST, ON_DEVICE, OUT_OF_ORDER, PROFILING
from clconform.suites.steps import needs

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from clconform.calls.values import Handle, Value
    from clconform.suites.kit.kit import Kit
    from clconform.suites.kit.valid_calls import Arguments

NOBODYS_PROPERTIES = (4, 20, 32, 63)
"""Bits of queue properties that are not in the registry."""
variations = Variations()

# properties given as bits


@variations.of("clCreateCommandQueue/CL_INVALID_VALUE/1")
def invalid_bits_of_a_queue() -> Iterator[Variation]:
    """Yield bits that are not in the registry, and bits of on-device queues."""
    yield from _invalid_bits(base=0)


@variations.of("clSetCommandQueueProperty/CL_INVALID_VALUE/1")
def invalid_bits_to_change() -> Iterator[Variation]:
    """Yield bits that are not in the registry, and bits of on-device queues, in a call that also changes profiling."""
    yield from _invalid_bits(base=2)


def _invalid_bits(base: int) -> Iterator[Variation]:
    for bit in NOBODYS_PROPERTIES:
        yield Variation(f"bit {bit}", {"properties": 1 << bit})
        yield Variation(f"profiling and bit {bit}", {"properties": 1 << bit | 2})
    for name in (ON_DEVICE, DEFAULT):
        yield Variation(f"{name} alone", bound(_with_bits, base, name))
        yield Variation(f"{name} among others", bound(_with_bits, base, name, OUT_OF_ORDER, PROFILING))


@variations.of(
    "clCreateCommandQueue/CL_INVALID_QUEUE_PROPERTIES/1", "clSetCommandQueueProperty/CL_INVALID_QUEUE_PROPERTIES/1"
)
def properties_not_supported() -> Iterator[Variation]:
    """Yield an out-of-order queue, on a device that does not support it."""
    yield Variation("out-of-order on a device that does not support it", _in_order_only)


@variations.of("clCreateCommandQueue/success", "clSetCommandQueueProperty/success")
def valid_bits() -> Iterator[Variation]:
    """Yield each supported set of properties."""
    yield Variation("out of order", bound(_supported, OUT_OF_ORDER))
    yield Variation("profiling", bound(_supported, PROFILING))
    yield Variation("out of order and profiling", bound(_supported, OUT_OF_ORDER, PROFILING))
    yield Variation("properties=0", {"properties": 0})


@variations.of("clSetCommandQueueProperty/success")
def properties_disabled() -> Iterator[Variation]:
    """Yield a disabled property, and NULL as the old properties output."""
    yield Variation("disable a property", {"enable": 0})
    yield Variation("old_properties=NULL", {"old_properties": None})


@variations.of("clSetCommandQueueProperty/CL_INVALID_OPERATION/1")
def properties_enabled() -> Iterator[Variation]:
    """Yield an enabled property, where properties cannot be changed."""
    yield Variation("enable a property", {"enable": 1})


@variations.of("clSetCommandQueueProperty/CL_INVALID_QUEUE_PROPERTIES/1")
def unsupported_properties_disabled() -> Iterator[Variation]:
    """Yield a disabled property that the device does not support."""
    yield Variation("disable an unsupported property", lambda kit, given: {**_in_order_only(kit, given), "enable": 0})


def _with_bits(kit: Kit, _given: Arguments, base: int, *names: str) -> Mapping[str, Value]:
    return {"properties": base | kit.value(*names)}


def _supported(kit: Kit, _given: Arguments, *names: str) -> Mapping[str, Value]:
    needs(kit.has("CL_DEVICE_QUEUE_PROPERTIES", *names), "the device does not support such queues")
    return {"properties": kit.value(*names)}


def _in_order_only(kit: Kit, _given: Arguments) -> Mapping[str, Value]:
    needs(not kit.has("CL_DEVICE_QUEUE_PROPERTIES", OUT_OF_ORDER), "the device supports out-of-order queues")
    return {"properties": kit.value(OUT_OF_ORDER)}


# devices


@variations.of(
    "clCreateCommandQueue/CL_INVALID_DEVICE/1",
    "clCreateCommandQueueWithProperties/CL_INVALID_DEVICE/1",
    "clCreateCommandQueueWithPropertiesKHR/CL_INVALID_DEVICE/1",
)
def devices_not_in_the_context() -> Iterator[Variation]:
    """Yield devices outside the context, sub-devices and parents among them."""
    yield Variation("the parent of the context's device", _parent)
    yield Variation("a sub-device of another device", _part_of_another)
    yield Variation("a sub-device of the context's device", _part)
    yield Variation("a device of another type than the context's", _of_another_type)


@variations.of(
    "clCreateCommandQueue/success",
    "clCreateCommandQueueWithProperties/success",
    "clCreateCommandQueueWithPropertiesKHR/success",
)
def devices_in_the_context() -> Iterator[Variation]:
    """Yield devices of contexts that were created in several ways."""
    yield Variation("a sub-device in a context of its own", _part_alone)
    yield Variation("the second of two devices", _second)
    yield Variation("in a context created by device type", _of_its_type)


def _parent(kit: Kit, _given: Arguments) -> Mapping[str, Value]:
    return {"context": kit.new_context(part(kit.cl, CORE_ENTRY)), "device": kit.cl.device}


def _part_of_another(kit: Kit, _given: Arguments) -> Mapping[str, Value]:
    return {"context": kit.new_context(kit.another_device), "device": part(kit.cl, CORE_ENTRY)}


def _part(kit: Kit, _given: Arguments) -> Mapping[str, Value]:
    return {"device": part(kit.cl, CORE_ENTRY)}


def _of_another_type(kit: Kit, _given: Arguments) -> Mapping[str, Value]:
    other, fact = kit.another_device, "CL_DEVICE_TYPE"
    needs(kit.cl.fact(fact, other) != kit.cl.fact(fact), "all available devices have the same type")
    return {"context": kit.context_of_type(kit.cl.fact("CL_DEVICE_TYPE", other) or 0)}


def _part_alone(kit: Kit, _given: Arguments) -> Mapping[str, Value]:
    device = part(kit.cl, CORE_ENTRY)
    return {"context": kit.new_context(device), "device": device}


def _second(kit: Kit, _given: Arguments) -> Mapping[str, Value]:
    return {"context": kit.new_context(kit.cl.device, kit.another_device), "device": kit.another_device}


def _of_its_type(kit: Kit, _given: Arguments) -> Mapping[str, Value]:
    return {"context": kit.context_of_type(kit.cl.fact("CL_DEVICE_TYPE") or 0)}


# clSetDefaultDeviceCommandQueue


@variations.of("clSetDefaultDeviceCommandQueue/CL_INVALID_OPERATION/1")
def defaults_that_stay() -> Iterator[Variation]:
    """Yield a device that supports on-device queues but not a replaceable default."""
    yield Variation("a device whose default queue cannot be replaced", _lasting)


@variations.of("clSetDefaultDeviceCommandQueue/CL_INVALID_COMMAND_QUEUE/1")
def no_queues_of_the_device() -> Iterator[Variation]:
    """Yield NULL, host queues, and queues of another device or context."""
    yield Variation("command_queue=NULL", {"command_queue": None})
    yield Variation("a host queue", lambda kit, _given: {"command_queue": kit.queue})
    yield Variation("a queue of another device", _of_another_device)
    yield Variation("a queue of another context", _of_another_context)


@variations.of("clSetDefaultDeviceCommandQueue/CL_INVALID_DEVICE/1")
def no_devices_of_the_context() -> Iterator[Variation]:
    """Yield a device outside the context."""
    yield Variation("a sub-device of the context's device", _part)


@variations.of("clSetDefaultDeviceCommandQueue/CL_INVALID_CONTEXT/1")
def no_context_of_the_queue() -> Iterator[Variation]:
    """Yield NULL, and a context other than the queue's."""
    yield Variation("context=NULL", {"context": None})
    yield Variation("a context other than the queue's", lambda kit, _given: {"context": kit.foreign.context})


@variations.of("clSetDefaultDeviceCommandQueue/success")
def valid_defaults() -> Iterator[Variation]:
    """Yield the current default, another queue as the default, and a queue in a context created by type."""
    yield Variation("in a context created by device type", _in_a_context_of_its_type)
    yield Variation("replacing the current default", _in_place)
    yield Variation("the current default", lambda kit, _given: {"command_queue": _present(kit)})


def _present(kit: Kit) -> Handle:
    """Create the default queue, or retain the existing one."""
    needs(kit.cl.fact(LARGEST), "the device does not support device queues")
    return kit.device_queue(BITS, f"{ON_DEVICE}+{OUT_OF_ORDER}+{DEFAULT}")


def _in_place(kit: Kit, _given: Arguments) -> Mapping[str, Value]:
    present = _present(kit)
    needs(
        (kit.cl.fact("CL_DEVICE_MAX_ON_DEVICE_QUEUES") or 0) > 1, "the device supports only one device queue at a time"
    )
    replacing = kit.device_queue()
    kit.cl.query("clGetCommandQueueInfo", present, "CL_QUEUE_DEVICE_DEFAULT")
    return {"command_queue": replacing}


def _in_a_context_of_its_type(kit: Kit, _given: Arguments) -> Mapping[str, Value]:
    needs(kit.cl.fact(LARGEST), "the device does not support device queues")
    context = kit.context_of_type(kit.cl.fact("CL_DEVICE_TYPE") or 0)
    return {"context": context, "command_queue": kit.within(context).device_queue()}


def _lasting(kit: Kit, _given: Arguments) -> Mapping[str, Value]:
    cl = kit.cl
    only = {cl.tables.enumerants["CL_DEVICE_QUEUE_SUPPORTED"].value}
    capable = [device for device in cl.devices if cl.fact("CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES", device) in only]
    needs(capable, "no device supports device queues without a replaceable default")
    context = kit.new_context(capable[0])
    made = kit.within(context).device_queue(device=capable[0])
    return {"context": context, "device": capable[0], "command_queue": made}


def _of_another_device(kit: Kit, _given: Arguments) -> Mapping[str, Value]:
    context, other = kit.new_context(kit.cl.device, kit.another_device), kit.another_device
    needs(kit.cl.fact(LARGEST, other), "the other device does not support device queues")
    return {"context": context, "command_queue": kit.within(context).device_queue(device=other)}


def _of_another_context(kit: Kit, _given: Arguments) -> Mapping[str, Value]:
    needs(kit.cl.fact(LARGEST), "the device does not support device queues")
    return {"command_queue": kit.foreign.device_queue()}
