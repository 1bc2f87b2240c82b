"""Faults of object lifetimes: references that are not counted, and releases that invalidate other objects."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.call import Outcome, Output
from clconform.calls.values import ElementList, Handle
from clconform.oracles.common.object_creation import is_reference_count
from clconform.oracles.model.contexts import ContextObject
from clconform.oracles.model.memory_objects import SubBuffer
from clconform.oracles.model.queues import CommandQueue
from clconform.selftest.faults.contents import corrupt_byte
from clconform.selftest.faults.registry import VALUE, Faults, SimulatedStep

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.oracles.model.cl_object import ClObject

faults = Faults()


@faults.plant(output=VALUE)
def reference_count_always_one(step: SimulatedStep) -> Outcome | None:
    """Every object reports a reference count of one, however often it was retained."""
    return step.outcome.with_outputs(param_value=Output([1], 4)) if is_count_query(step) else None


def is_count_query(step: SimulatedStep) -> bool:
    """Return whether a call queries a reference count."""
    asked = step.argument("param_name", int)
    query = step.model.lookups.query(step.call.function, asked) if asked is not None else None
    return query is not None and is_reference_count(query.name)


@faults.plant(succeeded=True)
def released_buffer_invalidates_sub_buffers(step: SimulatedStep) -> Outcome | None:
    """A sub-buffer becomes invalid when the application releases its buffer."""
    lost = any(isinstance(each, SubBuffer) and _is_released(each.parent) for each in _get_used_objects(step))
    return step.fail("CL_INVALID_MEM_OBJECT") if lost else None


@faults.plant(succeeded=True)
def released_context_invalidates_queues(step: SimulatedStep) -> Outcome | None:
    """A command-queue becomes invalid when the application releases its context."""
    lost = any(isinstance(each, CommandQueue) and _is_released(each.context) for each in _get_used_objects(step))
    return step.fail("CL_INVALID_COMMAND_QUEUE") if lost else None


@faults.plant(succeeded=True)
def released_program_invalidates_its_kernels(step: SimulatedStep) -> Outcome | None:
    """A kernel becomes invalid when the application releases its program."""
    lost = any(each.type == "cl_kernel" and _is_released(each.parent) for each in _get_used_objects(step))
    return step.fail("CL_INVALID_KERNEL") if lost else None


@faults.plant("clReleaseMemObject")
def pending_copy_reads_released_memory(step: SimulatedStep) -> None:
    """A pending command that reads from a buffer produces a corrupted byte if the buffer is released."""
    released = step.call.memobj.name if isinstance(step.call.memobj, Handle) else ""
    for command in step.model.commands.pending:
        owners = [place.owner for place in command.reads if place.owner is not None]
        if any(owner.name == released and owner.references < 1 for owner in owners):
            for place in command.writes:
                corrupt_byte(place, -1)


def _get_used_objects(step: SimulatedStep) -> Iterator[ContextObject]:
    """Yield the objects that a call refers to, unless the call returns no error code, or releases objects."""
    returns_code = step.outcome.value == 0 and "Release" not in step.call.function
    for value in step.call.arguments.values() if returns_code else ():
        for one in value.values if isinstance(value, ElementList) else (value,):
            thing = step.model.find(one)
            if isinstance(thing, ContextObject):
                yield thing


def _is_released(owner: ClObject | None) -> bool:
    return owner is not None and owner.references < 1
