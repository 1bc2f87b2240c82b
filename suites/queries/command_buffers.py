"""Command-buffers for queries, in the recording and executable states, and their kernel commands."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

from clconform.calls.values import ElementList, HandleBytes, OutputBuffer
from clconform.suites.helpers import is_available, require_handle, skip_unless
from clconform.suites.queries.kinds import ObjectKind, ObjectKindRegistry

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.suites.kit.kit import Kit
    from clconform.suites.queries.kinds import QuerySubject

FUNCTION, COMMAND_FUNCTION = "clGetCommandBufferInfoKHR", "clGetMutableCommandInfoKHR"
FLAGS = "CL_COMMAND_BUFFER_FLAGS_KHR"
ITEMS = 16
kinds = ObjectKindRegistry()


@kinds.declare("a command-buffer", FUNCTION)
def command_buffer(kit: Kit) -> QuerySubject:
    return {"command_buffer": kit.command_buffer()}


@kinds.declare("a command-buffer with properties", FUNCTION)
def command_buffer_with_properties(kit: Kit) -> QuerySubject:
    return {"command_buffer": kit.command_buffer(kit.property_list(FLAGS, 0))}


@kinds.declare("a command-buffer that is finalized", FUNCTION)
def finalized_command_buffer(kit: Kit) -> QuerySubject:
    recorded = kit.command_buffer()
    kit.cl.clFinalizeCommandBufferKHR(recorded)
    return {"command_buffer": recorded}


def _kernel_command(local: tuple[int, ...] | None, offset: tuple[int, ...] | None, kit: Kit) -> QuerySubject:
    """Record a kernel command; if ``local`` is given, its fields are updatable."""
    cl = kit.cl
    skip_unless(is_available(cl, COMMAND_FUNCTION), "cl_khr_command_buffer_mutable_dispatch is not supported")
    kernel = kit.kernel("add_index")
    cl.clSetKernelArg(kernel, 0, cl.model.pointer_bytes, HandleBytes(kit.first_buffer))
    recording = kit.command_buffer(kit.property_list(FLAGS, "CL_COMMAND_BUFFER_MUTABLE_KHR"))
    fields = cl.fact("CL_DEVICE_MUTABLE_DISPATCH_CAPABILITIES_KHR") or 0
    properties = kit.property_list("CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR", fields) if local else None
    sizes = (ElementList(offset) if offset else None, ElementList((ITEMS,)), ElementList(local) if local else None)
    arguments = (recording, None, properties, kernel, 1, *sizes, 0, None, None, OutputBuffer(1))
    return {"command": require_handle(cl.clCommandNDRangeKernelKHR(*arguments), "mutable_handle")}


@kinds.declare_family(COMMAND_FUNCTION)
def kernel_commands() -> Iterator[ObjectKind]:
    yield ObjectKind("a kernel's command", functools.partial(_kernel_command, None, None))
    yield ObjectKind("a kernel's command with all sizes and properties", functools.partial(_kernel_command, (4,), (8,)))
