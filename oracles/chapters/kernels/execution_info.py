"""What a kernel is told besides its arguments: the shared memory that it may reach on its own (section 5.9.2)."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

from clconform.calls.values import Data, Inside, Pointers
from clconform.oracles.contents.pointers import base_and_offset, memory_at
from clconform.oracles.contents.storage import POINTER_BYTES
from clconform.oracles.engine.answers import Answer, May, Reply
from clconform.oracles.engine.rules import Rules
from clconform.oracles.engine.wants import Element, Promise, Values
from clconform.oracles.model.kernels import Kernel
from clconform.oracles.model.pointed_memory import (
    DeviceAllocation,
    HostAllocation,
    PointedMemory,
    SharedAllocation,
    SvmAllocation,
    UsmAllocation,
)
from clconform.oracles.recurring.capabilities import lacks

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.calls.call import Call
    from clconform.calls.values import Handle
    from clconform.oracles.model.contexts import ContextObject
    from clconform.oracles.model.devices import Device
    from clconform.oracles.model.world import Model

rules = Rules()

SYSTEM, SVM_POINTERS = "CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM", "CL_KERNEL_EXEC_INFO_SVM_PTRS"
POINTERS = "CL_KERNEL_EXEC_INFO_USM_PTRS_INTEL"
INDIRECT = {
    "CL_KERNEL_EXEC_INFO_INDIRECT_HOST_ACCESS_INTEL": HostAllocation,
    "CL_KERNEL_EXEC_INFO_INDIRECT_DEVICE_ACCESS_INTEL": DeviceAllocation,
    "CL_KERNEL_EXEC_INFO_INDIRECT_SHARED_ACCESS_INTEL": SharedAllocation,
}
"""Name to the type of unified shared memory that the kernel may then reach, all of it."""
BOOLEAN = 4
"""Bytes of a cl_bool."""


@rules.clause("clSetKernelExecInfo/CL_INVALID_OPERATION/1")
def nobody_shares_memory(call: Call, model: Model) -> Reply:
    """No device of the kernel's context has shared virtual memory."""
    if not all(lacks(device, "SVM") for device in _devices(call, model)):
        return Answer.NO
    unified = _name(call, model) in (POINTERS, *INDIRECT)
    return May("unified-without-virtual") if unified else Answer.MUST


@rules.clause("clSetKernelExecInfo/CL_INVALID_OPERATION/2")
def nobody_shares_all_memory(call: Call, model: Model) -> Reply:
    """All memory of the host is to be reached, and no device of the kernel's context can."""
    if _name(call, model) != SYSTEM or not _truth(call.param_value):
        return Answer.NO
    bit = model.value("CL_DEVICE_SVM_FINE_GRAIN_SYSTEM")
    return not any(device.number("CL_DEVICE_SVM_CAPABILITIES") & bit for device in _devices(call, model))


@rules.clause("clSetKernelExecInfo/CL_INVALID_VALUE/1")
def no_such_information(call: Call, model: Model) -> Reply:
    """The name is not known, or the value is not there, or of a size that the name does not take."""
    name = _name(call, model)
    if name is None:
        known = model.tables.values_of_group("cl_kernel_exec_info").values()
        return May("property-of-elsewhere") if call.param_name in known else Answer.MUST
    if call.param_value is None and call.param_value_size > 0:
        return Answer.MUST
    if name in (POINTERS, SVM_POINTERS):
        return _list_not_valid(call, name, model)
    return bool(call.param_value_size != BOOLEAN)


def _list_not_valid(call: Call, name: str, model: Model) -> Reply:
    """Tell whether a list of pointers is of a wrong size; no clause knows of wrong pointers, but text doubts them."""
    if call.param_value_size == 0:
        return Answer.NO if call.param_value is None else May("no-pointers-at-an-address")
    if call.param_value_size % POINTER_BYTES:
        return Answer.MUST
    given = _pointers(call)
    if any(value is not None and model.known(base_and_offset(value)[0]) is None for value in given):
        return Answer.UNDEFINED
    kernel = model.get(Kernel, call.kernel)
    doubtful = any(_told_of(value, name, kernel, model) is None for value in given)
    return May("pointer-to-no-allocation") if doubtful else Answer.NO


@rules.success("clSetKernelExecInfo")
def information_kept(call: Call, model: Model) -> Promise:
    """The kernel may reach that memory, and what it was told before under the same name counts no more."""
    kernel = model.get(Kernel, call.kernel)
    name = _name(call, model)

    def apply(_value: Element, _seen: dict[str, Values]) -> None:
        if name in INDIRECT:
            kernel.reaches.discard(INDIRECT[name])
            if _truth(call.param_value):
                kernel.reaches.add(INDIRECT[name])
        elif name is not None:
            found = (_told_of(value, name, kernel, model) for value in _pointers(call))
            kernel.listed[name] = [memory for memory in found if memory is not None]

    return Promise(apply=apply)


def reached_besides(kernel: Kernel, model: Model) -> Iterator[PointedMemory]:
    """Yield the memory that a kernel may reach without an argument: all of some types, and what it was told."""
    for memory in model.of_kind(UsmAllocation):
        if type(memory) in kernel.reaches and memory.context is kernel.context:
            yield memory
    for listed in kernel.listed.values():
        yield from listed


def ways_to(memory: ContextObject, kernel: Kernel) -> frozenset[str]:
    """Return the names of what a kernel was told that lets it reach memory which is no argument."""
    types = {name for name, kind in INDIRECT.items() if kind is type(memory) and kind in kernel.reaches}
    lists = {name for name, listed in kernel.listed.items() if memory in listed}
    return frozenset(lists | (types if memory.context is kernel.context else set()))


def _pointers(call: Call) -> tuple[Handle | Inside | None, ...]:
    """Return the pointers of a list, as many as its size says."""
    given = call.param_value.values if isinstance(call.param_value, Pointers) else ()
    return given[: call.param_value_size // POINTER_BYTES]


def _told_of(value: Handle | Inside | None, name: str, kernel: Kernel, model: Model) -> PointedMemory | None:
    """Return the memory that a kernel is told of by a pointer, or None where it leads to none of the kernel's.

    Shared virtual memory may be told of by any address inside it, unified memory by that of the allocation.
    """
    kind: type[PointedMemory] = SvmAllocation if name == SVM_POINTERS else UsmAllocation
    memory = memory_at(value, model, kind)
    if memory is None or memory.context is not kernel.context or base_and_offset(value)[1] >= memory.size:
        return None
    return None if name == POINTERS and isinstance(value, Inside) else memory


def _name(call: Call, model: Model) -> str | None:
    names = (SYSTEM, SVM_POINTERS, POINTERS, *INDIRECT)
    return next((name for name in names if model.value(name) == call.param_name), None)


def _truth(value: object) -> bool:
    return isinstance(value, Data) and len(value.content) == BOOLEAN and struct.unpack("I", value.content)[0] != 0


def _devices(call: Call, model: Model) -> list[Device]:
    context = model.get(Kernel, call.kernel).context
    return context.devices if context is not None else []
