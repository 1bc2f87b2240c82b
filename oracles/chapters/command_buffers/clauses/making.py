"""Error conditions of creating command-buffers (section 5.17.3)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Items
from clconform.oracles.engine.answers import Answer, May, Reply
from clconform.oracles.engine.gates import Gating
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.errors import UnknownError
from clconform.oracles.model.queues import Queue
from clconform.oracles.recurring.command_buffers import for_several
from clconform.oracles.recurring.contexts import contexts_of
from clconform.oracles.recurring.objects import gravest
from clconform.oracles.recurring.property_lists import list_not_valid, pairs

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.oracles.model.devices import Device, Platform
    from clconform.oracles.model.world import Model

rules = Rules()

CAPABILITIES = "CL_DEVICE_COMMAND_BUFFER_CAPABILITIES_KHR"
PLATFORM_CAPABILITIES = "CL_PLATFORM_COMMAND_BUFFER_CAPABILITIES_KHR"
REQUIRED = "CL_DEVICE_COMMAND_BUFFER_REQUIRED_QUEUE_PROPERTIES_KHR"
SYNCHRONIZED = "CL_DEVICE_COMMAND_BUFFER_SYNC_DEVICES_KHR"
NUMBER_SYNCHRONIZED = "CL_DEVICE_COMMAND_BUFFER_NUM_SYNC_DEVICES_KHR"
FLAGS = "CL_COMMAND_BUFFER_FLAGS_KHR"
CREATE = "clCreateCommandBufferKHR"
OF_USE_WITH = {
    "CL_COMMAND_BUFFER_MUTABLE_KHR": "CL_DEVICE_MUTABLE_DISPATCH_CAPABILITIES_KHR",
    "CL_COMMAND_BUFFER_DEVICE_SIDE_SYNC_KHR": NUMBER_SYNCHRONIZED,
}
"""Flags of command-buffers to the device queries that report whether a flag has any use."""


def queues_in(call: Call, model: Model) -> list[Queue]:
    """Return the queues that a call lists; UnknownError if an element is not a queue."""
    listed = call.queues.values if isinstance(call.queues, Items) else ()
    return [model.get(Queue, each) for each in listed]


def device_behind(queue: Queue) -> Device:
    """Return the device of a queue; UnknownError if it is not known."""
    if queue.on is None:
        raise UnknownError("the queue's device")
    return queue.on


def can(device: Device, capability: str, model: Model) -> bool:
    """Return whether a device reports a command-buffer capability; UnknownError if the revision lacks it."""
    bit = model.tables.enumerants.get(f"CL_COMMAND_BUFFER_CAPABILITY_{capability}_KHR")
    if bit is None:
        raise UnknownError("a capability that the revision of the tables does not have")
    return bool(device.number(CAPABILITIES) & bit.value)


def platform_can(platform: Platform | None, capability: str, model: Model) -> bool:
    """Return whether a platform reports a command-buffer capability; UnknownError if the platform is not known."""
    if platform is None:
        raise UnknownError("the platform")
    bits = platform.number(PLATFORM_CAPABILITIES)
    return bool(bits & model.value(f"CL_COMMAND_BUFFER_PLATFORM_{capability}_KHR"))


def flags_in(properties: object, model: Model) -> int:
    """Return the command-buffer flags in a property list, 0 by default."""
    given = pairs(properties).get(model.value(FLAGS), 0)
    return given if isinstance(given, int) else 0


@rules.clause("clCreateCommandBufferKHR/CL_INCOMPATIBLE_COMMAND_QUEUE_KHR/1")
def out_of_order(call: Call, model: Model) -> Reply:
    """A queue in queues is out of order, and its device lacks CL_COMMAND_BUFFER_CAPABILITY_OUT_OF_ORDER_KHR."""
    return any(
        not queue.in_order and not can(device_behind(queue), "OUT_OF_ORDER", model) for queue in queues_in(call, model)
    )


@rules.clause("clCreateCommandBufferKHR/CL_INCOMPATIBLE_COMMAND_QUEUE_KHR/2")
def without_required_properties(call: Call, model: Model) -> Reply:
    """A queue in queues lacks a property of CL_DEVICE_COMMAND_BUFFER_REQUIRED_QUEUE_PROPERTIES_KHR."""
    for queue in queues_in(call, model):
        required = device_behind(queue).number(REQUIRED)
        if required and queue.bits is None:
            raise UnknownError("the queue's properties")
        if required & ~(queue.bits or 0):
            return True
    return False


@rules.clause("clCreateCommandBufferKHR/CL_INVALID_CONTEXT/1")
def queues_of_several_contexts(call: Call, model: Model) -> Reply:
    """The elements of queues do not all belong to the same context."""
    return len({context.name for context in contexts_of(call.queues, model)}) > 1


@rules.clause("clCreateCommandBufferKHR/CL_INVALID_VALUE/1")
def wrong_number_of_queues(call: Call, model: Model) -> Reply:
    """num_queues is 0, or it is greater than 1 and cl_khr_command_buffer_multi_device is not supported."""
    if call.num_queues in (0, 1):
        return bool(call.num_queues == 0)
    several = for_several(call, model)
    return May("undecided-gate") if several is Gating.UNDECIDED else several is Gating.CLOSED


@rules.clause("clCreateCommandBufferKHR/CL_INVALID_VALUE/3")
def invalid_properties(call: Call, model: Model) -> Reply:
    """properties contains an invalid name or value, or the same name more than once."""
    return list_not_valid(call, "properties", model, once=True)


@rules.clause("clCreateCommandBufferKHR/CL_INVALID_PROPERTY/1")
def unsupported_properties(call: Call, model: Model) -> Reply:
    """properties requests simultaneous use, and a device of a queue in queues does not support it.

    The error is optional for CL_COMMAND_BUFFER_MUTABLE_KHR on a device without updatable fields, and for
    CL_COMMAND_BUFFER_DEVICE_SIDE_SYNC_KHR on a device without devices to synchronize with.
    """
    flags, queues = flags_in(call.properties, model), queues_in(call, model)
    simultaneous = flags & model.value("CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR")
    if simultaneous and any(not can(device_behind(queue), "SIMULTANEOUS_USE", model) for queue in queues):
        return Answer.MUST
    return gravest(_without_use(flags, device_behind(queue), model) for queue in queues)


def _without_use(flags: int, device: Device, model: Model) -> Reply:
    """Return whether a flag requests a feature for which a device reports nothing."""
    useless = any(flags & model.value(flag) and not device.facts.get(query) for flag, query in OF_USE_WITH.items())
    return May("flags-of-no-use") if useless else Answer.NO


@rules.clause("clCreateCommandBufferKHR/CL_INCOMPATIBLE_COMMAND_QUEUE_KHR/3")
def several_queues_of_a_device(call: Call, model: Model) -> Reply:
    """Several elements of queues are on one device without CL_COMMAND_BUFFER_CAPABILITY_MULTIPLE_QUEUE_KHR."""
    queues = queues_in(call, model)
    if len(queues) == 1:
        return Answer.NO
    lacking = [queue for queue in queues if not can(device_behind(queue), "MULTIPLE_QUEUE", model)]
    each_once = [queue.on for queue in dict.fromkeys(lacking)]
    if len(set(each_once)) < len(each_once):
        return Answer.MUST
    return May("queue-listed-twice") if len(each_once) < len(lacking) else Answer.NO


def out_of_step(queues: list[Queue]) -> bool:
    """Return whether a device of some queues cannot synchronize by itself with the device of another queue.

    A root device in the reported list stands for its sub-devices.
    """
    devices = list(dict.fromkeys(map(device_behind, queues)))
    return any(
        other is not device and _root_of(other).name not in synchronized_with(device)
        for device in devices
        for other in devices
    )


def synchronized_with(device: Device) -> tuple[object, ...]:
    """Return the names of the devices that a device can synchronize with; UnknownError if that was not queried.

    A sub-device without a query result has the value of its root device.
    """
    for thing in (device, _root_of(device)):
        told = thing.facts.get(SYNCHRONIZED)
        if told is not None:
            return told if isinstance(told, tuple) else (told,)
        if thing.facts.get(NUMBER_SYNCHRONIZED) == 0:
            return ()
    raise UnknownError(SYNCHRONIZED)


def _root_of(device: Device) -> Device:
    return device.ancestors[-1] if device.ancestors else device


@rules.clause("clCreateCommandBufferKHR/CL_INCOMPATIBLE_COMMAND_QUEUE_KHR/4")
def not_by_the_devices_alone(call: Call, model: Model) -> Reply:
    """properties requests device-side synchronization, and the devices of queues cannot all synchronize by it."""
    if not flags_in(call.properties, model) & model.value("CL_COMMAND_BUFFER_DEVICE_SIDE_SYNC_KHR"):
        return Answer.NO
    return out_of_step(queues_in(call, model))


@rules.clause("clCreateCommandBufferKHR/CL_INCOMPATIBLE_COMMAND_QUEUE_KHR/5")
def not_at_all(call: Call, model: Model) -> Reply:
    """The devices of queues cannot all synchronize by themselves, and the platform lacks universal synchronization."""
    queues = queues_in(call, model)
    if not out_of_step(queues):
        return Answer.NO
    return not platform_can(device_behind(queues[0]).platform, "UNIVERSAL_SYNC", model)
