"""Faults of pipes: flags and sizes that are not checked, and packets out of order."""

from __future__ import annotations

from clconform.calls.call import Outcome, Output
from clconform.oracles.model.memory_objects import Pipe
from clconform.selftest.faults.registry import Faults, SimulatedStep

faults = Faults()

CREATE = "clCreatePipe"


faults.plant(CREATE, succeeded=False).add(
    "pipe-flags-unchecked",
    "A pipe can be created with flags that only buffers support.",
    lambda step: step.repeat(flags=0),
)


@faults.plant(CREATE, succeeded=False)
def zero_packet_size_accepted(step: SimulatedStep) -> Outcome | None:
    """A pipe can be created with packets of 0 bytes."""
    return step.repeat(pipe_packet_size=4) if step.call.pipe_packet_size == 0 else None


@faults.plant(CREATE, succeeded=False)
def packet_size_above_maximum_accepted(step: SimulatedStep) -> Outcome | None:
    """A pipe can be created with packets larger than the device's maximum."""
    return step.repeat(pipe_packet_size=4) if step.call.pipe_packet_size > 0 else None


@faults.plant("clGetMemObjectInfo", query="CL_MEM_FLAGS")
def default_pipe_flags_incomplete(step: SimulatedStep) -> Outcome | None:
    """A pipe created without flags reports only one of the default flags."""
    pipe, alone = step.find("memobj", Pipe), Output([step.constant("CL_MEM_HOST_NO_ACCESS")], 8)
    by_default = pipe is not None and 0 in (pipe.reportable_flags or ())
    return step.outcome.with_outputs(param_value=alone) if by_default else None


@faults.plant("clEnqueueNDRangeKernel")
def pipe_packets_reversed(step: SimulatedStep) -> None:
    """The packets of a pipe are read in reverse order."""
    for pipe in step.model.objects_of_class(Pipe):
        pipe.packets.reverse()
