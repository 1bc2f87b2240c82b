"""Kernel enqueues (section 5.10): kernels and arguments that cannot be enqueued, and others that can."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Data, Items, OutputBuffer, Text
from clconform.oracles.model.image_kernels import IMAGE_KERNELS, Work, name_of
from clconform.oracles.model.known_kernels import KERNELS
from clconform.oracles.model.sources import BREAKABLE, BREAKING, PARTS
from clconform.oracles.model.spirv import IN_SUB_GROUPS, KERNEL, SUB_GROUPS, WITH_SUB_GROUPS
from clconform.suites.chapters.execution.groups import largest_group
from clconform.suites.chapters.execution.kernels import GROUP, add_alone, add_scaled, range_kernel, with_arguments
from clconform.suites.chapters.kernels.making import two_devices
from clconform.suites.chapters.partition.cases import part
from clconform.suites.chapters.partition.entries import CORE_ENTRY
from clconform.suites.errors.variations import Variation, Variations, bound
from clconform.suites.kit.memory import SIZE
from clconform.suites.steps import needs, one, promised, succeeded

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from clconform.calls.values import Handle, Value
    from clconform.suites.kit.kit import Kit
    from clconform.suites.kit.valid_calls import Arguments

variations = Variations()
LEAST_LOCAL, LARGEST_LOCAL = 64, 1 << 26
"""Bytes of local memory above the device's limit, and the largest limit for which that is tested."""


@variations.of(
    "clEnqueueNDRangeKernel/CL_INVALID_OPERATION/1",
    "clEnqueueTask/CL_INVALID_OPERATION/1",
    "clGetKernelSuggestedLocalWorkSizeKHR/CL_INVALID_OPERATION/1",
)
def addresses_of_no_use() -> Iterator[Variation]:
    """Yield a kernel whose argument is a pointer to host memory."""
    yield Variation("an argument in host memory", _on_own_memory)


def _on_own_memory(kit: Kit, _given: Arguments) -> dict[str, Value]:
    needs(promised(kit.cl, "clSetKernelArgSVMPointer"), "requires OpenCL 2.0 (clSetKernelArgSVMPointer)")
    kernel = kit.kernel("add_index")
    kit.cl.clSetKernelArgSVMPointer(kernel, 0, kit.area())
    return {"kernel": kernel}


@variations.of(
    "clEnqueueNDRangeKernel/CL_INVALID_PROGRAM_EXECUTABLE/1",
    "clEnqueueTask/CL_INVALID_PROGRAM_EXECUTABLE/1",
    "clGetKernelSuggestedLocalWorkSizeKHR/CL_INVALID_PROGRAM_EXECUTABLE/1",
)
def not_built_for_the_device() -> Iterator[Variation]:
    """Yield a kernel whose program was built for another device of the context only, or whose last build failed."""
    yield Variation("built for another device only", bound(_built_elsewhere, _another))
    yield Variation("compiled for the device, built for another", bound(_built_elsewhere, _another, _compiled))
    yield Variation("built for another sub-device only", bound(_built_elsewhere, _siblings))
    yield Variation("built for a sub-device only", bound(_built_elsewhere, _a_part))
    yield Variation("a build that failed after one that did not", _left_by_a_failure)
    yield Variation("a queue of another context on another device", _queue_elsewhere)


def _another(kit: Kit) -> tuple[Handle, Handle]:
    return kit.cl.device, kit.another_device


def _siblings(kit: Kit) -> tuple[Handle, Handle]:
    return two_devices(kit)


def _a_part(kit: Kit) -> tuple[Handle, Handle]:
    return kit.cl.device, part(kit.cl, CORE_ENTRY)


def _compiled(kit: Kit, program: Handle, device: Handle) -> None:
    needs(promised(kit.cl, "clCompileProgram"), "requires OpenCL 1.2 (compiled programs)")
    done = kit.cl.clCompileProgram(program, 1, Items((device,)), None, 0, None, None, None, None)
    needs(succeeded(done), "the driver does not compile the kernels")


