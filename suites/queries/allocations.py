"""USM for queries: addresses inside allocations of each type, and addresses outside any allocation."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

from clconform.calls.values import OffsetPointer, OutputBuffer
from clconform.oracles.contents.usm import ACCESS, CROSS, DEVICE, HOST, SHARED, TYPES
from clconform.suites.helpers import is_available, require_handle, skip_unless
from clconform.suites.kit.memory import MAX_TYPE_BYTES, SIZE
from clconform.suites.queries.kinds import ObjectKind, ObjectKindRegistry

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.calls.values import Handle
    from clconform.suites.kit.kit import Kit
    from clconform.suites.queries.kinds import QuerySubject

FUNCTION = "clGetMemAllocInfoINTEL"
FLAGS = "CL_MEM_ALLOC_FLAGS_INTEL"
COMBINED = "CL_MEM_ALLOC_WRITE_COMBINED_INTEL"
PLACEMENTS = ("CL_MEM_ALLOC_INITIAL_PLACEMENT_DEVICE_INTEL", "CL_MEM_ALLOC_INITIAL_PLACEMENT_HOST_INTEL")
NOT_SUPPORTED = "cl_intel_unified_shared_memory is not supported"
kinds = ObjectKindRegistry()


def _allocation(kind: str, flags: tuple[str, ...] | None, offset: int, kit: Kit) -> QuerySubject:
    elements = (FLAGS, "+".join(flags)) if flags else ()
    memory = kit.usm(kind, properties=None if flags is None else kit.property_list(*elements), alignment=0)
    return {"context": kit.context, "ptr": OffsetPointer(memory, offset) if offset else memory}


@kinds.declare_family(FUNCTION)
def allocations() -> Iterator[ObjectKind]:
    of = functools.partial(functools.partial, _allocation)
    for kind in TYPES:
        yield ObjectKind(kind, of(kind, None, 0))
        yield ObjectKind(f"{kind} by its second byte", of(kind, None, 1))
        yield ObjectKind(f"{kind} by its last byte", of(kind, None, SIZE - 1))
        yield ObjectKind(f"{kind} with an empty list", of(kind, (), 0))
        yield ObjectKind(f"{kind} with {COMBINED}", of(kind, (COMBINED,), 0))
    for place in PLACEMENTS:
        yield ObjectKind(f"{SHARED} with {place}", of(SHARED, (place,), 0))
        yield ObjectKind(f"{SHARED} with {COMBINED} and {place}", of(SHARED, (COMBINED, place), 0))


@kinds.declare("shared memory without a device", FUNCTION)
def shared_without_device(kit: Kit) -> QuerySubject:
    skip_unless(is_available(kit.cl, FUNCTION), NOT_SUPPORTED)
    skip_unless(
        (kit.cl.fact(CROSS) or 0) & kit.constant(ACCESS), "the device does not support cross-device shared memory"
    )
    return {
        "context": kit.context,
        "ptr": require_handle(kit.call("clSharedMemAllocINTEL", device=None, errcode_ret=OutputBuffer(1))),
    }


@kinds.declare("the second of two allocations", FUNCTION)
def second_allocation(kit: Kit) -> QuerySubject:
    first, second = (kit.usm(DEVICE, SHARED, HOST, alignment=0) for _ in range(2))
    del first
    return {"context": kit.context, "ptr": second}


def _allocate_system_memory(kit: Kit) -> Handle:
    skip_unless(is_available(kit.cl, FUNCTION), NOT_SUPPORTED)
    return require_handle(kit.cl.host_allocate(SIZE, MAX_TYPE_BYTES))


@kinds.declare("system memory", FUNCTION)
def system_memory(kit: Kit) -> QuerySubject:
    return {"context": kit.context, "ptr": _allocate_system_memory(kit)}


@kinds.declare("system memory by its last byte", FUNCTION)
def inside_system_memory(kit: Kit) -> QuerySubject:
    return {"context": kit.context, "ptr": OffsetPointer(_allocate_system_memory(kit), SIZE - 1)}


@kinds.declare("NULL", FUNCTION)
def null_pointer(kit: Kit) -> QuerySubject:
    skip_unless(is_available(kit.cl, FUNCTION), NOT_SUPPORTED)
    return {"context": kit.context, "ptr": None}
