"""Faults of work-item functions: ids and sizes that do not match the range of the kernel enqueue."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.call import Returned
from clconform.selftest.faults.registry import Faults

if TYPE_CHECKING:
    from clconform.calls.call import Call, Outcome
    from clconform.simulator.platform import Simulation

faults = Faults()

LAUNCH = "clEnqueueNDRangeKernel"


@faults.plant
def global_ids_not_from_zero(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """Without a global offset, global ids do not start at zero."""
    return _change_written_bytes(simulation, call, outcome, 3)


@faults.plant
def group_ids_inconsistent(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """Work-group ids do not match the global and local ids."""
    return _change_written_bytes(simulation, call, outcome, 6)


@faults.plant
def remainder_changes_group_count(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """If the global size is not a multiple of the local size, kernels see an incorrect number of work-groups."""
    return _change_written_bytes(simulation, call, outcome, 12)


@faults.plant
def remainder_changes_full_group_size(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """If the global size is not a multiple of the local size, full work-groups report an incorrect size."""
    return _change_written_bytes(simulation, call, outcome, 13)


@faults.plant
def local_ids_not_from_zero(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """Local ids do not start at zero."""
    return _change_written_bytes(simulation, call, outcome, 20)


def _change_written_bytes(simulation: Simulation, call: Call, outcome: Outcome, number: int) -> Outcome:
    """Change the bytes whose expected values come from the requirement clEnqueueNDRangeKernel/effect/``number``."""
    if call.function != LAUNCH or not isinstance(outcome, Returned) or outcome.value != 0:
        return outcome
    for place in simulation.model.commands.pending[-1].writes if simulation.model.commands.pending else ():
        content = place.read()
        held = bytes(
            byte ^ (requirement == f"{LAUNCH}/effect/{number}")
            for byte, requirement in zip(content.bytes_held, content.writers, strict=True)
        )
        place.write(content._replace(bytes_held=held))
    return outcome
