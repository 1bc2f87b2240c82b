"""Queues for queries: on the host and on the device, default queues, with hints, and with changed properties."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import ElementList, Handle
from clconform.suites.helpers import is_available, skip_unless
from clconform.suites.kit.queues import (
    DEFAULT,
    MAX_DEVICE_QUEUE_SIZE,
    ON_DEVICE,
    OUT_OF_ORDER,
    PROFILING,
    QUEUE_PROPERTIES,
    QUEUE_SIZE,
)
from clconform.suites.queries.kinds import ObjectKindRegistry

if TYPE_CHECKING:
    from clconform.suites.kit.kit import Kit
    from clconform.suites.queries.kinds import QuerySubject

QUEUE = "clGetCommandQueueInfo"
kinds = ObjectKindRegistry()
WITHOUT_PROPERTIES = ("clCreateCommandQueueWithPropertiesKHR/effect/2",)


@kinds.declare("a queue", QUEUE, covers=("clGetCommandQueueInfo/CL_INVALID_COMMAND_QUEUE/1",))
def plain_queue(kit: Kit) -> QuerySubject:
    return {"command_queue": kit.queue}


@kinds.declare("a profiling queue", QUEUE)
def profiling_queue(kit: Kit) -> QuerySubject:
    return {"command_queue": kit.new_queue(properties=kit.constant(PROFILING))}


@kinds.declare("a queue out of order", QUEUE)
def out_of_order_queue(kit: Kit) -> QuerySubject:
    return {"command_queue": kit.out_of_order_queue()}


@kinds.declare("a queue with a NULL list", QUEUE, covers=WITHOUT_PROPERTIES)
def queue_with_null(kit: Kit) -> QuerySubject:
    return {"command_queue": kit.queue_from_list(None)}


@kinds.declare("a queue with an empty list", QUEUE, covers=WITHOUT_PROPERTIES)
def queue_with_empty_list(kit: Kit) -> QuerySubject:
    return {"command_queue": kit.queue_from_list(ElementList((0,)))}


@kinds.declare("a queue with a list", QUEUE)
def queue_with_list(kit: Kit) -> QuerySubject:
    return {"command_queue": kit.queue_from_list(kit.property_list(QUEUE_PROPERTIES, PROFILING))}


def _create_device_queue(kit: Kit, *more: str | int, bits: str = f"{ON_DEVICE}+{OUT_OF_ORDER}") -> Handle:
    skip_unless(kit.cl.fact(MAX_DEVICE_QUEUE_SIZE), "the device does not support device queues")
    return kit.device_queue(QUEUE_PROPERTIES, bits, *more)


def _create_default_queue(kit: Kit) -> Handle:
    return _create_device_queue(kit, bits=f"{ON_DEVICE}+{OUT_OF_ORDER}+{DEFAULT}")


@kinds.declare("a queue on the device", QUEUE)
def queue_on_device(kit: Kit) -> QuerySubject:
    preferred = kit.cl.fact("CL_DEVICE_QUEUE_ON_DEVICE_PREFERRED_SIZE")
    return {"command_queue": _create_device_queue(kit, *(() if preferred is None else (QUEUE_SIZE, preferred)))}


@kinds.declare("a queue on the device without a size", QUEUE)
def queue_on_device_without_a_size(kit: Kit) -> QuerySubject:
    return {"command_queue": _create_device_queue(kit)}


@kinds.declare("the default queue on the device", QUEUE)
def default_queue(kit: Kit) -> QuerySubject:
    return {"command_queue": _create_default_queue(kit)}


@kinds.declare("the default queue on the device, retrieved again", QUEUE)
def repeated_default_queue(kit: Kit) -> QuerySubject:
    _create_default_queue(kit)
    return {"command_queue": _create_default_queue(kit)}


@kinds.declare("a host queue with a default device queue", QUEUE)
def host_queue_with_default(kit: Kit) -> QuerySubject:
    _create_default_queue(kit)
    return {"command_queue": kit.queue}


@kinds.declare("a queue on the device, chosen as its default", QUEUE)
def queue_chosen_as_default(kit: Kit) -> QuerySubject:
    skip_unless(
        is_available(kit.cl, "clSetDefaultDeviceCommandQueue"), "requires OpenCL 2.1 (clSetDefaultDeviceCommandQueue)"
    )
    made = _create_device_queue(kit)
    kit.cl.clSetDefaultDeviceCommandQueue(kit.context, kit.cl.device, made)
    return {"command_queue": made}


@kinds.declare("a queue with a priority and a throttle hint", QUEUE)
def queue_with_hints(kit: Kit) -> QuerySubject:
    names = ("PRIORITY_KHR", "PRIORITY_LOW_KHR", "THROTTLE_KHR", "THROTTLE_HIGH_KHR")
    return {"command_queue": kit.queue_from_list(kit.property_list(*(f"CL_QUEUE_{name}" for name in names)))}


@kinds.declare("a queue whose properties have changed", QUEUE)
def changed_queue(kit: Kit) -> QuerySubject:
    kit.call("clSetCommandQueueProperty")
    return {"command_queue": kit.queue}
