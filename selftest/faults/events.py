"""Faults of events: status order, barriers and markers, command types, profiling timestamps and callbacks."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING
from weakref import WeakSet

from clconform.calls.call import Output, Returned
from clconform.calls.values import OutputBuffer
from clconform.oracles.chapters.notifications.callback_kinds import EventCallback
from clconform.oracles.chapters.notifications.pending_callbacks import pending_callbacks
from clconform.oracles.model.command_state import BARRIERS
from clconform.oracles.model.events import Event, UserEvent
from clconform.oracles.model.queues import CommandQueue
from clconform.selftest.faults.buffer_reads import BUFFER_READERS, find_last_writer, with_zeros
from clconform.selftest.faults.registry import SIZE, VALUE, Faults, SimulatedStep

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.calls.call import Outcome

    _Selector = Callable[[Event], bool]

faults = Faults()

STATUS, TYPE = "CL_EVENT_COMMAND_EXECUTION_STATUS", "CL_EVENT_COMMAND_TYPE"
QUEUED, SUBMITTED, RUNNING, COMPLETE = 3, 2, 1, 0
MARKERS = ("clEnqueueMarker", "clEnqueueMarkerWithWaitList")
INFO, PROFILING = "clGetEventInfo", "clGetEventProfilingInfo"
SWAPPED = {"QUEUED": 1, "SUBMIT": 2, "START": 4, "END": 3, "COMPLETE": 5}
"""The reported timestamp of each state if the start and the end of a command are swapped."""


def _plant_status(status: int) -> Callable[[_Selector], _Selector]:
    """Return a decorator that declares a fault: queries return this status for the events that the function selects."""

    def declare(selects: _Selector) -> _Selector:
        @faults.plant(INFO, query=STATUS, succeeded=True)
        @functools.wraps(selects)
        def fault(step: SimulatedStep) -> Outcome | None:
            event = step.find("event", Event)
            return with_number(step, status) if event is not None and selects(event) else None

        return selects

    return declare


@_plant_status(COMPLETE)
def marker_waits_for_nothing(event: Event) -> bool:
    """A marker is complete while an earlier command, or one in its wait list, still waits for a user event."""
    return _is_waiting(event) and _get_function(event) in MARKERS


@_plant_status(COMPLETE)
def barrier_waits_for_nothing(event: Event) -> bool:
    """A barrier is complete while an earlier command, or one in its wait list, still waits for a user event."""
    return _is_waiting(event) and _get_function(event) in BARRIERS


@_plant_status(RUNNING)
def barrier_does_not_block(event: Event) -> bool:
    """A command runs although an earlier barrier or wait command in its queue still waits for a user event."""
    before = event.command.predecessors if event.command is not None else []
    return any(each.waits_for_user_event for each in before if each.function in BARRIERS)


@_plant_status(COMPLETE)
def marker_ignores_events_of_other_queues(event: Event) -> bool:
    """A marker is complete although an event of another queue in its wait list is not complete."""
    return _get_function(event) in MARKERS and waits_for_other_queue(event)


@_plant_status(COMPLETE)
def barrier_ignores_events_of_other_queues(event: Event) -> bool:
    """A barrier is complete although an event of another queue in its wait list is not complete."""
    return _get_function(event) in BARRIERS and waits_for_other_queue(event)


@_plant_status(RUNNING)
def kernel_ignores_events_of_other_queues(event: Event) -> bool:
    """A kernel runs although an event of another queue in its wait list is not complete."""
    return _get_function(event) == "clEnqueueNDRangeKernel" and waits_for_other_queue(event)


@_plant_status(COMPLETE)
def image_fill_ignores_events_of_other_queues(event: Event) -> bool:
    """A fill of an image is complete although an event of another queue in its wait list is not complete."""
    return _get_function(event) == "clEnqueueFillImage" and waits_for_other_queue(event)


def waits_for_other_queue(event: Event) -> bool:
    """Return whether the wait list of an event's command has the event of a waiting command of another queue."""
    command = event.command
    awaited = command.awaits if command is not None else ()
    return any(
        each.queue is not None and each.queue is not event.queue and each.waits_for_user_event for each in awaited
    )


@_plant_status(RUNNING)
def in_order_queue_reorders(event: Event) -> bool:
    """A command in an in-order queue runs while the previous command waits for a user event."""
    in_order = event.queue is not None and event.queue.in_order
    return in_order and _is_waiting(event) and event.command is not None and not event.command.awaits


@faults.plant(INFO, query=STATUS, succeeded=True)
def status_goes_backwards(step: SimulatedStep) -> Outcome | None:
    """A command that was reported as running is reported as submitted by the next query."""
    asked: WeakSet[Event] = step.state("events_told_as_running", WeakSet())
    event = step.find("event", Event)
    if event is None or isinstance(event, UserEvent) or event.is_complete or _is_waiting(event):
        return None
    status = SUBMITTED if event in asked else RUNNING
    asked.add(event)
    return with_number(step, status)


