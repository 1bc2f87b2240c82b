"""Command-buffers to query, in recording and executable state, and kernel commands in them."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

from clconform.calls.values import HandleBytes, Items, OutputBuffer
from clconform.suites.queries.kinds import Kind, Kinds
from clconform.suites.steps import needs, one, promised

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.suites.kit.kit import Kit
    from clconform.suites.queries.kinds import About

FUNCTION, OF_COMMANDS = "clGetCommandBufferInfoKHR", "clGetMutableCommandInfoKHR"
FLAGS = "CL_COMMAND_BUFFER_FLAGS_KHR"
ITEMS = 16
kinds = Kinds()


@kinds.of("a command-buffer", FUNCTION)
def command_buffer(kit: Kit) -> About:
    return {"command_buffer": kit.command_buffer()}


@kinds.of("a command-buffer with properties", FUNCTION)
def command_buffer_with_properties(kit: Kit) -> About:
    return {"command_buffer": kit.command_buffer(kit.listed(FLAGS, 0))}


@kinds.of("a command-buffer that is finalized", FUNCTION)
def finalized(kit: Kit) -> About:
    recorded = kit.command_buffer()
    kit.cl.clFinalizeCommandBufferKHR(recorded)
    return {"command_buffer": recorded}


def _command(local: tuple[int, ...] | None, offset: tuple[int, ...] | None, kit: Kit) -> About:
    """Record a kernel command; if ``local`` is given, its fields are declared as updatable."""
    cl = kit.cl
    needs(promised(cl, OF_COMMANDS), "cl_khr_command_buffer_mutable_dispatch is not supported")
    kernel = kit.kernel("add_index")
    cl.clSetKernelArg(kernel, 0, 8, HandleBytes(kit.first_buffer))
    recording = kit.command_buffer(kit.listed(FLAGS, "CL_COMMAND_BUFFER_MUTABLE_KHR"))
    fields = cl.fact("CL_DEVICE_MUTABLE_DISPATCH_CAPABILITIES_KHR") or 0
    properties = kit.listed("CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR", fields) if local else None
    sizes = (Items(offset) if offset else None, Items((ITEMS,)), Items(local) if local else None)
    arguments = (recording, None, properties, kernel, 1, *sizes, 0, None, None, OutputBuffer(1))
    return {"command": one(cl.clCommandNDRangeKernelKHR(*arguments), "mutable_handle")}


@kinds.family(OF_COMMANDS)
def commands() -> Iterator[Kind]:
    yield Kind("a kernel's command", functools.partial(_command, None, None))
    yield Kind("a kernel's command with all sizes and properties", functools.partial(_command, (4,), (8,)))
