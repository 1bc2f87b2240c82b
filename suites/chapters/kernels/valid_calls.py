"""One valid call of each function that creates, changes or clones kernels (section 5.9)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Data, Handle, HandleBytes, OutputBuffer, Text
from clconform.oracles.model.argument_kernels import ECHO_VALUES
from clconform.suites.chapters.kernels.argument_cases import VALUES, get_kernel, get_valid_value, setter_arguments
from clconform.suites.kit.valid_calls import ValidCalls

if TYPE_CHECKING:
    from clconform.suites.kit.kit import Kit
    from clconform.suites.kit.valid_calls import Arguments

NAMES = ("add_index", "copy_plus_one")
"""The kernels of the program that ``get_program`` returns."""
FOUR = VALUES[2]
"""A kernel argument of four bytes."""
valid_calls = ValidCalls()


def get_program(kit: Kit) -> Handle:
    """Return a built program of two kernels, created once."""
    return kit.get_cached("program of two kernels", lambda: kit.built_program(*NAMES))


@valid_calls.declare("clCreateKernel")
def kernel(kit: Kit) -> Arguments:
    """Create a kernel of a program by its name."""
    return {"program": get_program(kit), "kernel_name": Text(NAMES[0])}


@valid_calls.declare("clCreateKernelsInProgram")
def kernels(kit: Kit) -> Arguments:
    """Create all kernels of a program."""
    room: Arguments = {"num_kernels": len(NAMES), "kernels": OutputBuffer(len(NAMES))}
    return {"program": get_program(kit), **room, "num_kernels_ret": OutputBuffer(1)}


@valid_calls.declare("clRetainKernel", "clReleaseKernel")
def retain_or_release(kit: Kit) -> Arguments:
    """Retain or release a kernel that has one reference."""
    return {"kernel": kit.kernel(NAMES[0])}


@valid_calls.declare("clSetKernelArg")
def argument(kit: Kit) -> Arguments:
    """Set an argument of four bytes."""
    return setter_arguments(kit, FOUR, get_valid_value(kit, FOUR))


@valid_calls.declare("clSetKernelArgSVMPointer")
def pointer(kit: Kit) -> Arguments:
    """Set an argument to an SVM pointer, or to a host pointer where the device does not support SVM."""
    memory = kit.svm() if kit.has_svm() else kit.host_area()
    return {"kernel": get_kernel(kit, "add_index"), "arg_index": 0, "arg_value": memory}


@valid_calls.declare("clCloneKernel")
def clone(kit: Kit) -> Arguments:
    """Clone a kernel with two set arguments."""
    source = get_kernel(kit, ECHO_VALUES)
    kit.cl.clSetKernelArg(source, 0, kit.pointer_bytes, HandleBytes(kit.first_buffer))
    kit.cl.clSetKernelArg(source, FOUR.index, FOUR.declaration.bytes, Data(bytes(FOUR.declaration.bytes)))
    return {"source_kernel": source}
