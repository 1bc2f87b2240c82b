"""Faults of object lifetimes: references that are not counted, and releases that invalidate other objects."""

from __future__ import annotations

from typing import TYPE_CHECKING
from weakref import WeakSet

from clconform.calls.call import Outcome, Output
from clconform.calls.values import ElementList, Handle
from clconform.oracles.chapters.notifications.pending_callbacks import pending_callbacks
from clconform.oracles.common.object_creation import is_reference_count
from clconform.oracles.model.contexts import ContextObject
from clconform.oracles.model.memory_objects import SubBuffer
from clconform.oracles.model.queues import CommandQueue
from clconform.selftest.faults.contents import corrupt_byte
from clconform.selftest.faults.registry import VALUE, Faults, SimulatedStep

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from clconform.calls.values import Value
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


# objects that a command keeps after it is complete


@faults.plant()
def write_keeps_its_buffer(step: SimulatedStep) -> Outcome:
    """A non-blocking write keeps its buffer after it is complete."""
    blocking = step.call.arguments.get("blocking_write")
    return keep_objects(step, "buffer" if step.call.function == "clEnqueueWriteBuffer" and not blocking else "")


@faults.plant()
def image_copy_keeps_its_source(step: SimulatedStep) -> Outcome:
    """A copy of an image keeps its source after it is complete."""
    return keep_objects(step, "src_image" if step.call.function == "clEnqueueCopyImage" else "")


@faults.plant()
def marker_keeps_its_wait_list(step: SimulatedStep) -> Outcome:
    """A marker keeps the events in its wait list after it is complete."""
    return keep_objects(step, "event_wait_list" if step.call.function == "clEnqueueMarkerWithWaitList" else "")


@faults.plant()
def enqueue_keeps_its_kernel(step: SimulatedStep) -> Outcome:
    """A kernel enqueue keeps its kernel after it is complete."""
    return keep_objects(step, "kernel" if step.call.function == "clEnqueueNDRangeKernel" else "")


@faults.plant()
def shared_copy_keeps_its_event(step: SimulatedStep) -> Outcome:
    """A copy of SVM keeps its event after the application has released the event."""
    return keep_objects(step, "event" if step.call.function == "clEnqueueSVMMemcpy" else "")


@faults.plant()
def recorded_fill_keeps_its_buffer(step: SimulatedStep) -> Outcome:
    """A fill that was recorded keeps its buffer after the release of the command-buffer."""
    return keep_objects(step, "buffer" if step.call.function == "clCommandFillBufferKHR" else "")


def keep_objects(step: SimulatedStep, parameter: str) -> Outcome:
    """Keep the objects that a parameter passes or returns, and their contexts, as ``lose_callbacks`` does.

    ``parameter``: empty if this call does not keep objects.
    """
    names: list[str] = []
    if parameter and step.has_succeeded:
        output = step.outcome.outputs.get(parameter)
        names = [*map(str, output.values)] if output else handle_names(step.call.arguments.get(parameter))
    return lose_callbacks(step, step.model.find_all(map(Handle, names)))


def lose_callbacks(step: SimulatedStep, things: Iterable[ClObject]) -> Outcome:
    """Keep objects and their contexts until the platform ends, and return the outcome of a call.

    The destructor callbacks of the objects that this or an earlier call has kept are not called.
    """
    kept: WeakSet[ClObject] = step.state("kept_objects", WeakSet())
    for thing in things:
        kept.update(each for each in (thing, getattr(thing, "context", None)) if each is not None)
    lost = {each.subject.name for each in pending_callbacks(step.model) if each.subject in kept}
    called = step.outcome.callbacks
    return step.with_callbacks(
        each for each in called if each.arguments.get("memobj", each.arguments.get("context")) not in lost
    )


def handle_names(value: Value) -> list[str]:
    """Return the names of the handles in an argument: a handle, a list of handles, or another value."""
    listed = value.values if isinstance(value, ElementList) else (value,)
    return [each.name for each in listed if isinstance(each, Handle)]


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
