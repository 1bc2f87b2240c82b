"""Faults of events: status order, barriers and markers, command types, profiling timestamps and callbacks."""

from __future__ import annotations

from typing import TYPE_CHECKING
from weakref import WeakSet

import msgspec

from clconform.calls.call import Output, Returned
from clconform.calls.values import OutputBuffer
from clconform.oracles.chapters.notifications.callback_kinds import EventCallback
from clconform.oracles.chapters.notifications.pending_callbacks import pending_callbacks
from clconform.oracles.model.command_state import BARRIERS
from clconform.oracles.model.events import Event, UserEvent
from clconform.oracles.model.memory_objects import Buffer
from clconform.oracles.model.queues import CommandQueue
from clconform.selftest.faults.registry import Faults

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.calls.call import Call, Outcome
    from clconform.simulator.platform import Simulation

faults = Faults()

STATUS, TYPE = "CL_EVENT_COMMAND_EXECUTION_STATUS", "CL_EVENT_COMMAND_TYPE"
QUEUED, SUBMITTED, RUNNING, COMPLETE = 3, 2, 1, 0
MARKERS = ("clEnqueueMarker", "clEnqueueMarkerWithWaitList")
INFO, PROFILING = "clGetEventInfo", "clGetEventProfilingInfo"
SWAPPED = {"QUEUED": 1, "SUBMIT": 2, "START": 4, "END": 3, "COMPLETE": 5}
"""The reported timestamp of each state if the start and the end of a command are swapped."""


