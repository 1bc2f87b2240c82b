"""Postconditions of SVM allocations, and of freeing SVM and USM allocations (section 5.6.1)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from clconform.oracles.chapters.svm.effects import freed_pointers
from clconform.oracles.common.alignment import expect_alignment, largest_type_size
from clconform.oracles.common.object_creation import create_postcondition
from clconform.oracles.contents.access_rules import BLOCKING_FREE, commands_using
from clconform.oracles.contents.effects import MemoryEffect
from clconform.oracles.contents.storage import Storage, StorageView, whole_places
from clconform.oracles.engine.matchers import Element, Postcondition, Values
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.contexts import ContextObject
from clconform.oracles.model.lifetime import release
from clconform.oracles.model.pointer_memory import SvmAllocation

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.oracles.model.state import Model

rules = Rules()
rules.uses_interpretation("types-of-custom-devices", "clSVMAlloc/success")


@rules.postcondition("clSVMAlloc")
def expect_svm_allocation(call: Call, model: Model) -> Postcondition:
    """The call allocates memory that the host and the devices in context share, with the given alignment."""
    context = model.context(call.context)
    memory = SvmAllocation(
        context=context,
        size=call.size,
        memory=StorageView(Storage(call.size), 0, call.size),
        known_alignment=call.alignment or largest_type_size(context.devices),
        is_fine_grained=bool(call.flags & model.constant_value("CL_MEM_SVM_FINE_GRAIN_BUFFER")),
        flags=call.flags,
        supports_atomics=bool(call.flags & model.constant_value("CL_MEM_SVM_ATOMICS")),
    )
    requirement = "clSVMAlloc/alignment/1" if call.alignment else "clSVMAlloc/size/2"
    return replace(
        create_postcondition(memory, call, model), alignment=expect_alignment(memory.known_alignment, requirement)
    )


@rules.postcondition("clSVMFree", "clMemFreeINTEL", "clMemBlockingFreeINTEL", "clEnqueueSVMFree")
def expect_freed(call: Call, model: Model) -> Postcondition:
    """The call frees the memory; with pfn_free_func, the callback frees the memory instead.

    clMemBlockingFreeINTEL first waits until all commands that use the memory are complete.
    """
    if call.arguments.get("pfn_free_func") is not None:
        return Postcondition()
    memory = [thing for thing in map(model.find, freed_pointers(call)) if isinstance(thing, ContextObject)]

    def apply(_value: Element, _seen: dict[str, Values]) -> None:
        if call.function == BLOCKING_FREE:
            model.commands.finish(commands_using(MemoryEffect(writes=whole_places(memory)), model), call.function)
        for child in memory:
            child.references = 0
            release(child, model)

    return Postcondition(apply=apply)
