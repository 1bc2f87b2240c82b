"""One valid call of each function about command-queues (section 5.1), and what queues are made of."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Handle, Items, Room
from clconform.suites.errors.valid_calls import ValidCalls
from clconform.suites.steps import needs, one, promised

if TYPE_CHECKING:
    from clconform.suites.bench import Bench
    from clconform.suites.errors.valid_calls import Arguments

BITS, SIZE = "CL_QUEUE_PROPERTIES", "CL_QUEUE_SIZE"
OUT_OF_ORDER, PROFILING = "CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE", "CL_QUEUE_PROFILING_ENABLE"
ON_DEVICE, DEFAULT = "CL_QUEUE_ON_DEVICE", "CL_QUEUE_ON_DEVICE_DEFAULT"
LARGEST = "CL_DEVICE_QUEUE_ON_DEVICE_MAX_SIZE"
valid_calls = ValidCalls()


@valid_calls.declare("clCreateCommandQueue")
def queue(bench: Bench) -> Arguments:
    """Make a queue in order, without profiling."""
    return {"context": bench.context, "device": bench.cl.device, "properties": 0}


@valid_calls.declare("clCreateCommandQueueWithProperties", "clCreateCommandQueueWithPropertiesKHR")
def queue_by_a_list(bench: Bench) -> Arguments:
    """Make a queue without a list of properties."""
    return {"context": bench.context, "device": bench.cl.device}


@valid_calls.declare("clRetainCommandQueue")
def retained(bench: Bench) -> Arguments:
    """Retain a queue."""
    return {"command_queue": bench.queue}


@valid_calls.declare("clReleaseCommandQueue")
def released(bench: Bench) -> Arguments:
    """Release a queue that has one reference."""
    return {"command_queue": bench.new_queue(bench.context)}


@valid_calls.declare("clSetCommandQueueProperty")
def profiled(bench: Bench) -> Arguments:
    """Have a queue's commands timed, where the properties of queues can be changed."""
    bits = bench.value(PROFILING)
    return {"command_queue": bench.queue, "properties": bits, "enable": 1, "old_properties": Room(1)}


@valid_calls.declare("clSetDefaultDeviceCommandQueue")
def default(bench: Bench) -> Arguments:
    """Choose a default queue; on a device without queues of its own it is one on the host, and the device refuses."""
    made = device_queue(bench) if bench.cl.fact(LARGEST) else bench.queue
    return {"context": bench.context, "device": bench.cl.device, "command_queue": made}


def listed(bench: Bench, *elements: str | int) -> Items:
    """Return a list of properties with its end; names stand for their values, and ``A+B`` for both bits."""
    values = [bench.value(*each.split("+")) if isinstance(each, str) else each for each in elements]
    return Items((*values, 0))


def device_queue(
    bench: Bench, *elements: str | int, context: Handle | None = None, device: Handle | None = None
) -> Handle:
    """Make a queue on the device, the default one where the list says so."""
    needs(promised(bench.cl, "clCreateCommandQueueWithProperties"), "queues on the device come with 2.0")
    chosen = listed(bench, *(elements or (BITS, f"{ON_DEVICE}+{OUT_OF_ORDER}")))
    make = bench.cl.clCreateCommandQueueWithProperties
    return one(make(context or bench.context, device or bench.cl.device, chosen, Room(1)))


def supports(bench: Bench, *names: str) -> bool:
    """Tell whether queues on the host may have these properties."""
    bits = bench.value(*names)
    return bool((bench.cl.fact("CL_DEVICE_QUEUE_PROPERTIES") or 0) & bits == bits)
