"""The rules of the note by requirement, and options for the habits of later runtimes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from clconform.calls.traces import TraceContext, TraceMemoryObject


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
    LAZY_ALLOCATION: "Creating a memory object allocates no memory; the first access in a context does.",
    READY_AFTER_COMMAND: (
        "Once an allocation command is finished, the memory object is ready for its first use in that context."
    ),
    SAME_OBJECT: "Only allocations of the same memory object are linked; different objects never share memory.",
    ONE_ON_THE_HOST: "One of two linked allocations is the host's: allocations of two devices are never linked.",
    NOT_LINKED_BEFORE: "An allocation has at most one link: it is not linked to the allocation of a second device.",
    SHARED_MEMORY: "A linked device allocation is requested to share the memory of the host allocation.",
    CREATION: "A linked object is created with CL_MEM_USE_HOST_PTR; another without it, and then written if needed.",
    HOST_ALLOCATION_SKIPPED: (
        "The host allocates nothing if the user's pointer or a map of the linked allocation can be used."
    ),
    TRANSFER: "Map and unmap switch between linked allocations; others are read and written through the host.",
    LINKED_IF_UNIFIED: "Two allocations are linked if and only if the device has unified memory with the host.",
}
"""Requirement to the rule in our words; on a driver, calls that follow the rule cover it and share its verdict."""


@dataclass(frozen=True)
class NoteDialect:
    """Interpretation of the note. The default is the literal note; each option is a habit of a later runtime.

    ``pinned``: objects that request pinned memory are linked with any device. ``buffers_only``: images are not linked.
    ``current_only``: only the allocation that currently holds the object is linked to a new one. ``spares_discarded``:
    data that an access discards are not read or written for it.
    """

    pinned: bool = False
    buffers_only: bool = False
    current_only: bool = False
    spares_discarded: bool = False


NOTE = NoteDialect()
CURRENT_RUNTIME = NoteDialect(pinned=True, buffers_only=True, current_only=True, spares_discarded=True)
"""The current version of the runtime that the note describes."""


def is_linkable(memory: TraceMemoryObject, context: TraceContext, dialect: NoteDialect = NOTE) -> bool:
    """Return whether an object's allocation in a device's context is to be linked with the host's."""
    if dialect.buffers_only and memory.image:
        return False
    return context.unified or (dialect.pinned and memory.pinned)
