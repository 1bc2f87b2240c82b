"""What the note asks for, by its records, and what today's runtime does in another way: options of the reading."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from clconform.calls.traces import Context, MemoryObject


OVERVIEW = "linked-allocations:brief-overview-of-allocations-for-memory-objects"
COMMANDS = "linked-allocations:linked-allocation-commands"
NOTHING_AT_CONSTRUCTION = f"{OVERVIEW}/1"
READY = f"{OVERVIEW}/2"
SAME_OBJECT = f"{COMMANDS}/1"
ONE_ON_THE_HOST = f"{COMMANDS}/2"
NOT_LINKED_BEFORE = f"{COMMANDS}/3"
SHARED = f"{COMMANDS}/4"
CREATION = f"{COMMANDS}/5"
HOST_SKIPPED = f"{COMMANDS}/6"
TRANSFER = f"{COMMANDS}/7"
IF_UNIFIED = "linked-allocations:command-linking-approach/1"

RULES = {
    NOTHING_AT_CONSTRUCTION: "Making a memory object allocates nothing; that waits for the first access in a context.",
    READY: "Once an object's allocation in a context is done, its first use there finds it as it must be.",
    SAME_OBJECT: "Only allocations of one memory object are linked; two objects keep their bytes apart.",
    ONE_ON_THE_HOST: "A link joins the host's allocation to a device's; two devices' allocations keep apart.",
    NOT_LINKED_BEFORE: "An allocation has one link at most: a second device goes without.",
    SHARED: "A device's allocation that is linked is asked for on the host's memory.",
    CREATION: "A linked allocation is made on the host's memory at hand; another without, and then written if need be.",
    HOST_SKIPPED: "The host allocates nothing where the user's memory serves, or a map of its counterpart.",
    TRANSFER: "Linked sides are switched by map and unmap, with one active; others read and write by way of the host.",
    IF_UNIFIED: "Two allocations are linked just where the device shares its memory with the host.",
}
"""Record to the rule in our words; on a driver it is met by calls that follow it, and shares their fate."""


@dataclass(frozen=True)
class Dialect:
    """How the note is read. As it stands is the default; each option is a habit of a later runtime.

    ``pinned``: objects that want pinned memory are linked with any device. ``buffers_only``: images are not linked.
    ``current_only``: only the allocation that holds the object now is linked to a new one.
    ``spares_discarded``: what is discarded by an access is not read or written for it.
    """

    pinned: bool = False
    buffers_only: bool = False
    current_only: bool = False
    spares_discarded: bool = False


NOTE = Dialect()
LATER = Dialect(pinned=True, buffers_only=True, current_only=True, spares_discarded=True)
"""The runtime that the note describes, as it came to be."""


def linkable(memory: MemoryObject, context: Context, dialect: Dialect = NOTE) -> bool:
    """Tell whether an object's allocation in a device's context is one to be linked with the host's."""
    if dialect.buffers_only and memory.image:
        return False
    return context.unified or (dialect.pinned and memory.pinned)