def _built_elsewhere(
    kit: Kit,
    _given: Arguments,
    choose: Callable[[Kit], tuple[Handle, Handle]],
    prepare: Callable[[Kit, Handle, Handle], None] | None = None,
) -> dict[str, Value]:
    """Return a kernel built for the second of two devices, with a queue on the first.

    ``prepare``: a step with the program and the first device before the build.
    """
    device, other = choose(kit)
    both = kit.within(kit.new_context(device, other))
    program = both.program("add_index")
    if prepare is not None:
        prepare(kit, program, device)
    built = succeeded(kit.cl.clBuildProgram(program, 1, Items((other,)), None, None, None))
    needs(built, "the driver does not build the kernels for another device")
    kernel = one(kit.cl.clCreateKernel(program, Text("add_index"), OutputBuffer(1)))
    return {"command_queue": both.new_queue(device), "kernel": with_arguments(kit, kernel, both.buffer())}


def _left_by_a_failure(kit: Kit, _given: Arguments) -> dict[str, Value]:
    """Build a program, make a second build fail, and return the kernel that may be left."""
    program = kit.program_of(PARTS[BREAKABLE])
    needs(kit.builds(program), "the driver does not build the kernel")
    needs(not kit.builds(program, f"-D {BREAKING}"), "the driver builds an invalid program")
    kernel = one(kit.cl.clCreateKernel(program, Text("add_index"), OutputBuffer(1)))
    return {"kernel": with_arguments(kit, kernel, kit.first_buffer)}


def _queue_elsewhere(kit: Kit, _given: Arguments) -> dict[str, Value]:
    other = kit.another_device
    there = kit.within(kit.new_context(other))
    return {"command_queue": there.new_queue(other)}


@variations.of("clGetKernelSuggestedLocalWorkSizeKHR/CL_INVALID_CONTEXT/1")
def of_another_context() -> Iterator[Variation]:
    """Yield a kernel of another context."""
    yield Variation("kernel of another context", _kernel_elsewhere)


def _kernel_elsewhere(kit: Kit, _given: Arguments) -> dict[str, Value]:
    there = kit.foreign
    return {"kernel": with_arguments(kit, there.kernel("add_index"), there.first_buffer)}


# arguments


@variations.of(
    "clEnqueueNDRangeKernel/CL_INVALID_KERNEL_ARGS/1",
    "clGetKernelSuggestedLocalWorkSizeKHR/CL_INVALID_KERNEL_ARGS/1",
)
def arguments_not_set() -> Iterator[Variation]:
    """Yield kernels without set arguments, and with one argument of each kind unset."""
    yield from _without_arguments()
    for index, argument in enumerate(KERNELS["add_scaled"].arguments):
        yield Variation(f"{argument.name} not set", bound(_all_but, index))


@variations.of("clEnqueueTask/CL_INVALID_KERNEL_ARGS/1")
def _without_arguments() -> Iterator[Variation]:
    """Yield kernels without set arguments, with only the second one set, or with only a rejected one."""
    yield Variation("no argument set", lambda kit, _given: {"kernel": kit.kernel("add_index")})
    yield Variation(
        "only the second argument set",
        lambda kit, _given: {"kernel": with_arguments(kit, kit.kernel("copy_plus_one"), None, kit.first_buffer)},
    )
    yield Variation("only a refused argument", _refused)


def _refused(kit: Kit, _given: Arguments) -> dict[str, Value]:
    kernel = kit.kernel("add_index")
    refused = not succeeded(kit.cl.clSetKernelArg(kernel, 0, 3, Data(bytes(3))))
    needs(refused, "the driver takes an argument of a wrong size")
    return {"kernel": kernel}


def _all_but(kit: Kit, _given: Arguments, index: int) -> Mapping[str, Value]:
    given: list[Handle | int | Data | None] = [kit.first_buffer, kit.second_buffer, kit.buffer()]
    given += [4 * GROUP, Data(bytes(4))]
    given[index] = None
    kernel = with_arguments(kit, kit.kernel("add_scaled"), *given)
    return {"kernel": kernel}


@variations.of("clEnqueueNDRangeKernel/success", "clGetKernelSuggestedLocalWorkSizeKHR/success")
def arguments_of_all_kinds() -> Iterator[Variation]:
    """Yield a kernel with arguments of several kinds and the work-group size that it requires."""
    yield Variation(
        "arguments of all kinds, a local size", lambda kit, given: {"kernel": add_scaled(kit), **_of_size(GROUP, given)}
    )


