"""Command-buffers to ask, while they record and after, and the commands of kernels in them."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

from clconform.calls.values import Handle, HandleBytes, Items, Room
from clconform.suites.queries.contexts import About, a_context
from clconform.suites.queries.kinds import Kinds
from clconform.suites.queries.memory import a_buffer
from clconform.suites.queries.programs import a_kernel
from clconform.suites.queries.queues import a_queue
from clconform.suites.steps import needs, one, promised, value

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.runner.session.session import Session
    from clconform.suites.queries.kinds import Maker

FUNCTION, OF_COMMANDS = "clGetCommandBufferInfoKHR", "clGetMutableCommandInfoKHR"
REQUIRED = "CL_DEVICE_COMMAND_BUFFER_REQUIRED_QUEUE_PROPERTIES_KHR"
ITEMS = 16
kinds = Kinds()


def a_command_buffer(cl: Session, context: Handle, properties: Items | None = None) -> Handle:
    """Make a command-buffer for a queue with the properties that the device asks for."""
    needs(promised(cl, FUNCTION), "cl_khr_command_buffer is not supported")
    queue = a_queue(cl, context, cl.fact(REQUIRED) or 0)
    return one(cl.clCreateCommandBufferKHR(1, Items((queue,)), properties, Room(1)))


@kinds.of("a command-buffer", FUNCTION)
def command_buffer(cl: Session) -> About:
    return {"command_buffer": a_command_buffer(cl, a_context(cl))}


@kinds.of("a command-buffer with properties", FUNCTION)
def command_buffer_with_properties(cl: Session) -> About:
    properties = Items((value(cl, "CL_COMMAND_BUFFER_FLAGS_KHR"), 0, 0))
    return {"command_buffer": a_command_buffer(cl, a_context(cl), properties)}


@kinds.of("a command-buffer that is finalized", FUNCTION)
def finalized(cl: Session) -> About:
    recorded = a_command_buffer(cl, a_context(cl))
    cl.clFinalizeCommandBufferKHR(recorded)
    return {"command_buffer": recorded}


def _command(local: tuple[int, ...] | None, offset: tuple[int, ...] | None, cl: Session) -> About:
    """Record a kernel, and name which of its fields may change where a size for its work-groups is given."""
    needs(promised(cl, OF_COMMANDS), "cl_khr_command_buffer_mutable_dispatch is not supported")
    kernel = a_kernel(cl, "add_index")
    context = Handle(cl.query("clGetKernelInfo", kernel, "CL_KERNEL_CONTEXT"))
    cl.clSetKernelArg(kernel, 0, 8, HandleBytes(a_buffer(cl, context, "CL_MEM_READ_WRITE")))
    mutable = Items((value(cl, "CL_COMMAND_BUFFER_FLAGS_KHR"), value(cl, "CL_COMMAND_BUFFER_MUTABLE_KHR"), 0))
    recording = a_command_buffer(cl, context, mutable)
    fields = cl.fact("CL_DEVICE_MUTABLE_DISPATCH_CAPABILITIES_KHR") or 0
    properties = Items((value(cl, "CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR"), fields, 0)) if local else None
    sizes = (Items(offset) if offset else None, Items((ITEMS,)), Items(local) if local else None)
    arguments = (recording, None, properties, kernel, 1, *sizes, 0, None, None, Room(1))
    return {"command": one(cl.clCommandNDRangeKernelKHR(*arguments), "mutable_handle")}


@kinds.family(OF_COMMANDS)
def commands() -> Iterator[tuple[str, Maker]]:
    yield "a kernel's command", functools.partial(_command, None, None)
    yield "a kernel's command with all sizes and properties", functools.partial(_command, (4,), (8,))
