"""Faults of events, command order and timing, written from sections 3.2, 3.3, 5.11, 5.12, 5.15 and 5.16 alone.

Their author did not know the suites. The faults measure how well the suites find faults that no test targets.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

import msgspec

from clconform.calls.call import CallbackInvocation, Output, Returned
from clconform.oracles.chapters.notifications.callback_kinds import EventCallback
from clconform.oracles.chapters.notifications.pending_callbacks import pending_callbacks
from clconform.oracles.model.events import Event, UserEvent
from clconform.oracles.model.memory_objects import Buffer, SubBuffer
from clconform.selftest.faults.events import replace_event_number
from clconform.selftest.faults.lazy_device import COMPLETE, STATUS, LazyDevice, get_device
from clconform.selftest.faults.lazy_order import MARKERS, DeferredCommand, LazyOrder
from clconform.selftest.faults.registry import Faults

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.calls.call import Call, Outcome
    from clconform.oracles.model.command_state import Command
    from clconform.simulator.platform import Simulation

faults = Faults()

INFO, PROFILING, READ, UNMAP = (
    "clGetEventInfo",
    "clGetEventProfilingInfo",
    "clEnqueueReadBuffer",
    "clEnqueueUnmapMemObject",
)
IN_QUEUE = "clEnqueueWaitForEvents"
TIMESTAMPS = {"QUEUED": 1, "SUBMIT": 2, "START": 3, "END": 1003, "COMPLETE": 1003}
"""The time of each state after a common beginning; ``_get_event_number`` adds the difference between commands."""
BEGINNING, A_DAY, A_WHILE = 1 << 40, 86_400 * 10**9, 10**6


# section 5.11.1: callbacks


@faults.plant
def one_callback_per_event(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """Of all callbacks registered for an event, only the first one is called."""
    del call
    model, seen = simulation.__dict__.get("events_that_called_back", (None, set()))
    if model is not simulation.model:
        seen = set()
        simulation.__dict__["events_that_called_back"] = simulation.model, seen

    def first(called: CallbackInvocation) -> CallbackInvocation | None:
        event = called.arguments.get("event")
        again = event is not None and event in seen
        seen.add(event)
        return None if again else called

    return _change_callbacks(outcome, first)


@faults.plant
def failed_command_callback_gets_complete(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """The callback of a terminated command receives CL_COMPLETE as status."""
    del simulation, call

    def with_complete_status(called: CallbackInvocation) -> CallbackInvocation:
        status = called.arguments.get("event_command_status")
        failed = isinstance(status, int) and status < 0
        return (
            CallbackInvocation(called.name, {**called.arguments, "event_command_status": COMPLETE})
            if failed
            else called
        )

    return _change_callbacks(outcome, with_complete_status)


@faults.plant
def submitted_running_callbacks_lost(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """Callbacks for the statuses submitted and running are never called."""
    del call
    early = {
        each.name for each in pending_callbacks(simulation.model) if isinstance(each, EventCallback) and each.status
    }
    return _change_callbacks(outcome, lambda called: None if called.name in early else called)


# section 5.15: profiling timestamps


@faults.plant
def complete_timestamp_before_end(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """The timestamp of CL_PROFILING_COMMAND_COMPLETE precedes the end of the command."""
    return _replace_timestamps(
        simulation, call, outcome, lambda state, _event: 1 if state == "COMPLETE" else TIMESTAMPS[state]
    )


@faults.plant
def timestamps_ignore_wait_list(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """By its profiling timestamps, a command runs concurrently with the commands in its wait list."""
    return _replace_timestamps(
        simulation,
        call,
        outcome,
        lambda state, event: BEGINNING + TIMESTAMPS[state] + _get_event_number(event),
    )


@faults.plant
def timestamps_use_other_clock(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """Profiling timestamps are one day ahead of the device timer."""

    def ahead(state: str, event: Event) -> int:
        return (event.earliest_time or 0) + A_DAY + TIMESTAMPS[state] + _get_event_number(event) * A_WHILE

    return _replace_timestamps(simulation, call, outcome, ahead)


# sections 3.2, 5.11, 5.12 and 5.16: queues, flushes and errors


class _FlushFirstDevice(LazyDevice):
    def flush(self, queue: str) -> None:
        for each in [one for one in self.commands if one.queue == queue and not one.flushed][:1]:
            each.flushed = True


@faults.plant
def flush_submits_first_command_only(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A flush submits only the oldest command of the queue."""
    return get_device(simulation, _FlushFirstDevice).process(call, outcome)


class _SubmitNeededDevice(LazyDevice):
    def process(self, call: Call, outcome: Outcome) -> Outcome:
        waiting = [each for each in self.commands if not each.flushed]
        told = super().process(call, outcome)
        if call.arguments.get("blocking_read") or call.arguments.get("blocking_write"):
            for each in waiting:
                each.flushed = each.done
        return told


