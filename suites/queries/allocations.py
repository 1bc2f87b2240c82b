"""Unified shared memory to ask: allocations of each type by any address inside them, and addresses in none of them."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

from clconform.calls.values import Handle, Inside, Items, Room
from clconform.oracles.contents.unified import ACCESS, CAPABILITIES, CROSS, DEVICE, HOST, SHARED, TYPE_OF, TYPES
from clconform.suites.queries.contexts import About, a_context
from clconform.suites.queries.kinds import Kinds
from clconform.suites.steps import needs, one, promised, value

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.calls.values import Value
    from clconform.runner.session.session import Session
    from clconform.suites.queries.kinds import Maker

FUNCTION = "clGetMemAllocInfoINTEL"
SIZE, ALIGNMENT = 4096, 128
ALLOCATING = {sort: function for function, sort in TYPE_OF.items()}
"""Type of memory to the function that allocates it."""
FLAGS = "CL_MEM_ALLOC_FLAGS_INTEL"
COMBINED = "CL_MEM_ALLOC_WRITE_COMBINED_INTEL"
kinds = Kinds()
PLACEMENTS = ("CL_MEM_ALLOC_INITIAL_PLACEMENT_DEVICE_INTEL", "CL_MEM_ALLOC_INITIAL_PLACEMENT_HOST_INTEL")


def has_type(cl: Session, sort: str, device: Handle | None = None) -> bool:
    """Tell whether a device, by default the one under test, can use unified shared memory of a type."""
    return any((cl.fact(query, device) or 0) & value(cl, ACCESS) for query in CAPABILITIES[sort])


def allocate(
    cl: Session, context: Handle, *sorts: str, properties: Items | None = None, size: int = SIZE, alignment: int = 0
) -> Handle:
    """Allocate memory of the first of some types that the device has; the item is skipped where it has none."""
    needs(promised(cl, FUNCTION), "cl_intel_unified_shared_memory is not supported")
    sort = next((each for each in sorts if has_type(cl, each)), "")
    needs(sort, f"the device has no {' and no '.join(sorts)}")
    device: tuple[Value, ...] = () if sort == HOST else (cl.device,)
    return one(getattr(cl, ALLOCATING[sort])(context, *device, properties, size, alignment, Room(1)))


def _allocation(sort: str, flags: tuple[str, ...] | None, offset: int, cl: Session) -> About:
    bits = [value(cl, FLAGS), sum(value(cl, flag) for flag in flags)] if flags else []
    context = a_context(cl)
    memory = allocate(cl, context, sort, properties=None if flags is None else Items((*bits, 0)))
    return {"context": context, "ptr": Inside(memory, offset) if offset else memory}


@kinds.family(FUNCTION)
def allocations() -> Iterator[tuple[str, Maker]]:
    of = functools.partial(functools.partial, _allocation)
    for sort in TYPES:
        yield sort, of(sort, None, 0)
        yield f"{sort} by its second byte", of(sort, None, 1)
        yield f"{sort} by its last byte", of(sort, None, SIZE - 1)
        yield f"{sort} with an empty list", of(sort, (), 0)
        yield f"{sort} with {COMBINED}", of(sort, (COMBINED,), 0)
    for place in PLACEMENTS:
        yield f"{SHARED} with {place}", of(SHARED, (place,), 0)
        yield f"{SHARED} with {COMBINED} and {place}", of(SHARED, (COMBINED, place), 0)


@kinds.of("shared memory of no device", FUNCTION)
def shared_by_no_device(cl: Session) -> About:
    needs(promised(cl, FUNCTION), "cl_intel_unified_shared_memory is not supported")
    needs((cl.fact(CROSS) or 0) & value(cl, ACCESS), "the device shares no memory with others")
    context = a_context(cl)
    return {"context": context, "ptr": one(cl.clSharedMemAllocINTEL(context, None, None, SIZE, 0, Room(1)))}


@kinds.of("the second of two allocations", FUNCTION)
def one_of_two(cl: Session) -> About:
    context = a_context(cl)
    first, second = (allocate(cl, context, DEVICE, SHARED, HOST) for _ in range(2))
    del first
    return {"context": context, "ptr": second}


@kinds.of("the host's own memory", FUNCTION)
def own_memory(cl: Session) -> About:
    needs(promised(cl, FUNCTION), "cl_intel_unified_shared_memory is not supported")
    return {"context": a_context(cl), "ptr": one(cl.host_allocate(SIZE, ALIGNMENT))}


@kinds.of("the host's own memory by its last byte", FUNCTION)
def inside_own_memory(cl: Session) -> About:
    about = own_memory(cl)
    area = about["ptr"]
    return {**about, "ptr": Inside(area, SIZE - 1) if isinstance(area, Handle) else area}


@kinds.of("NULL", FUNCTION)
def nowhere(cl: Session) -> About:
    needs(promised(cl, FUNCTION), "cl_intel_unified_shared_memory is not supported")
    return {"context": a_context(cl), "ptr": None}
