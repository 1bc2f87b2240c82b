"""One valid call of each function that runs kernels (section 5.10)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Callback, Handle, HandleBytes, Items
from clconform.suites.kit.valid_calls import ValidCalls
from clconform.suites.steps import needs

if TYPE_CHECKING:
    from clconform.suites.kit.kit import Kit
    from clconform.suites.kit.valid_calls import Arguments

WORK_ITEMS = 16
valid_calls = ValidCalls()


def ready(kit: Kit) -> Handle:
    """Return a kernel with its argument set, made once."""
    kernel = kit.once("kernel", lambda: kit.kernel("add_index"))
    kit.cl.clSetKernelArg(kernel, 0, 8, HandleBytes(kit.first_buffer))
    return kernel


@valid_calls.declare("clEnqueueNDRangeKernel")
def run(kit: Kit) -> Arguments:
    """Run a kernel over a few elements of a buffer, in work-groups that the implementation chooses."""
    sizes: Arguments = {"work_dim": 1, "global_work_offset": None, "global_work_size": Items((WORK_ITEMS,))}
    return {"command_queue": kit.queue, "kernel": ready(kit), **sizes, "local_work_size": None}


@valid_calls.declare("clEnqueueTask")
def run_once(kit: Kit) -> Arguments:
    """Run a kernel with one work-item."""
    return {"command_queue": kit.queue, "kernel": ready(kit)}


@valid_calls.declare("clEnqueueNativeKernel")
def run_native(kit: Kit) -> Arguments:
    """Run a function of the host without arguments; the item is skipped where the device runs none."""
    needs(
        kit.has("CL_DEVICE_EXECUTION_CAPABILITIES", "CL_EXEC_NATIVE_KERNEL"),
        "the device does not support native kernels",
    )
    objects: Arguments = {"num_mem_objects": 0, "mem_list": None, "args_mem_loc": None}
    return {"command_queue": kit.queue, "user_func": Callback("native"), "args": None, "cb_args": 0, **objects}
