"""Kernel enqueues (section 5.10): valid and invalid kernels and arguments."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Data, ElementList, OutputBuffer, Text
from clconform.oracles.model.buffer_kernels import KERNELS
from clconform.oracles.model.image_kernels import IMAGE_KERNELS, ImageOperation, kernel_name
from clconform.oracles.model.program_sources import BREAKABLE, BREAKING_MACRO, PARTS
from clconform.oracles.model.spirv import EMPTY_KERNEL, SUB_GROUP_COUNT, SUB_GROUP_MODULES, SUB_GROUPS_KERNEL
from clconform.suites.chapters.execution.groups import get_largest_group
from clconform.suites.chapters.execution.kernels import (
    GROUP,
    create_range_kernel,
    get_add_alone,
    get_add_scaled,
    set_arguments,
)
from clconform.suites.chapters.kernels.argument_cases import get_two_devices
from clconform.suites.chapters.partition.entries import CORE_ENTRY
from clconform.suites.chapters.partition.partition_cases import create_sub_device
from clconform.suites.errors.negative_cases import Variation, VariationRegistry, bind_values
from clconform.suites.helpers import is_available, is_success, require_handle, skip_unless
from clconform.suites.kit.memory import SIZE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from clconform.calls.values import Handle, Value
    from clconform.suites.kit.kit import Kit
    from clconform.suites.kit.valid_calls import Arguments

variations = VariationRegistry()
EXTRA_LOCAL, LARGEST_LOCAL = 64, 1 << 26
"""The bytes of local memory above the device's limit in invalid calls, and the largest limit that is tested."""


@variations.declare(
    "clEnqueueNDRangeKernel/CL_INVALID_OPERATION/1",
    "clEnqueueTask/CL_INVALID_OPERATION/1",
    "clGetKernelSuggestedLocalWorkSizeKHR/CL_INVALID_OPERATION/1",
)
def host_memory_pointers() -> Iterator[Variation]:
    """Yield a kernel whose argument is a pointer to host memory."""
    yield Variation("an argument in host memory", _with_host_memory_pointer)


def _with_host_memory_pointer(kit: Kit, _given: Arguments) -> dict[str, Value]:
    skip_unless(is_available(kit.cl, "clSetKernelArgSVMPointer"), "requires OpenCL 2.0 (clSetKernelArgSVMPointer)")
    kernel = kit.kernel("add_index")
    kit.cl.clSetKernelArgSVMPointer(kernel, 0, kit.host_area())
    return {"kernel": kernel}


@variations.declare(
    "clEnqueueNDRangeKernel/CL_INVALID_PROGRAM_EXECUTABLE/1",
    "clEnqueueTask/CL_INVALID_PROGRAM_EXECUTABLE/1",
    "clGetKernelSuggestedLocalWorkSizeKHR/CL_INVALID_PROGRAM_EXECUTABLE/1",
)
def kernels_not_built_for_the_device() -> Iterator[Variation]:
    """Yield kernels that are not built for the queue's device, or whose last build failed."""
    yield Variation("built for another device only", bind_values(_with_build_for_other_device, _another_device))
    yield Variation(
        "compiled for the device, built for another",
        bind_values(_with_build_for_other_device, _another_device, _compile_for),
    )
    yield Variation("built for another sub-device only", bind_values(_with_build_for_other_device, _two_sub_devices))
    yield Variation("built for a sub-device only", bind_values(_with_build_for_other_device, _device_and_sub_device))
    yield Variation("a build that failed after one that did not", _with_kernel_after_failed_build)
    yield Variation("a queue of another context on another device", _with_queue_on_another_device)


def _another_device(kit: Kit) -> tuple[Handle, Handle]:
    return kit.cl.device, kit.other_available_device


def _two_sub_devices(kit: Kit) -> tuple[Handle, Handle]:
    return get_two_devices(kit)


def _device_and_sub_device(kit: Kit) -> tuple[Handle, Handle]:
    return kit.cl.device, create_sub_device(kit.cl, CORE_ENTRY)


def _compile_for(kit: Kit, program: Handle, device: Handle) -> None:
    skip_unless(is_available(kit.cl, "clCompileProgram"), "requires OpenCL 1.2 (compiled programs)")
    done = kit.cl.clCompileProgram(program, 1, ElementList((device,)), None, 0, None, None, None, None)
    skip_unless(is_success(done), "the driver does not compile the kernels")


