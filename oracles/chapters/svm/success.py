"""Postconditions of SVM allocations, and of freeing SVM and USM allocations (section 5.6.1)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from clconform.oracles.chapters.svm.effects import given_back
from clconform.oracles.contents.access_rules import WAITS_AND_FREES, using
from clconform.oracles.contents.effects import MemoryEffect
from clconform.oracles.contents.storage import Storage, View, wholes
from clconform.oracles.engine.rules import Rules
from clconform.oracles.engine.wants import Element, Promise, Values
from clconform.oracles.model.contexts import ContextObject
from clconform.oracles.model.lifetime import release
from clconform.oracles.model.pointed_memory import SvmAllocation
from clconform.oracles.recurring.alignment import aligned_to, largest_type
from clconform.oracles.recurring.making import made

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.oracles.model.world import Model

rules = Rules()


@rules.success("clSVMAlloc")
def svm_allocated(call: Call, model: Model) -> Promise:
    """The call allocates memory that the host and the devices in context share, with the given alignment."""
    context = model.context(call.context)
    memory = SvmAllocation(
        context=context,
        size=call.size,
        memory=View(Storage(call.size), 0, call.size),
        alignment=call.alignment or largest_type(context.devices),
        fine=bool(call.flags & model.value("CL_MEM_SVM_FINE_GRAIN_BUFFER")),
        flags=call.flags,
        atomics=bool(call.flags & model.value("CL_MEM_SVM_ATOMICS")),
    )
    record = "clSVMAlloc/alignment/1" if call.alignment else "clSVMAlloc/size/2"
    return replace(made(memory, call, model), alignment=aligned_to(memory.alignment, record))


@rules.success("clSVMFree", "clMemFreeINTEL", "clMemBlockingFreeINTEL", "clEnqueueSVMFree")
def freed(call: Call, model: Model) -> Promise:
    """The memory is freed, unless pfn_free_func frees it.

    clMemBlockingFreeINTEL first waits until all commands that use it are complete.
    """
    if call.arguments.get("pfn_free_func") is not None:
        return Promise()
    memory = [thing for thing in map(model.known, given_back(call)) if isinstance(thing, ContextObject)]

    def apply(_value: Element, _seen: dict[str, Values]) -> None:
        if call.function == WAITS_AND_FREES:
            model.order.finish(using(MemoryEffect(writes=wholes(memory)), model), call.function)
        for child in memory:
            child.references = 0
            release(child, model)

    return Promise(apply=apply)