@faults.plant
def marker_waits_for_nothing(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A marker is complete while an earlier command, or one in its wait list, still waits for a user event."""
    return _replace_status(
        simulation, call, outcome, COMPLETE, lambda event: _is_waiting(event) and _get_function(event) in MARKERS
    )


@faults.plant
def barrier_waits_for_nothing(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A barrier is complete while an earlier command, or one in its wait list, still waits for a user event."""
    return _replace_status(
        simulation, call, outcome, COMPLETE, lambda event: _is_waiting(event) and _get_function(event) in BARRIERS
    )


@faults.plant
def barrier_does_not_block(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A command runs although an earlier barrier or wait command in its queue still waits for a user event."""

    def passes(event: Event) -> bool:
        command = event.command
        held = [each for each in command.predecessors if each.function in BARRIERS] if command is not None else []
        return any(each.waits_for_user_event for each in held)

    return _replace_status(simulation, call, outcome, RUNNING, passes)


@faults.plant
def in_order_queue_reorders(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A command in an in-order queue runs while the previous command waits for a user event."""

    def passes(event: Event) -> bool:
        in_order = event.queue is not None and event.queue.in_order
        return in_order and _is_waiting(event) and event.command is not None and not event.command.awaits

    return _replace_status(simulation, call, outcome, RUNNING, passes)


@faults.plant
def status_goes_backwards(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A command that was reported as running is reported as submitted by the next query."""
    asked: WeakSet[Event] = simulation.__dict__.setdefault("events_told_as_running", WeakSet())
    event = simulation.model.find(call.arguments.get("event"))
    if not isinstance(event, Event) or isinstance(event, UserEvent) or event.is_complete or _is_waiting(event):
        return outcome
    changed = _replace_status(simulation, call, outcome, SUBMITTED if event in asked else RUNNING, lambda _event: True)
    if changed is not outcome:
        asked.add(event)
    return changed


@faults.plant
def user_event_reported_queued(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A user event is queued instead of submitted until its status is set."""
    return _replace_status(
        simulation, call, outcome, QUEUED, lambda event: isinstance(event, UserEvent) and event.status > 0
    )


@faults.plant
def terminated_command_completes(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A command completes although the user event that it waited for was set to an error."""

    def terminated(event: Event) -> bool:
        command = event.command
        return command is not None and command.queue is not None and command.terminated

    return _replace_status(simulation, call, outcome, COMPLETE, terminated)


@faults.plant
def command_types_swapped(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """Every command reports the type of a task, and a task reports the type of a kernel."""
    task = simulation.model.constant_value("CL_COMMAND_TASK")
    kernel = simulation.model.constant_value("CL_COMMAND_NDRANGE_KERNEL")

    def swapped_type(event: Event) -> int:
        return kernel if _get_function(event) == "clEnqueueTask" else task

    return replace_event_number(simulation, call, outcome, INFO, TYPE, swapped_type)


@faults.plant
def start_after_end(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """The timestamps of the start and of the end of a command are swapped."""
    for state, time in SWAPPED.items():
        outcome = replace_event_number(
            simulation, call, outcome, PROFILING, f"CL_PROFILING_COMMAND_{state}", _constant(time)
        )
    return outcome


@faults.plant
def profiling_before_completion(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """Profiling timestamps are returned for a command that waits for a user event."""
    event = simulation.model.find(call.arguments.get("event"))
    if call.function != PROFILING or not isinstance(event, Event) or not event.profiling or not _is_waiting(event):
        return outcome
    width = 8
    outputs = {}
    if isinstance(call.param_value, OutputBuffer):
        outputs["param_value"] = Output([1], width, (1).to_bytes(width, "little"))
    if isinstance(call.param_value_size_ret, OutputBuffer):
        outputs["param_value_size_ret"] = Output([width], width)
    return Returned(0, outputs)


@faults.plant
def late_callback_lost(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A callback that is registered after the command is complete is never called."""
    del call
    late = [each for each in pending_callbacks(simulation.model) if isinstance(each, EventCallback) and each.late]
    return _without_callbacks(outcome, {each.name for each in late})


@faults.plant
def callbacks_need_explicit_wait(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """Callbacks of commands are called only if a wait completed the command; a flush does not submit commands."""
    del call
    unfinished = {
        each.name
        for each in pending_callbacks(simulation.model)
        if isinstance(each, EventCallback) and isinstance(each.subject, Event) and not each.subject.is_complete
    }
    return _without_callbacks(outcome, unfinished)


@faults.plant
def failed_enqueue_returns_event(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A call that fails to enqueue a command returns an event."""
    del simulation
    failed = isinstance(outcome, Returned) and outcome.value != 0 and call.function.startswith("clEnqueue")
    if not failed or "event" not in outcome.outputs:  # type: ignore[union-attr]
        return outcome
    return outcome.with_outputs(event=Output(["event99"], 8))  # type: ignore[union-attr]


@faults.plant
def user_event_status_unchecked(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """Every event can be set, to any status and more than once."""
    del simulation
    refused = isinstance(outcome, Returned) and call.function == "clSetUserEventStatus"
    return Returned(0) if refused else outcome


@faults.plant
def mixed_context_wait_accepted(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A wait for events of two contexts succeeds."""
    mixed = simulation.model.constant_value("CL_INVALID_CONTEXT")
    refused = isinstance(outcome, Returned) and outcome.value == mixed
    return Returned(0) if refused and call.function == "clWaitForEvents" else outcome


@faults.plant
def complete_reported_running(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A completed command is reported as running."""
    return _replace_status(
        simulation, call, outcome, RUNNING, lambda event: event.queue is not None and event.is_complete
    )


@faults.plant
def writes_invisible_without_wait_list(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A read returns zeros if the last writer of the memory is a kernel, or a command that the queue does not order.

    The queue orders the writer and the read if both are in the same in-order queue.
    """
    if call.function != "clEnqueueReadBuffer" or not isinstance(outcome, Returned) or "ptr" not in outcome.outputs:
        return outcome
    buffer, queue = simulation.model.find(call.buffer), simulation.model.find(call.command_queue)
    memory = buffer.memory if isinstance(buffer, Buffer) else None
    writer = simulation.model.commands.writers.get(memory.storage) if memory is not None else None
    if writer is None or not isinstance(queue, CommandQueue):
        return outcome
    if writer.queue is queue and queue.in_order and writer.function != "clEnqueueNDRangeKernel":
        return outcome
    size = len(outcome.outputs["ptr"].raw)
    return outcome.with_outputs(ptr=Output([], size, bytes(size)))


def _constant(number: int) -> Callable[[Event], int]:
    return lambda _event: number


def _get_function(event: Event) -> str:
    return event.command.function if event.command is not None else ""


def _is_waiting(event: Event) -> bool:
    command = event.command
    return command is not None and command.queue is not None and command.waits_for_user_event


def _replace_status(
    simulation: Simulation, call: Call, outcome: Outcome, status: int, applies: Callable[[Event], bool]
) -> Outcome:
    """Return the outcome of a status query with ``status`` as the value, for the events that ``applies`` selects."""
    return replace_event_number(
        simulation, call, outcome, INFO, STATUS, lambda event: status if applies(event) else None
    )


def replace_event_number(
    simulation: Simulation,
    call: Call,
    outcome: Outcome,
    function: str,
    query: str,
    number_of: Callable[[Event], int | None],
) -> Outcome:
    """Return the outcome of an event query with another number, the result of ``number_of``; None keeps the number."""
    if call.function != function or not isinstance(outcome, Returned) or "param_value" not in outcome.outputs:
        return outcome
    event = simulation.model.find(call.event)
    if outcome.value != 0 or call.param_name != simulation.model.constant_value(query) or not isinstance(event, Event):
        return outcome
    number, width = number_of(event), outcome.outputs["param_value"].written
    if number is None:
        return outcome
    output = Output([number], width, number.to_bytes(width, "little", signed=number < 0))
    return outcome.with_outputs(param_value=output)


def _without_callbacks(outcome: Outcome, names: set[str]) -> Outcome:
    """Return an outcome without the callbacks of these names."""
    if not isinstance(outcome, Returned):
        return outcome
    return msgspec.structs.replace(outcome, callbacks=[each for each in outcome.callbacks if each.name not in names])
