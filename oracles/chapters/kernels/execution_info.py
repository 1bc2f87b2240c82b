"""What a kernel is told besides its arguments: the shared memory that it may reach on its own (section 5.9.2)."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

from clconform.calls.values import Data, Handle, Inside, Pointers
from clconform.oracles.contents.pointers import base_and_offset, memory_at
from clconform.oracles.contents.storage import POINTER_BYTES
from clconform.oracles.model.pointed_memory import (
    DeviceAllocation,
    HostAllocation,
    HostArea,
    PointedMemory,
    SharedAllocation,
    SvmAllocation,
    UsmAllocation,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.calls.call import Call
    from clconform.oracles.model.contexts import ContextObject
    from clconform.oracles.model.devices import Device
    from clconform.oracles.model.kernels import Kernel
    from clconform.oracles.model.world import Model

SYSTEM, SVM_POINTERS = "CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM", "CL_KERNEL_EXEC_INFO_SVM_PTRS"
SYSTEM_ALLOWED, SYSTEM_BY_DEFAULT = (f"{SYSTEM}/effect/{number}" for number in (1, 2))
POINTERS = "CL_KERNEL_EXEC_INFO_USM_PTRS_INTEL"
INDIRECT = {
    "CL_KERNEL_EXEC_INFO_INDIRECT_HOST_ACCESS_INTEL": HostAllocation,
    "CL_KERNEL_EXEC_INFO_INDIRECT_DEVICE_ACCESS_INTEL": DeviceAllocation,
    "CL_KERNEL_EXEC_INFO_INDIRECT_SHARED_ACCESS_INTEL": SharedAllocation,
}
"""Name to the type of unified shared memory that the kernel may then reach, all of it."""
BOOLEAN = 4
"""Bytes of a cl_bool."""


def reached_besides(kernel: Kernel, model: Model) -> Iterator[PointedMemory]:
    """Yield the memory that a kernel may reach without an argument: all of some types, and what it was told."""
    for memory in model.of_kind(UsmAllocation):
        if type(memory) in kernel.reaches and memory.context is kernel.context:
            yield memory
    for listed in kernel.listed.values():
        yield from listed


def ways_to(memory: ContextObject, kernel: Kernel, device: Device, model: Model) -> frozenset[str]:
    """Return the names of what a kernel was told, or the sentences, by which it reaches memory that is no argument."""
    if isinstance(memory, HostArea):
        shares = device.number("CL_DEVICE_SVM_CAPABILITIES") & model.value("CL_DEVICE_SVM_FINE_GRAIN_SYSTEM")
        way = {1: SYSTEM_ALLOWED, None: SYSTEM_BY_DEFAULT}.get(kernel.system)
        return frozenset({way} if shares and way is not None else ())
    types = {name for name, kind in INDIRECT.items() if kind is type(memory) and kind in kernel.reaches}
    lists = {name for name, listed in kernel.listed.items() if memory in listed}
    return frozenset(lists | (types if memory.context is kernel.context else set()))


def pointers_of(call: Call) -> tuple[Handle | Inside | None, ...]:
    """Return the pointers of a list, as many as its size says."""
    given = call.param_value.values if isinstance(call.param_value, Pointers) else ()
    return given[: call.param_value_size // POINTER_BYTES]


def told_of(value: Handle | Inside | None, name: str, kernel: Kernel, model: Model) -> PointedMemory | None:
    """Return the memory that a kernel is told of by a pointer, or None where it leads to none of the kernel's.

    Shared virtual memory may be told of by any address inside it, unified memory by that of the allocation.
    """
    kind: type[PointedMemory] = SvmAllocation if name == SVM_POINTERS else UsmAllocation
    memory = memory_at(value, model, kind)
    if memory is None or memory.context is not kernel.context or base_and_offset(value)[1] >= memory.size:
        return None
    return None if name == POINTERS and isinstance(value, Inside) else memory


def name_of(call: Call, model: Model) -> str | None:
    """Return the name of what a call of clSetKernelExecInfo tells, or None for one that nobody knows."""
    names = (SYSTEM, SVM_POINTERS, POINTERS, *INDIRECT)
    return next((name for name in names if model.value(name) == call.param_name), None)


def boolean_of(value: object) -> int | None:
    """Return the number that the bytes of a cl_bool hold, or None for bytes that are too few or too many."""
    if not isinstance(value, Data) or len(value.content) != BOOLEAN:
        return None
    number: int = struct.unpack("I", value.content)[0]
    return number
