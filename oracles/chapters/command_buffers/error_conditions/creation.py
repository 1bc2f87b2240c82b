"""Error conditions of creating command-buffers (section 5.17.3)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import ElementList
from clconform.oracles.common.command_buffers import multi_device_applicability
from clconform.oracles.common.contexts import contexts_of, find_other_contexts
from clconform.oracles.common.property_lists import find_list_violations, is_list_invalid, list_values
from clconform.oracles.engine.applicability import Applicability
from clconform.oracles.engine.predicate_result import MUST, NO, PredicateResult, may, must_if, strongest_result
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.errors import UnknownFactError
from clconform.oracles.model.queues import CommandQueue

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.calls.call import Call
    from clconform.oracles.model.devices import Device, Platform
    from clconform.oracles.model.state import Model

rules = Rules()

CAPABILITIES = "CL_DEVICE_COMMAND_BUFFER_CAPABILITIES_KHR"
PLATFORM_CAPABILITIES = "CL_PLATFORM_COMMAND_BUFFER_CAPABILITIES_KHR"
REQUIRED = "CL_DEVICE_COMMAND_BUFFER_REQUIRED_QUEUE_PROPERTIES_KHR"
SYNC_DEVICES = "CL_DEVICE_COMMAND_BUFFER_SYNC_DEVICES_KHR"
NUM_SYNC_DEVICES = "CL_DEVICE_COMMAND_BUFFER_NUM_SYNC_DEVICES_KHR"
FLAGS = "CL_COMMAND_BUFFER_FLAGS_KHR"
CREATE = "clCreateCommandBufferKHR"
FLAG_CAPABILITY_QUERIES = {
    "CL_COMMAND_BUFFER_MUTABLE_KHR": "CL_DEVICE_MUTABLE_DISPATCH_CAPABILITIES_KHR",
    "CL_COMMAND_BUFFER_DEVICE_SIDE_SYNC_KHR": NUM_SYNC_DEVICES,
}
"""Maps a flag of command-buffers to a device query; a device for which the query returns 0 does not support the flag.
"""


def listed_queues(call: Call, model: Model) -> list[CommandQueue]:
    """Return the queues in ``queues`` of a call; raise UnknownFactError if an element is not a known queue."""
    listed = call.queues.values if isinstance(call.queues, ElementList) else ()
    return [model.get(CommandQueue, each) for each in listed]


def device_of_queue(queue: CommandQueue) -> Device:
    """Return the device of a queue; raise UnknownFactError if the device is not known."""
    if queue.queue_device is None:
        raise UnknownFactError("the queue's device")
    return queue.queue_device


def has_capability(device: Device, capability: str, model: Model) -> bool:
    """Return whether a device reports a command-buffer capability.

    Raise UnknownFactError if the revision of the tables does not define the capability.
    """
    bit = model.tables.enumerants.get(f"CL_COMMAND_BUFFER_CAPABILITY_{capability}_KHR")
    if bit is None:
        raise UnknownFactError("a capability that the revision of the tables does not have")
    return bool(device.number(CAPABILITIES) & bit.value)


def platform_has_capability(platform: Platform | None, capability: str, model: Model) -> bool:
    """Return whether a platform reports a command-buffer capability; raise UnknownFactError if ``platform`` is None."""
    if platform is None:
        raise UnknownFactError("the platform")
    bits = platform.number(PLATFORM_CAPABILITIES)
    return bool(bits & model.constant_value(f"CL_COMMAND_BUFFER_PLATFORM_{capability}_KHR"))


def read_flags(properties: object, model: Model) -> int:
    """Return the value of CL_COMMAND_BUFFER_FLAGS_KHR in a property list, 0 if the list does not contain it."""
    given = list_values(properties).get(model.constant_value(FLAGS), 0)
    return given if isinstance(given, int) else 0


@rules.clause("clCreateCommandBufferKHR/CL_INCOMPATIBLE_COMMAND_QUEUE_KHR/1")
def has_unsupported_out_of_order_queue(call: Call, model: Model) -> PredicateResult:
    """An out-of-order queue in queues is on a device without CL_COMMAND_BUFFER_CAPABILITY_OUT_OF_ORDER_KHR."""
    return must_if(
        any(
            not queue.in_order and not has_capability(device_of_queue(queue), "OUT_OF_ORDER", model)
            for queue in listed_queues(call, model)
        )
    )


@rules.clause("clCreateCommandBufferKHR/CL_INCOMPATIBLE_COMMAND_QUEUE_KHR/2")
def lacks_required_queue_property(call: Call, model: Model) -> PredicateResult:
    """A queue in queues lacks a property that its device requires.

    The device requires the properties in CL_DEVICE_COMMAND_BUFFER_REQUIRED_QUEUE_PROPERTIES_KHR.
    """
    for queue in listed_queues(call, model):
        required = device_of_queue(queue).number(REQUIRED)
        if required and queue.bits is None:
            raise UnknownFactError("the queue's properties")
        if required & ~(queue.bits or 0):
            return MUST
    return NO


@rules.clause("clCreateCommandBufferKHR/CL_INVALID_CONTEXT/1")
def has_queues_of_several_contexts(call: Call, model: Model) -> PredicateResult:
    """The elements of queues do not all belong to the same context."""
    return must_if(len({context.name for context in contexts_of(call.queues, model)}) > 1)


@rules.alternatives_of("clCreateCommandBufferKHR/CL_INVALID_CONTEXT/1")
def find_queue_contexts(call: Call, model: Model) -> Iterator[str]:
    """Yield each queue that belongs to a different context than the first one."""
    return find_other_contexts(call, model, "queues")


@rules.clause("clCreateCommandBufferKHR/CL_INVALID_VALUE/1")
def is_queue_count_invalid(call: Call, model: Model) -> PredicateResult:
    """num_queues is 0, or it is greater than 1 and cl_khr_command_buffer_multi_device is not supported."""
    if call.num_queues in (0, 1):
        return must_if(bool(call.num_queues == 0))
    several = multi_device_applicability(call, model)
    return (
        may("undecided-applicability")
        if several is Applicability.UNDECIDED
        else must_if(several is Applicability.NOT_APPLICABLE)
    )


@rules.alternatives_of("clCreateCommandBufferKHR/CL_INVALID_VALUE/1")
def find_queue_count_violation(call: Call, model: Model) -> Iterator[str]:
    """Yield the alternative that holds: num_queues is 0, or above 1 without the extension for several queues."""
    del model
    if call.num_queues == 0:
        yield "num_queues is 0"
    else:
        yield "num_queues is greater than 1 and cl_khr_command_buffer_multi_device is not supported"


@rules.clause("clCreateCommandBufferKHR/CL_INVALID_VALUE/3")
def are_properties_invalid(call: Call, model: Model) -> PredicateResult:
    """properties contains an invalid name or value, or the same name more than once."""
    return is_list_invalid(call, "properties", model, forbids_duplicates=True)


@rules.alternatives_of("clCreateCommandBufferKHR/CL_INVALID_VALUE/3")
def find_property_violations(call: Call, model: Model) -> Iterator[str]:
    """Yield the alternative that holds.

    The alternatives: properties contains an unsupported name, an unsupported value, or the same name more than
    once.
    """
    return find_list_violations(call, "properties", model, forbids_duplicates=True)


@rules.clause("clCreateCommandBufferKHR/CL_INVALID_PROPERTY/1")
def are_properties_unsupported(call: Call, model: Model) -> PredicateResult:
    """properties requests simultaneous use, and the device of a queue in queues does not support it.

    The request is CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR in CL_COMMAND_BUFFER_FLAGS_KHR. A device with
    CL_COMMAND_BUFFER_CAPABILITY_SIMULTANEOUS_USE_KHR supports it. The error is optional for
    CL_COMMAND_BUFFER_MUTABLE_KHR on a device without updatable fields, and for CL_COMMAND_BUFFER_DEVICE_SIDE_SYNC_KHR
    on a device without devices to synchronize with.
    """
    flags, queues = read_flags(call.properties, model), listed_queues(call, model)
    simultaneous = flags & model.constant_value("CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR")
    if simultaneous and any(not has_capability(device_of_queue(queue), "SIMULTANEOUS_USE", model) for queue in queues):
        return MUST
    return strongest_result(_has_useless_flag(flags, device_of_queue(queue), model) for queue in queues)


def _has_useless_flag(flags: int, device: Device, model: Model) -> PredicateResult:
    """Return an optional error if a flag requests a feature that the device does not report."""
    useless = any(
        flags & model.constant_value(flag) and not device.facts.get(query)
        for flag, query in FLAG_CAPABILITY_QUERIES.items()
    )
    return may("flags-without-device-support") if useless else NO


@rules.clause("clCreateCommandBufferKHR/CL_INCOMPATIBLE_COMMAND_QUEUE_KHR/3")
def has_several_queues_of_device(call: Call, model: Model) -> PredicateResult:
    """Two queues in queues are on one device without CL_COMMAND_BUFFER_CAPABILITY_MULTIPLE_QUEUE_KHR.

    The error is optional if queues lists the same queue twice.
    """
    queues = listed_queues(call, model)
    if len(queues) == 1:
        return NO
    lacking = [queue for queue in queues if not has_capability(device_of_queue(queue), "MULTIPLE_QUEUE", model)]
    each_once = [queue.queue_device for queue in dict.fromkeys(lacking)]
    if len(set(each_once)) < len(each_once):
        return MUST
    return may("queue-listed-twice") if len(each_once) < len(lacking) else NO


def lacks_mutual_synchronization(queues: list[CommandQueue]) -> bool:
    """Return whether the device of a queue does not report synchronization with the device of another queue.

    If a device reports a root device, it can also synchronize with the sub-devices of this root device.
    """
    devices = list(dict.fromkeys(map(device_of_queue, queues)))
    return any(
        other is not device and _root_of(other).name not in synchronizable_devices(device)
        for device in devices
        for other in devices
    )


def synchronizable_devices(device: Device) -> tuple[object, ...]:
    """Return the names of the devices in CL_DEVICE_COMMAND_BUFFER_SYNC_DEVICES_KHR of a device.

    If no call has queried a sub-device, return the value of its root device. Raise UnknownFactError if no call has
    queried the root device either.
    """
    for thing in (device, _root_of(device)):
        told = thing.facts.get(SYNC_DEVICES)
        if told is not None:
            return told if isinstance(told, tuple) else (told,)
        if thing.facts.get(NUM_SYNC_DEVICES) == 0:
            return ()
    raise UnknownFactError(SYNC_DEVICES)


def _root_of(device: Device) -> Device:
    return device.ancestors[-1] if device.ancestors else device


@rules.clause("clCreateCommandBufferKHR/CL_INCOMPATIBLE_COMMAND_QUEUE_KHR/4")
def lacks_device_side_synchronization(call: Call, model: Model) -> PredicateResult:
    """properties requests device-side synchronization, and the devices of two queues cannot synchronize.

    The request is CL_COMMAND_BUFFER_DEVICE_SIDE_SYNC_KHR in CL_COMMAND_BUFFER_FLAGS_KHR. A device can synchronize with
    the devices in its CL_DEVICE_COMMAND_BUFFER_SYNC_DEVICES_KHR and with their sub-devices.
    """
    if not read_flags(call.properties, model) & model.constant_value("CL_COMMAND_BUFFER_DEVICE_SIDE_SYNC_KHR"):
        return NO
    return must_if(lacks_mutual_synchronization(listed_queues(call, model)))


@rules.clause("clCreateCommandBufferKHR/CL_INCOMPATIBLE_COMMAND_QUEUE_KHR/5")
def lacks_any_synchronization(call: Call, model: Model) -> PredicateResult:
    """The devices of two queues cannot synchronize, and the platform does not report universal synchronization.

    A device can synchronize with the devices in its CL_DEVICE_COMMAND_BUFFER_SYNC_DEVICES_KHR and with their
    sub-devices. The platform capability is CL_COMMAND_BUFFER_PLATFORM_UNIVERSAL_SYNC_KHR.
    """
    queues = listed_queues(call, model)
    if not lacks_mutual_synchronization(queues):
        return NO
    return must_if(not platform_has_capability(device_of_queue(queues[0]).platform, "UNIVERSAL_SYNC", model))
