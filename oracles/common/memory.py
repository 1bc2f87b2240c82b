"""Recurring conditions about memory objects: a host pointer that contradicts the flags, a misaligned sub-buffer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.common.flags import EXTERNAL, flags_of, is_flag_supported
from clconform.oracles.engine.applicability import Applicability, applicability_of
from clconform.oracles.engine.predicate_result import Decision, May, PredicateResult
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.call_scope import scope_of
from clconform.oracles.model.memory_objects import Buffer
from clconform.oracles.model.queues import CommandQueue

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.oracles.engine.predicate_result import Predicate
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
def _build_host_pointer(record: ErrorCondition) -> Predicate:
    pointer, flags = record.condition.parameters

    def holds(call: Call, model: Model) -> PredicateResult:
        given, host = call.arguments[flags], call.arguments[pointer]
        wanted = isinstance(given, int) and any(given & model.constant_value(name) for name in HOST_POINTER_FLAGS)
        if not wanted and isinstance(given, int) and _accepts_bus_addresses(call, given, model):
            return (
                Decision.NO
                if is_flag_supported(EXTERNAL, "cl_mem_flags", call, model)
                else May("flag-defined-elsewhere")
            )
        return wanted != (host is not None)

    return holds


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
def _build_misaligned(record: ErrorCondition) -> Predicate:
    names = record.condition.parameters

    def holds(call: Call, model: Model) -> PredicateResult:
        queue = model.find(call.arguments.get("command_queue"))
        device = queue.device if isinstance(queue, CommandQueue) else None
        regions = [model.find(call.arguments[name]) for name in names]
        if device is None:
            return Decision.NO
        return any(isinstance(region, Buffer) and not is_aligned(region.offset, device) for region in regions)

    return holds


def is_aligned(offset: int, device: Device) -> bool:
    """Return whether an offset in bytes is a multiple of CL_DEVICE_MEM_BASE_ADDR_ALIGN, which is in bits."""
    bits = device.number("CL_DEVICE_MEM_BASE_ADDR_ALIGN")
    return bits == 0 or offset * BITS_PER_BYTE % bits == 0
