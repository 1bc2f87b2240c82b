"""Unified shared memory in the model: the allocation at a pointer, and the devices that may use it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.contents.pointers import memory_at
from clconform.oracles.model.pointer_memory import (
    DeviceAllocation,
    HostAllocation,
    SharedAllocation,
    UsmAllocation,
)

if TYPE_CHECKING:
    from clconform.oracles.model.cl_object import ClObject
    from clconform.oracles.model.devices import Device
    from clconform.oracles.model.state import Model

SINGLE, CROSS, SYSTEM = (
    f"CL_DEVICE_{which}_MEM_CAPABILITIES_INTEL"
    for which in ("SINGLE_DEVICE_SHARED", "CROSS_DEVICE_SHARED", "SHARED_SYSTEM")
)
HOST, DEVICE, SHARED = (kind.title for kind in (HostAllocation, DeviceAllocation, SharedAllocation))
TYPES = (HOST, DEVICE, SHARED)
"""The names of the types of unified shared memory."""
CAPABILITIES = {
    HOST: ("CL_DEVICE_HOST_MEM_CAPABILITIES_INTEL",),
    DEVICE: ("CL_DEVICE_DEVICE_MEM_CAPABILITIES_INTEL",),
    SHARED: (SINGLE, CROSS),
}
"""Maps types of memory to the capability queries of a device.

A device does not support a type if all its queries return 0.
"""
ALLOCATION_CLASSES: dict[str, type[UsmAllocation]] = {
    "clHostMemAllocINTEL": HostAllocation,
    "clDeviceMemAllocINTEL": DeviceAllocation,
    "clSharedMemAllocINTEL": SharedAllocation,
}
"""Maps allocating functions to the classes of their allocations."""
ALLOCATION_TYPES = {function: kind.title for function, kind in ALLOCATION_CLASSES.items()}
"""Maps allocating functions to the names of the types of their allocations."""
ACCESS, ATOMIC = (f"CL_UNIFIED_SHARED_MEMORY_{what}_INTEL" for what in ("ACCESS", "ATOMIC_ACCESS"))


def allocation_at(value: object, model: Model) -> UsmAllocation | None:
    """Return the unified shared memory at a pointer, or None if the pointer does not point to such memory."""
    return memory_at(value, model, UsmAllocation)


def supports_memory_type(device: Device, kind: type[UsmAllocation]) -> bool:
    """Return whether a device supports a type of unified shared memory; UnknownFactError if it was not queried."""
    return any(device.number(query) for query in CAPABILITIES[kind.title])


def is_usable_by(memory: ClObject, device: Device, model: Model, *, atomics: bool = False) -> bool:
    """Return whether a device may certainly access memory; UnknownFactError if its capabilities were not queried.

    A device other than that of the allocation may access only shared memory, and both devices must report cross-device
    access. ``atomics``: the access is by atomic operations, which the device must also report.
    """

    def has(user: Device, *queries: str, needed: tuple[str, ...] = (ACCESS,)) -> bool:
        return any(all(user.number(query) & model.constant_value(bit) for bit in needed) for query in queries)

    needed = (ACCESS, ATOMIC) if atomics else (ACCESS,)
    if isinstance(memory, SharedAllocation) and device not in memory.devices:
        return has(device, CROSS, needed=needed) and all(has(each, CROSS) for each in memory.devices)
    if isinstance(memory, DeviceAllocation) and device not in memory.devices:
        return False
    if isinstance(memory, UsmAllocation):
        return has(device, *CAPABILITIES[memory.title], needed=needed)
    return _shares_system_memory(device, model, atomics=atomics) or has(device, SYSTEM, needed=needed)


def _shares_system_memory(device: Device, model: Model, *, atomics: bool) -> bool:
    """Return whether a device reports that it can use all host memory as shared virtual memory."""
    told = device.facts.get("CL_DEVICE_SVM_CAPABILITIES")
    needed = model.constant_value("CL_DEVICE_SVM_FINE_GRAIN_SYSTEM") | (
        model.constant_value("CL_DEVICE_SVM_ATOMICS") if atomics else 0
    )
    return isinstance(told, int) and told & needed == needed
