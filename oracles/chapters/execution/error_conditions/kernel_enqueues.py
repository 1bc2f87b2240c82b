"""Error conditions of kernel enqueues: the kernel and its arguments (sections 5.9.4 and 5.10)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.chapters.execution.nd_range import optional_if_empty
from clconform.oracles.common.capabilities import lacks_capability
from clconform.oracles.common.contexts import contexts_of
from clconform.oracles.common.memory import is_aligned
from clconform.oracles.contents.usm import SYSTEM
from clconform.oracles.engine.predicate_result import MUST, NO, PredicateResult, may, must_if
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.errors import UnknownFactError
from clconform.oracles.model.images import Image
from clconform.oracles.model.kernels import Kernel
from clconform.oracles.model.memory_objects import Buffer
from clconform.oracles.model.pointer_memory import SvmAllocation, UsmAllocation
from clconform.oracles.model.programs import BuildState
from clconform.oracles.model.queues import CommandQueue

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.calls.call import Call
    from clconform.oracles.model.devices import Device
    from clconform.oracles.model.programs import Program
    from clconform.oracles.model.state import Model

rules = Rules()


def executing_device(call: Call, model: Model) -> Device:
    """Return the device of command_queue, which executes the kernel."""
    device = model.get(CommandQueue, call.command_queue).device
    if device is None:
        raise UnknownFactError("the queue's device")
    return device


def has_ancestor_executable(program: Program, device: Device) -> bool:
    """Return whether a sub-device without a build of its own has the executable of one of its ancestors."""
    states = [program.builds[each.name].state for each in device.ancestors if each.name in program.builds]
    nothing = device.name in program.builds and program.builds[device.name].state is BuildState.NONE
    return nothing and BuildState.BUILT in states and device.shares_binaries


@rules.clause(
    "clEnqueueNDRangeKernel/CL_INVALID_PROGRAM_EXECUTABLE/1",
    "clEnqueueTask/CL_INVALID_PROGRAM_EXECUTABLE/1",
    "clGetKernelSuggestedLocalWorkSizeKHR/CL_INVALID_PROGRAM_EXECUTABLE/1",
)
@optional_if_empty
def is_executable_missing(call: Call, model: Model) -> PredicateResult:
    """The program of kernel has no successful build for the device of command_queue.

    A sub-device from clCreateSubDevices for which the program was not built uses a successful build for an ancestor.
    For other sub-devices, and for an ancestor of a device with a successful build, the error is optional.
    """
    device, program = executing_device(call, model), model.get(Kernel, call.kernel).program
    build = program.builds.get(device.name) if program is not None else None
    if program is None or build is None:
        raise UnknownFactError("the build")
    if build.state is BuildState.BUILT:
        return NO
    if build.state not in (BuildState.NONE, BuildState.FAILED) or device in program.built_devices:
        raise UnknownFactError("the end of the build")
    if has_ancestor_executable(program, device):
        return NO
    if not device.is_root or any(device in built.ancestors for built in program.built_devices):
        return may("executable-of-a-related-device")
    return MUST


@rules.clause(
    "clEnqueueNDRangeKernel/CL_INVALID_KERNEL_ARGS/1",
    "clEnqueueTask/CL_INVALID_KERNEL_ARGS/1",
    "clGetKernelSuggestedLocalWorkSizeKHR/CL_INVALID_KERNEL_ARGS/1",
)
@optional_if_empty
def has_unset_arguments(call: Call, model: Model) -> PredicateResult:
    """An argument of kernel has not been set."""
    kernel = model.get(Kernel, call.kernel)
    if kernel.unset_arguments is None or (kernel.uncertain_arguments and not kernel.unset_arguments):
        raise UnknownFactError("the kernel's arguments")
    return must_if(bool(kernel.unset_arguments))


@rules.clause("clGetKernelSuggestedLocalWorkSizeKHR/CL_INVALID_CONTEXT/1")
def has_two_contexts(call: Call, model: Model) -> PredicateResult:
    """command_queue and kernel do not belong to the same context."""
    found = {context.name for each in (call.command_queue, call.kernel) for context in contexts_of(each, model)}
    return must_if(len(found) > 1)


@rules.clause(
    "clEnqueueNDRangeKernel/CL_INVALID_OPERATION/1",
    "clEnqueueTask/CL_INVALID_OPERATION/1",
    "clGetKernelSuggestedLocalWorkSizeKHR/CL_INVALID_OPERATION/1",
)
def has_unsupported_pointer(call: Call, model: Model) -> PredicateResult:
    """An argument of kernel is an SVM or system pointer that the device of command_queue does not support.

    A device without SVM does not support SVM pointers. A device without fine-grained system SVM does not support system
    pointers; the error for a system pointer is optional if CL_DEVICE_SHARED_SYSTEM_MEM_CAPABILITIES_INTEL is not 0.
    """
    device = model.get(CommandQueue, call.command_queue).device
    arguments = model.get(Kernel, call.kernel).arguments.values()
    if device is None or any(each.is_unknown for each in arguments):
        raise UnknownFactError("an address")
    owners = [each.reach.owner for each in arguments if each.reach is not None]
    if _has_svm_pointer(call, model) and lacks_capability(device, "SVM"):
        return MUST
    if all(isinstance(owner, SvmAllocation | UsmAllocation) for owner in owners) or _has_system_svm(device, model):
        return NO
    return may("usm-system-memory-without-svm") if device.facts.get(SYSTEM) else MUST


def _has_svm_pointer(call: Call, model: Model) -> bool:
    """Return whether an argument of kernel is an SVM pointer."""
    arguments = model.get(Kernel, call.kernel).arguments.values()
    return any(each.reach is not None and isinstance(each.reach.owner, SvmAllocation) for each in arguments)


@rules.alternatives_of(
    "clEnqueueNDRangeKernel/CL_INVALID_OPERATION/1",
    "clEnqueueTask/CL_INVALID_OPERATION/1",
    "clGetKernelSuggestedLocalWorkSizeKHR/CL_INVALID_OPERATION/1",
)
def find_unsupported_pointer(call: Call, model: Model) -> Iterator[str]:
    """Yield the alternative that holds.

    The alternatives: an argument is an SVM pointer or a system pointer that the device does not support.
    """
    device = executing_device(call, model)
    if _has_svm_pointer(call, model) and lacks_capability(device, "SVM"):
        yield "an argument of kernel is an SVM pointer and the device does not support SVM"
    else:
        yield "an argument of kernel is a system pointer and the device does not support fine-grained system SVM"


def _has_system_svm(device: Device, model: Model) -> bool:
    """Return whether a device supports fine-grained system SVM."""
    return bool(device.number("CL_DEVICE_SVM_CAPABILITIES") & model.constant_value("CL_DEVICE_SVM_FINE_GRAIN_SYSTEM"))


# memory objects


@rules.clause(
    "clEnqueueNDRangeKernel/CL_MISALIGNED_SUB_BUFFER_OFFSET/1",
    "clEnqueueTask/CL_MISALIGNED_SUB_BUFFER_OFFSET/1",
    "clGetKernelSuggestedLocalWorkSizeKHR/CL_MISALIGNED_SUB_BUFFER_OFFSET/1",
)
@optional_if_empty
def has_misaligned_argument(call: Call, model: Model) -> PredicateResult:
    """An argument of kernel is a sub-buffer not aligned to CL_DEVICE_MEM_BASE_ADDR_ALIGN of command_queue's device."""
    device, given = executing_device(call, model), _argument_objects(call, model)
    regions = [each for each in given if isinstance(each, Buffer) and each.offset]
    return must_if(any(not is_aligned(region.offset, device) for region in regions))


