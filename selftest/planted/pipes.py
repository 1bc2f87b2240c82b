"""Faults of pipes: flags and sizes that are not checked, and packets out of order."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.call import Call, Outcome, Output, Returned
from clconform.oracles.model.memory_objects import Pipe
from clconform.selftest.planted.registry import Faults

if TYPE_CHECKING:
    from clconform.simulator.platform import Simulation

faults = Faults()

CREATE = "clCreatePipe"


@faults.plant
def pipes_of_any_flag(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A pipe can be created with flags that only buffers support."""
    return _made_with({"flags": 0}, simulation, call, outcome)


@faults.plant
def packets_of_no_byte(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A pipe can be created with packets of 0 bytes."""
    empty = call.function == CREATE and call.pipe_packet_size == 0
    return _made_with({"pipe_packet_size": 4}, simulation, call, outcome) if empty else outcome


@faults.plant
def packets_one_too_large(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A pipe can be created with packets larger than the device's maximum."""
    large = call.function == CREATE and call.pipe_packet_size > 0
    return _made_with({"pipe_packet_size": 4}, simulation, call, outcome) if large else outcome


@faults.plant
def pipes_without_the_default_flags(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A pipe created without flags reports only one of the default flags."""
    model = simulation.model
    if call.function != "clGetMemObjectInfo" or call.param_name != model.value("CL_MEM_FLAGS"):
        return outcome
    pipe = model.known(call.memobj)
    if not isinstance(outcome, Returned) or "param_value" not in outcome.outputs:
        return outcome
    if not isinstance(pipe, Pipe) or 0 not in (pipe.told_flags or ()):
        return outcome
    alone = Output([model.value("CL_MEM_HOST_NO_ACCESS")], 8)
    return outcome.with_outputs(param_value=alone)


@faults.plant
def last_packets_first(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """The packets of a pipe are read in reverse order."""
    if call.function == "clEnqueueNDRangeKernel":
        for pipe in simulation.model.of_kind(Pipe):
            pipe.packets.reverse()
    return outcome


def _made_with(changes: dict[str, int], simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """Repeat a failed call with these changes to its arguments; return other outcomes unchanged."""
    failed = call.function == CREATE and isinstance(outcome, Returned) and outcome.value is None
    return simulation.answer(Call(call.function, {**call.arguments, **changes})) if failed else outcome
