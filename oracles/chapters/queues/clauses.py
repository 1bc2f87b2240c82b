"""Error conditions of creating, changing and querying queues (section 5.1)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Handle
from clconform.oracles.engine.answers import Answer, May, Must, Reply
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.contexts import Context
from clconform.oracles.model.devices import Device
from clconform.oracles.model.queues import DeviceQueue, HostQueue, Queue
from clconform.oracles.recurring.contexts import contexts_of
from clconform.oracles.recurring.objects import valid_object
from clconform.oracles.recurring.property_lists import list_not_valid, read_list

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.oracles.model.world import Model

rules = Rules()

BY_LIST = ("clCreateCommandQueueWithProperties", "clCreateCommandQueueWithPropertiesKHR")
BITS, SIZE = "CL_QUEUE_PROPERTIES", "CL_QUEUE_SIZE"
ON_DEVICE, DEFAULT = "CL_QUEUE_ON_DEVICE", "CL_QUEUE_ON_DEVICE_DEFAULT"
OUT_OF_ORDER, PROFILING = "CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE", "CL_QUEUE_PROFILING_ENABLE"
ENQUEUE, REPLACEABLE = "CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES", "CL_DEVICE_QUEUE_REPLACEABLE_DEFAULT"
MOST_ON_DEVICE = "CL_DEVICE_MAX_ON_DEVICE_QUEUES"
LARGEST_UINT = (1 << 32) - 1
"""The largest queue size that a cl_uint can hold."""
VENDORS = 7 << 29
"""Bits that the registry reserves for vendors, whose extensions the documents do not cover."""


class Wish:
    """The queue that a property list requests: its bits, its size, and whether it is an on-device queue."""

    def __init__(self, call: Call, model: Model) -> None:
        self.listed = read_list(call.properties) or []
        self.model = model
        pairs = dict(self.listed)
        bits, size = pairs.get(model.value(BITS), 0), pairs.get(model.value(SIZE))
        self.bits = bits if isinstance(bits, int) else 0
        self.size = size if isinstance(size, int) else None
        self.on_device = self.has(ON_DEVICE)

    def has(self, name: str) -> bool:
        """Return whether the list requests a bit."""
        return bool(self.bits & self.model.value(name))

    def names(self, name: str) -> bool:
        """Return whether the list contains a property."""
        return self.model.value(name) in dict(self.listed)

    def contradicts(self) -> bool:
        """Return whether the properties of host and on-device queues are combined inconsistently."""
        if self.on_device:
            return not self.has(OUT_OF_ORDER)
        return self.has(DEFAULT) or self.names(SIZE)


@rules.clause(
    "clCreateCommandQueueWithProperties/CL_INVALID_VALUE/1",
    "clCreateCommandQueueWithPropertiesKHR/CL_INVALID_VALUE/1",
)
def list_of_a_queue_not_valid(call: Call, model: Model) -> Reply:
    """properties contains an invalid name, an invalid value, or values that contradict each other."""
    wish = Wish(call, model)
    if wish.bits & VENDORS:
        return May("flag-of-elsewhere")
    reply = list_not_valid(call, "properties", model, once=False)
    if reply in (Answer.MUST, Answer.UNDEFINED):
        return reply
    if wish.contradicts() or _too_large(wish, call):
        return Must("queue-list-either-code")
    return May("queue-of-no-size") if wish.size == 0 else reply


def _too_large(wish: Wish, call: Call) -> bool:
    if wish.size is None or wish.size > LARGEST_UINT or not wish.on_device:
        return False
    return wish.size > wish.model.device(call.device).number("CL_DEVICE_QUEUE_ON_DEVICE_MAX_SIZE")


@rules.clause(
    "clCreateCommandQueueWithProperties/CL_INVALID_QUEUE_PROPERTIES/1",
    "clCreateCommandQueueWithPropertiesKHR/CL_INVALID_QUEUE_PROPERTIES/1",
)
def list_not_supported(call: Call, model: Model) -> Reply:
    """properties contains valid values that device does not support."""
    wish, device = Wish(call, model), model.known(call.device)
    if isinstance(device, Device) and bits_not_supported(wish.bits, device, model):
        return Answer.MUST
    wrong = list_of_a_queue_not_valid(call, model)
    return May("queue-list-either-code") if wrong is Answer.MUST or isinstance(wrong, Must) else wrong


@rules.clause(
    "clCreateCommandQueueWithProperties/CL_INVALID_QUEUE_PROPERTIES/2",
    "clCreateCommandQueueWithPropertiesKHR/CL_INVALID_QUEUE_PROPERTIES/2",
)
def priority_on_the_device(call: Call, model: Model) -> Reply:
    """properties contains CL_QUEUE_PRIORITY_KHR and requests an on-device queue."""
    wish = Wish(call, model)
    return wish.on_device and wish.names("CL_QUEUE_PRIORITY_KHR")


@rules.clause(
    "clCreateCommandQueueWithProperties/CL_INVALID_QUEUE_PROPERTIES/3",
    "clCreateCommandQueueWithPropertiesKHR/CL_INVALID_QUEUE_PROPERTIES/3",
)
def throttle_on_the_device(call: Call, model: Model) -> Reply:
    """properties contains CL_QUEUE_THROTTLE_KHR and requests an on-device queue."""
    wish = Wish(call, model)
    return wish.on_device and wish.names("CL_QUEUE_THROTTLE_KHR")


def bits_not_supported(bits: int, device: Device, model: Model) -> bool:
    """Return whether a device reports that it does not support these bits; UnknownError if unknown.

    Invalid bits are ignored here.
    """
    modes = model.value(OUT_OF_ORDER) | model.value(PROFILING)
    if not bits & model.value(ON_DEVICE):
        return bool(bits & modes & ~device.number("CL_DEVICE_QUEUE_PROPERTIES"))
    supported = device.number("CL_DEVICE_QUEUE_ON_DEVICE_PROPERTIES")
    return supported == 0 or bool(bits & modes & ~supported)


@rules.clause("clCreateCommandQueue/CL_INVALID_VALUE/1", "clSetCommandQueueProperty/CL_INVALID_VALUE/1")
def bits_not_valid(call: Call, model: Model) -> Reply:
    """properties has a bit set other than CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE and CL_QUEUE_PROFILING_ENABLE."""
    others = call.properties & ~(model.value(OUT_OF_ORDER) | model.value(PROFILING))
    return May("flag-of-elsewhere") if others and not others & ~VENDORS else bool(others)


@rules.clause("clCreateCommandQueue/CL_INVALID_QUEUE_PROPERTIES/1")
def property_not_supported(call: Call, model: Model) -> Reply:
    """properties has a bit set that device does not support."""
    modes = call.properties & (model.value(OUT_OF_ORDER) | model.value(PROFILING))
    device = model.known(call.device)
    if isinstance(device, Device) and bits_not_supported(modes, device, model):
        return Answer.MUST
    on_device = call.properties & (model.value(ON_DEVICE) | model.value(DEFAULT))
    return May("bit-of-a-device-queue") if on_device else Answer.NO


@rules.clause("clSetCommandQueueProperty/CL_INVALID_OPERATION/1")
def properties_stay(call: Call, model: Model) -> Reply:
    """No device of the context is of version 1.0, and the implementation cannot change queue properties."""
    queue = model.known(call.command_queue)
    context = queue.context if isinstance(queue, Queue) else None
    if any(device.version < (1, 1) for device in (context.devices if context else model.root_devices())):
        return Answer.NO
    return May("properties-stay")


@rules.clause("clSetCommandQueueProperty/CL_INVALID_QUEUE_PROPERTIES/1")
def new_property_not_supported(call: Call, model: Model) -> Reply:
    """properties has a bit set that the device of command_queue does not support."""
    queue = model.known(call.command_queue)
    if not isinstance(queue, Queue) or queue.device is None:
        return Answer.NO
    modes = call.properties & (model.value(OUT_OF_ORDER) | model.value(PROFILING))
    if not bits_not_supported(modes, queue.device, model):
        on_device = call.properties & (model.value(ON_DEVICE) | model.value(DEFAULT))
        return May("bit-of-a-device-queue") if on_device else Answer.NO
    return Answer.MUST if call.enable else May("disabled-although-never-there")


@rules.clause("clSetDefaultDeviceCommandQueue/CL_INVALID_CONTEXT/1")
def context_not_the_queues(call: Call, model: Model) -> Reply:
    """context is NULL, not a valid context, or not the context of command_queue."""
    reply = valid_object(call.context, "cl_context", model)
    if reply is not Answer.NO:
        return reply
    return May("default-of-another-context") if _of_another_context(call, model) else Answer.NO


@rules.clause("clSetDefaultDeviceCommandQueue/CL_INVALID_OPERATION/1")
def default_stays(call: Call, model: Model) -> Reply:
    """device does not support replacing its default on-device queue."""
    device = model.known(call.device)
    if isinstance(device, Device):
        return _default_of_it_stays(device, model)
    stays = [_default_of_it_stays(each, model) for each in model.root_devices()]
    return Answer.NO if Answer.NO in stays else May("default-without-a-device")


def _default_of_it_stays(device: Device, model: Model) -> Reply:
    if device.version >= (3, 0):
        without_queues = device.facts.get(MOST_ON_DEVICE) == 0 and ENQUEUE not in device.facts
        return Answer.MUST if without_queues or not device.number(ENQUEUE) & model.value(REPLACEABLE) else Answer.NO
    if device.version < (2, 0):
        return Answer.MUST
    has_queues = device.version >= (2, 1) and device.number(MOST_ON_DEVICE) > 0
    return Answer.NO if has_queues else May("default-was-required")


@rules.clause("clSetDefaultDeviceCommandQueue/CL_INVALID_COMMAND_QUEUE/1")
def no_queue_for_the_default(call: Call, model: Model) -> Reply:
    """command_queue is NULL or not a valid on-device queue of device."""
    reply = valid_object(call.command_queue, "cl_command_queue", model)
    queue, device = model.known(call.command_queue), model.known(call.device)
    if reply is not Answer.NO or not isinstance(queue, Queue):
        return reply
    if isinstance(device, Device) and queue.device is not device:
        return Answer.MUST
    if not isinstance(queue, DeviceQueue):
        return May("host-queue-for-the-default")
    return May("default-of-another-context") if _of_another_context(call, model) else Answer.NO


def _of_another_context(call: Call, model: Model) -> bool:
    context, owners = model.known(call.context), contexts_of(call.command_queue, model)
    return isinstance(call.command_queue, Handle) and isinstance(context, Context) and owners != [context]


@rules.clause("clGetCommandQueueInfo/CL_INVALID_COMMAND_QUEUE/1")
def not_a_queue_for_the_name(call: Call, model: Model) -> Reply:
    """command_queue is NULL or not a valid queue.

    The error also applies to a host queue if param_name is CL_QUEUE_SIZE.
    """
    reply = valid_object(call.command_queue, "cl_command_queue", model)
    if reply is not Answer.NO:
        return reply
    queue = model.get(Queue, call.command_queue)
    return call.param_name == model.value("CL_QUEUE_SIZE") and isinstance(queue, HostQueue)
