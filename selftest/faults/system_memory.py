"""A fault of kernels that use system memory."""

from __future__ import annotations

from clconform.oracles.model.kernels import Kernel
from clconform.oracles.model.pointer_memory import HostArea
from clconform.selftest.faults.contents import corrupt_byte
from clconform.selftest.faults.registry import Faults, SimulatedStep

faults = Faults()


@faults.plant("clEnqueueNDRangeKernel", succeeded=True)
def kernel_writes_to_system_memory_lost(step: SimulatedStep) -> None:
    """The last byte that a kernel writes to host memory is corrupted, unless that memory is a kernel argument."""
    kernel = step.model.get(Kernel, step.call.kernel)
    arguments = {each.reach.owner for each in kernel.arguments.values() if each.reach is not None}
    for place in step.writes:
        if isinstance(place.owner, HostArea) and place.owner not in arguments:
            corrupt_byte(place, -1)
