"""Faults at limits: calls fail that reach a limit of the device, or use many objects, without exceeding a limit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Text
from clconform.oracles.model.images import Image
from clconform.oracles.model.kernels import Kernel
from clconform.oracles.model.queues import CommandQueue
from clconform.selftest.faults.registry import Faults, SimulatedStep

if TYPE_CHECKING:
    from clconform.calls.call import Outcome

faults = Faults()

MAX_ARGUMENTS, MAX_ARGUMENT_BYTES, MAX_QUEUES, MAX_NAME, MAX_CONTEXTS = 100, 512, 64, 100, 64
"""The limits of the faults, which are lower than those that the device reports."""


@faults.plant("clSetKernelArg", succeeded=True)
def late_argument_rejected(step: SimulatedStep) -> Outcome | None:
    """Arguments after the first hundred are rejected."""
    return step.fail("CL_INVALID_ARG_INDEX") if step.call.arg_index >= MAX_ARGUMENTS else None


@faults.plant("clEnqueueNDRangeKernel", succeeded=True)
def large_arguments_rejected(step: SimulatedStep) -> Outcome | None:
    """A kernel is not enqueued if its arguments have more than 512 bytes together."""
    kernel = step.find("kernel", Kernel)
    whole = sum(each.size or 0 for each in kernel.arguments.values()) if kernel is not None else 0
    return step.fail("CL_INVALID_KERNEL_ARGS") if whole > MAX_ARGUMENT_BYTES else None


@faults.plant("clCreateImage", succeeded=True)
def largest_width_rejected(step: SimulatedStep) -> Outcome | None:
    """An image of the largest width is rejected."""
    image, device = step.find_created(Image), step.model.root_devices()[0]
    most = device.facts.get("CL_DEVICE_IMAGE2D_MAX_WIDTH")
    largest = image is not None and image.shape.extent[0] == most
    return step.fail_creation("CL_INVALID_IMAGE_SIZE", remove=True) if largest else None


@faults.plant("clCreateCommandQueue", succeeded=True)
def many_queues_rejected(step: SimulatedStep) -> Outcome | None:
    """No queue is created if there are 64 queues."""
    count = sum(1 for _ in step.model.objects_of_class(CommandQueue))
    return step.fail_creation("CL_INVALID_CONTEXT", remove=True) if count > MAX_QUEUES else None


@faults.plant("clCreateKernel", succeeded=True)
def long_name_rejected(step: SimulatedStep) -> Outcome | None:
    """A kernel whose name is longer than 100 characters is not found."""
    name = step.argument("kernel_name", Text)
    long = name is not None and len(name.content) > MAX_NAME
    return step.fail_creation("CL_INVALID_KERNEL_NAME", remove=True) if long else None


@faults.plant("clCreateContext", succeeded=True)
def contexts_never_destroyed(step: SimulatedStep) -> Outcome | None:
    """No context is created after 64 contexts, although all of them are released."""
    count = step.state("context_count", [0])
    count[0] += 1
    return step.fail_creation("CL_DEVICE_NOT_AVAILABLE", remove=True) if count[0] > MAX_CONTEXTS else None
