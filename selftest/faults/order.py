"""Faults of command order on a lazy device: wait lists, barriers and markers, queues, and early execution."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.selftest.faults.lazy_device import LazyDevice, get_device
from clconform.selftest.faults.lazy_order import BARRIERS, MARKERS, USER, DeferredCommand
from clconform.selftest.faults.registry import Faults

if TYPE_CHECKING:
    from clconform.calls.call import Call, Outcome
    from clconform.simulator.platform import Simulation

faults = Faults()

MAX_LIST_LENGTH = 2


# wait lists


class _IgnoreLastDevice(LazyDevice):
    def list_dependencies(self, works: list[DeferredCommand]) -> list[DeferredCommand]:
        return works[:-1] if len(works) > 1 else works


@faults.plant
def last_wait_list_event_ignored(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A command with several events in its wait list does not wait for the last one."""
    return get_device(simulation, _IgnoreLastDevice).process(call, outcome)


class _TruncateListDevice(LazyDevice):
    def list_dependencies(self, works: list[DeferredCommand]) -> list[DeferredCommand]:
        return works[:MAX_LIST_LENGTH]


@faults.plant
def wait_list_truncated_to_two(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A command waits for at most two events of its wait list."""
    return get_device(simulation, _TruncateListDevice).process(call, outcome)


class _DuplicatesOnlyDevice(LazyDevice):
    def list_dependencies(self, works: list[DeferredCommand]) -> list[DeferredCommand]:
        twice = {work for work in works if works.count(work) > 1}
        return list(twice) or works


@faults.plant
def duplicate_event_hides_others(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """If an event occurs twice in a wait list, the command does not wait for the other events."""
    return get_device(simulation, _DuplicatesOnlyDevice).process(call, outcome)


class _AnyCompleteDevice(LazyDevice):
    def list_dependencies(self, works: list[DeferredCommand]) -> list[DeferredCommand]:
        return [] if any(work.done for work in works) else works


@faults.plant
def one_complete_event_suffices(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A command does not wait for its wait list if one of the events is already complete."""
    return get_device(simulation, _AnyCompleteDevice).process(call, outcome)


class _ListOverridesOrderDevice(LazyDevice):
    def queue_dependencies(self, work: DeferredCommand) -> list[DeferredCommand]:
        return [] if work.wait_list and self.in_order[work.queue] else super().queue_dependencies(work)


@faults.plant
def wait_list_replaces_queue_order(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """In an in-order queue, a command with a wait list does not wait for earlier commands."""
    return get_device(simulation, _ListOverridesOrderDevice).process(call, outcome)


class _SeparateQueuesDevice(LazyDevice):
    def on_enqueue(self, work: DeferredCommand) -> None:
        work.dependencies = [each for each in work.dependencies if each.queue in ("", work.queue)]


@faults.plant
def events_of_other_queues_ignored(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A command ignores events in its wait list that belong to another queue."""
    return get_device(simulation, _SeparateQueuesDevice).process(call, outcome)


# barriers and markers


class _CompleteMarkersDevice(LazyDevice):
    def on_enqueue(self, work: DeferredCommand) -> None:
        if work.function in MARKERS:
            work.dependencies = []


@faults.plant
def marker_wait_is_no_wait(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """Commands that wait for a marker do not wait, because markers complete immediately."""
    return get_device(simulation, _CompleteMarkersDevice).process(call, outcome)


class _MarkLastDevice(LazyDevice):
    def queue_dependencies(self, work: DeferredCommand) -> list[DeferredCommand]:
        before = super().queue_dependencies(work)
        return before[-1:] if work.function in MARKERS else before


@faults.plant
def marker_waits_for_last_command_only(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A marker without a wait list waits only for the last command before it."""
    return get_device(simulation, _MarkLastDevice).process(call, outcome)


class _SecondPassesDevice(LazyDevice):
    def queue_dependencies(self, work: DeferredCommand) -> list[DeferredCommand]:
        before = super().queue_dependencies(work)
        own = [each for each in self.commands if each.queue == work.queue]
        second = len(own) > 1 and own[-2].function in BARRIERS and own[-1].function not in BARRIERS
        return [each for each in before if each.function not in BARRIERS] if second else before


@faults.plant
def second_command_passes_barrier(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """In an out-of-order queue, the second command after a barrier does not wait for the barrier."""
    return get_device(simulation, _SecondPassesDevice).process(call, outcome)


class _IgnoreListBarriersDevice(LazyDevice):
    def queue_dependencies(self, work: DeferredCommand) -> list[DeferredCommand]:
        return [
            each for each in super().queue_dependencies(work) if each.function not in BARRIERS or not each.wait_list
        ]


@faults.plant
def barrier_with_list_does_not_block(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """Commands after a barrier with a wait list do not wait for the barrier."""
    return get_device(simulation, _IgnoreListBarriersDevice).process(call, outcome)


class _EventlessPassDevice(LazyDevice):
    def queue_dependencies(self, work: DeferredCommand) -> list[DeferredCommand]:
        before = super().queue_dependencies(work)
        fence = work.function in (*MARKERS, *BARRIERS) and not self.in_order[work.queue]
        return [each for each in before if each.event] if fence else before


@faults.plant
def barriers_miss_commands_without_event(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """In an out-of-order queue, markers and barriers do not wait for commands without an event."""
    return get_device(simulation, _EventlessPassDevice).process(call, outcome)


# early execution


class _EagerCopyDevice(LazyDevice):
    def on_enqueue(self, work: DeferredCommand) -> None:
        if work.function == "clEnqueueCopyBuffer":
            act, first = work.action, dict(self.memory)
            copies = {name: bytes(content) for name, content in first.items()}

            def late() -> None:
                now, self.sources = self.sources, copies
                act()
                self.sources = now

            work.action = late

    sources: dict[str, bytes] | None = None

    def read_memory(self, memory: str, queue: str) -> bytes | bytearray:
        return self.sources[memory] if self.sources is not None else super().read_memory(memory, queue)


@faults.plant
def copy_source_read_at_enqueue(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A copy writes the bytes that its source contained when the copy was enqueued."""
    return get_device(simulation, _EagerCopyDevice).process(call, outcome)


class _EagerFillDevice(LazyDevice):
    def on_enqueue(self, work: DeferredCommand) -> None:
        if work.function == "clEnqueueFillBuffer":
            work.action()
            work.done = True


@faults.plant
def fill_executed_at_enqueue(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A fill is executed when it is enqueued, whatever it depends on."""
    return get_device(simulation, _EagerFillDevice).process(call, outcome)


class _SharedUserEventDevice(LazyDevice):
    def on_user_event_set(self, event: DeferredCommand) -> None:
        super().on_user_event_set(event)
        for each in self.events.values():
            each.done = each.done or each.function == USER


@faults.plant
def user_events_complete_together(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """Setting any user event releases the commands that wait for other user events."""
    return get_device(simulation, _SharedUserEventDevice).process(call, outcome)


class _IgnoreErrorsDevice(LazyDevice):
    def on_user_event_failed(self, event: DeferredCommand) -> None:
        self.on_user_event_set(event)


@faults.plant
def command_runs_after_failed_event(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A command runs and completes although an event in its wait list was set to an error."""
    return get_device(simulation, _IgnoreErrorsDevice).process(call, outcome)
