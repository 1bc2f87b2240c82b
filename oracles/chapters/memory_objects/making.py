"""Common properties of new memory objects: flags and host memory (section 5.2.1)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Handle, Inside
from clconform.oracles.model.memory_objects import HostMemory
from clconform.oracles.model.pointed_memory import HostArea, SvmAllocation

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.oracles.model.memory_objects import MemoryObject
    from clconform.oracles.model.world import Model

FROM_HOST = ("CL_MEM_USE_HOST_PTR", "CL_MEM_ALLOC_HOST_PTR", "CL_MEM_COPY_HOST_PTR")
ACCESS = ("CL_MEM_READ_WRITE", "CL_MEM_WRITE_ONLY", "CL_MEM_READ_ONLY")
HOST_ACCESS = ("CL_MEM_HOST_WRITE_ONLY", "CL_MEM_HOST_READ_ONLY", "CL_MEM_HOST_NO_ACCESS")


def told_flags(flags: int, model: Model) -> tuple[int, ...]:
    """Return the flags that queries of an object may return: as given, or with the default access flag."""
    if flags & sum(model.value(name) for name in ACCESS):
        return (flags,)
    return flags, flags | model.value("CL_MEM_READ_WRITE")


def inherited(flags: int, parents: int, model: Model) -> int:
    """Return the flags of a sub-object: its own, and the parent's for each group that its own leave out."""
    own = flags
    for group in (ACCESS, HOST_ACCESS):
        mask = sum(model.value(name) for name in group)
        if not own & mask:
            own |= parents & mask
    return own | parents & sum(model.value(name) for name in FROM_HOST)


def told_of_a_part(flags: int, parent: MemoryObject, model: Model) -> tuple[int, ...] | None:
    """Return the flags that queries of an object on another one may return: with all inherited flags, or fewer."""
    if parent.told_flags is None:
        return None
    left_out = [
        sum(model.value(name) for name in group) & ~flags for group in ((), FROM_HOST, (*FROM_HOST, *HOST_ACCESS))
    ]
    told = (inherited(flags, above, model) & ~less for less in left_out for above in parent.told_flags)
    return tuple(dict.fromkeys(told))


def host_memory_of(call: Call, model: Model) -> HostMemory:
    """Return the host memory that a new object uses; empty if it does not use host_ptr."""
    given = call.arguments.get("host_ptr")
    if not call.flags & model.value("CL_MEM_USE_HOST_PTR"):
        return HostMemory()
    memory = model.known(given.handle if isinstance(given, Inside) else given)
    shared = isinstance(memory, SvmAllocation) if isinstance(memory, SvmAllocation | HostArea) else None
    return HostMemory(given.name if isinstance(given, Handle) else None, shared)