def _with_build_for_other_device(
    kit: Kit,
    _given: Arguments,
    choose: Callable[[Kit], tuple[Handle, Handle]],
    prepare: Callable[[Kit, Handle, Handle], None] | None = None,
) -> dict[str, Value]:
    """Return a kernel that is built for the second of two devices, and a queue on the first device.

    ``prepare``: a step before the build; its arguments are the kit, the program and the first device.
    """
    device, other = choose(kit)
    both = kit.for_context(kit.new_context(device, other))
    program = both.program("add_index")
    if prepare is not None:
        prepare(kit, program, device)
    built = is_success(kit.cl.clBuildProgram(program, 1, ElementList((other,)), None, None, None))
    skip_unless(built, "the driver does not build the kernels for another device")
    kernel = require_handle(kit.cl.clCreateKernel(program, Text("add_index"), OutputBuffer(1)))
    return {"command_queue": both.new_queue(device), "kernel": set_arguments(kit, kernel, both.buffer())}


def _with_kernel_after_failed_build(kit: Kit, _given: Arguments) -> dict[str, Value]:
    """Build a program, make a second build fail, and return a kernel if the driver still creates one."""
    program = kit.program_from_source(PARTS[BREAKABLE])
    skip_unless(kit.try_build(program), "the driver does not build the kernel")
    skip_unless(not kit.try_build(program, f"-D {BREAKING_MACRO}"), "the driver builds an invalid program")
    kernel = require_handle(kit.cl.clCreateKernel(program, Text("add_index"), OutputBuffer(1)))
    return {"kernel": set_arguments(kit, kernel, kit.first_buffer)}


def _with_queue_on_another_device(kit: Kit, _given: Arguments) -> dict[str, Value]:
    other = kit.other_available_device
    there = kit.for_context(kit.new_context(other))
    return {"command_queue": there.new_queue(other)}


@variations.declare("clGetKernelSuggestedLocalWorkSizeKHR/CL_INVALID_CONTEXT/1")
def kernels_of_another_context() -> Iterator[Variation]:
    """Yield a kernel of another context."""
    yield Variation("kernel of another context", _with_kernel_of_another_context)


def _with_kernel_of_another_context(kit: Kit, _given: Arguments) -> dict[str, Value]:
    there = kit.foreign
    return {"kernel": set_arguments(kit, there.kernel("add_index"), there.first_buffer)}


# arguments


@variations.declare(
    "clEnqueueNDRangeKernel/CL_INVALID_KERNEL_ARGS/1",
    "clGetKernelSuggestedLocalWorkSizeKHR/CL_INVALID_KERNEL_ARGS/1",
)
def unset_arguments() -> Iterator[Variation]:
    """Yield kernels without set arguments, and kernels with one argument of each type unset."""
    yield from _unset_arguments_of_simple_kernels()
    for index, argument in enumerate(KERNELS["add_scaled"].arguments):
        yield Variation(f"{argument.name} not set", bind_values(_without_argument, index))


@variations.declare("clEnqueueTask/CL_INVALID_KERNEL_ARGS/1")
def _unset_arguments_of_simple_kernels() -> Iterator[Variation]:
    """Yield kernels where no argument is set, only the second argument is set, or setting the argument failed."""
    yield Variation("no argument set", lambda kit, _given: {"kernel": kit.kernel("add_index")})
    yield Variation(
        "only the second argument set",
        lambda kit, _given: {"kernel": set_arguments(kit, kit.kernel("copy_plus_one"), None, kit.first_buffer)},
    )
    yield Variation("only a refused argument", _with_rejected_argument)


def _with_rejected_argument(kit: Kit, _given: Arguments) -> dict[str, Value]:
    kernel = kit.kernel("add_index")
    refused = not is_success(kit.cl.clSetKernelArg(kernel, 0, 3, Data(bytes(3))))
    skip_unless(refused, "the driver takes an argument of a wrong size")
    return {"kernel": kernel}


def _without_argument(kit: Kit, _given: Arguments, index: int) -> Mapping[str, Value]:
    given: list[Handle | int | Data | None] = [kit.first_buffer, kit.second_buffer, kit.buffer()]
    given += [4 * GROUP, Data(bytes(4))]
    given[index] = None
    kernel = set_arguments(kit, kit.kernel("add_scaled"), *given)
    return {"kernel": kernel}


@variations.declare("clEnqueueNDRangeKernel/success", "clGetKernelSuggestedLocalWorkSizeKHR/success")
def arguments_of_all_kinds() -> Iterator[Variation]:
    """Yield a kernel with arguments of several kinds and the work-group size that it requires."""
    yield Variation(
        "arguments of all kinds, a local size",
        lambda kit, given: {"kernel": get_add_scaled(kit), **_with_local_size(GROUP, given)},
    )


