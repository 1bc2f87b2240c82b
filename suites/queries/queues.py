"""Queues to ask: on the host and on the device, default ones, with hints, and one whose properties have changed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Handle, Items, Room
from clconform.suites.queries.contexts import About, a_context
from clconform.suites.queries.kinds import Kinds
from clconform.suites.steps import needs, one, promised, value

if TYPE_CHECKING:
    from clconform.runner.session.session import Session

ON_DEVICE = ("CL_QUEUE_ON_DEVICE", "CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE")
kinds = Kinds()


def a_queue(cl: Session, context: Handle, properties: int = 0) -> Handle:
    """Make a queue on the device under test."""
    return one(cl.clCreateCommandQueue(context, cl.device, properties, Room(1)))


def queue_by_list(cl: Session, properties: Items | None, context: Handle | None = None) -> About:
    """Make a queue with a list of properties."""
    needs(promised(cl, "clCreateCommandQueueWithProperties"), "queues take no list of properties before 2.0")
    outcome = cl.clCreateCommandQueueWithProperties(context or a_context(cl), cl.device, properties, Room(1))
    return {"command_queue": one(outcome)}


@kinds.of("a queue", "clGetCommandQueueInfo")
def plain_queue(cl: Session) -> About:
    return {"command_queue": a_queue(cl, a_context(cl))}


@kinds.of("a profiling queue", "clGetCommandQueueInfo")
def profiling_queue(cl: Session) -> About:
    return {"command_queue": a_queue(cl, a_context(cl), value(cl, "CL_QUEUE_PROFILING_ENABLE"))}


@kinds.of("a queue out of order", "clGetCommandQueueInfo")
def out_of_order_queue(cl: Session) -> About:
    bit = value(cl, "CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE")
    needs((cl.fact("CL_DEVICE_QUEUE_PROPERTIES") or 0) & bit, "the device has no queue out of order")
    return {"command_queue": a_queue(cl, a_context(cl), bit)}


@kinds.of("a queue with a NULL list", "clGetCommandQueueInfo")
def queue_with_null(cl: Session) -> About:
    return queue_by_list(cl, None)


@kinds.of("a queue with an empty list", "clGetCommandQueueInfo")
def queue_with_empty_list(cl: Session) -> About:
    return queue_by_list(cl, Items((0,)))


@kinds.of("a queue with a list", "clGetCommandQueueInfo")
def queue_with_list(cl: Session) -> About:
    bits = value(cl, "CL_QUEUE_PROFILING_ENABLE")
    return queue_by_list(cl, Items((value(cl, "CL_QUEUE_PROPERTIES"), bits, 0)))


def device_queue(cl: Session, *more: str, context: Handle | None = None, size: int | None = None) -> About:
    """Make a queue on the device, with more bits and of a size where these are given."""
    needs(cl.fact("CL_DEVICE_QUEUE_ON_DEVICE_MAX_SIZE"), "the device has no queues of its own")
    bits = sum(value(cl, name) for name in (*ON_DEVICE, *more))
    sized = () if size is None else (value(cl, "CL_QUEUE_SIZE"), size)
    properties = Items((value(cl, "CL_QUEUE_PROPERTIES"), bits, *sized, 0))
    return queue_by_list(cl, properties, context)


@kinds.of("a queue on the device", "clGetCommandQueueInfo")
def queue_on_device(cl: Session) -> About:
    return device_queue(cl, size=cl.fact("CL_DEVICE_QUEUE_ON_DEVICE_PREFERRED_SIZE"))


@kinds.of("a queue on the device without a size", "clGetCommandQueueInfo")
def queue_on_device_without_a_size(cl: Session) -> About:
    return device_queue(cl)


@kinds.of("the default queue on the device", "clGetCommandQueueInfo")
def default_queue(cl: Session) -> About:
    return device_queue(cl, "CL_QUEUE_ON_DEVICE_DEFAULT")


@kinds.of("the default queue on the device, got again", "clGetCommandQueueInfo")
def default_queue_again(cl: Session) -> About:
    context = a_context(cl)
    device_queue(cl, "CL_QUEUE_ON_DEVICE_DEFAULT", context=context)
    return device_queue(cl, "CL_QUEUE_ON_DEVICE_DEFAULT", context=context)


@kinds.of("a queue on the host beside a default one on the device", "clGetCommandQueueInfo")
def queue_beside_the_default(cl: Session) -> About:
    context = a_context(cl)
    device_queue(cl, "CL_QUEUE_ON_DEVICE_DEFAULT", context=context)
    return {"command_queue": a_queue(cl, context)}


@kinds.of("a queue on the device, chosen as its default", "clGetCommandQueueInfo")
def queue_chosen_as_default(cl: Session) -> About:
    needs(promised(cl, "clSetDefaultDeviceCommandQueue"), "the default can be replaced from 2.1 on")
    context = a_context(cl)
    made = device_queue(cl, context=context)
    cl.clSetDefaultDeviceCommandQueue(context, cl.device, made["command_queue"])
    return made


@kinds.of("a queue with a priority and a throttle hint", "clGetCommandQueueInfo")
def queue_with_hints(cl: Session) -> About:
    names = ("PRIORITY_KHR", "PRIORITY_LOW_KHR", "THROTTLE_KHR", "THROTTLE_HIGH_KHR")
    return queue_by_list(cl, Items((*(value(cl, f"CL_QUEUE_{name}") for name in names), 0)))


@kinds.of("a queue whose properties have changed", "clGetCommandQueueInfo")
def changed_queue(cl: Session) -> About:
    queue = a_queue(cl, a_context(cl))
    cl.clSetCommandQueueProperty(queue, value(cl, "CL_QUEUE_PROFILING_ENABLE"), 1, Room(1))
    return {"command_queue": queue}
