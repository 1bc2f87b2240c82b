"""Queues to query: on the host and on the device, default ones, with hints, and with changed properties."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Handle, Items
from clconform.suites.kit.queues import BITS, DEFAULT, LARGEST, ON_DEVICE, OUT_OF_ORDER, PROFILING
from clconform.suites.kit.queues import SIZE as QUEUE_SIZE
from clconform.suites.queries.kinds import Kinds
from clconform.suites.steps import needs, promised

if TYPE_CHECKING:
    from clconform.suites.kit.kit import Kit
    from clconform.suites.queries.kinds import About

QUEUE = "clGetCommandQueueInfo"
kinds = Kinds()
WITHOUT_PROPERTIES = ("clCreateCommandQueueWithPropertiesKHR/effect/2",)


@kinds.of("a queue", QUEUE, aims=("clGetCommandQueueInfo/CL_INVALID_COMMAND_QUEUE/1",))
def plain_queue(kit: Kit) -> About:
    return {"command_queue": kit.queue}


@kinds.of("a profiling queue", QUEUE)
def profiling_queue(kit: Kit) -> About:
    return {"command_queue": kit.new_queue(properties=kit.value(PROFILING))}


@kinds.of("a queue out of order", QUEUE)
def out_of_order_queue(kit: Kit) -> About:
    return {"command_queue": kit.out_of_order()}


@kinds.of("a queue with a NULL list", QUEUE, aims=WITHOUT_PROPERTIES)
def queue_with_null(kit: Kit) -> About:
    return {"command_queue": kit.queue_by_list(None)}


@kinds.of("a queue with an empty list", QUEUE, aims=WITHOUT_PROPERTIES)
def queue_with_empty_list(kit: Kit) -> About:
    return {"command_queue": kit.queue_by_list(Items((0,)))}


@kinds.of("a queue with a list", QUEUE)
def queue_with_list(kit: Kit) -> About:
    return {"command_queue": kit.queue_by_list(kit.listed(BITS, PROFILING))}


def _on_device(kit: Kit, *more: str | int, bits: str = f"{ON_DEVICE}+{OUT_OF_ORDER}") -> Handle:
    needs(kit.cl.fact(LARGEST), "the device does not support device queues")
    return kit.device_queue(BITS, bits, *more)


def _default(kit: Kit) -> Handle:
    return _on_device(kit, bits=f"{ON_DEVICE}+{OUT_OF_ORDER}+{DEFAULT}")


@kinds.of("a queue on the device", QUEUE)
def queue_on_device(kit: Kit) -> About:
    preferred = kit.cl.fact("CL_DEVICE_QUEUE_ON_DEVICE_PREFERRED_SIZE")
    return {"command_queue": _on_device(kit, *(() if preferred is None else (QUEUE_SIZE, preferred)))}


@kinds.of("a queue on the device without a size", QUEUE)
def queue_on_device_without_a_size(kit: Kit) -> About:
    return {"command_queue": _on_device(kit)}


@kinds.of("the default queue on the device", QUEUE)
def default_queue(kit: Kit) -> About:
    return {"command_queue": _default(kit)}


@kinds.of("the default queue on the device, got again", QUEUE)
def default_queue_again(kit: Kit) -> About:
    _default(kit)
    return {"command_queue": _default(kit)}


@kinds.of("a host queue with a default device queue", QUEUE)
def queue_beside_the_default(kit: Kit) -> About:
    _default(kit)
    return {"command_queue": kit.queue}


@kinds.of("a queue on the device, chosen as its default", QUEUE)
def queue_chosen_as_default(kit: Kit) -> About:
    needs(promised(kit.cl, "clSetDefaultDeviceCommandQueue"), "requires OpenCL 2.1 (clSetDefaultDeviceCommandQueue)")
    made = _on_device(kit)
    kit.cl.clSetDefaultDeviceCommandQueue(kit.context, kit.cl.device, made)
    return {"command_queue": made}


@kinds.of("a queue with a priority and a throttle hint", QUEUE)
def queue_with_hints(kit: Kit) -> About:
    names = ("PRIORITY_KHR", "PRIORITY_LOW_KHR", "THROTTLE_KHR", "THROTTLE_HIGH_KHR")
    return {"command_queue": kit.queue_by_list(kit.listed(*(f"CL_QUEUE_{name}" for name in names)))}


@kinds.of("a queue whose properties have changed", QUEUE)
def changed_queue(kit: Kit) -> About:
    kit.call("clSetCommandQueueProperty")
    return {"command_queue": kit.queue}
