"""Recurring conditions about memory objects: a host pointer that contradicts the flags, a misaligned sub-buffer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.common.flags import EXTERNAL, find_flags, flags_of, is_flag_supported
from clconform.oracles.engine.applicability import Applicability, applicability_of
from clconform.oracles.engine.predicate_result import NO, Predicate, PredicateResult, may, must_if
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.call_scope import scope_of
from clconform.oracles.model.memory_objects import Buffer
from clconform.oracles.model.queues import CommandQueue

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.calls.call import Call
    from clconform.oracles.model.devices import Device
    from clconform.oracles.model.state import Model
    from clconform.spec_tables.requirements import ErrorCondition

rules = Rules()

BITS_PER_BYTE = 8
HOST_POINTER_FLAGS = ("CL_MEM_USE_HOST_PTR", "CL_MEM_COPY_HOST_PTR")
"""Flags that require a host pointer."""


@rules.recurring_condition(
    "host-pointer-flags",
    "{0} is NULL and {1} contains CL_MEM_USE_HOST_PTR or CL_MEM_COPY_HOST_PTR, or {0} is not NULL and {1} contains "
    "neither.",
)
def _build_host_pointer(requirement: ErrorCondition) -> Predicate:
    pointer, flags = requirement.condition.parameters

    def holds(call: Call, model: Model) -> PredicateResult:
        given, host = call.arguments[flags], call.arguments[pointer]
        wanted = isinstance(given, int) and any(find_flags(given, HOST_POINTER_FLAGS, model))
        if not wanted and isinstance(given, int) and _accepts_bus_addresses(call, given, model):
            return NO if is_flag_supported(EXTERNAL, "cl_mem_flags", call, model) else may("flag-defined-elsewhere")
        return must_if(wanted != (host is not None))

    return holds


@rules.alternatives_of_kind("host-pointer-flags")
def find_host_pointer_violation(call: Call, model: Model, condition: ErrorCondition) -> Iterator[str]:
    """Yield the alternative that holds.

    The alternatives: the host pointer is missing although a flag requires it, or is passed without such a flag.
    """
    pointer, flags = condition.condition.parameters
    value = call.arguments[flags]
    if call.arguments[pointer] is not None:
        yield f"{pointer} is not NULL and {flags} contains neither {' nor '.join(HOST_POINTER_FLAGS)}"
    elif isinstance(value, int):
        yield f"{pointer} is NULL and {flags} contains {' and '.join(find_flags(value, HOST_POINTER_FLAGS, model))}"


def _accepts_bus_addresses(call: Call, flags: int, model: Model) -> bool:
    """Return whether host_ptr may be a bus address: the flags contain CL_MEM_EXTERNAL_PHYSICAL_AMD."""
    if call.function != "clCreateBuffer" or not flags & model.constant_value(EXTERNAL):
        return False
    gates = flags_of("cl_mem_flags", model)[EXTERNAL].applicability
    return applicability_of(gates, scope_of(call, model)) is not Applicability.NOT_APPLICABLE


@rules.recurring_condition(
    "misaligned-sub-buffer",
    "{any} is a sub-buffer whose offset is not aligned to the CL_DEVICE_MEM_BASE_ADDR_ALIGN of the queue's device.",
)
def _build_misaligned(requirement: ErrorCondition) -> Predicate:
    return lambda call, model: must_if(any(_misaligned_sub_buffers(call, model, requirement.condition.parameters)))


def _misaligned_sub_buffers(call: Call, model: Model, names: tuple[str, ...]) -> Iterator[str]:
    """Yield each of some parameters that is a sub-buffer which is misaligned for the device of command_queue."""
    queue = model.find(call.arguments.get("command_queue"))
    device = queue.device if isinstance(queue, CommandQueue) else None
    for name in names if device is not None else ():
        region = model.find(call.arguments[name])
        if isinstance(region, Buffer) and device is not None and not is_aligned(region.offset, device):
            yield name


@rules.alternatives_of_kind("misaligned-sub-buffer")
def find_misaligned_sub_buffers(call: Call, model: Model, condition: ErrorCondition) -> Iterator[str]:
    """Yield each misaligned sub-buffer, if the condition names several parameters."""
    names = condition.condition.parameters
    if len(names) > 1:
        for name in _misaligned_sub_buffers(call, model, names):
            yield f"{name} is a sub-buffer whose offset is not aligned to CL_DEVICE_MEM_BASE_ADDR_ALIGN"


def is_aligned(offset: int, device: Device) -> bool:
    """Return whether an offset in bytes is a multiple of CL_DEVICE_MEM_BASE_ADDR_ALIGN, which is in bits."""
    bits = device.number("CL_DEVICE_MEM_BASE_ADDR_ALIGN")
    return bits == 0 or offset * BITS_PER_BYTE % bits == 0
