"""Common properties of new memory objects: flags and host memory (section 5.2.1)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Handle, OffsetPointer
from clconform.oracles.model.memory_objects import BackingHostMemory
from clconform.oracles.model.pointer_memory import HostArea, SvmAllocation

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.oracles.model.memory_objects import MemoryObject
    from clconform.oracles.model.state import Model

HOST_POINTER_FLAGS = ("CL_MEM_USE_HOST_PTR", "CL_MEM_ALLOC_HOST_PTR", "CL_MEM_COPY_HOST_PTR")
ACCESS_FLAGS = ("CL_MEM_READ_WRITE", "CL_MEM_WRITE_ONLY", "CL_MEM_READ_ONLY")
HOST_ACCESS_FLAGS = ("CL_MEM_HOST_WRITE_ONLY", "CL_MEM_HOST_READ_ONLY", "CL_MEM_HOST_NO_ACCESS")


def query_flags(flags: int, model: Model) -> tuple[int, ...]:
    """Return the values that CL_MEM_FLAGS may have: ``flags``, and without access flags also with CL_MEM_READ_WRITE."""
    if flags & sum(model.constant_value(name) for name in ACCESS_FLAGS):
        return (flags,)
    return flags, flags | model.constant_value("CL_MEM_READ_WRITE")


def inherit_flags(flags: int, parents: int, model: Model) -> int:
    """Return the flags of an object that is created from a parent: its own flags and the inherited ones.

    The object inherits the access flags if its own flags lack access flags, and likewise for the host access flags. It
    always inherits the host pointer flags. ``parents``: the flags of the parent.
    """
    own = flags
    for group in (ACCESS_FLAGS, HOST_ACCESS_FLAGS):
        mask = sum(model.constant_value(name) for name in group)
        if not own & mask:
            own |= parents & mask
    return own | parents & sum(model.constant_value(name) for name in HOST_POINTER_FLAGS)


def query_flags_of_child(flags: int, parent: MemoryObject, model: Model) -> tuple[int, ...] | None:
    """Return the values that CL_MEM_FLAGS may have for an object created from ``parent``; None if unknown.

    Each value contains ``flags``, and all or some of the inherited flags.
    """
    if parent.reportable_flags is None:
        return None
    left_out = [
        sum(model.constant_value(name) for name in group) & ~flags
        for group in ((), HOST_POINTER_FLAGS, (*HOST_POINTER_FLAGS, *HOST_ACCESS_FLAGS))
    ]
    told = (inherit_flags(flags, above, model) & ~less for less in left_out for above in parent.reportable_flags)
    return tuple(dict.fromkeys(told))


def host_memory_of(call: Call, model: Model) -> BackingHostMemory:
    """Return the host memory that a new object uses; empty without CL_MEM_USE_HOST_PTR."""
    given = call.arguments.get("host_ptr")
    if not call.flags & model.constant_value("CL_MEM_USE_HOST_PTR"):
        return BackingHostMemory()
    memory = model.find(given.handle if isinstance(given, OffsetPointer) else given)
    shared = isinstance(memory, SvmAllocation) if isinstance(memory, SvmAllocation | HostArea) else None
    return BackingHostMemory(given.name if isinstance(given, Handle) else None, shared)
