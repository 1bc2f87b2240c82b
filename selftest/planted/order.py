"""Faults in the order of commands, on a device that does them as late as it can: lists, fences, queues, waits."""

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


# lists


class _LastIgnored(LateDevice):
    def listed(self, works: list[Work]) -> list[Work]:
        return works[:-1] if len(works) > 1 else works


@faults.plant
def the_last_event_of_a_list_is_ignored(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A command with several events in its list does not wait for the last one."""
    return device_of(simulation, _LastIgnored).saw(call, outcome)


class _Cut(LateDevice):
    def listed(self, works: list[Work]) -> list[Work]:
        return works[:A_SHORT_LIST]


@faults.plant
def lists_are_cut_after_two_events(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A command waits for no more than two events of its list."""
    return device_of(simulation, _Cut).saw(call, outcome)


class _CountedTwice(LateDevice):
    def listed(self, works: list[Work]) -> list[Work]:
        twice = {work for work in works if works.count(work) > 1}
        return list(twice) or works


@faults.plant
def events_listed_twice_count_twice(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """An event that is twice in a list counts for another one there, which the command does not wait for."""
    return device_of(simulation, _CountedTwice).saw(call, outcome)


class _OneIsEnough(LateDevice):
    def listed(self, works: list[Work]) -> list[Work]:
        return [] if any(work.done for work in works) else works


@faults.plant
def one_complete_event_is_enough(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A command waits for nothing in a list of which one event is complete already."""
    return device_of(simulation, _OneIsEnough).saw(call, outcome)


class _ListsReplaceOrder(LateDevice):
    def earlier(self, work: Work) -> list[Work]:
        return [] if work.listed and self.in_order[work.queue] else super().earlier(work)


@faults.plant
def lists_replace_the_order_of_a_queue(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A command in order that has a list does not wait for what is before it in its queue."""
    return device_of(simulation, _ListsReplaceOrder).saw(call, outcome)


class _QueuesApart(LateDevice):
    def given(self, work: Work) -> None:
        work.after = [each for each in work.after if each.queue in ("", work.queue)]


@faults.plant
def events_of_other_queues_are_ignored(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A command does not wait for commands of another queue, although they are in its list."""
    return device_of(simulation, _QueuesApart).saw(call, outcome)


# fences


class _NoMarkers(LateDevice):
    def given(self, work: Work) -> None:
        if work.function in MARKERS:
            work.after = []


@faults.plant
def what_waits_for_a_marker_waits_for_nothing(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A marker is complete at once, and so are those complete too early that wait for it."""
    return device_of(simulation, _NoMarkers).saw(call, outcome)


class _OneMarked(LateDevice):
    def earlier(self, work: Work) -> list[Work]:
        before = super().earlier(work)
        return before[-1:] if work.function in MARKERS else before


@faults.plant
def markers_wait_for_the_last_command_only(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A marker without a list waits for the command before it, but not for earlier ones."""
    return device_of(simulation, _OneMarked).saw(call, outcome)


class _SecondPasses(LateDevice):
    def earlier(self, work: Work) -> list[Work]:
        before = super().earlier(work)
        own = [each for each in self.works if each.queue == work.queue]
        second = len(own) > 1 and own[-2].function in BARRIERS and own[-1].function not in BARRIERS
        return [each for each in before if each.function not in BARRIERS] if second else before


@faults.plant
def barriers_let_the_second_command_pass(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """The second command behind a barrier does not wait for it, out of order."""
    return device_of(simulation, _SecondPasses).saw(call, outcome)


class _ListsHoldNothingUp(LateDevice):
    def earlier(self, work: Work) -> list[Work]:
        return [each for each in super().earlier(work) if each.function not in BARRIERS or not each.listed]


@faults.plant
def barriers_with_a_list_hold_nothing_up(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """Commands behind a barrier that has a list do not wait for it."""
    return device_of(simulation, _ListsHoldNothingUp).saw(call, outcome)


class _FencesNeedEvents(LateDevice):
    def earlier(self, work: Work) -> list[Work]:
        before = super().earlier(work)
        fence = work.function in (*MARKERS, *BARRIERS) and not self.in_order[work.queue]
        return [each for each in before if each.event] if fence else before


@faults.plant
def fences_miss_commands_without_events(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """Markers and barriers out of order do not wait for commands that have no event."""
    return device_of(simulation, _FencesNeedEvents).saw(call, outcome)


# what is done too early


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
    """A copy writes what its source held when it was enqueued."""
    return device_of(simulation, _EagerCopies).saw(call, outcome)


class _EagerFills(LateDevice):
    def given(self, work: Work) -> None:
        if work.function == "clEnqueueFillBuffer":
            work.act()
            work.done = True


@faults.plant
def fills_wait_for_nothing(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A fill is done when it is enqueued, whatever it had to wait for."""
    return device_of(simulation, _EagerFills).saw(call, outcome)


class _OneGate(LateDevice):
    def opened(self, event: Work) -> None:
        super().opened(event)
        for each in self.events.values():
            each.done = each.done or each.function == USER


@faults.plant
def user_events_are_set_together(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """What waits for a user event goes on when any other one is set."""
    return device_of(simulation, _OneGate).saw(call, outcome)


class _Undaunted(LateDevice):
    def failed(self, event: Work) -> None:
        self.opened(event)


@faults.plant
def commands_run_although_one_before_them_failed(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A command runs, and is complete, although an event in its list was set to an error."""
    return device_of(simulation, _Undaunted).saw(call, outcome)
