"""Kernels whose arguments are set."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Data, HandleBytes, OutputBuffer, Text
from clconform.oracles.model.enqueueing_kernels import ENQUEUEING_KERNELS
from clconform.oracles.model.range_kernels import RANGE_KERNELS
from clconform.suites.chapters.execution.groups import LARGEST_ASKED
from clconform.suites.kit.queues import BITS, DEFAULT, ON_DEVICE, OUT_OF_ORDER
from clconform.suites.steps import at_least, needs, one

if TYPE_CHECKING:
    from clconform.calls.values import Handle, Value
    from clconform.suites.kit.kit import Kit

HANDLE = 8
"""Bytes of a handle."""
GROUP = 4
"""Work-items of the work-group size that ``add_scaled`` requires."""


def ready(kit: Kit) -> Handle:
    """Return a kernel over a buffer with its argument set, created once."""
    return kit.once("kernel", lambda: with_arguments(kit, kit.kernel("add_index"), kit.first_buffer))


def with_arguments(kit: Kit, kernel: Handle, *arguments: Handle | int | Data | None) -> Handle:
    """Set a kernel's arguments, and return the kernel.

    An argument is an object, a number of bytes of local memory, or a value; None leaves it unset.
    """
    for index, each in enumerate(arguments):
        if isinstance(each, int):
            kit.cl.clSetKernelArg(kernel, index, each, None)
        elif each is not None:
            size, value = _value(each)
            kit.cl.clSetKernelArg(kernel, index, size, value)
    return kernel


def _value(given: Handle | Data) -> tuple[int, Value]:
    return (len(given.content), given) if isinstance(given, Data) else (HANDLE, HandleBytes(given))


def over_many(kit: Kit) -> Handle:
    """Return a kernel on a buffer with one element per work-item of the largest tested work-groups, created once."""
    room = 8 * LARGEST_ASKED
    return kit.once("over many", lambda: with_arguments(kit, kit.kernel("add_index"), kit.buffer(size=room)))


def by_index(kit: Kit) -> Handle:
    """Return a kernel that indexes its elements relative to the global offset, created once."""
    return kit.once("by index", lambda: with_arguments(kit, range_kernel(kit, "tell_ids"), kit.first_buffer))


def range_kernel(kit: Kit, name: str, options: str = "") -> Handle:
    """Create a known kernel over ranges; skip where the driver does not build it."""
    needs(at_least(kit.cl, (1, 1)), "requires OpenCL 1.1 (global offsets)")
    program = kit.program_of(RANGE_KERNELS[name].source)
    done = kit.builds(program, options)
    needs(done, f"the driver does not build the kernels{'' if done else kit.first_complaint(program)}")
    return one(kit.cl.clCreateKernel(program, Text(name), OutputBuffer(1)))


def enqueueing(kit: Kit, name: str) -> Handle:
    """Create a kernel that enqueues kernels, with its device queue set; skip where the device does not support that."""
    needs(at_least(kit.cl, (2, 0)), "requires OpenCL 2.0 (kernels that enqueue kernels)")
    can_enqueue = not at_least(kit.cl, (3, 0)) or kit.cl.fact("CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES")
    needs(can_enqueue, "kernels of the device cannot enqueue kernels")
    known = ENQUEUEING_KERNELS[name]
    queue = kit.device_queue(
        BITS, f"{ON_DEVICE}+{OUT_OF_ORDER}" if known.by_argument else f"{DEFAULT}+{ON_DEVICE}+{OUT_OF_ORDER}"
    )
    program = kit.program_of(known.source)
    done = kit.builds(program, standard(kit))
    needs(done, f"the driver does not build the kernel{'' if done else kit.first_complaint(program)}")
    kernel = one(kit.cl.clCreateKernel(program, Text(name), OutputBuffer(1)))
    return with_arguments(kit, kernel, None, queue) if known.by_argument else kernel


def add_scaled(kit: Kit) -> Handle:
    """Return a kernel with a required work-group size of 4 work-items, with its arguments set."""
    others = (kit.second_buffer, kit.buffer())
    return with_arguments(kit, kit.kernel("add_scaled"), kit.first_buffer, *others, 4 * GROUP, Data(bytes(4)))


def add_alone(kit: Kit) -> Handle:
    """Return a kernel with a required work-group size of one work-item, with its argument set."""
    return with_arguments(kit, kit.kernel("add_alone"), kit.first_buffer)


def built_for_c2(kit: Kit, *options: str) -> Handle:
    """Return a kernel in OpenCL C 2.0 or later, built with these additional options; skip where it is not supported."""
    needs(at_least(kit.cl, (2, 0)), "requires OpenCL 2.0 (non-uniform work-groups)")
    program = kit.built("add_index", options=" ".join((standard(kit), *options)))
    return with_arguments(kit, kit.kernel("add_index", program), kit.first_buffer)


def standard(kit: Kit) -> str:
    """Return the build option for OpenCL C 2.0, or 3.0 on devices of that version."""
    return "-cl-std=CL3.0" if at_least(kit.cl, (3, 0)) else "-cl-std=CL2.0"
