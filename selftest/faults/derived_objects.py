"""Faults of derived objects: they do not carry over the state that an error condition depends on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.model.images import Image
from clconform.oracles.model.kernels import Kernel
from clconform.oracles.model.memory_objects import Buffer, SubBuffer
from clconform.oracles.model.queues import CommandQueue
from clconform.selftest.faults.registry import Faults, SimulatedStep

if TYPE_CHECKING:
    from clconform.calls.call import Outcome
    from clconform.oracles.model.programs import Program

faults = Faults()

NO_HOST_ACCESS = "CL_INVALID_OPERATION"
"""The error of a host access that the flags of a memory object exclude."""


def _program_of(step: SimulatedStep) -> Program | None:
    kernel = step.find("kernel", Kernel)
    return kernel.program if kernel is not None else None


@faults.plant("clEnqueueNDRangeKernel", "clEnqueueTask", error="CL_INVALID_KERNEL_ARGS")
def clone_without_arguments_enqueued(step: SimulatedStep) -> Outcome | None:
    """A clone with arguments that are not set is enqueued."""
    kernel = step.find("kernel", Kernel)
    return step.accept() if kernel is not None and kernel.source is not None else None


@faults.plant("clSetKernelArg", error="CL_INVALID_ARG_INDEX")
def argument_index_of_clone_not_checked(step: SimulatedStep) -> Outcome | None:
    """Any argument index is accepted for a clone."""
    kernel = step.find("kernel", Kernel)
    return step.accept() if kernel is not None and kernel.source is not None else None


@faults.plant("clEnqueueReadBuffer", "clEnqueueWriteBuffer", error=NO_HOST_ACCESS)
def host_access_of_sub_buffer_not_inherited(step: SimulatedStep) -> Outcome | None:
    """A sub-buffer does not inherit the host access flags of its buffer."""
    return step.accept() if step.find("buffer", SubBuffer) is not None else None


@faults.plant("clEnqueueReadImage", "clEnqueueWriteImage", error=NO_HOST_ACCESS)
def host_access_of_image_of_buffer_not_inherited(step: SimulatedStep) -> Outcome | None:
    """An image that is created from a buffer does not inherit the host access flags of the buffer."""
    image = step.find("image", Image)
    return step.accept() if image is not None and isinstance(image.source, Buffer) else None


@faults.plant("clEnqueueNDRangeKernel", error="CL_INVALID_WORK_GROUP_SIZE")
def work_group_size_on_sub_device_not_checked(step: SimulatedStep) -> Outcome | None:
    """A work-group of any size is accepted on a sub-device."""
    queue = step.find("command_queue", CommandQueue)
    device = queue.device if queue is not None else None
    return step.accept() if device is not None and not device.is_root else None


@faults.plant("clSetKernelArg", error="CL_INVALID_ARG_SIZE")
def argument_size_not_checked_after_program_release(step: SimulatedStep) -> Outcome | None:
    """An argument of any size is accepted after the application has released the program of the kernel."""
    program = _program_of(step)
    return step.accept() if program is not None and program.references == 0 else None
