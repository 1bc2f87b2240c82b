"""Conditions on memory objects: a host pointer that the flags do not allow, a misaligned sub-buffer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.engine.answers import Answer, May, Reply
from clconform.oracles.engine.gates import Gating, gating_of
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.memory_objects import Buffer
from clconform.oracles.model.queues import Queue
from clconform.oracles.model.scope import scope_of
from clconform.oracles.recurring.flags import EXTERNAL, flags_of, is_supported

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.oracles.engine.answers import Predicate
    from clconform.oracles.model.devices import Device
    from clconform.oracles.model.world import Model
    from clconform.spec_tables.records import ErrorClause

rules = Rules()

BITS = 8
WANTING = ("CL_MEM_USE_HOST_PTR", "CL_MEM_COPY_HOST_PTR")
"""Flags that define the use of a host pointer."""


@rules.recurring(
    "host-pointer-flags",
    "{0} is NULL and {1} contains CL_MEM_USE_HOST_PTR or CL_MEM_COPY_HOST_PTR, or {0} is not NULL and {1} contains "
    "neither.",
)
def _host_pointer(record: ErrorClause) -> Predicate:
    pointer, flags = record.condition.parameters

    def holds(call: Call, model: Model) -> Reply:
        given, host = call.arguments[flags], call.arguments[pointer]
        wanted = isinstance(given, int) and any(given & model.value(name) for name in WANTING)
        if not wanted and isinstance(given, int) and _takes_addresses(call, given, model):
            return Answer.NO if is_supported(EXTERNAL, "cl_mem_flags", call, model) else May("flag-of-elsewhere")
        return wanted != (host is not None)

    return holds


def _takes_addresses(call: Call, flags: int, model: Model) -> bool:
    """Return whether the host pointer may be a bus address."""
    if call.function != "clCreateBuffer" or not flags & model.value(EXTERNAL):
        return False
    gates = flags_of("cl_mem_flags", model)[EXTERNAL].gates
    return gating_of(gates, scope_of(call, model)) is not Gating.CLOSED


@rules.recurring(
    "misaligned-sub-buffer",
    "{any} is a sub-buffer whose offset is not aligned to the CL_DEVICE_MEM_BASE_ADDR_ALIGN of the queue's device.",
)
def _misaligned(record: ErrorClause) -> Predicate:
    names = record.condition.parameters

    def holds(call: Call, model: Model) -> Reply:
        queue = model.known(call.arguments.get("command_queue"))
        device = queue.device if isinstance(queue, Queue) else None
        regions = [model.known(call.arguments[name]) for name in names]
        if device is None:
            return Answer.NO
        return any(isinstance(region, Buffer) and not is_aligned(region.offset, device) for region in regions)

    return holds


def is_aligned(offset: int, device: Device) -> bool:
    """Return whether an offset in bytes fits a device's base address alignment, which is reported in bits."""
    bits = device.number("CL_DEVICE_MEM_BASE_ADDR_ALIGN")
    return bits == 0 or offset * BITS % bits == 0
