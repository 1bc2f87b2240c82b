"""Rules of the note on linked allocations, and options for later versions of the runtime."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from clconform.calls.linked_allocations import TraceContext, TraceMemoryObject


LAZY_ALLOCATION = "linked-allocations:brief-overview-of-allocations-for-memory-objects/1"
READY_AFTER_COMMAND = "linked-allocations:brief-overview-of-allocations-for-memory-objects/2"
SAME_OBJECT = "linked-allocations:linked-allocation-commands/1"
ONE_ON_THE_HOST = "linked-allocations:linked-allocation-commands/2"
NOT_LINKED_BEFORE = "linked-allocations:linked-allocation-commands/3"
SHARED_MEMORY = "linked-allocations:linked-allocation-commands/4"
CREATION = "linked-allocations:linked-allocation-commands/5"
HOST_ALLOCATION_SKIPPED = "linked-allocations:linked-allocation-commands/6"
TRANSFER = "linked-allocations:linked-allocation-commands/7"
LINKED_IF_UNIFIED = "linked-allocations:command-linking-approach/1"

RULE_TEXTS = {
    LAZY_ALLOCATION: "The runtime does not allocate an object in a context before the first access there.",
    READY_AFTER_COMMAND: (
        "After an allocation command in a context, the object is allocated there, with its latest bytes."
    ),
    SAME_OBJECT: "Only allocations of one memory object are linked; different objects never share memory.",
    ONE_ON_THE_HOST: "One of two linked allocations belongs to the host: allocations of two devices are never linked.",
    NOT_LINKED_BEFORE: "An allocation has at most one link: it is not linked to the allocation of a second device.",
    SHARED_MEMORY: "A linked device allocation is created with the memory of the host's allocation as host_ptr.",
    CREATION: "A linked device allocation is created with CL_MEM_USE_HOST_PTR, any other one without host_ptr.",
    HOST_ALLOCATION_SKIPPED: (
        "The runtime does not allocate host memory for an object if the user's pointer or a map can provide the memory."
    ),
    TRANSFER: "Map and unmap move bytes between linked allocations. Other bytes move through the host's allocation.",
    LINKED_IF_UNIFIED: (
        "A device allocation is linked to the host's allocation if and only if the device has unified memory with the "
        "host."
    ),
}
"""Maps each requirement id to its text. On a driver, the calls that follow the rule cover the requirement."""


@dataclass(frozen=True)
class NoteDialect:
    """Variant of the note. By default the rules are those of the note; each option is a change in a later runtime.

    ``pinned``: the allocation of an object that requests pinned memory is linked on any device. ``buffers_only``: the
    allocations of images are not linked. ``current_only``: a new allocation is linked only to the allocation of the
    last access. ``spares_discarded``: data that an access discards are not transferred before the access.
    """

    pinned: bool = False
    buffers_only: bool = False
    current_only: bool = False
    spares_discarded: bool = False


NOTE = NoteDialect()
CURRENT_RUNTIME = NoteDialect(pinned=True, buffers_only=True, current_only=True, spares_discarded=True)
"""The current version of the runtime that the note describes."""


def is_linkable(memory: TraceMemoryObject, context: TraceContext, dialect: NoteDialect = NOTE) -> bool:
    """Return whether the note requires a link between an object's allocation in a context and the host's allocation."""
    if dialect.buffers_only and memory.image:
        return False
    return context.unified or (dialect.pinned and memory.pinned)