@rules.clause(
    "clEnqueueNDRangeKernel/CL_INVALID_IMAGE_SIZE/1",
    "clEnqueueTask/CL_INVALID_IMAGE_SIZE/1",
    "clGetKernelSuggestedLocalWorkSizeKHR/CL_INVALID_IMAGE_SIZE/1",
)
@optional_if_empty
def is_image_size_unsupported(call: Call, model: Model) -> PredicateResult:
    """The device of command_queue does not support the sizes or pitches of an image that is an argument of kernel.

    The error is always optional. It is allowed only for images in a context with several devices, images with pitches
    passed at creation, and images created from other memory objects.
    """
    given = _argument_images(call, model)
    pitched = any(each.shape.row_pitch or each.shape.slice_pitch or each.has_memory_object for each in given)
    return may("image-size-unsupported-by-device") if pitched or _is_for_other_devices(given, call, model) else NO


@rules.clause(
    "clEnqueueNDRangeKernel/CL_IMAGE_FORMAT_NOT_SUPPORTED/1",
    "clEnqueueTask/CL_IMAGE_FORMAT_NOT_SUPPORTED/1",
    "clGetKernelSuggestedLocalWorkSizeKHR/CL_IMAGE_FORMAT_NOT_SUPPORTED/1",
)
@optional_if_empty
def is_image_format_unsupported(call: Call, model: Model) -> PredicateResult:
    """The device of command_queue does not support the format of an image that is an argument of kernel.

    The error is always optional, and allowed only for images in a context with several devices.
    """
    return (
        may("image-format-unsupported-by-device")
        if _is_for_other_devices(_argument_images(call, model), call, model)
        else NO
    )


def _argument_objects(call: Call, model: Model) -> list[object]:
    """Return the objects that are arguments of the kernel; raise UnknownFactError if an argument is not known."""
    arguments = model.get(Kernel, call.kernel).arguments.values()
    if any(each.is_unknown for each in arguments):
        raise UnknownFactError("an argument")
    return [each.object for each in arguments]


def _argument_images(call: Call, model: Model) -> list[Image]:
    return [each for each in _argument_objects(call, model) if isinstance(each, Image)]


def _is_for_other_devices(images: list[Image], call: Call, model: Model) -> bool:
    """Return whether the context of an image has other devices than the device of the queue."""
    device = executing_device(call, model)
    return any(image.context is None or image.context.devices != [device] for image in images)


# resources


@rules.clause("clEnqueueNDRangeKernel/CL_OUT_OF_RESOURCES/1", "clEnqueueTask/CL_OUT_OF_RESOURCES/1")
def lacks_resources(call: Call, model: Model) -> PredicateResult:
    """The device of command_queue lacks resources to execute kernel.

    For example, the local memory arguments together exceed CL_DEVICE_LOCAL_MEM_SIZE. The error is always optional.
    """
    device, arguments = executing_device(call, model), model.get(Kernel, call.kernel).arguments.values()
    local = sum(each.size or 0 for each in arguments if each.value is None and not each.is_pointer)
    if local > device.number("CL_DEVICE_LOCAL_MEM_SIZE"):
        return may("local-memory-above-limit")
    raise UnknownFactError("what else the kernel needs")