@variations.declare(
    "clEnqueueNDRangeKernel/success", "clEnqueueTask/success", "clGetKernelSuggestedLocalWorkSizeKHR/success"
)
def svm_pointers() -> Iterator[Variation]:
    """Yield a kernel whose argument is an SVM pointer."""
    yield Variation("an argument in shared virtual memory", _with_svm_pointer)


def _with_svm_pointer(kit: Kit, _given: Arguments) -> Mapping[str, Value]:
    kernel, memory = kit.kernel("add_index"), kit.svm()
    kit.cl.clSetKernelArgSVMPointer(kernel, 0, memory)
    return {"kernel": kernel}


@variations.declare("clEnqueueTask/CL_INVALID_WORK_GROUP_SIZE/1")
def tasks_of_larger_groups() -> Iterator[Variation]:
    """Yield a task of a kernel that requires work-groups of 4 work-items."""
    yield Variation("(4, 1, 1) required", lambda kit, _given: {"kernel": get_add_scaled(kit)})


@variations.declare("clEnqueueTask/success")
def tasks_of_one_work_item() -> Iterator[Variation]:
    """Yield tasks of kernels that require work-groups of one work-item, or that have a hint for another size."""
    yield Variation("(1, 1, 1) required", lambda kit, _given: {"kernel": get_add_alone(kit)})
    yield Variation(
        "(4, 1, 1) likely",
        lambda kit, _given: {"kernel": set_arguments(kit, kit.kernel("add_hinted"), kit.first_buffer)},
    )


@variations.declare("clEnqueueNDRangeKernel/CL_INVALID_WORK_GROUP_SIZE/2", "clEnqueueTask/CL_INVALID_WORK_GROUP_SIZE/2")
def missing_sub_groups() -> Iterator[Variation]:
    """Yield a kernel of an IL module that requires two sub-groups, with work-groups of one and of two work-items.

    The device decides how many sub-groups a work-group of two work-items has.
    """
    yield Variation("(1) and 2 sub-groups required", bind_values(_with_required_sub_groups, 1))
    yield Variation("(2) and 2 sub-groups required", bind_values(_with_required_sub_groups, SUB_GROUP_COUNT))


def create_kernel_with_sub_groups(kit: Kit) -> Handle:
    """Return the kernel of an IL module that requires two sub-groups; the kernel does not have parameters."""
    program = kit.program_from_il(SUB_GROUP_MODULES)
    skip_unless(kit.try_build(program), "the driver does not build the module")
    kernel = require_handle(kit.cl.clCreateKernel(program, Text(SUB_GROUPS_KERNEL), OutputBuffer(1)))
    get_largest_group(kit, kernel)
    return kernel


@variations.declare("clEnqueueNDRangeKernel/success", "clEnqueueTask/success")
def modules_without_sub_groups() -> Iterator[Variation]:
    """Yield a kernel of an IL module that does not require sub-groups, with work-groups of one work-item."""
    yield Variation("a kernel of a module in groups of one", _with_module_kernel)


def _with_required_sub_groups(kit: Kit, given: Arguments, size: int) -> Mapping[str, Value]:
    skip_unless(size == 1 or "local_work_size" in given, "a task has one work-item")
    return {"kernel": create_kernel_with_sub_groups(kit), **_with_local_size(size, given)}


def _with_module_kernel(kit: Kit, given: Arguments) -> Mapping[str, Value]:
    program = kit.program_from_il()
    skip_unless(kit.try_build(program), "the driver does not build the module")
    kernel = require_handle(kit.cl.clCreateKernel(program, Text(EMPTY_KERNEL), OutputBuffer(1)))
    get_largest_group(kit, kernel)
    return {"kernel": kernel, **_with_local_size(1, given)}


def _with_local_size(size: int, given: Arguments) -> Mapping[str, Value]:
    return {"local_work_size": ElementList((size,))} if "local_work_size" in given else {}


# memory


@variations.declare(
    "clEnqueueNDRangeKernel/CL_MISALIGNED_SUB_BUFFER_OFFSET/1",
    "clEnqueueTask/CL_MISALIGNED_SUB_BUFFER_OFFSET/1",
    "clGetKernelSuggestedLocalWorkSizeKHR/CL_MISALIGNED_SUB_BUFFER_OFFSET/1",
)
def misaligned_arguments() -> Iterator[Variation]:
    """Yield a sub-buffer argument that is misaligned for the queue's device but aligned for another device."""
    yield Variation("an argument aligned for another device only", _with_misaligned_region)


