"""One valid call of each function about USM, and of functions that pass USM to kernels.

On a device that does not support a type of USM, the call that allocates this type must fail.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Data, OutputBuffer, Pointers
from clconform.oracles.chapters.kernels.execution_info import POINTERS, SYSTEM
from clconform.oracles.contents.usm import DEVICE, HOST, SHARED, TYPES
from clconform.suites.kit.memory import MAX_TYPE_BYTES, SIZE
from clconform.suites.kit.valid_calls import ValidCalls

if TYPE_CHECKING:
    from clconform.suites.kit.kit import Kit
    from clconform.suites.kit.valid_calls import Arguments

ARGUMENTS = {"data": 0, "other": 1, "scale": 2, "shared": 3, "offset": 4}
"""The index of each parameter of the kernel that has parameters of every type."""
valid_calls = ValidCalls()


@valid_calls.declare("clHostMemAllocINTEL")
def allocate_host(kit: Kit) -> Arguments:
    """Allocate host USM with the default alignment."""
    return {"context": kit.context, "size": SIZE, "alignment": 0}


@valid_calls.declare("clDeviceMemAllocINTEL", "clSharedMemAllocINTEL")
def allocate_for_device(kit: Kit) -> Arguments:
    """Allocate device or shared USM with the default alignment."""
    return {"context": kit.context, "device": kit.cl.device, "size": SIZE, "alignment": 0}


@valid_calls.declare("clMemFreeINTEL", "clMemBlockingFreeINTEL")
def free(kit: Kit) -> Arguments:
    """Free an allocation."""
    return {"context": kit.context, "ptr": kit.usm()}


@valid_calls.declare("clGetMemAllocInfoINTEL")
def query_type(kit: Kit) -> Arguments:
    """Query the USM type of an allocation."""
    return {
        "context": kit.context,
        "ptr": kit.usm(),
        "param_name": kit.constant("CL_MEM_ALLOC_TYPE_INTEL"),
        "param_value_size": 4,
        "param_value": OutputBuffer(4),
        "param_value_size_ret": OutputBuffer(1),
    }


@valid_calls.declare("clEnqueueMemcpyINTEL")
def copy(kit: Kit) -> Arguments:
    """Copy a whole allocation to another allocation."""
    both = {"dst_ptr": kit.usm(), "src_ptr": kit.usm()}
    return {"command_queue": kit.queue, "blocking": 1, **both, "size": SIZE}


@valid_calls.declare("clEnqueueMemFillINTEL")
def fill(kit: Kit) -> Arguments:
    """Fill a whole allocation."""
    pattern = Data(bytes(range(MAX_TYPE_BYTES)))
    where = {"command_queue": kit.queue, "dst_ptr": kit.usm()}
    return {**where, "pattern": pattern, "pattern_size": 4, "size": SIZE}


@valid_calls.declare("clEnqueueMigrateMemINTEL")
def migrate(kit: Kit) -> Arguments:
    """Migrate a whole shared USM allocation with the flag for undefined content."""
    return {**_whole_allocation(kit), "flags": kit.constant("CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED")}


@valid_calls.declare("clEnqueueMemAdviseINTEL")
def advise(kit: Kit) -> Arguments:
    """Pass neutral advice about a whole shared USM allocation."""
    return {**_whole_allocation(kit), "advice": 0}


def _whole_allocation(kit: Kit) -> Arguments:
    return {"command_queue": kit.queue, "ptr": kit.usm(SHARED, DEVICE, HOST), "size": SIZE}


@valid_calls.declare("clSetKernelArgMemPointerINTEL")
def set_argument(kit: Kit) -> Arguments:
    """Set the kernel's first argument to an allocation of the kernel's context."""
    kernel = kit.kernel("add_scaled")
    return {"kernel": kernel, "arg_index": ARGUMENTS["data"], "arg_value": kit.usm()}


@valid_calls.declare("clSetKernelExecInfo")
def declare_pointer(kit: Kit) -> Arguments:
    """Declare that a kernel may access an allocation without having it as an argument.

    Without USM support, disallow access to system memory instead.
    """
    if not any(map(kit.has_usm, TYPES)):
        whole: Arguments = {"param_name": kit.constant(SYSTEM), "param_value_size": 4, "param_value": Data(bytes(4))}
        return {"kernel": kit.kernel("add_scaled"), **whole}
    value = Pointers((kit.usm(),))
    kernel = kit.kernel("add_scaled")
    return {
        "kernel": kernel,
        "param_name": kit.constant(POINTERS),
        "param_value_size": kit.pointer_bytes,
        "param_value": value,
    }
