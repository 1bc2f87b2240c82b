"""Faults at the edge of error conditions: calls that are just valid are rejected."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import ElementList
from clconform.oracles.model.images import Image
from clconform.oracles.model.kernels import Kernel
from clconform.oracles.model.memory_objects import Buffer, SubBuffer
from clconform.oracles.model.parameters import ArgumentKind
from clconform.oracles.model.queues import CommandQueue
from clconform.selftest.faults.registry import Faults, SimulatedStep

if TYPE_CHECKING:
    from clconform.calls.call import Outcome
    from clconform.oracles.model.devices import Device

faults = Faults()

INVALID_VALUE = "CL_INVALID_VALUE"


def _device_of(step: SimulatedStep) -> Device | None:
    queue = step.find("command_queue", CommandQueue)
    return queue.device if queue is not None else None


def _numbers(step: SimulatedStep, parameter: str) -> tuple[int, ...]:
    given = step.argument(parameter, ElementList)
    return tuple(each for each in given.values if isinstance(each, int)) if given is not None else ()


@faults.plant("clEnqueueReadBuffer", succeeded=True)
def read_up_to_the_end_rejected(step: SimulatedStep) -> Outcome | None:
    """A read that begins inside a buffer and ends with its last byte is rejected."""
    buffer, offset = step.find("buffer", Buffer), step.call.offset
    return step.fail(INVALID_VALUE) if buffer is not None and 0 < offset == buffer.size - step.call.size else None


@faults.plant("clEnqueueCopyBufferRect", succeeded=True)
def interleaved_rectangles_rejected(step: SimulatedStep) -> Outcome | None:
    """A copy between interleaved rectangles of one buffer with a slice pitch of 0 is rejected as an overlap."""
    call, region = step.call, _numbers(step, "region")
    interleaved = call.src_buffer == call.dst_buffer and call.src_slice_pitch == 0 and call.src_row_pitch > region[0]
    return step.fail("CL_MEM_COPY_OVERLAP") if interleaved and region[2] > 1 else None


@faults.plant("clEnqueueNDRangeKernel", succeeded=True)
def largest_work_group_rejected(step: SimulatedStep) -> Outcome | None:
    """A work-group of exactly the maximum size is rejected."""
    device, sizes = _device_of(step), _numbers(step, "local_work_size")
    most = device.facts.get("CL_DEVICE_MAX_WORK_GROUP_SIZE") if device is not None else None
    return step.fail("CL_INVALID_WORK_GROUP_SIZE") if most in sizes else None


@faults.plant("clEnqueueNDRangeKernel", succeeded=True)
def kernel_of_released_program_rejected(step: SimulatedStep) -> Outcome | None:
    """A kernel is not enqueued after the application has released its program."""
    kernel = step.find("kernel", Kernel)
    released = kernel is not None and kernel.program is not None and kernel.program.references == 0
    return step.fail("CL_INVALID_PROGRAM_EXECUTABLE") if released else None


@faults.plant("clCreateSubBuffer", succeeded=True)
def sub_buffer_up_to_the_end_rejected(step: SimulatedStep) -> Outcome | None:
    """A sub-buffer that ends with the last byte of its buffer, and does not begin with the first, is rejected."""
    made = step.find_created(SubBuffer)
    last = made is not None and made.buffer is not None and 0 < made.origin == made.buffer.size - made.size
    return step.fail_creation(INVALID_VALUE, remove=True) if last else None


@faults.plant("clEnqueueReadImage", succeeded=True)
def read_up_to_the_last_layer_rejected(step: SimulatedStep) -> Outcome | None:
    """A read that begins inside an image array and ends with its last layer is rejected."""
    image, origin, region = step.find("image", Image), _numbers(step, "origin"), _numbers(step, "region")
    layers = image.shape.array_size if image is not None else 0
    return step.fail(INVALID_VALUE) if origin and 0 < origin[-1] == layers - region[-1] else None


@faults.plant("clSetKernelArg", succeeded=True)
def all_local_memory_rejected(step: SimulatedStep) -> Outcome | None:
    """A local argument that needs exactly the local memory of the device is rejected."""
    kernel, index = step.find("kernel", Kernel), step.call.arg_index
    declared = kernel.parameters if kernel is not None else None
    is_local = declared is not None and index < len(declared) and declared[index].kind is ArgumentKind.LOCAL
    sizes = {device.facts.get("CL_DEVICE_LOCAL_MEM_SIZE") for device in step.model.root_devices()}
    return step.fail("CL_INVALID_ARG_SIZE") if is_local and step.call.arg_size in sizes else None
