"""Error conditions of creating, changing and querying queues (section 5.1)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Handle
from clconform.oracles.common.contexts import contexts_of, find_invalid_or_other
from clconform.oracles.common.objects import find_invalid_object, is_invalid_object
from clconform.oracles.common.property_lists import find_list_violations, is_list_invalid, parse_list
from clconform.oracles.engine.predicate_result import MUST, NO, UNDEFINED, PredicateResult, may, must_by, must_if
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.contexts import Context
from clconform.oracles.model.devices import Device
from clconform.oracles.model.queues import CommandQueue, DeviceQueue, HostQueue

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.calls.call import Call
    from clconform.oracles.model.state import Model

rules = Rules()

BY_LIST = ("clCreateCommandQueueWithProperties", "clCreateCommandQueueWithPropertiesKHR")
BITS, SIZE = "CL_QUEUE_PROPERTIES", "CL_QUEUE_SIZE"
ON_DEVICE, DEFAULT = "CL_QUEUE_ON_DEVICE", "CL_QUEUE_ON_DEVICE_DEFAULT"
OUT_OF_ORDER, PROFILING = "CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE", "CL_QUEUE_PROFILING_ENABLE"
ENQUEUE, REPLACEABLE = "CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES", "CL_DEVICE_QUEUE_REPLACEABLE_DEFAULT"
MAX_ON_DEVICE_QUEUES = "CL_DEVICE_MAX_ON_DEVICE_QUEUES"
LARGEST_UINT = (1 << 32) - 1
"""The largest queue size that a cl_uint can hold."""
VENDOR_BITS = 7 << 29
"""Bits that the registry reserves for vendors, whose extensions the documents do not cover."""


class Wish:
    """Queue that a property list requests, with its flags, its size, and whether it is an on-device queue."""

    def __init__(self, call: Call, model: Model) -> None:
        self.listed = parse_list(call.properties) or []
        self.model = model
        pairs = dict(self.listed)
        bits, size = pairs.get(model.constant_value(BITS), 0), pairs.get(model.constant_value(SIZE))
        self.bits = bits if isinstance(bits, int) else 0
        self.size = size if isinstance(size, int) else None
        self.on_device = self.has(ON_DEVICE)

    def has(self, name: str) -> bool:
        """Return whether CL_QUEUE_PROPERTIES in the list contains a flag."""
        return bool(self.bits & self.model.constant_value(name))

    def lists(self, name: str) -> bool:
        """Return whether the list contains a property."""
        return self.model.constant_value(name) in dict(self.listed)

    def find_contradictions(self) -> Iterator[str]:
        """Yield a text for each property in the list that requires another property that is not in the list.

        An on-device queue must be out-of-order. Only an on-device queue can be the default queue, or have a size.
        """
        if self.on_device and not self.has(OUT_OF_ORDER):
            yield f"properties contains {ON_DEVICE} without {OUT_OF_ORDER}"
        if not self.on_device and self.has(DEFAULT):
            yield f"properties contains {DEFAULT} without {ON_DEVICE}"
        if not self.on_device and self.lists(SIZE):
            yield f"properties contains {SIZE} without {ON_DEVICE}"


@rules.clause(
    "clCreateCommandQueueWithProperties/CL_INVALID_VALUE/1",
    "clCreateCommandQueueWithPropertiesKHR/CL_INVALID_VALUE/1",
)
def has_invalid_list(call: Call, model: Model) -> PredicateResult:
    """properties contains an invalid name, an invalid value, or values that contradict each other.

    CL_QUEUE_ON_DEVICE requires CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE; CL_QUEUE_ON_DEVICE_DEFAULT and CL_QUEUE_SIZE
    require CL_QUEUE_ON_DEVICE. A size of more than CL_DEVICE_QUEUE_ON_DEVICE_MAX_SIZE is invalid.
    """
    wish = Wish(call, model)
    if wish.bits & VENDOR_BITS:
        return may("flag-defined-elsewhere")
    reply = is_list_invalid(call, "properties", model, forbids_duplicates=False)
    if reply in (MUST, UNDEFINED):
        return reply
    if any(wish.find_contradictions()) or _is_too_large(wish, call):
        return must_by("code-for-invalid-queue-properties")
    return may("queue-size-zero") if wish.size == 0 else reply


@rules.alternatives_of(
    "clCreateCommandQueueWithProperties/CL_INVALID_VALUE/1",
    "clCreateCommandQueueWithPropertiesKHR/CL_INVALID_VALUE/1",
)
def find_property_violations(call: Call, model: Model) -> Iterator[str]:
    """Yield each alternative that holds.

    The alternatives: properties contains an invalid name or value, or a property that requires another one.
    """
    wish = Wish(call, model)
    yield from find_list_violations(call, "properties", model, forbids_duplicates=False)
    yield from wish.find_contradictions()
    if _is_too_large(wish, call):
        yield "CL_QUEUE_SIZE in properties is more than CL_DEVICE_QUEUE_ON_DEVICE_MAX_SIZE"


def _is_too_large(wish: Wish, call: Call) -> bool:
    if wish.size is None or wish.size > LARGEST_UINT or not wish.on_device:
        return False
    return wish.size > wish.model.device(call.device).number("CL_DEVICE_QUEUE_ON_DEVICE_MAX_SIZE")


@rules.clause(
    "clCreateCommandQueueWithProperties/CL_INVALID_QUEUE_PROPERTIES/1",
    "clCreateCommandQueueWithPropertiesKHR/CL_INVALID_QUEUE_PROPERTIES/1",
)
def has_unsupported_list(call: Call, model: Model) -> PredicateResult:
    """properties contains valid values that device does not support.

    CL_DEVICE_QUEUE_PROPERTIES and CL_DEVICE_QUEUE_ON_DEVICE_PROPERTIES list the flags that device supports.
    """
    wish, device = Wish(call, model), model.find(call.device)
    if isinstance(device, Device) and has_unsupported_bits(wish.bits, device, model):
        return MUST
    wrong = has_invalid_list(call, model)
    return may("code-for-invalid-queue-properties") if wrong.is_must else wrong


@rules.clause(
    "clCreateCommandQueueWithProperties/CL_INVALID_QUEUE_PROPERTIES/2",
    "clCreateCommandQueueWithPropertiesKHR/CL_INVALID_QUEUE_PROPERTIES/2",
)
def has_priority_on_device(call: Call, model: Model) -> PredicateResult:
    """properties contains CL_QUEUE_PRIORITY_KHR and requests an on-device queue."""
    wish = Wish(call, model)
    return must_if(wish.on_device and wish.lists("CL_QUEUE_PRIORITY_KHR"))


@rules.clause(
    "clCreateCommandQueueWithProperties/CL_INVALID_QUEUE_PROPERTIES/3",
    "clCreateCommandQueueWithPropertiesKHR/CL_INVALID_QUEUE_PROPERTIES/3",
)
def has_throttle_on_device(call: Call, model: Model) -> PredicateResult:
    """properties contains CL_QUEUE_THROTTLE_KHR and requests an on-device queue."""
    wish = Wish(call, model)
    return must_if(wish.on_device and wish.lists("CL_QUEUE_THROTTLE_KHR"))


def has_unsupported_bits(bits: int, device: Device, model: Model) -> bool:
    """Return whether a device reports that it does not support flags in ``bits``. Invalid bits are ignored.

    Raises UnknownFactError if the supported flags are unknown.
    """
    modes = model.constant_value(OUT_OF_ORDER) | model.constant_value(PROFILING)
    if not bits & model.constant_value(ON_DEVICE):
        return bool(bits & modes & ~device.number("CL_DEVICE_QUEUE_PROPERTIES"))
    supported = device.number("CL_DEVICE_QUEUE_ON_DEVICE_PROPERTIES")
    return supported == 0 or bool(bits & modes & ~supported)


@rules.clause("clCreateCommandQueue/CL_INVALID_VALUE/1", "clSetCommandQueueProperty/CL_INVALID_VALUE/1")
def has_invalid_bits(call: Call, model: Model) -> PredicateResult:
    """properties has a bit set other than CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE and CL_QUEUE_PROFILING_ENABLE."""
    others = call.properties & ~(model.constant_value(OUT_OF_ORDER) | model.constant_value(PROFILING))
    return may("flag-defined-elsewhere") if others and not others & ~VENDOR_BITS else must_if(bool(others))


@rules.clause("clCreateCommandQueue/CL_INVALID_QUEUE_PROPERTIES/1")
def has_unsupported_property(call: Call, model: Model) -> PredicateResult:
    """properties has a bit set that device does not support."""
    modes = call.properties & (model.constant_value(OUT_OF_ORDER) | model.constant_value(PROFILING))
    device = model.find(call.device)
    if isinstance(device, Device) and has_unsupported_bits(modes, device, model):
        return MUST
    on_device = call.properties & (model.constant_value(ON_DEVICE) | model.constant_value(DEFAULT))
    return may("on-device-bit-for-host-queue") if on_device else NO


@rules.clause("clSetCommandQueueProperty/CL_INVALID_OPERATION/1")
def are_properties_fixed(call: Call, model: Model) -> PredicateResult:
    """The implementation cannot change queue properties, and no device in the context has version 1.0.

    The context is the context of command_queue.
    """
    queue = model.find(call.command_queue)
    context = queue.context if isinstance(queue, CommandQueue) else None
    if any(device.version < (1, 1) for device in (context.devices if context else model.root_devices())):
        return NO
    return may("fixed-queue-properties")


@rules.clause("clSetCommandQueueProperty/CL_INVALID_QUEUE_PROPERTIES/1")
def has_unsupported_new_property(call: Call, model: Model) -> PredicateResult:
    """properties has a bit set that the device of command_queue does not support."""
    queue = model.find(call.command_queue)
    if not isinstance(queue, CommandQueue) or queue.device is None:
        return NO
    modes = call.properties & (model.constant_value(OUT_OF_ORDER) | model.constant_value(PROFILING))
    if not has_unsupported_bits(modes, queue.device, model):
        on_device = call.properties & (model.constant_value(ON_DEVICE) | model.constant_value(DEFAULT))
        return may("on-device-bit-for-host-queue") if on_device else NO
    return MUST if call.enable else may("disabling-unsupported-queue-property")


@rules.clause("clSetDefaultDeviceCommandQueue/CL_INVALID_CONTEXT/1")
def is_context_invalid(call: Call, model: Model) -> PredicateResult:
    """context is NULL, not a valid context, or not the context of command_queue."""
    reply = is_invalid_object(call.context, "cl_context", model)
    if reply is not NO:
        return reply
    return may("default-queue-of-another-context") if _has_other_context(call, model) else NO


@rules.alternatives_of("clSetDefaultDeviceCommandQueue/CL_INVALID_CONTEXT/1")
def find_context_violation(call: Call, model: Model) -> Iterator[str]:
    """Yield the alternative that holds: context is NULL or not a valid context."""
    return find_invalid_object("context", call.context, "cl_context", model)


@rules.clause("clSetDefaultDeviceCommandQueue/CL_INVALID_OPERATION/1")
def is_default_fixed(call: Call, model: Model) -> PredicateResult:
    """device does not support replacing its default on-device queue.

    A device of version 3.0 or later supports this if CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES contains
    CL_DEVICE_QUEUE_REPLACEABLE_DEFAULT.
    """
    device = model.find(call.device)
    if isinstance(device, Device):
        return _is_default_of_device_fixed(device, model)
    stays = [_is_default_of_device_fixed(each, model) for each in model.root_devices()]
    return NO if NO in stays else may("default-queue-without-device")


def _is_default_of_device_fixed(device: Device, model: Model) -> PredicateResult:
    if device.version >= (3, 0):
        without_queues = device.facts.get(MAX_ON_DEVICE_QUEUES) == 0 and ENQUEUE not in device.facts
        return MUST if without_queues or not device.number(ENQUEUE) & model.constant_value(REPLACEABLE) else NO
    if device.version < (2, 0):
        return MUST
    has_queues = device.version >= (2, 1) and device.number(MAX_ON_DEVICE_QUEUES) > 0
    return NO if has_queues else may("default-queue-required-before-3.0")


@rules.clause("clSetDefaultDeviceCommandQueue/CL_INVALID_COMMAND_QUEUE/1")
def is_queue_invalid_as_default(call: Call, model: Model) -> PredicateResult:
    """command_queue is NULL or not a valid on-device queue of device."""
    reply = is_invalid_object(call.command_queue, "cl_command_queue", model)
    queue, device = model.find(call.command_queue), model.find(call.device)
    if reply is not NO or not isinstance(queue, CommandQueue):
        return reply
    if isinstance(device, Device) and queue.device is not device:
        return MUST
    if not isinstance(queue, DeviceQueue):
        return may("host-queue-as-default")
    return may("default-queue-of-another-context") if _has_other_context(call, model) else NO


@rules.alternatives_of("clSetDefaultDeviceCommandQueue/CL_INVALID_COMMAND_QUEUE/1")
def find_default_queue_violation(call: Call, model: Model) -> Iterator[str]:
    """Yield the alternative that holds: command_queue is NULL, not a valid queue, or a queue of another device."""
    return find_invalid_or_other("command_queue", call.command_queue, "cl_command_queue", model, "a queue of device")


def _has_other_context(call: Call, model: Model) -> bool:
    context, owners = model.find(call.context), contexts_of(call.command_queue, model)
    return isinstance(call.command_queue, Handle) and isinstance(context, Context) and owners != [context]


@rules.clause("clGetCommandQueueInfo/CL_INVALID_COMMAND_QUEUE/1")
def is_queue_invalid_for_query(call: Call, model: Model) -> PredicateResult:
    """command_queue is NULL or not a valid queue.

    The error also applies to a host queue if param_name is CL_QUEUE_SIZE.
    """
    reply = is_invalid_object(call.command_queue, "cl_command_queue", model)
    if reply is not NO:
        return reply
    queue = model.get(CommandQueue, call.command_queue)
    return must_if(call.param_name == model.constant_value("CL_QUEUE_SIZE") and isinstance(queue, HostQueue))


@rules.alternatives_of("clGetCommandQueueInfo/CL_INVALID_COMMAND_QUEUE/1")
def find_queried_queue_violation(call: Call, model: Model) -> Iterator[str]:
    """Yield the alternative that holds.

    The alternatives: command_queue is NULL, not a valid queue, or a host queue in a query of CL_QUEUE_SIZE.
    """
    found = list(find_invalid_object("command_queue", call.command_queue, "cl_command_queue", model))
    yield from found or ["command_queue is a host queue and param_name is CL_QUEUE_SIZE"]
