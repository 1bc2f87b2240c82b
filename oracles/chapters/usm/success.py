"""Postconditions of USM allocations, and effects of frees that should have failed."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from clconform.oracles.chapters.usm.clauses import FLAGS, supporting
from clconform.oracles.contents.storage import Storage, View
from clconform.oracles.contents.unified import ALLOCATED_BY, allocation
from clconform.oracles.engine.judgements import AGAINST_THE_CLAUSES
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.devices import Device
from clconform.oracles.model.lifetime import release
from clconform.oracles.model.pointed_memory import DeviceAllocation, SharedAllocation
from clconform.oracles.recurring.alignment import aligned_to, largest_type
from clconform.oracles.recurring.making import made
from clconform.oracles.recurring.property_lists import pairs

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.oracles.engine.wants import Promise
    from clconform.oracles.model.world import Model

rules = Rules()


@rules.success(*ALLOCATED_BY)
def unified_allocated(call: Call, model: Model) -> Promise:
    """The call allocates memory of this type, with the given alignment; queries return its properties."""
    device = model.known(call.arguments.get("device"))
    flags = pairs(call.properties).get(model.value(FLAGS), 0)
    memory = ALLOCATED_BY[call.function](
        context=model.context(call.context),
        size=call.size,
        memory=View(Storage(call.size), 0, call.size),
        alignment=call.alignment or largest_type(supporting(call, model)),
        devices=[device] if isinstance(device, Device) else [],
        flags=flags if isinstance(flags, int) else 0,
    )
    memory.fine = not isinstance(memory, DeviceAllocation)
    by_default = "size/4" if isinstance(memory, SharedAllocation) and not memory.devices else "size/2"
    record = f"{call.function}/{'success' if call.alignment else by_default}"
    return replace(made(memory, call, model), alignment=aligned_to(memory.alignment, record))


@rules.aftermath("clMemFreeINTEL", "clMemBlockingFreeINTEL")
def freed_perhaps(call: Call, model: Model, code: str) -> None:
    """Mark an allocation as freed after a free that should have failed, or that failed without explanation."""
    memory = allocation(call.ptr, model) if code in AGAINST_THE_CLAUSES else None
    if memory is not None:
        memory.references = 0
        release(memory, model)
