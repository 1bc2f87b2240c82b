"""Postconditions of USM allocations, and effects of frees that should have failed."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from clconform.oracles.chapters.usm.error_conditions import FLAGS, supporting_devices
from clconform.oracles.common.alignment import expect_alignment, largest_type_size
from clconform.oracles.common.object_creation import create_postcondition
from clconform.oracles.common.property_lists import list_values
from clconform.oracles.contents.storage import Storage, StorageView
from clconform.oracles.contents.usm import ALLOCATION_CLASSES, allocation_at
from clconform.oracles.engine.judgements import UNEXPLAINED_CODES
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.devices import Device
from clconform.oracles.model.lifetime import release
from clconform.oracles.model.pointer_memory import DeviceAllocation, SharedAllocation

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.oracles.engine.matchers import Postcondition
    from clconform.oracles.model.state import Model

rules = Rules()


@rules.postcondition(*ALLOCATION_CLASSES)
def expect_usm_allocation(call: Call, model: Model) -> Postcondition:
    """The call allocates size bytes of host, device or shared memory, according to the name of the function.

    The address is a multiple of alignment or, if alignment is 0, of the size of the largest data type.
    clGetMemAllocInfoINTEL returns the type, the size, the device and the flags of the allocation.
    """
    device = model.find(call.arguments.get("device"))
    flags = list_values(call.properties).get(model.constant_value(FLAGS), 0)
    memory = ALLOCATION_CLASSES[call.function](
        context=model.context(call.context),
        size=call.size,
        memory=StorageView(Storage(call.size), 0, call.size),
        known_alignment=call.alignment or largest_type_size(supporting_devices(call, model)),
        devices=[device] if isinstance(device, Device) else [],
        flags=flags if isinstance(flags, int) else 0,
    )
    memory.is_fine_grained = not isinstance(memory, DeviceAllocation)
    by_default = "size/4" if isinstance(memory, SharedAllocation) and not memory.devices else "size/2"
    requirement = f"{call.function}/{'success' if call.alignment else by_default}"
    return replace(
        create_postcondition(memory, call, model), alignment=expect_alignment(memory.known_alignment, requirement)
    )


@rules.aftermath("clMemFreeINTEL", "clMemBlockingFreeINTEL")
def record_failed_free(call: Call, model: Model, code: str) -> None:
    """Mark an allocation as freed after an unexpected success of its free, or after an unexplained error."""
    memory = allocation_at(call.ptr, model) if code in UNEXPLAINED_CODES else None
    if memory is not None:
        memory.references = 0
        release(memory, model)