@_plant_status(QUEUED)
def user_event_reported_queued(event: Event) -> bool:
    """A user event is queued instead of submitted until its status is set."""
    return isinstance(event, UserEvent) and event.status > 0


@_plant_status(COMPLETE)
def terminated_command_completes(event: Event) -> bool:
    """A command completes although the user event that it waited for was set to an error."""
    command = event.command
    return command is not None and command.queue is not None and command.terminated


@faults.plant(INFO, query=TYPE, succeeded=True)
def command_types_swapped(step: SimulatedStep) -> Outcome | None:
    """Every command reports the type of a task, and a task reports the type of a kernel."""
    event = step.find("event", Event)
    name = "NDRANGE_KERNEL" if event is not None and _get_function(event) == "clEnqueueTask" else "TASK"
    return with_number(step, step.constant(f"CL_COMMAND_{name}")) if event is not None else None


@faults.plant(PROFILING, output=VALUE, succeeded=True)
def start_after_end(step: SimulatedStep) -> Outcome | None:
    """The timestamps of the start and of the end of a command are swapped."""
    times = [time for state, time in SWAPPED.items() if step.is_query(f"CL_PROFILING_COMMAND_{state}")]
    return with_number(step, times[0]) if times else None


@faults.plant(PROFILING)
def profiling_before_completion(step: SimulatedStep) -> Outcome | None:
    """Profiling timestamps are returned for a command that waits for a user event."""
    event = step.find("event", Event)
    if event is None or not event.profiling or not _is_waiting(event):
        return None
    width = 8
    told = {VALUE: Output([1], width, (1).to_bytes(width, "little")), SIZE: Output([width], width)}
    return Returned(0, {name: output for name, output in told.items() if step.argument(name, OutputBuffer) is not None})


@faults.plant()
def late_callback_lost(step: SimulatedStep) -> Outcome:
    """A callback that is registered after the command is complete is never called."""
    late = {each.name for each in pending_callbacks(step.model) if isinstance(each, EventCallback) and each.late}
    return step.with_callbacks(each for each in step.outcome.callbacks if each.name not in late)


@faults.plant()
def callbacks_need_explicit_wait(step: SimulatedStep) -> Outcome:
    """Callbacks of commands are called only if a wait completed the command; a flush does not submit commands."""
    known = [each for each in pending_callbacks(step.model) if isinstance(each, EventCallback)]
    unfinished = {each.name for each in known if isinstance(each.subject, Event) and not each.subject.is_complete}
    return step.with_callbacks(each for each in step.outcome.callbacks if each.name not in unfinished)


@faults.plant(output="event")
def failed_enqueue_returns_event(step: SimulatedStep) -> Outcome | None:
    """A call that fails to enqueue a command returns an event."""
    failed = step.outcome.value != 0 and step.call.function.startswith("clEnqueue")
    return step.outcome.with_outputs(event=Output(["event99"], 8)) if failed else None


faults.plant("clSetUserEventStatus").add(
    "user-event-status-unchecked", "Every event can be set, to any status and more than once.", lambda _: Returned(0)
)
faults.plant("clWaitForEvents", error="CL_INVALID_CONTEXT").add(
    "mixed-context-wait-accepted", "A wait for events of two contexts succeeds.", SimulatedStep.accept
)


@_plant_status(RUNNING)
def complete_reported_running(event: Event) -> bool:
    """A completed command is reported as running."""
    return event.queue is not None and event.is_complete


@faults.plant(*BUFFER_READERS, output="ptr")
def writes_invisible_without_wait_list(step: SimulatedStep) -> Outcome | None:
    """A read returns zeros if the last writer of the memory is a kernel, or a command that the queue does not order.

    The queue orders the writer and the read if both are in the same in-order queue.
    """
    writer, queue = find_last_writer(step), step.find("command_queue", CommandQueue)
    if writer is None or queue is None:
        return None
    ordered = writer.queue is queue and queue.in_order and writer.function != "clEnqueueNDRangeKernel"
    return None if ordered else with_zeros(step)


def _get_function(event: Event) -> str:
    return event.command.function if event.command is not None else ""


def _is_waiting(event: Event) -> bool:
    command = event.command
    return command is not None and command.queue is not None and command.waits_for_user_event


def with_number(step: SimulatedStep, number: int) -> Outcome:
    """Return the outcome of a query with another number as its value."""
    width = step.outcome.outputs[VALUE].written
    output = Output([number], width, number.to_bytes(width, "little", signed=number < 0))
    return step.outcome.with_outputs(param_value=output)