@variations.of(
    "clEnqueueNDRangeKernel/success", "clEnqueueTask/success", "clGetKernelSuggestedLocalWorkSizeKHR/success"
)
def arguments_in_shared_memory() -> Iterator[Variation]:
    """Yield a kernel whose argument is an SVM pointer."""
    yield Variation("an argument in shared virtual memory", _on_shared_memory)


def _on_shared_memory(kit: Kit, _given: Arguments) -> Mapping[str, Value]:
    kernel, memory = kit.kernel("add_index"), kit.svm()
    kit.cl.clSetKernelArgSVMPointer(kernel, 0, memory)
    return {"kernel": kernel}


@variations.of("clEnqueueTask/CL_INVALID_WORK_GROUP_SIZE/1")
def not_one_work_item() -> Iterator[Variation]:
    """Yield a kernel with a required work-group size of 4 work-items."""
    yield Variation("(4, 1, 1) required", lambda kit, _given: {"kernel": add_scaled(kit)})


@variations.of("clEnqueueTask/success")
def one_work_item() -> Iterator[Variation]:
    """Yield kernels with a required work-group size of one work-item, or with a hint for another size."""
    yield Variation("(1, 1, 1) required", lambda kit, _given: {"kernel": add_alone(kit)})
    yield Variation(
        "(4, 1, 1) likely",
        lambda kit, _given: {"kernel": with_arguments(kit, kit.kernel("add_hinted"), kit.first_buffer)},
    )


@variations.of("clEnqueueNDRangeKernel/CL_INVALID_WORK_GROUP_SIZE/2", "clEnqueueTask/CL_INVALID_WORK_GROUP_SIZE/2")
def not_the_required_sub_groups() -> Iterator[Variation]:
    """Yield a kernel of an IL module that requires two sub-groups, in work-groups of one and of two work-items.

    The number of sub-groups in a work-group of two is up to the device.
    """
    yield Variation("(1) and 2 sub-groups required", bound(_in_sub_groups, 1))
    yield Variation("(2) and 2 sub-groups required", bound(_in_sub_groups, SUB_GROUPS))


def in_sub_groups(kit: Kit) -> Handle:
    """Return the kernel of an IL module that requires two sub-groups; it does not have arguments."""
    program = kit.program_from_language(WITH_SUB_GROUPS)
    needs(kit.builds(program), "the driver does not build the module")
    kernel = one(kit.cl.clCreateKernel(program, Text(IN_SUB_GROUPS), OutputBuffer(1)))
    largest_group(kit, kernel)
    return kernel


@variations.of("clEnqueueNDRangeKernel/success", "clEnqueueTask/success")
def no_required_sub_groups() -> Iterator[Variation]:
    """Yield a kernel of an IL module without required sub-groups, in work-groups of one work-item."""
    yield Variation("a kernel of a module in groups of one", _of_a_module)


def _in_sub_groups(kit: Kit, given: Arguments, size: int) -> Mapping[str, Value]:
    needs(size == 1 or "local_work_size" in given, "a task has one work-item")
    return {"kernel": in_sub_groups(kit), **_of_size(size, given)}


def _of_a_module(kit: Kit, given: Arguments) -> Mapping[str, Value]:
    program = kit.program_from_language()
    needs(kit.builds(program), "the driver does not build the module")
    kernel = one(kit.cl.clCreateKernel(program, Text(KERNEL), OutputBuffer(1)))
    largest_group(kit, kernel)
    return {"kernel": kernel, **_of_size(1, given)}


def _of_size(size: int, given: Arguments) -> Mapping[str, Value]:
    return {"local_work_size": Items((size,))} if "local_work_size" in given else {}


# memory


@variations.of(
    "clEnqueueNDRangeKernel/CL_MISALIGNED_SUB_BUFFER_OFFSET/1",
    "clEnqueueTask/CL_MISALIGNED_SUB_BUFFER_OFFSET/1",
    "clGetKernelSuggestedLocalWorkSizeKHR/CL_MISALIGNED_SUB_BUFFER_OFFSET/1",
)
def misaligned_arguments() -> Iterator[Variation]:
    """Yield a sub-buffer argument whose alignment only another device of the context allows."""
    yield Variation("an argument aligned for another device only", _apart)


