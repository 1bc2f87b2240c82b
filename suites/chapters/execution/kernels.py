"""Kernels with set arguments, for the suites about kernel execution."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Data, HandleBytes, OutputBuffer, PointerArgument, Text
from clconform.oracles.model.enqueueing_kernels import ENQUEUEING_KERNELS
from clconform.oracles.model.range_kernels import RANGE_KERNELS
from clconform.suites.chapters.execution.groups import LARGEST_TESTED
from clconform.suites.helpers import has_version, require_handle, skip_unless
from clconform.suites.kit.programs import KERNEL_NOT_BUILT
from clconform.suites.kit.queues import DEFAULT, ON_DEVICE, OUT_OF_ORDER, QUEUE_PROPERTIES

if TYPE_CHECKING:
    from clconform.calls.values import Handle
    from clconform.suites.kit.kit import Kit

GROUP = 4
"""Work-items in the work-groups that the kernel of ``get_add_scaled`` requires."""


def get_ready_kernel(kit: Kit) -> Handle:
    """Return a kernel with one buffer argument, which is set; the kernel is created once."""
    return kit.get_cached("kernel", lambda: set_arguments(kit, kit.kernel("add_index"), kit.first_buffer))


def set_arguments(kit: Kit, kernel: Handle, *arguments: Handle | int | Data | None) -> Handle:
    """Set the arguments of a kernel, and return the kernel.

    An argument is an object, a number of bytes of local memory, or a value; None leaves it unset.
    """
    for index, each in enumerate(arguments):
        if isinstance(each, int):
            kit.cl.clSetKernelArg(kernel, index, each, None)
        elif each is not None:
            size, value = _value(kit, each)
            kit.cl.clSetKernelArg(kernel, index, size, value)
    return kernel


def _value(kit: Kit, given: Handle | Data) -> tuple[int, PointerArgument]:
    return (len(given.content), given) if isinstance(given, Data) else (kit.pointer_bytes, HandleBytes(given))


def get_kernel_for_large_groups(kit: Kit) -> Handle:
    """Return a kernel whose buffer is large enough for the largest tested work-group; the kernel is created once."""
    room = 8 * LARGEST_TESTED
    return kit.get_cached("over many", lambda: set_arguments(kit, kit.kernel("add_index"), kit.buffer(size=room)))


def get_offset_independent_kernel(kit: Kit) -> Handle:
    """Return a kernel that indexes its elements relative to the global offset; the kernel is created once."""
    return kit.get_cached(
        "by index", lambda: set_arguments(kit, create_range_kernel(kit, "tell_ids"), kit.first_buffer)
    )


def create_range_kernel(kit: Kit, name: str, options: str = "") -> Handle:
    """Create a known kernel that runs over ranges; skip where the driver does not build it."""
    skip_unless(has_version(kit.cl, (1, 1)), "requires OpenCL 1.1 (global offsets)")
    program = kit.program_built_from(RANGE_KERNELS[name].source, options=options)
    return require_handle(kit.cl.clCreateKernel(program, Text(name), OutputBuffer(1)))


def create_enqueueing_kernel(kit: Kit, name: str) -> Handle:
    """Create a kernel that enqueues kernels, and set its device queue argument; skip where this is not supported."""
    skip_unless(has_version(kit.cl, (2, 0)), "requires OpenCL 2.0 (kernels that enqueue kernels)")
    can_enqueue = not has_version(kit.cl, (3, 0)) or kit.cl.fact("CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES")
    skip_unless(can_enqueue, "kernels of the device cannot enqueue kernels")
    known = ENQUEUEING_KERNELS[name]
    queue = kit.device_queue(
        QUEUE_PROPERTIES,
        f"{ON_DEVICE}+{OUT_OF_ORDER}" if known.takes_queue else f"{DEFAULT}+{ON_DEVICE}+{OUT_OF_ORDER}",
    )
    program = kit.program_built_from(known.source, options=get_standard_option(kit), failure=KERNEL_NOT_BUILT)
    kernel = require_handle(kit.cl.clCreateKernel(program, Text(name), OutputBuffer(1)))
    return set_arguments(kit, kernel, None, queue) if known.takes_queue else kernel


def get_add_scaled(kit: Kit) -> Handle:
    """Return a kernel with a required work-group size of 4 work-items, with its arguments set."""
    others = (kit.second_buffer, kit.buffer())
    return set_arguments(kit, kit.kernel("add_scaled"), kit.first_buffer, *others, 4 * GROUP, Data(bytes(4)))


def get_add_alone(kit: Kit) -> Handle:
    """Return a kernel with a required work-group size of one work-item, with its argument set."""
    return set_arguments(kit, kit.kernel("add_alone"), kit.first_buffer)


def build_for_c2(kit: Kit, *options: str) -> Handle:
    """Return a kernel built with OpenCL C 2.0 or later and these additional options; skip where this is unsupported."""
    skip_unless(has_version(kit.cl, (2, 0)), "requires OpenCL 2.0 (non-uniform work-groups)")
    program = kit.built_program("add_index", options=" ".join((get_standard_option(kit), *options)))
    return set_arguments(kit, kit.kernel("add_index", program), kit.first_buffer)


def get_standard_option(kit: Kit) -> str:
    """Return the build option that selects OpenCL C 2.0, or 3.0 on devices that report this version."""
    return "-cl-std=CL3.0" if has_version(kit.cl, (3, 0)) else "-cl-std=CL2.0"
