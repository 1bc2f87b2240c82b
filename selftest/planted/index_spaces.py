"""Faults in what kernels are told of their place in a launch: ids and sizes that are not those of the range."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.call import Returned
from clconform.selftest.planted.registry import Faults

if TYPE_CHECKING:
    from clconform.calls.call import Call, Outcome
    from clconform.simulator.platform import Simulation

faults = Faults()

LAUNCH = "clEnqueueNDRangeKernel"


@faults.plant
def global_ids_do_not_count_from_zero(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """Without an offset, global ids are other numbers."""
    return _wrong(simulation, call, outcome, 3)


@faults.plant
def ids_of_groups_are_other_numbers(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """The ids of work-groups are other numbers, so that they do not fit global and local ids."""
    return _wrong(simulation, call, outcome, 6)


@faults.plant
def ranges_with_a_remainder_have_other_groups(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """Where a range is no multiple of its groups, kernels are told another number of groups."""
    return _wrong(simulation, call, outcome, 12)


@faults.plant
def whole_groups_beside_smaller_ones_have_another_size(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """Where a range is no multiple of its groups, those that are whole have another size."""
    return _wrong(simulation, call, outcome, 13)


@faults.plant
def local_ids_do_not_count_from_zero(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """The first local id is another number."""
    return _wrong(simulation, call, outcome, 20)


def _wrong(simulation: Simulation, call: Call, outcome: Outcome, number: int) -> Outcome:
    """Change what a launch has left, where the effect of that number answers for it."""
    if call.function != LAUNCH or not isinstance(outcome, Returned) or outcome.value != 0:
        return outcome
    for place in simulation.model.order.pending[-1].writes if simulation.model.order.pending else ():
        content = place.read()
        held = bytes(
            byte ^ (record == f"{LAUNCH}/effect/{number}")
            for byte, record in zip(content.held, content.records, strict=True)
        )
        place.write(content._replace(held=held))
    return outcome
