"""Unified shared memory to ask: allocations of each type, by their first byte and by a later one, and host memory."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

from clconform.calls.values import Handle, Items, Room
from clconform.suites.queries.contexts import About, a_context
from clconform.suites.queries.kinds import add
from clconform.suites.steps import needs, one, promised

if TYPE_CHECKING:
    from clconform.judge.session import Session

FUNCTION = "clGetMemAllocInfoINTEL"
SIZE = 4096
CAPABILITY = {
    "Host": "CL_DEVICE_HOST_MEM_CAPABILITIES_INTEL",
    "Device": "CL_DEVICE_DEVICE_MEM_CAPABILITIES_INTEL",
    "Shared": "CL_DEVICE_SINGLE_DEVICE_SHARED_MEM_CAPABILITIES_INTEL",
}


def allocate(cl: Session, context: Handle, sort: str, properties: Items | None = None) -> Handle:
    """Allocate unified shared memory of a sort: ``Host``, ``Device`` or ``Shared``."""
    needs(promised(cl, FUNCTION), "cl_intel_unified_shared_memory is not supported")
    needs(cl.fact(CAPABILITY[sort]), f"the device has no {sort.lower()} allocations")
    device = () if sort == "Host" else (cl.device,)
    return one(getattr(cl, f"cl{sort}MemAllocINTEL")(context, *device, properties, SIZE, 0, Room(1)))


def _allocation(sort: str, properties: Items | None, cl: Session) -> About:
    context = a_context(cl)
    return {"context": context, "ptr": allocate(cl, context, sort, properties)}


for _sort in CAPABILITY:
    add(FUNCTION, f"a {_sort.lower()} allocation", functools.partial(_allocation, _sort, None))
    add(FUNCTION, f"a {_sort.lower()} allocation with properties", functools.partial(_allocation, _sort, Items((0,))))
