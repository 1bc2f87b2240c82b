"""Lists of updates for clUpdateMutableCommandsKHR: helpers that create them and change their fields."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from clconform.calls.values import (
    ArgumentUpdate,
    DispatchConfig,
    DispatchConfigs,
    ElementList,
    HandleBytes,
    OutputBuffer,
)
from clconform.suites.helpers import is_available, require_handle, skip_unless
from clconform.suites.kit.queues import RECORDING_FLAGS

if TYPE_CHECKING:
    from clconform.calls.values import Handle
    from clconform.suites.kit.kit import Kit
    from clconform.suites.kit.valid_calls import Arguments

RECORD_KERNEL = "clCommandNDRangeKernelKHR"
UPDATE = "clUpdateMutableCommandsKHR"
MUTABLE, TYPE = "CL_COMMAND_BUFFER_MUTABLE_KHR", "CL_STRUCTURE_TYPE_MUTABLE_DISPATCH_CONFIG_KHR"
FIELDS, UPDATABLE = "CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR", "CL_DEVICE_MUTABLE_DISPATCH_CAPABILITIES_KHR"
ITEMS = 16


def get_updatable_bits(kit: Kit, *names: str) -> int:
    """Return the bits of updatable fields; skip where the device cannot update all of these fields."""
    bits = kit.constant(*(f"CL_MUTABLE_DISPATCH_{name}_KHR" for name in names))
    skip_unless((kit.cl.fact(UPDATABLE) or 0) & bits == bits, f"the device cannot update {', '.join(names)}")
    return bits


def record_updatable(kit: Kit, given: Arguments | None = None, fields: int | None = None) -> tuple[Handle, Handle]:
    """Record an updatable kernel, and return the command-buffer and the handle of the kernel command.

    ``given``: arguments that differ from the valid call. ``fields``: the bits of the updatable fields, by default all
    fields that the device can update.
    """
    skip_unless(is_available(kit.cl, UPDATE), "cl_khr_command_buffer_mutable_dispatch is not supported")
    buffer = kit.command_buffer(kit.property_list(RECORDING_FLAGS, MUTABLE))
    properties = None if fields is None else kit.property_list(FIELDS, fields)
    recorded = kit.call(
        RECORD_KERNEL, command_buffer=buffer, mutable_handle=OutputBuffer(1), properties=properties, **given or {}
    )
    return buffer, require_handle(recorded, "mutable_handle")


def list_updates(kit: Kit, *listed: DispatchConfig | None) -> Arguments:
    """Return the arguments of a call that passes these updates."""
    types = ElementList((kit.constant(TYPE),) * len(listed))
    return {"num_configs": len(listed), "config_types": types, "configs": DispatchConfigs(listed)}


def get_first_update(given: Arguments) -> DispatchConfig:
    """Return the first update of a call."""
    listed = given["configs"]
    found = listed.values[0] if isinstance(listed, DispatchConfigs) else None
    skip_unless(found is not None, "the call has no update")
    return found or DispatchConfig(None)


def change_first_update(kit: Kit, given: Arguments, **fields: object) -> Arguments:
    """Return the arguments of a call, with some fields of its first update changed."""
    return list_updates(kit, msgspec.structs.replace(get_first_update(given), **fields))


def update_buffer_argument(kit: Kit, buffer: Handle, index: int = 0) -> ArgumentUpdate:
    """Return an update that sets a kernel argument to a buffer."""
    return ArgumentUpdate(index, kit.pointer_bytes, HandleBytes(buffer))
