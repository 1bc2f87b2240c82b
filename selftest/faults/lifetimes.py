"""Faults of object lifetimes: references that are not counted, and releases that invalidate other objects."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.call import Call, Outcome, Output, Returned
from clconform.calls.values import ElementList, Handle
from clconform.oracles.common.object_creation import is_reference_count
from clconform.oracles.model.contexts import ContextObject
from clconform.oracles.model.memory_objects import SubBuffer
from clconform.oracles.model.queues import CommandQueue
from clconform.selftest.faults.contents import corrupt_byte
from clconform.selftest.faults.registry import Faults

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.simulator.platform import Simulation

faults = Faults()


@faults.plant
def reference_count_always_one(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """Every object reports a reference count of one, however often it was retained."""
    asked = call.arguments.get("param_name")
    query = simulation.model.lookups.query(call.function, asked) if isinstance(asked, int) else None
    if query is None or not is_reference_count(query.name) or not isinstance(outcome, Returned):
        return outcome
    if "param_value" not in outcome.outputs:
        return outcome
    return outcome.with_outputs(param_value=Output([1], 4))


@faults.plant
def released_buffer_invalidates_sub_buffers(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A sub-buffer becomes invalid when the application releases its buffer."""
    orphans = [
        each for each in _get_used_objects(simulation, call) if each.parent is not None and each.parent.references < 1
    ]
    lost = any(isinstance(each, SubBuffer) for each in orphans)
    return _fail(simulation, outcome, "CL_INVALID_MEM_OBJECT") if lost else outcome


@faults.plant
def released_context_invalidates_queues(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A command-queue becomes invalid when the application releases its context."""
    lost = any(
        isinstance(each, CommandQueue) and each.context is not None and each.context.references < 1
        for each in _get_used_objects(simulation, call)
    )
    return _fail(simulation, outcome, "CL_INVALID_COMMAND_QUEUE") if lost else outcome


@faults.plant
def released_program_invalidates_its_kernels(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A kernel becomes invalid when the application releases its program."""
    lost = any(
        each.type == "cl_kernel" and each.parent is not None and each.parent.references < 1
        for each in _get_used_objects(simulation, call)
    )
    return _fail(simulation, outcome, "CL_INVALID_KERNEL") if lost else outcome


@faults.plant
def pending_copy_reads_released_memory(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A pending command that reads from a buffer produces a corrupted byte if the buffer is released."""
    if call.function == "clReleaseMemObject" and isinstance(outcome, Returned) and isinstance(call.memobj, Handle):
        for command in simulation.model.commands.pending:
            owners = [place.owner for place in command.reads]
            if any(owner is not None and owner.name == call.memobj.name and owner.references < 1 for owner in owners):
                for place in command.writes:
                    corrupt_byte(place, -1)
    return outcome


def _get_used_objects(simulation: Simulation, call: Call) -> Iterator[ContextObject]:
    """Yield the objects that a call refers to, unless the call releases objects."""
    for value in call.arguments.values() if "Release" not in call.function else ():
        for one in value.values if isinstance(value, ElementList) else (value,):
            thing = simulation.model.find(one)
            if isinstance(thing, ContextObject):
                yield thing


def _fail(simulation: Simulation, outcome: Outcome, code: str) -> Outcome:
    """Return an error in place of a success."""
    if not isinstance(outcome, Returned) or outcome.value != 0:
        return outcome
    return Returned(simulation.model.constant_value(code), outcome.outputs)
