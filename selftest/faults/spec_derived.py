"""Faults of events, command order and timing, written from sections 3.2, 3.3, 5.11, 5.12, 5.15 and 5.16 alone.

Their author did not know the suites. The faults measure how well the suites find faults that no test targets.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from clconform.calls.call import CallbackInvocation, Outcome, Output
from clconform.oracles.chapters.notifications.callback_kinds import EventCallback
from clconform.oracles.chapters.notifications.pending_callbacks import pending_callbacks
from clconform.oracles.model.events import Event, UserEvent
from clconform.oracles.model.memory_objects import Buffer, SubBuffer
from clconform.selftest.faults.buffer_reads import BUFFER_READERS, find_last_writer, with_zeros
from clconform.selftest.faults.events import with_number
from clconform.selftest.faults.lazy_device import COMPLETE, STATUS, LazyDevice, plant_device
from clconform.selftest.faults.lazy_order import MARKERS, DeferredCommand, LazyOrder
from clconform.selftest.faults.registry import VALUE, Faults, SimulatedStep

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.calls.call import Call
    from clconform.oracles.model.state import Model

    _Timestamp = Callable[[str, Event], int]

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


@faults.plant()
def one_callback_per_event(step: SimulatedStep) -> Outcome:
    """Of all callbacks registered for an event, only the first one is called."""
    models: WeakKeyDictionary[Model, set[object]] = step.state("events_that_called_back", WeakKeyDictionary())
    seen, kept = models.setdefault(step.model, set()), []
    for called in step.outcome.callbacks:
        event = called.arguments.get("event")
        if event is None or event not in seen:
            kept.append(called)
        seen.add(event)
    return step.with_callbacks(kept)


@faults.plant()
def failed_command_callback_gets_complete(step: SimulatedStep) -> Outcome:
    """The callback of a terminated command receives CL_COMPLETE as status."""

    def with_complete_status(called: CallbackInvocation) -> CallbackInvocation:
        status = called.arguments.get("event_command_status")
        failed = isinstance(status, int) and status < 0
        complete = {"event_command_status": COMPLETE}
        return CallbackInvocation(called.name, {**called.arguments, **complete}) if failed else called

    return step.with_callbacks(map(with_complete_status, step.outcome.callbacks))


@faults.plant()
def submitted_running_callbacks_lost(step: SimulatedStep) -> Outcome:
    """Callbacks for the statuses submitted and running are never called."""
    early = {each.name for each in pending_callbacks(step.model) if isinstance(each, EventCallback) and each.status}
    return step.with_callbacks(called for called in step.outcome.callbacks if called.name not in early)


# section 5.15: profiling timestamps


def _plant_timestamps(timestamp_of: _Timestamp) -> _Timestamp:
    """Declare a fault: profiling queries return a number that the function computes from the state and the event."""

    @faults.plant(PROFILING, output=VALUE, succeeded=True)
    @functools.wraps(timestamp_of)
    def fault(step: SimulatedStep) -> Outcome | None:
        states, event = (
            [state for state in TIMESTAMPS if step.is_query(f"CL_PROFILING_COMMAND_{state}")],
            _find_event(step),
        )
        return with_number(step, timestamp_of(states[0], event)) if states and event is not None else None

    return timestamp_of


@_plant_timestamps
def complete_timestamp_before_end(state: str, _event: Event) -> int:
    """The timestamp of CL_PROFILING_COMMAND_COMPLETE precedes the end of the command."""
    return 1 if state == "COMPLETE" else TIMESTAMPS[state]


@_plant_timestamps
def timestamps_ignore_wait_list(state: str, event: Event) -> int:
    """By its profiling timestamps, a command runs concurrently with the commands in its wait list."""
    return BEGINNING + TIMESTAMPS[state] + _get_event_number(event)


@_plant_timestamps
def timestamps_use_other_clock(state: str, event: Event) -> int:
    """Profiling timestamps are one day ahead of the device timer."""
    return (event.earliest_time or 0) + A_DAY + TIMESTAMPS[state] + _get_event_number(event) * A_WHILE


# sections 3.2, 5.11, 5.12 and 5.16: queues, flushes and errors


@plant_device(faults, "flush-submits-first-command-only")
class _FlushFirstDevice(LazyDevice):
    """A flush submits only the oldest command of the queue."""

    def flush(self, queue: str) -> None:
        for each in [one for one in self.commands if one.queue == queue and not one.flushed][:1]:
            each.flushed = True


@plant_device(faults, "blocking-call-does-not-flush")
class _SubmitNeededDevice(LazyDevice):
    """A blocking read or write does not flush its queue: it submits only itself and its dependencies."""

    def process(self, call: Call, outcome: Outcome) -> Outcome:
        waiting = [each for each in self.commands if not each.flushed]
        told = super().process(call, outcome)
        if call.arguments.get("blocking_read") or call.arguments.get("blocking_write"):
            for each in waiting:
                each.flushed = each.done
        return told


@plant_device(faults, "queue-wait-does-not-block")
class _IgnoreQueueWaitsDevice(LazyDevice):
    """In an out-of-order queue, commands after clEnqueueWaitForEvents do not wait for its events."""

    def queue_dependencies(self, work: DeferredCommand) -> list[DeferredCommand]:
        if self.in_order[work.queue] or work.function == IN_QUEUE:
            return super().queue_dependencies(work)
        kept = self.commands
        self.commands = [each for each in kept if each.function != IN_QUEUE]
        before = LazyOrder.queue_dependencies(self, work)
        self.commands = kept
        return before


@faults.plant(INFO, query=STATUS, succeeded=True)
def error_propagates_only_once(step: SimulatedStep) -> Outcome | None:
    """A command completes although its wait list contains a terminated command.

    Only errors of user events propagate.
    """
    event = _find_event(step)
    command = event.command if event is not None else None
    if command is None or not command.terminated or command.queue is None:
        return None
    direct = any(each.queue is None and each.may_have_failed for each in command.awaits)
    return None if direct else with_number(step, COMPLETE)


@faults.plant(INFO, query="CL_EVENT_COMMAND_QUEUE", succeeded=True)
def marker_event_without_queue(step: SimulatedStep) -> Outcome | None:
    """The event of a marker returns NULL as its command-queue."""
    event = _find_event(step)
    of_marker = event is not None and event.command is not None and event.command.function in MARKERS
    return step.outcome.with_outputs(param_value=Output([None], 8, bytes(8))) if of_marker else None


# section 3.3: memory


@faults.plant(*BUFFER_READERS, output="ptr")
def sub_buffer_write_invisible_in_parent(step: SimulatedStep) -> Outcome | None:
    """Bytes written to a sub-buffer are visible in its buffer only after a wait by the host."""
    buffer, command = step.find("buffer", Buffer), find_last_writer(step)
    if command is None or command.ended_by not in ("", READ):
        return None
    owners = [each.owner for each in command.writes]
    return with_zeros(step) if any(isinstance(each, SubBuffer) and each is not buffer for each in owners) else None


@faults.plant(*BUFFER_READERS, output="ptr")
def unmapped_writes_visible_in_one_queue(step: SimulatedStep) -> Outcome | None:
    """Bytes that the host wrote to a mapped region are visible only in the queue of the unmap command."""
    queue, command = step.model.find(step.call.command_queue), find_last_writer(step)
    lost = command is not None and command.function == UNMAP and command.queue is not queue
    return with_zeros(step) if lost else None


@faults.plant("clReleaseMemObject", INFO)
def pending_kernel_memory_freed(step: SimulatedStep) -> Outcome | None:
    """Releasing the last reference to a memory object frees its memory although a pending kernel uses it."""
    freed: set[str] = step.state("freed_under_kernels", set())
    if step.call.function == INFO:
        event = _find_event(step) if step.has_succeeded and step.is_query(STATUS) else None
        hit = event is not None and event.name in freed and VALUE in step.outcome.outputs
        return with_number(step, -5) if hit else None
    for command in step.model.commands.pending:
        owners = [place.owner for place in (*command.reads, *command.writes)]
        released = any(each is not None and each.references < 1 for each in owners)
        if command.function == "clEnqueueNDRangeKernel" and released:
            freed.update(event.name for event in step.model.objects_of_class(Event) if event.command is command)
    return None


def _get_event_number(event: Event) -> int:
    """Return a number that is larger for later events."""
    return int(event.name.removeprefix("event"))


def _find_event(step: SimulatedStep) -> Event | None:
    """Return the event of a query, or None for a user event."""
    event = step.find("event", Event)
    return None if isinstance(event, UserEvent) else event
