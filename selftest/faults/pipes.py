"""Faults of pipes: flags and sizes that are not checked, and packets out of order."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.call import Call, Outcome, Output, Returned
from clconform.oracles.model.memory_objects import Pipe
from clconform.selftest.faults.registry import Faults

if TYPE_CHECKING:
    from clconform.simulator.platform import Simulation

faults = Faults()

CREATE = "clCreatePipe"


@faults.plant
def pipe_flags_unchecked(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A pipe can be created with flags that only buffers support."""
    return _retry_with_arguments({"flags": 0}, simulation, call, outcome)


@faults.plant
def zero_packet_size_accepted(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A pipe can be created with packets of 0 bytes."""
    empty = call.function == CREATE and call.pipe_packet_size == 0
    return _retry_with_arguments({"pipe_packet_size": 4}, simulation, call, outcome) if empty else outcome


@faults.plant
def packet_size_above_maximum_accepted(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A pipe can be created with packets larger than the device's maximum."""
    large = call.function == CREATE and call.pipe_packet_size > 0
    return _retry_with_arguments({"pipe_packet_size": 4}, simulation, call, outcome) if large else outcome


@faults.plant
def default_pipe_flags_incomplete(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A pipe created without flags reports only one of the default flags."""
    model = simulation.model
    if call.function != "clGetMemObjectInfo" or call.param_name != model.constant_value("CL_MEM_FLAGS"):
        return outcome
    pipe = model.find(call.memobj)
    if not isinstance(outcome, Returned) or "param_value" not in outcome.outputs:
        return outcome
    if not isinstance(pipe, Pipe) or 0 not in (pipe.reportable_flags or ()):
        return outcome
    alone = Output([model.constant_value("CL_MEM_HOST_NO_ACCESS")], 8)
    return outcome.with_outputs(param_value=alone)


@faults.plant
def pipe_packets_reversed(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """The packets of a pipe are read in reverse order."""
    if call.function == "clEnqueueNDRangeKernel":
        for pipe in simulation.model.objects_of_class(Pipe):
            pipe.packets.reverse()
    return outcome


def _retry_with_arguments(changes: dict[str, int], simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """Repeat a failed call with these changes to its arguments; return other outcomes unchanged."""
    failed = call.function == CREATE and isinstance(outcome, Returned) and outcome.value is None
    return simulation.make_call(Call(call.function, {**call.arguments, **changes})) if failed else outcome
