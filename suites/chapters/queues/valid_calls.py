"""One valid call of each function about command-queues (section 5.1)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import OutputBuffer
from clconform.suites.kit.queues import MAX_DEVICE_QUEUE_SIZE, PROFILING
from clconform.suites.kit.valid_calls import ValidCalls

if TYPE_CHECKING:
    from clconform.suites.kit.kit import Kit
    from clconform.suites.kit.valid_calls import Arguments

valid_calls = ValidCalls()


@valid_calls.declare("clCreateCommandQueue")
def queue(kit: Kit) -> Arguments:
    """Create an in-order queue without profiling."""
    return {"context": kit.context, "device": kit.cl.device, "properties": 0}


@valid_calls.declare("clCreateCommandQueueWithProperties", "clCreateCommandQueueWithPropertiesKHR")
def queue_with_properties(kit: Kit) -> Arguments:
    """Create a queue with NULL as the property list."""
    return {"context": kit.context, "device": kit.cl.device}


@valid_calls.declare("clRetainCommandQueue")
def retain(kit: Kit) -> Arguments:
    """Retain a queue."""
    return {"command_queue": kit.queue}


@valid_calls.declare("clReleaseCommandQueue")
def release(kit: Kit) -> Arguments:
    """Release a queue that has one reference."""
    return {"command_queue": kit.new_queue()}


@valid_calls.declare("clSetCommandQueueProperty")
def enable_profiling(kit: Kit) -> Arguments:
    """Enable profiling of a queue, where queue properties can be changed."""
    bits = kit.constant(PROFILING)
    return {"command_queue": kit.queue, "properties": bits, "enable": 1, "old_properties": OutputBuffer(1)}


@valid_calls.declare("clSetDefaultDeviceCommandQueue")
def set_default(kit: Kit) -> Arguments:
    """Set a default on-device queue; a device without such queues gets a host queue and must reject the call."""
    made = kit.device_queue() if kit.cl.fact(MAX_DEVICE_QUEUE_SIZE) else kit.queue
    return {"context": kit.context, "device": kit.cl.device, "command_queue": made}