def _apart(kit: Kit, _given: Arguments) -> Mapping[str, Value]:
    both, region = region_for_another(kit)
    return {"command_queue": both.queue, "kernel": with_arguments(both, both.kernel("add_index"), region)}


def region_for_another(kit: Kit) -> tuple[Kit, Handle]:
    """Return a kit with a context of two devices, and a sub-buffer that only the other device can address."""
    fine = {device: (kit.cl.fact("CL_DEVICE_MEM_BASE_ADDR_ALIGN", device) or 0) // 8 for device in kit.cl.devices}
    finer = [device for device, alignment in fine.items() if 0 < alignment < kit.alignment]
    needs(finer, "no other device of the platform has a finer base address alignment")
    both = kit.within(kit.new_context(kit.cl.device, finer[0]))
    return both, both.sub_buffer(both.buffer(size=2 * SIZE), fine[finer[0]], SIZE)


@variations.of(
    "clEnqueueNDRangeKernel/success", "clEnqueueTask/success", "clGetKernelSuggestedLocalWorkSizeKHR/success"
)
def aligned_arguments() -> Iterator[Variation]:
    """Yield a sub-buffer argument that begins at the device's alignment."""
    yield Variation("an argument that starts at the device's alignment", _at_the_alignment)


def _at_the_alignment(kit: Kit, _given: Arguments) -> Mapping[str, Value]:
    region = kit.sub_buffer(kit.buffer(size=kit.alignment + SIZE), kit.alignment, SIZE)
    return {"kernel": with_arguments(kit, kit.kernel("add_index"), region)}


@variations.of("clEnqueueNDRangeKernel/CL_OUT_OF_RESOURCES/1", "clEnqueueTask/CL_OUT_OF_RESOURCES/1")
def too_much_local_memory() -> Iterator[Variation]:
    """Yield a local memory argument that exceeds the device's local memory."""
    yield Variation("more local memory than CL_DEVICE_LOCAL_MEM_SIZE", _beyond_local_memory)


def _beyond_local_memory(kit: Kit, _given: Arguments) -> Mapping[str, Value]:
    size = kit.cl.fact("CL_DEVICE_LOCAL_MEM_SIZE") or 0
    needs(0 < size <= LARGEST_LOCAL, "the device reports no usable CL_DEVICE_LOCAL_MEM_SIZE")
    kernel = with_arguments(kit, range_kernel(kit, "turn_groups"), kit.first_buffer)
    taken = succeeded(kit.cl.clSetKernelArg(kernel, 1, size + LEAST_LOCAL, None))
    needs(taken, "the driver refuses so large an argument")
    return {"kernel": kernel}


@variations.of(
    "clEnqueueNDRangeKernel/CL_INVALID_IMAGE_SIZE/1",
    "clEnqueueTask/CL_INVALID_IMAGE_SIZE/1",
    "clGetKernelSuggestedLocalWorkSizeKHR/CL_INVALID_IMAGE_SIZE/1",
    "clEnqueueNDRangeKernel/CL_IMAGE_FORMAT_NOT_SUPPORTED/1",
    "clEnqueueTask/CL_IMAGE_FORMAT_NOT_SUPPORTED/1",
    "clGetKernelSuggestedLocalWorkSizeKHR/CL_IMAGE_FORMAT_NOT_SUPPORTED/1",
)
def images_of_two_devices() -> Iterator[Variation]:
    """Yield an image of a context with two devices; the queue's device may not support the image."""
    yield Variation("an image of a context with two devices", _with_an_image)


def _with_an_image(kit: Kit, given: Arguments) -> Mapping[str, Value]:
    both = kit.within(kit.new_context(kit.cl.device, kit.another_device))
    image, name = both.image(), name_of(Work.MEASURE, "CL_MEM_OBJECT_IMAGE2D", "")
    program = both.program_of(IMAGE_KERNELS[name].source)
    needs(both.builds(program), "the driver does not build a kernel over images")
    kernel = one(kit.cl.clCreateKernel(program, Text(name), OutputBuffer(1)))
    one_item = {"global_work_size": Items((1,))} if "global_work_size" in given else {}
    return {"command_queue": both.queue, "kernel": with_arguments(both, kernel, image, both.buffer()), **one_item}
