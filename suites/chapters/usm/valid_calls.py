"""One valid call of each function about unified shared memory, and of those that give kernels such memory.

Where a device lacks a type, the valid call to allocate it is one more wrong one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Data, Handle, Pointers, Room
from clconform.oracles.chapters.kernels.execution_info import POINTERS
from clconform.oracles.contents.unified import DEVICE, HOST, SHARED
from clconform.oracles.model.kernels import Kernel
from clconform.suites.chapters.svm.valid_calls import LARGEST
from clconform.suites.errors.valid_calls import ValidCalls
from clconform.suites.queries.allocations import SIZE, allocate
from clconform.suites.queries.programs import a_kernel
from clconform.suites.steps import needs

if TYPE_CHECKING:
    from clconform.suites.bench import Bench
    from clconform.suites.errors.valid_calls import Arguments

ARGUMENTS = {"data": 0, "other": 1, "scale": 2, "shared": 3, "offset": 4}
"""What the kernel with arguments of every sort calls them."""
valid_calls = ValidCalls()


def unified(bench: Bench, *sorts: str, context: Handle | None = None) -> Handle:
    """Allocate memory of the first of some types that the device has, by default of any, aligned for all data types."""
    return allocate(bench.cl, context or bench.context, *(sorts or (DEVICE, SHARED, HOST)), alignment=LARGEST)


@valid_calls.declare("clHostMemAllocINTEL")
def allocate_host(bench: Bench) -> Arguments:
    """Allocate memory of the host, aligned as the implementation does it."""
    return {"context": bench.context, "size": SIZE, "alignment": 0}


@valid_calls.declare("clDeviceMemAllocINTEL", "clSharedMemAllocINTEL")
def allocate_for_a_device(bench: Bench) -> Arguments:
    """Allocate memory of the device, or shared with it, aligned as the implementation does it."""
    return {"context": bench.context, "device": bench.cl.device, "size": SIZE, "alignment": 0}


@valid_calls.declare("clMemFreeINTEL", "clMemBlockingFreeINTEL")
def free(bench: Bench) -> Arguments:
    """Free an allocation."""
    return {"context": bench.context, "ptr": unified(bench)}


@valid_calls.declare("clGetMemAllocInfoINTEL")
def ask(bench: Bench) -> Arguments:
    """Ask for an allocation's type."""
    return {
        "context": bench.context,
        "ptr": unified(bench),
        "param_name": bench.value("CL_MEM_ALLOC_TYPE_INTEL"),
        "param_value_size": 4,
        "param_value": Room(4),
        "param_value_size_ret": Room(1),
    }


@valid_calls.declare("clEnqueueMemcpyINTEL")
def copy(bench: Bench) -> Arguments:
    """Copy all of one allocation to another."""
    both = {"dst_ptr": unified(bench), "src_ptr": unified(bench)}
    return {"command_queue": bench.queue, "blocking": 1, **both, "size": SIZE}


@valid_calls.declare("clEnqueueMemFillINTEL")
def fill(bench: Bench) -> Arguments:
    """Fill all of an allocation."""
    pattern = Data(bytes(range(LARGEST)))
    where = {"command_queue": bench.queue, "dst_ptr": unified(bench)}
    return {**where, "pattern": pattern, "pattern_size": 4, "size": SIZE}


@valid_calls.declare("clEnqueueMigrateMemINTEL")
def migrate(bench: Bench) -> Arguments:
    """Migrate the whole of an allocation of shared memory whose contents nobody needs."""
    return {**_all_of_one(bench), "flags": bench.value("CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED")}


@valid_calls.declare("clEnqueueMemAdviseINTEL")
def advise(bench: Bench) -> Arguments:
    """Give no advice about the whole of an allocation of shared memory."""
    return {**_all_of_one(bench), "advice": 0}


def _all_of_one(bench: Bench) -> Arguments:
    return {"command_queue": bench.queue, "ptr": unified(bench, SHARED, DEVICE, HOST), "size": SIZE}


@valid_calls.declare("clSetKernelArgMemPointerINTEL")
def set_argument(bench: Bench) -> Arguments:
    """Set an allocation of the kernel's context as its first argument."""
    kernel = _kernel(bench)
    return {"kernel": kernel, "arg_index": ARGUMENTS["data"], "arg_value": unified(bench)}


@valid_calls.declare("clSetKernelExecInfo")
def tell(bench: Bench) -> Arguments:
    """Let a kernel reach an allocation that is no argument of it."""
    value = Pointers((unified(bench),))
    kernel = _kernel(bench)
    return {"kernel": kernel, "param_name": bench.value(POINTERS), "param_value_size": 8, "param_value": value}


def _kernel(bench: Bench) -> Handle:
    """Make a kernel with arguments of every sort, and take its context for the bench's."""
    kernel = a_kernel(bench.cl, "add_scaled")
    context = bench.cl.model.get(Kernel, kernel).context
    needs(context, "the kernel's context is not known")
    bench.context = Handle(context.name) if context else bench.context
    return kernel
