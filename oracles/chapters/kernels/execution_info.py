"""Execution information of kernels: the SVM and USM allocations that they access indirectly (section 5.9.2)."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

from clconform.calls.values import Data, Handle, OffsetPointer, Pointers
from clconform.oracles.contents.pointers import memory_at, split_address
from clconform.oracles.model.pointer_memory import (
    DeviceAllocation,
    HostAllocation,
    HostArea,
    PointerMemory,
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
    from clconform.oracles.model.state import Model

SYSTEM, SVM_POINTERS = "CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM", "CL_KERNEL_EXEC_INFO_SVM_PTRS"
SYSTEM_ALLOWED, SYSTEM_BY_DEFAULT = (f"{SYSTEM}/effect/{number}" for number in (1, 2))
POINTERS = "CL_KERNEL_EXEC_INFO_USM_PTRS_INTEL"
INDIRECT = {
    "CL_KERNEL_EXEC_INFO_INDIRECT_HOST_ACCESS_INTEL": HostAllocation,
    "CL_KERNEL_EXEC_INFO_INDIRECT_DEVICE_ACCESS_INTEL": DeviceAllocation,
    "CL_KERNEL_EXEC_INFO_INDIRECT_SHARED_ACCESS_INTEL": SharedAllocation,
}
"""Maps a parameter name to the type of USM allocations that a kernel can access if the parameter is CL_TRUE."""
BOOLEAN_BYTES = 4
"""Size of a cl_bool in bytes."""


def indirectly_accessible(kernel: Kernel, model: Model) -> Iterator[PointerMemory]:
    """Yield the memory that a kernel can access without an argument.

    This includes all USM allocations of the enabled types, and all memory in the lists that clSetKernelExecInfo sets.
    """
    for memory in model.objects_of_class(UsmAllocation):
        if type(memory) in kernel.indirect_types and memory.context is kernel.context:
            yield memory
    for listed in kernel.indirect_memory.values():
        yield from listed


def access_paths(memory: ContextObject, kernel: Kernel, device: Device, model: Model) -> frozenset[str]:
    """Return the parameter names or requirements that allow a kernel to access memory that is not an argument."""
    if isinstance(memory, HostArea):
        shares = device.number("CL_DEVICE_SVM_CAPABILITIES") & model.constant_value("CL_DEVICE_SVM_FINE_GRAIN_SYSTEM")
        way = {1: SYSTEM_ALLOWED, None: SYSTEM_BY_DEFAULT}.get(kernel.uses_system_memory)
        return frozenset({way} if shares and way is not None else ())
    types = {name for name, kind in INDIRECT.items() if kind is type(memory) and kind in kernel.indirect_types}
    lists = {name for name, listed in kernel.indirect_memory.items() if memory in listed}
    return frozenset(lists | (types if memory.context is kernel.context else set()))


def listed_pointers(call: Call, model: Model) -> tuple[Handle | OffsetPointer | None, ...]:
    """Return the pointers in param_value that param_value_size covers."""
    given = call.param_value.values if isinstance(call.param_value, Pointers) else ()
    return given[: call.param_value_size // model.pointer_bytes]


def listed_allocation(
    value: Handle | OffsetPointer | None, name: str, kernel: Kernel, model: Model
) -> PointerMemory | None:
    """Return the allocation that a pointer in a list refers to; None if the kernel's context does not contain it.

    Any address inside an SVM allocation refers to the allocation. Only the base address refers to a USM allocation.
    """
    kind: type[PointerMemory] = SvmAllocation if name == SVM_POINTERS else UsmAllocation
    memory = memory_at(value, model, kind)
    if memory is None or memory.context is not kernel.context or split_address(value)[1] >= memory.size:
        return None
    return None if name == POINTERS and isinstance(value, OffsetPointer) else memory


def parameter_name(call: Call, model: Model) -> str | None:
    """Return the param_name of a clSetKernelExecInfo call, or None if it is unknown."""
    names = (SYSTEM, SVM_POINTERS, POINTERS, *INDIRECT)
    return next((name for name in names if model.constant_value(name) == call.param_name), None)


def parse_boolean(value: object) -> int | None:
    """Return the number in the bytes of a cl_bool; None if the value does not have 4 bytes."""
    if not isinstance(value, Data) or len(value.content) != BOOLEAN_BYTES:
        return None
    number: int = struct.unpack("I", value.content)[0]
    return number
