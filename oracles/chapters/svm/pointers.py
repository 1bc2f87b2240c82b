"""Pointers to shared memory: whose they are, where they lie, and which ones may not be given to a function at all."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Handle, Items
from clconform.oracles.contents.pointers import memory_at
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.contexts import Context
from clconform.oracles.model.memory_objects import Buffer
from clconform.oracles.model.pointed_memory import PointedMemory, SvmAllocation
from clconform.oracles.model.queues import Queue

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.oracles.model.world import Model

rules = Rules()

POINTERS = ("svm_pointer", "svm_pointers", "svm_ptr", "dst_ptr", "src_ptr")
"""Parameters that take pointers to shared memory, or lists of them."""


def allocation(value: object, model: Model) -> SvmAllocation | None:
    """Return the shared memory that a pointer leads into, or None where it leads into none that lives."""
    return memory_at(value, model, SvmAllocation)


def pointers_in(call: Call) -> list[object]:
    """Return all pointers that a call gives."""
    given = [call.arguments[name] for name in POINTERS if name in call.arguments]
    return [one for value in given for one in (value.values if isinstance(value, Items) else (value,))]


@rules.clause(
    "clEnqueueSVMFree/usage/1",
    "clEnqueueSVMMemcpy/usage/1",
    "clEnqueueSVMMemcpy/usage/4",
    "clEnqueueSVMMemFill/usage/1",
    "clEnqueueSVMMemFill/usage/2",
    "clEnqueueSVMMap/usage/1",
    "clEnqueueSVMUnmap/usage/1",
)
def of_another_context(call: Call, model: Model) -> bool:
    """A pointer leads into memory of another context than the queue's."""
    queue = model.known(call.command_queue)
    owner = queue.context if isinstance(queue, Queue) else None
    memory = [allocation(value, model) for value in pointers_in(call)]
    return owner is not None and any(each is not None and each.context is not owner for each in memory)


@rules.clause("clEnqueueSVMFree/usage/2", "clEnqueueSVMFree/usage/3")
def freed_without_a_callback(call: Call, model: Model) -> bool:
    """No callback frees the memory, and a pointer is not the start of shared memory that lives."""
    if call.svm_pointers is None or call.pfn_free_func is not None:
        return False
    return any(_no_start(value, model) for value in pointers_in(call))


@rules.clause("clSVMFree/usage/1", "clSVMFree/usage/2")
def nothing_of_the_context(call: Call, model: Model) -> bool:
    """The pointer is not NULL, and not the start of shared memory of the context that lives."""
    if call.svm_pointer is None:
        return False
    memory = allocation(call.svm_pointer, model)
    context = model.known(call.context)
    of_another = memory is not None and isinstance(context, Context) and memory.context is not context
    return of_another or _no_start(call.svm_pointer, model)


@rules.clause("clSVMFree/usage/3")
def still_under_a_buffer(call: Call, model: Model) -> bool:
    """A memory object that was made on the memory still lives."""
    memory = allocation(call.svm_pointer, model)
    if memory is None or memory.memory is None:
        return False
    others: list[Buffer | PointedMemory] = [*model.of_kind(Buffer), *model.of_kind(PointedMemory)]
    views = [thing.memory for thing in others if thing is not memory]
    return any(view is not None and view.storage is memory.memory.storage for view in views)


def _no_start(value: object, model: Model) -> bool:
    return not isinstance(value, Handle) or allocation(value, model) is None
