"""A fault of kernels that use system memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.call import Call, Outcome, Returned
from clconform.oracles.model.kernels import Kernel
from clconform.oracles.model.pointer_memory import HostArea
from clconform.selftest.faults.contents import corrupt_byte
from clconform.selftest.faults.registry import Faults

if TYPE_CHECKING:
    from clconform.simulator.platform import Simulation

faults = Faults()


@faults.plant
def kernel_writes_to_system_memory_lost(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """The last byte that a kernel writes to host memory is corrupted, unless that memory is a kernel argument."""
    if call.function != "clEnqueueNDRangeKernel" or not isinstance(outcome, Returned) or outcome.value != 0:
        return outcome
    kernel = simulation.model.get(Kernel, call.kernel)
    arguments = {each.reach.owner for each in kernel.arguments.values() if each.reach is not None}
    for place in simulation.oracle.rulebook.effect_of(call, simulation.model).writes:
        if isinstance(place.owner, HostArea) and place.owner not in arguments:
            corrupt_byte(place, -1)
    return outcome