def _with_misaligned_region(kit: Kit, _given: Arguments) -> Mapping[str, Value]:
    both, region = create_region_for_another_device(kit)
    return {"command_queue": both.queue, "kernel": set_arguments(both, both.kernel("add_index"), region)}


def create_region_for_another_device(kit: Kit) -> tuple[Kit, Handle]:
    """Return a kit with a context of two devices, and a sub-buffer that is aligned only for the second device."""
    fine = {device: (kit.cl.fact("CL_DEVICE_MEM_BASE_ADDR_ALIGN", device) or 0) // 8 for device in kit.cl.devices}
    finer = [device for device, alignment in fine.items() if 0 < alignment < kit.alignment]
    skip_unless(finer, "no other device of the platform has a finer base address alignment")
    both = kit.for_context(kit.new_context(kit.cl.device, finer[0]))
    return both, both.sub_buffer(both.buffer(size=2 * SIZE), fine[finer[0]], SIZE)


@variations.declare(
    "clEnqueueNDRangeKernel/success", "clEnqueueTask/success", "clGetKernelSuggestedLocalWorkSizeKHR/success"
)
def aligned_arguments() -> Iterator[Variation]:
    """Yield a sub-buffer argument that begins at the device's alignment."""
    yield Variation("an argument that starts at the device's alignment", _with_aligned_region)


def _with_aligned_region(kit: Kit, _given: Arguments) -> Mapping[str, Value]:
    region = kit.sub_buffer(kit.buffer(size=kit.alignment + SIZE), kit.alignment, SIZE)
    return {"kernel": set_arguments(kit, kit.kernel("add_index"), region)}


@variations.declare("clEnqueueNDRangeKernel/CL_OUT_OF_RESOURCES/1", "clEnqueueTask/CL_OUT_OF_RESOURCES/1")
def too_much_local_memory() -> Iterator[Variation]:
    """Yield a local memory argument that exceeds the device's local memory."""
    yield Variation("more local memory than CL_DEVICE_LOCAL_MEM_SIZE", _with_excessive_local_memory)


def _with_excessive_local_memory(kit: Kit, _given: Arguments) -> Mapping[str, Value]:
    size = kit.cl.fact("CL_DEVICE_LOCAL_MEM_SIZE") or 0
    skip_unless(0 < size <= LARGEST_LOCAL, "the device reports no usable CL_DEVICE_LOCAL_MEM_SIZE")
    kernel = set_arguments(kit, create_range_kernel(kit, "turn_groups"), kit.first_buffer)
    taken = is_success(kit.cl.clSetKernelArg(kernel, 1, size + EXTRA_LOCAL, None))
    skip_unless(taken, "the driver refuses so large an argument")
    return {"kernel": kernel}


@variations.declare(
    "clEnqueueNDRangeKernel/CL_INVALID_IMAGE_SIZE/1",
    "clEnqueueTask/CL_INVALID_IMAGE_SIZE/1",
    "clGetKernelSuggestedLocalWorkSizeKHR/CL_INVALID_IMAGE_SIZE/1",
    "clEnqueueNDRangeKernel/CL_IMAGE_FORMAT_NOT_SUPPORTED/1",
    "clEnqueueTask/CL_IMAGE_FORMAT_NOT_SUPPORTED/1",
    "clGetKernelSuggestedLocalWorkSizeKHR/CL_IMAGE_FORMAT_NOT_SUPPORTED/1",
)
def images_of_two_devices() -> Iterator[Variation]:
    """Yield an image of a context with two devices, although the queue's device may not support the image."""
    yield Variation("an image of a context with two devices", _with_image)


def _with_image(kit: Kit, given: Arguments) -> Mapping[str, Value]:
    both = kit.for_context(kit.new_context(kit.cl.device, kit.other_available_device))
    image, name = both.image(), kernel_name(ImageOperation.MEASURE, "CL_MEM_OBJECT_IMAGE2D", "")
    program = both.program_from_source(IMAGE_KERNELS[name].source)
    skip_unless(both.try_build(program), "the driver does not build a kernel over images")
    kernel = require_handle(kit.cl.clCreateKernel(program, Text(name), OutputBuffer(1)))
    one_item = {"global_work_size": ElementList((1,))} if "global_work_size" in given else {}
    return {"command_queue": both.queue, "kernel": set_arguments(both, kernel, image, both.buffer()), **one_item}
