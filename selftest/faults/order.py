"""Faults of command order on a lazy device: wait lists, barriers and markers, queues, and early execution."""

from __future__ import annotations

from clconform.selftest.faults.lazy_device import LazyDevice, plant_device
from clconform.selftest.faults.lazy_order import BARRIERS, MARKERS, USER, DeferredCommand
from clconform.selftest.faults.registry import Faults

faults = Faults()

MAX_LIST_LENGTH = 2


# wait lists


@plant_device(faults, "last-wait-list-event-ignored")
class _IgnoreLastDevice(LazyDevice):
    """A command with several events in its wait list does not wait for the last one."""

    def list_dependencies(self, works: list[DeferredCommand]) -> list[DeferredCommand]:
        return works[:-1] if len(works) > 1 else works


@plant_device(faults, "wait-list-truncated-to-two")
class _TruncateListDevice(LazyDevice):
    """A command waits for at most two events of its wait list."""

    def list_dependencies(self, works: list[DeferredCommand]) -> list[DeferredCommand]:
        return works[:MAX_LIST_LENGTH]


@plant_device(faults, "duplicate-event-hides-others")
class _DuplicatesOnlyDevice(LazyDevice):
    """If an event occurs twice in a wait list, the command does not wait for the other events."""

    def list_dependencies(self, works: list[DeferredCommand]) -> list[DeferredCommand]:
        twice = {work for work in works if works.count(work) > 1}
        return list(twice) or works


@plant_device(faults, "one-complete-event-suffices")
class _AnyCompleteDevice(LazyDevice):
    """A command does not wait for its wait list if one of the events is already complete."""

    def list_dependencies(self, works: list[DeferredCommand]) -> list[DeferredCommand]:
        return [] if any(work.done for work in works) else works


@plant_device(faults, "wait-list-replaces-queue-order")
class _ListOverridesOrderDevice(LazyDevice):
    """In an in-order queue, a command with a wait list does not wait for earlier commands."""

    def queue_dependencies(self, work: DeferredCommand) -> list[DeferredCommand]:
        return [] if work.wait_list and self.in_order[work.queue] else super().queue_dependencies(work)


@plant_device(faults, "events-of-other-queues-ignored")
class _SeparateQueuesDevice(LazyDevice):
    """A command ignores events in its wait list that belong to another queue."""

    def on_enqueue(self, work: DeferredCommand) -> None:
        work.dependencies = [each for each in work.dependencies if each.queue in ("", work.queue)]


@plant_device(faults, "barriers-and-waits-ignore-other-queues")
class _SeparateBarriersDevice(LazyDevice):
    """A barrier, or a wait in a queue, ignores events in its list that belong to another queue."""

    def on_enqueue(self, work: DeferredCommand) -> None:
        if work.function in BARRIERS:
            work.dependencies = [each for each in work.dependencies if each.queue in ("", work.queue)]


@plant_device(faults, "copies-ignore-other-queues")
class _SeparateCopiesDevice(LazyDevice):
    """A copy ignores events in its wait list that belong to another queue."""

    def on_enqueue(self, work: DeferredCommand) -> None:
        if work.function == "clEnqueueCopyBuffer":
            work.dependencies = [each for each in work.dependencies if each.queue in ("", work.queue)]


# barriers and markers


@plant_device(faults, "marker-wait-is-no-wait")
class _CompleteMarkersDevice(LazyDevice):
    """Commands that wait for a marker do not wait, because markers complete immediately."""

    def on_enqueue(self, work: DeferredCommand) -> None:
        if work.function in MARKERS:
            work.dependencies = []


@plant_device(faults, "marker-waits-for-last-command-only")
class _MarkLastDevice(LazyDevice):
    """A marker without a wait list waits only for the last command before it."""

    def queue_dependencies(self, work: DeferredCommand) -> list[DeferredCommand]:
        before = super().queue_dependencies(work)
        return before[-1:] if work.function in MARKERS else before


@plant_device(faults, "second-command-passes-barrier")
class _SecondPassesDevice(LazyDevice):
    """In an out-of-order queue, the second command after a barrier does not wait for the barrier."""

    def queue_dependencies(self, work: DeferredCommand) -> list[DeferredCommand]:
        before = super().queue_dependencies(work)
        own = [each for each in self.commands if each.queue == work.queue]
        second = len(own) > 1 and own[-2].function in BARRIERS and own[-1].function not in BARRIERS
        return [each for each in before if each.function not in BARRIERS] if second else before


@plant_device(faults, "barrier-with-list-does-not-block")
class _IgnoreListBarriersDevice(LazyDevice):
    """Commands after a barrier with a wait list do not wait for the barrier."""

    def queue_dependencies(self, work: DeferredCommand) -> list[DeferredCommand]:
        return [
            each for each in super().queue_dependencies(work) if each.function not in BARRIERS or not each.wait_list
        ]


@plant_device(faults, "barriers-miss-commands-without-event")
class _EventlessPassDevice(LazyDevice):
    """In an out-of-order queue, markers and barriers do not wait for commands without an event."""

    def queue_dependencies(self, work: DeferredCommand) -> list[DeferredCommand]:
        before = super().queue_dependencies(work)
        fence = work.function in (*MARKERS, *BARRIERS) and not self.in_order[work.queue]
        return [each for each in before if each.event] if fence else before


# early execution


@plant_device(faults, "copy-source-read-at-enqueue")
class _EagerCopyDevice(LazyDevice):
    """A copy writes the bytes that its source contained when the copy was enqueued."""

    sources: dict[str, bytes] | None = None

    def on_enqueue(self, work: DeferredCommand) -> None:
        if work.function == "clEnqueueCopyBuffer":
            act, copies = work.action, {name: bytes(content) for name, content in self.memory.items()}

            def late() -> None:
                now, self.sources = self.sources, copies
                act()
                self.sources = now

            work.action = late

    def read_memory(self, memory: str, queue: str) -> bytes | bytearray:
        return self.sources[memory] if self.sources is not None else super().read_memory(memory, queue)


@plant_device(faults, "fill-executed-at-enqueue")
class _EagerFillDevice(LazyDevice):
    """A fill is executed when it is enqueued, whatever it depends on."""

    def on_enqueue(self, work: DeferredCommand) -> None:
        if work.function == "clEnqueueFillBuffer":
            work.action()
            work.done = True


@plant_device(faults, "user-events-complete-together")
class _SharedUserEventDevice(LazyDevice):
    """Setting any user event releases the commands that wait for other user events."""

    def on_user_event_set(self, event: DeferredCommand) -> None:
        super().on_user_event_set(event)
        for each in self.events.values():
            each.done = each.done or each.function == USER


@plant_device(faults, "command-runs-after-failed-event")
class _IgnoreErrorsDevice(LazyDevice):
    """A command runs and completes although an event in its wait list was set to an error."""

    def on_user_event_failed(self, event: DeferredCommand) -> None:
        self.on_user_event_set(event)
