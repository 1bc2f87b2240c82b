"""Updates of recorded kernels: the lists that clUpdateMutableCommandsKHR takes, created and changed field by field."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from clconform.calls.values import ArgumentUpdate, DispatchConfig, DispatchConfigs, HandleBytes, Items, OutputBuffer
from clconform.suites.kit.queues import RECORDING_FLAGS
from clconform.suites.steps import needs, one, promised

if TYPE_CHECKING:
    from clconform.calls.values import Handle
    from clconform.suites.kit.kit import Kit
    from clconform.suites.kit.valid_calls import Arguments

LAUNCH, UPDATE, FINALIZE = "clCommandNDRangeKernelKHR", "clUpdateMutableCommandsKHR", "clFinalizeCommandBufferKHR"
MUTABLE, TYPE = "CL_COMMAND_BUFFER_MUTABLE_KHR", "CL_STRUCTURE_TYPE_MUTABLE_DISPATCH_CONFIG_KHR"
FIELDS, UPDATABLE = "CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR", "CL_DEVICE_MUTABLE_DISPATCH_CAPABILITIES_KHR"
HANDLE = 8
ITEMS = 16


def updatable(kit: Kit, *names: str) -> int:
    """Return the bits of updatable fields; skip where the device cannot update one of them."""
    bits = kit.value(*(f"CL_MUTABLE_DISPATCH_{name}_KHR" for name in names))
    needs((kit.cl.fact(UPDATABLE) or 0) & bits == bits, f"the device cannot update {', '.join(names)}")
    return bits


def with_command(kit: Kit, given: Arguments | None = None, fields: int | None = None) -> tuple[Handle, Handle]:
    """Record an updatable kernel, and return the command-buffer and the handle of the kernel command.

    ``given``: arguments that differ from those of the valid call. ``fields``: the bits of the updatable fields, by
    default the fields that the device can update.
    """
    needs(promised(kit.cl, UPDATE), "cl_khr_command_buffer_mutable_dispatch is not supported")
    buffer = kit.command_buffer(kit.listed(RECORDING_FLAGS, MUTABLE))
    properties = None if fields is None else kit.listed(FIELDS, fields)
    recorded = kit.call(
        LAUNCH, command_buffer=buffer, mutable_handle=OutputBuffer(1), properties=properties, **given or {}
    )
    return buffer, one(recorded, "mutable_handle")


def configs(kit: Kit, *listed: DispatchConfig | None) -> Arguments:
    """Return the arguments that list these updates."""
    types = Items((kit.value(TYPE),) * len(listed))
    return {"num_configs": len(listed), "config_types": types, "configs": DispatchConfigs(listed)}


def first_config(given: Arguments) -> DispatchConfig:
    """Return the first update of a call."""
    listed = given["configs"]
    found = listed.values[0] if isinstance(listed, DispatchConfigs) else None
    needs(found is not None, "the call has no update")
    return found or DispatchConfig(None)


def changed(kit: Kit, given: Arguments, **fields: object) -> Arguments:
    """Return the arguments of a call with some fields of its first update changed."""
    return configs(kit, msgspec.structs.replace(first_config(given), **fields))


def buffer_argument(buffer: Handle, index: int = 0) -> ArgumentUpdate:
    """Return an update that sets a kernel argument to a buffer."""
    return ArgumentUpdate(index, HANDLE, HandleBytes(buffer))