@faults.plant
def blocking_call_does_not_flush(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A blocking read or write does not flush its queue: it submits only itself and its dependencies."""
    return get_device(simulation, _SubmitNeededDevice).process(call, outcome)


class _IgnoreQueueWaitsDevice(LazyDevice):
    def queue_dependencies(self, work: DeferredCommand) -> list[DeferredCommand]:
        if self.in_order[work.queue] or work.function == IN_QUEUE:
            return super().queue_dependencies(work)
        kept = self.commands
        self.commands = [each for each in kept if each.function != IN_QUEUE]
        before = LazyOrder.queue_dependencies(self, work)
        self.commands = kept
        return before


@faults.plant
def queue_wait_does_not_block(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """In an out-of-order queue, commands after clEnqueueWaitForEvents do not wait for its events."""
    return get_device(simulation, _IgnoreQueueWaitsDevice).process(call, outcome)


@faults.plant
def error_propagates_only_once(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A command completes although its wait list contains a terminated command.

    Only errors of user events propagate.
    """

    def hidden_error(event: Event) -> int | None:
        command = event.command
        indirect = command is not None and command.terminated and command.queue is not None
        if (
            not indirect
            or command is None
            or any(each.queue is None and each.may_have_failed for each in command.awaits)
        ):
            return None
        return COMPLETE

    return _replace_number(simulation, call, outcome, INFO, STATUS, hidden_error)


@faults.plant
def marker_event_without_queue(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """The event of a marker returns NULL as its command-queue."""
    event = _get_queried_event(simulation, call, outcome, INFO, "CL_EVENT_COMMAND_QUEUE")
    if event is None or event.command is None or event.command.function not in MARKERS:
        return outcome
    return _with_output(outcome, "param_value", Output([None], 8, bytes(8)))


# section 3.3: memory


@faults.plant
def sub_buffer_write_invisible_in_parent(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """Bytes written to a sub-buffer are visible in its buffer only after a wait by the host."""

    def elsewhere(command: Command, buffer: Buffer) -> bool:
        owners = [each.owner for each in command.writes]
        return command.ended_by in ("", READ) and any(
            isinstance(each, SubBuffer) and each is not buffer for each in owners
        )

    return _hide_writes(simulation, call, outcome, elsewhere)


@faults.plant
def unmapped_writes_visible_in_one_queue(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """Bytes that the host wrote to a mapped region are visible only in the queue of the unmap command."""
    queue = simulation.model.find(call.arguments.get("command_queue"))
    return _hide_writes(
        simulation, call, outcome, lambda command, _buffer: command.function == UNMAP and command.queue is not queue
    )


@faults.plant
def pending_kernel_memory_freed(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """Releasing the last reference to a memory object frees its memory although a pending kernel uses it."""
    freed: set[str] = simulation.__dict__.setdefault("freed_under_kernels", set())
    if call.function == "clReleaseMemObject" and isinstance(outcome, Returned):
        for command in simulation.model.commands.pending:
            if command.function == "clEnqueueNDRangeKernel":
                owners = [place.owner for place in (*command.reads, *command.writes)]
                freed.update(
                    event.name
                    for event in simulation.model.objects_of_class(Event)
                    if event.command is command and any(each is not None and each.references < 1 for each in owners)
                )
    return _replace_number(simulation, call, outcome, INFO, STATUS, lambda event: -5 if event.name in freed else None)


def _get_event_number(event: Event) -> int:
    """Return a number that is larger for later events."""
    return int(event.name.removeprefix("event"))


def _replace_timestamps(
    simulation: Simulation, call: Call, outcome: Outcome, timestamp_of: Callable[[str, Event], int]
) -> Outcome:
    """Return the outcome with other profiling timestamps; ``timestamp_of`` computes them from state and event."""
    for state in TIMESTAMPS:
        number = functools.partial(timestamp_of, state)
        outcome = _replace_number(simulation, call, outcome, PROFILING, f"CL_PROFILING_COMMAND_{state}", number)
    return outcome


def _change_callbacks(outcome: Outcome, change: Callable[[CallbackInvocation], CallbackInvocation | None]) -> Outcome:
    """Return an outcome with each callback changed, or removed if ``change`` returns None."""
    if not isinstance(outcome, Returned) or not outcome.callbacks:
        return outcome
    changed = [now for each in outcome.callbacks if (now := change(each)) is not None]
    return msgspec.structs.replace(outcome, callbacks=changed)


def _get_queried_event(simulation: Simulation, call: Call, outcome: Outcome, function: str, query: str) -> Event | None:
    """Return the event of a successful query with this name; None for user events and other calls."""
    if call.function != function or not isinstance(outcome, Returned) or outcome.value != 0:
        return None
    event: object = simulation.model.find(call.event)
    wanted = call.param_name == simulation.model.constant_value(query) and "param_value" in outcome.outputs
    return event if wanted and isinstance(event, Event) and not isinstance(event, UserEvent) else None


def _replace_number(
    simulation: Simulation,
    call: Call,
    outcome: Outcome,
    function: str,
    query: str,
    number_of: Callable[[Event], int | None],
) -> Outcome:
    """Return the outcome of a command event's query with another number; ``number_of`` returns None to keep it."""
    return replace_event_number(
        simulation,
        call,
        outcome,
        function,
        query,
        lambda event: None if isinstance(event, UserEvent) else number_of(event),
    )


def _hide_writes(
    simulation: Simulation, call: Call, outcome: Outcome, applies: Callable[[Command, Buffer], bool]
) -> Outcome:
    """Return zeros for bytes whose last writer ``applies`` selects."""
    if call.function != READ or not isinstance(outcome, Returned) or "ptr" not in outcome.outputs:
        return outcome
    buffer = simulation.model.find(call.buffer)
    memory = buffer.memory if isinstance(buffer, Buffer) else None
    writer = simulation.model.commands.writers.get(memory.storage) if memory is not None else None
    if writer is None or not isinstance(buffer, Buffer) or not applies(writer, buffer):
        return outcome
    size = len(outcome.outputs["ptr"].raw)
    return _with_output(outcome, "ptr", Output([], size, bytes(size)))


def _with_output(outcome: Outcome, name: str, output: Output) -> Outcome:
    return outcome.with_outputs(**{name: output}) if isinstance(outcome, Returned) else outcome
