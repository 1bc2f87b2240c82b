"""Unified shared memory in the model: its three types, which one a pointer leads into, and which devices may use it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.contents.pointers import memory_at

if TYPE_CHECKING:
    from clconform.oracles.model.world import Child, Device, Model

HOST, DEVICE, SHARED = "host memory", "device memory", "shared memory"
SORTS = (HOST, DEVICE, SHARED)
"""What the model calls the types of memory."""
SINGLE, CROSS, SYSTEM = (
    f"CL_DEVICE_{which}_MEM_CAPABILITIES_INTEL"
    for which in ("SINGLE_DEVICE_SHARED", "CROSS_DEVICE_SHARED", "SHARED_SYSTEM")
)
CAPABILITIES = {
    HOST: ("CL_DEVICE_HOST_MEM_CAPABILITIES_INTEL",),
    DEVICE: ("CL_DEVICE_DEVICE_MEM_CAPABILITIES_INTEL",),
    SHARED: (SINGLE, CROSS),
}
"""Type to the queries that tell what a device can do with such memory: none of it where all of them are zero."""
SORT_OF = {"clHostMemAllocINTEL": HOST, "clDeviceMemAllocINTEL": DEVICE, "clSharedMemAllocINTEL": SHARED}
"""Function to the type of what it allocates."""
ACCESS, ATOMIC = (f"CL_UNIFIED_SHARED_MEMORY_{what}_INTEL" for what in ("ACCESS", "ATOMIC_ACCESS"))


def allocation(value: object, model: Model) -> Child | None:
    """Return the unified shared memory that a pointer leads into, or None where it leads into none that lives."""
    return memory_at(value, model, *SORTS)


def supports(device: Device, sort: str) -> bool:
    """Tell whether a device has memory of a type; UnknownError where it has not been asked."""
    return any(device.number(query) for query in CAPABILITIES[sort])


def usable_by(memory: Child, device: Device, model: Model, *, atomics: bool = False) -> bool:
    """Tell whether a device surely may use memory, of whatever type; UnknownError where it has not been asked.

    Another device than the one that memory was allocated on may use it only where it is shared, and both say so.
    ``atomics``: by atomic operations, which the device has to claim besides.
    """

    def has(user: Device, *queries: str, needed: tuple[str, ...] = (ACCESS,)) -> bool:
        return any(all(user.number(query) & model.value(bit) for bit in needed) for query in queries)

    needed = (ACCESS, ATOMIC) if atomics else (ACCESS,)
    if memory.sort == SHARED and device not in memory.devices:
        return has(device, CROSS, needed=needed) and all(has(each, CROSS) for each in memory.devices)
    if memory.sort == DEVICE and device not in memory.devices:
        return False
    return has(device, *CAPABILITIES[memory.sort] if memory.sort in SORTS else (SYSTEM,), needed=needed)
