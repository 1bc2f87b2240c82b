"""One valid call of each function that enqueues kernels or suggests their work-group size (sections 5.9.4 and 5.10)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import ElementList, HostCallback, OutputBuffer
from clconform.suites.chapters.execution.kernels import get_ready_kernel
from clconform.suites.kit.valid_calls import ValidCalls

if TYPE_CHECKING:
    from clconform.suites.kit.kit import Kit
    from clconform.suites.kit.valid_calls import Arguments

WORK_ITEMS = 16
RANGE: Arguments = {"work_dim": 1, "global_work_offset": None, "global_work_size": ElementList((WORK_ITEMS,))}
DIMENSIONS = 64
"""Entries of the output buffer for suggested sizes, enough for any number of dimensions."""
valid_calls = ValidCalls()


@valid_calls.declare("clEnqueueNDRangeKernel")
def run(kit: Kit) -> Arguments:
    """Run a kernel over a few elements of a buffer, with a local size that the implementation chooses."""
    return {"command_queue": kit.queue, "kernel": get_ready_kernel(kit), **RANGE, "local_work_size": None}


@valid_calls.declare("clGetKernelSuggestedLocalWorkSizeKHR")
def suggest(kit: Kit) -> Arguments:
    """Query the suggested local size for the kernel and range of the valid clEnqueueNDRangeKernel call."""
    return {
        "command_queue": kit.queue,
        "kernel": get_ready_kernel(kit),
        **RANGE,
        "suggested_local_work_size": OutputBuffer(DIMENSIONS),
    }


@valid_calls.declare("clEnqueueTask")
def run_once(kit: Kit) -> Arguments:
    """Run a kernel with one work-item."""
    return {"command_queue": kit.queue, "kernel": get_ready_kernel(kit)}


@valid_calls.declare("clEnqueueNativeKernel")
def run_native(kit: Kit) -> Arguments:
    """Enqueue a host function without arguments; a device without native kernels must reject the call."""
    objects: Arguments = {"num_mem_objects": 0, "mem_list": None, "args_mem_loc": None}
    return {"command_queue": kit.queue, "user_func": HostCallback("native"), "args": None, "cb_args": 0, **objects}
