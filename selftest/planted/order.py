"""Faults of command order on a lazy device: wait lists, barriers and markers, queues, and early execution."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.selftest.planted.late_device import LateDevice, device_of
from clconform.selftest.planted.late_order import BARRIERS, MARKERS, USER, Work
from clconform.selftest.planted.registry import Faults

if TYPE_CHECKING:
    from clconform.calls.call import Call, Outcome
    from clconform.simulator.platform import Simulation

faults = Faults()

A_SHORT_LIST = 2


# wait lists


class _LastIgnored(LateDevice):
    def listed(self, works: list[Work]) -> list[Work]:
        return works[:-1] if len(works) > 1 else works


@faults.plant
def the_last_event_of_a_list_is_ignored(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A command with several events in its wait list does not wait for the last one."""
    return device_of(simulation, _LastIgnored).saw(call, outcome)


class _Cut(LateDevice):
    def listed(self, works: list[Work]) -> list[Work]:
        return works[:A_SHORT_LIST]


@faults.plant
def lists_are_cut_after_two_events(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A command waits for at most two events of its wait list."""
    return device_of(simulation, _Cut).saw(call, outcome)


class _CountedTwice(LateDevice):
    def listed(self, works: list[Work]) -> list[Work]:
        twice = {work for work in works if works.count(work) > 1}
        return list(twice) or works


@faults.plant
def events_listed_twice_count_twice(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """If an event occurs twice in a wait list, the command does not wait for the other events."""
    return device_of(simulation, _CountedTwice).saw(call, outcome)


class _OneIsEnough(LateDevice):
    def listed(self, works: list[Work]) -> list[Work]:
        return [] if any(work.done for work in works) else works


@faults.plant
def one_complete_event_is_enough(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A command does not wait for its wait list if one of the events is already complete."""
    return device_of(simulation, _OneIsEnough).saw(call, outcome)


class _ListsReplaceOrder(LateDevice):
    def earlier(self, work: Work) -> list[Work]:
        return [] if work.listed and self.in_order[work.queue] else super().earlier(work)


@faults.plant
def lists_replace_the_order_of_a_queue(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """In an in-order queue, a command with a wait list does not wait for earlier commands."""
    return device_of(simulation, _ListsReplaceOrder).saw(call, outcome)


class _QueuesApart(LateDevice):
    def given(self, work: Work) -> None:
        work.after = [each for each in work.after if each.queue in ("", work.queue)]


@faults.plant
def events_of_other_queues_are_ignored(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A command ignores events in its wait list that belong to another queue."""
    return device_of(simulation, _QueuesApart).saw(call, outcome)


# barriers and markers


class _NoMarkers(LateDevice):
    def given(self, work: Work) -> None:
        if work.function in MARKERS:
            work.after = []


@faults.plant
def what_waits_for_a_marker_waits_for_nothing(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """Commands that wait for a marker do not wait, because markers complete immediately."""
    return device_of(simulation, _NoMarkers).saw(call, outcome)


class _OneMarked(LateDevice):
    def earlier(self, work: Work) -> list[Work]:
        before = super().earlier(work)
        return before[-1:] if work.function in MARKERS else before


@faults.plant
def markers_wait_for_the_last_command_only(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A marker without a wait list waits only for the last command before it."""
    return device_of(simulation, _OneMarked).saw(call, outcome)


class _SecondPasses(LateDevice):
    def earlier(self, work: Work) -> list[Work]:
        before = super().earlier(work)
        own = [each for each in self.works if each.queue == work.queue]
        second = len(own) > 1 and own[-2].function in BARRIERS and own[-1].function not in BARRIERS
        return [each for each in before if each.function not in BARRIERS] if second else before


@faults.plant
def barriers_let_the_second_command_pass(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """In an out-of-order queue, the second command after a barrier does not wait for the barrier."""
    return device_of(simulation, _SecondPasses).saw(call, outcome)


class _ListsHoldNothingUp(LateDevice):
    def earlier(self, work: Work) -> list[Work]:
        return [each for each in super().earlier(work) if each.function not in BARRIERS or not each.listed]


@faults.plant
def barriers_with_a_list_hold_nothing_up(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """Commands after a barrier with a wait list do not wait for the barrier."""
    return device_of(simulation, _ListsHoldNothingUp).saw(call, outcome)


class _FencesNeedEvents(LateDevice):
    def earlier(self, work: Work) -> list[Work]:
        before = super().earlier(work)
        fence = work.function in (*MARKERS, *BARRIERS) and not self.in_order[work.queue]
        return [each for each in before if each.event] if fence else before


@faults.plant
def fences_miss_commands_without_events(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """In an out-of-order queue, markers and barriers do not wait for commands without an event."""
    return device_of(simulation, _FencesNeedEvents).saw(call, outcome)


# early execution


class _EagerCopies(LateDevice):
    def given(self, work: Work) -> None:
        if work.function == "clEnqueueCopyBuffer":
            act, first = work.act, dict(self.memory)
            copies = {name: bytes(content) for name, content in first.items()}

            def late() -> None:
                now, self.sources = self.sources, copies
                act()
                self.sources = now

            work.act = late

    sources: dict[str, bytes] | None = None

    def fetched(self, memory: str, queue: str) -> bytes | bytearray:
        return self.sources[memory] if self.sources is not None else super().fetched(memory, queue)


@faults.plant
def copies_read_when_they_are_enqueued(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A copy writes the bytes that its source contained when the copy was enqueued."""
    return device_of(simulation, _EagerCopies).saw(call, outcome)


class _EagerFills(LateDevice):
    def given(self, work: Work) -> None:
        if work.function == "clEnqueueFillBuffer":
            work.act()
            work.done = True


@faults.plant
def fills_wait_for_nothing(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A fill is executed when it is enqueued, whatever it depends on."""
    return device_of(simulation, _EagerFills).saw(call, outcome)


class _OneGate(LateDevice):
    def opened(self, event: Work) -> None:
        super().opened(event)
        for each in self.events.values():
            each.done = each.done or each.function == USER


@faults.plant
def user_events_are_set_together(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """Setting any user event releases the commands that wait for other user events."""
    return device_of(simulation, _OneGate).saw(call, outcome)


class _Undaunted(LateDevice):
    def failed(self, event: Work) -> None:
        self.opened(event)


@faults.plant
def commands_run_although_one_before_them_failed(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A command runs and completes although an event in its wait list was set to an error."""
    return device_of(simulation, _Undaunted).saw(call, outcome)
