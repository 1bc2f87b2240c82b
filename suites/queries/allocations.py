"""USM to query: allocations of each type by any address inside them, and addresses outside any allocation."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

from clconform.calls.values import Inside, OutputBuffer
from clconform.oracles.contents.unified import ACCESS, CROSS, DEVICE, HOST, SHARED, TYPES
from clconform.suites.kit.memory import LARGEST_TYPE, SIZE
from clconform.suites.queries.kinds import Kind, Kinds
from clconform.suites.steps import needs, one, promised

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.calls.values import Handle
    from clconform.suites.kit.kit import Kit
    from clconform.suites.queries.kinds import About

FUNCTION = "clGetMemAllocInfoINTEL"
FLAGS = "CL_MEM_ALLOC_FLAGS_INTEL"
COMBINED = "CL_MEM_ALLOC_WRITE_COMBINED_INTEL"
PLACEMENTS = ("CL_MEM_ALLOC_INITIAL_PLACEMENT_DEVICE_INTEL", "CL_MEM_ALLOC_INITIAL_PLACEMENT_HOST_INTEL")
NOT_SUPPORTED = "cl_intel_unified_shared_memory is not supported"
kinds = Kinds()


def _allocation(kind: str, flags: tuple[str, ...] | None, offset: int, kit: Kit) -> About:
    elements = (FLAGS, "+".join(flags)) if flags else ()
    memory = kit.unified(kind, properties=None if flags is None else kit.listed(*elements), alignment=0)
    return {"context": kit.context, "ptr": Inside(memory, offset) if offset else memory}


@kinds.family(FUNCTION)
def allocations() -> Iterator[Kind]:
    of = functools.partial(functools.partial, _allocation)
    for kind in TYPES:
        yield Kind(kind, of(kind, None, 0))
        yield Kind(f"{kind} by its second byte", of(kind, None, 1))
        yield Kind(f"{kind} by its last byte", of(kind, None, SIZE - 1))
        yield Kind(f"{kind} with an empty list", of(kind, (), 0))
        yield Kind(f"{kind} with {COMBINED}", of(kind, (COMBINED,), 0))
    for place in PLACEMENTS:
        yield Kind(f"{SHARED} with {place}", of(SHARED, (place,), 0))
        yield Kind(f"{SHARED} with {COMBINED} and {place}", of(SHARED, (COMBINED, place), 0))


@kinds.of("shared memory of no device", FUNCTION)
def shared_by_no_device(kit: Kit) -> About:
    needs(promised(kit.cl, FUNCTION), NOT_SUPPORTED)
    needs((kit.cl.fact(CROSS) or 0) & kit.value(ACCESS), "the device does not support cross-device shared memory")
    return {
        "context": kit.context,
        "ptr": one(kit.call("clSharedMemAllocINTEL", device=None, errcode_ret=OutputBuffer(1))),
    }


@kinds.of("the second of two allocations", FUNCTION)
def one_of_two(kit: Kit) -> About:
    first, second = (kit.unified(DEVICE, SHARED, HOST, alignment=0) for _ in range(2))
    del first
    return {"context": kit.context, "ptr": second}


def _own_memory(kit: Kit) -> Handle:
    needs(promised(kit.cl, FUNCTION), NOT_SUPPORTED)
    return one(kit.cl.host_allocate(SIZE, LARGEST_TYPE))


@kinds.of("system memory", FUNCTION)
def own_memory(kit: Kit) -> About:
    return {"context": kit.context, "ptr": _own_memory(kit)}


@kinds.of("system memory by its last byte", FUNCTION)
def inside_own_memory(kit: Kit) -> About:
    return {"context": kit.context, "ptr": Inside(_own_memory(kit), SIZE - 1)}


@kinds.of("NULL", FUNCTION)
def nowhere(kit: Kit) -> About:
    needs(promised(kit.cl, FUNCTION), NOT_SUPPORTED)
    return {"context": kit.context, "ptr": None}
