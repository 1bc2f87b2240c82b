"""Commands and their order: which commands are complete, and which must complete before others begin (3.2.4)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from clconform.oracles.contents.storage import MemoryPlace, Storage
    from clconform.oracles.model.queues import CommandQueue

BARRIERS = ("clEnqueueBarrier", "clEnqueueBarrierWithWaitList", "clEnqueueWaitForEvents")
"""Commands for which all later commands of the queue wait."""
FENCES = ("clEnqueueBarrier", "clEnqueueBarrierWithWaitList", "clEnqueueMarker", "clEnqueueMarkerWithWaitList")
"""Commands that, without a wait list, wait for all earlier commands of the queue."""


WAIT_SIGNAL = "clEnqueueWaitSignalAMD"


class ExternalAction:
    """An action that is not a command of the host's queues, and for which a command waits."""

    @property
    def is_settled(self) -> bool:
        """Return whether the action has certainly happened, so that the result of a wait is known."""
        raise NotImplementedError


@dataclass(eq=False)
class Command:
    """An enqueued command, or a user event, which does not have a queue and is complete once its status is set.

    ``predecessors``: the commands that complete before this command begins, except those already known to be complete.
    ``awaits``: the commands of the events in its wait list. ``flushed_by``: the function that submitted it, so that
    other queues may wait for it. ``ended_by``: the function that waited for it. ``awaited_signal``: the location on the
    bus whose signal it awaits, until a command writes that signal. ``may_have_failed``: it has ended in an error, or
    may have, because a command for which it waits has. ``terminated``: it certainly never runs and ends in an error: a
    user event that is set to an error, or a command with such an event in its wait list. ``is_concurrent``: it was
    enqueued concurrently with calls of other host threads. ``held_by``: the user events, and the commands that wait for
    signals, among the command and its predecessors. ``other_queues``: the further queues of an enqueued command-buffer.
    ``awaited_queues``: the queues of the command for which the host has waited. ``awaited_semaphore_signals``: the
    semaphore signals for which it waits; they have run when it is complete. ``has_run``: it must have run, although a
    synchronization point does not prove it, so its writes need not be visible. ``is_cut_off``: its context was
    terminated while a user event prevented it from running. ``is_removed``: ``CommandOrder.remove`` has removed it.
    """

    function: str
    queue: CommandQueue | None = None
    predecessors: frozenset[Command] = frozenset()
    reads: tuple[MemoryPlace, ...] = ()
    writes: tuple[MemoryPlace, ...] = ()
    awaits: tuple[Command, ...] = ()
    flushed_by: str = ""
    ended_by: str = ""
    awaited_signal: ExternalAction | None = None
    is_complete: bool = False
    may_have_failed: bool = False
    terminated: bool = False
    is_concurrent: bool = False
    other_queues: tuple[CommandQueue, ...] = ()
    awaited_queues: list[CommandQueue] = field(default_factory=list)
    awaited_semaphore_signals: tuple[Command, ...] = ()
    has_run: bool = False
    is_cut_off: bool = False
    is_removed: bool = False
    held_by: tuple[Command, ...] = field(init=False)

    @property
    def is_flushed(self) -> bool:
        """Return whether the command was submitted to the device."""
        return bool(self.flushed_by)

    def pending_chain(self) -> Iterator[Command]:
        """Yield the command and those of its predecessors that are not known to be complete."""
        return (each for each in (self, *self.predecessors) if not (each.is_complete or each.is_removed))

    def __post_init__(self) -> None:
        line = (self, *self.predecessors)
        self.held_by = tuple(each for each in line if each.queue is None or each.function == WAIT_SIGNAL)

    def forget_predecessors(self) -> None:
        """Forget the predecessors of a complete command, and the memory that it used."""
        self.predecessors, self.reads, self.writes, self.awaits, self.held_by = frozenset(), (), (), (), ()
        self.awaited_semaphore_signals = ()

    @property
    def waits_for_user_event(self) -> bool:
        """Return whether a user event that is not set prevents the command from starting."""
        return any(each.queue is None for each in self.held_by if not each.is_complete)

    @property
    def unwritten_signals(self) -> list[ExternalAction]:
        """Return the locations on the bus whose signals were not written and prevent the command from completing."""
        return [
            each.awaited_signal for each in self.held_by if each.awaited_signal is not None and not each.is_complete
        ]

    @property
    def waits_indefinitely(self) -> bool:
        """Return whether the command waits for a user event or a signal, and cannot complete without a further call."""
        return self.waits_for_user_event or bool(self.unwritten_signals)


@dataclass
class CommandOrder:
    """The commands of one example that are not known to be complete, in the order in which they were enqueued.

    ``latest_requirement``: the success requirement of the last enqueued command. ``writers``: maps storages to the last
    command that writes to it. ``keeps_history``: complete commands keep their predecessors and remain in ``writers``.
    Only coverage points need this history; without it, memory use does not grow with the number of commands.
    ``may_flush_later``: a queue may be flushed after a command of another queue waits for its event, but before the
    host waits (interpretation: flush-before-the-wait). A test flushes it first.
    """

    pending: list[Command] = field(default_factory=list)
    latest_requirement: str = ""
    writers: dict[Storage, Command] = field(default_factory=dict)
    keeps_history: bool = True
    may_flush_later: bool = False

    def of_queue(self, queue: CommandQueue) -> list[Command]:
        """Return the pending commands of one queue."""
        return [each for each in self.pending if each.queue is queue or queue in each.other_queues]

    def note_queue_wait(self, queue: CommandQueue, function: str) -> None:
        """Record that a function has waited for all commands of a queue.

        Commands that also run on other queues may still be incomplete.
        """
        over = []
        for each in self.of_queue(queue):
            each.awaited_queues.append(queue)
            if not each.other_queues or {id(one) for one in (each.queue, *each.other_queues)} <= {
                id(one) for one in each.awaited_queues
            }:
                over.append(each)
        self.finish(over, function)

    def find_predecessors(
        self, function: str, queue: CommandQueue, awaited: Sequence[Command], *, single_queue: bool = True
    ) -> frozenset[Command]:
        """Return the predecessors of a new command of a queue; ``awaited``: the commands in its wait list.

        A marker or barrier with a wait list does not wait for earlier commands, even if its events are complete.
        ``single_queue``: the command runs on one queue only. A command-buffer for several queues is ordered by events
        alone, also relative to commands of its queues: the application is responsible for their order.
        """
        earlier = [each for each in self.of_queue(queue) if not each.other_queues] if single_queue else []
        if not queue.in_order and (awaited or function not in FENCES):
            barriers = [index for index, each in enumerate(earlier) if each.function in BARRIERS]
            earlier = earlier[barriers[-1] : barriers[-1] + 1] if barriers else []
        found: set[Command] = set()
        for direct in reversed((*earlier, *awaited)):
            if direct not in found:  # otherwise all its predecessors are included already
                found.update(direct.pending_chain())
        return frozenset(found)

    def add(self, command: Command) -> None:
        """Add an enqueued command."""
        self.pending.append(command)
        self.latest_requirement = f"{command.function}/success"
        for place in (*command.reads, *command.writes):
            place.storage.last_requirement = self.latest_requirement
        if self.keeps_history:
            for place in command.writes:
                self.writers[place.storage] = command

    def finish(self, commands: Iterable[Command], function: str = "") -> None:
        """Record that commands and their predecessors are complete; ``function``: the function that waited for them."""
        for command in commands:
            for each in list(command.pending_chain()):
                each.is_complete, each.ended_by = True, function
                self._note_signals_run(each)
                if not self.keeps_history:
                    each.forget_predecessors()
        self.pending = [each for each in self.pending if not each.is_complete]

    def remove(self, commands: Iterable[Command]) -> None:
        """Remove commands that have ended according to a query or callback; the memory that they write becomes unknown.

        They do not count as complete, but do not affect later commands.
        """
        for each in commands:
            for place in each.writes:
                place.storage.forget()
            each.is_removed = True
            each.forget_predecessors()
        self.pending = [each for each in self.pending if not each.is_removed]

    def _note_signals_run(self, command: Command) -> None:
        """Record that the semaphore signals for which a command has waited, and their predecessors, have run."""
        for signal in command.awaited_semaphore_signals:
            for each in signal.pending_chain():
                if not each.has_run:
                    each.has_run = True
                    self._note_signals_run(each)

    def fail(self, commands: Collection[Command]) -> None:
        """Record that commands end in an error, so that their successors may fail; the results of both are unknown.

        The successors are not necessarily complete.
        """
        failed = list(commands)
        for each in self.pending:
            each.terminated = each.terminated or any(one.terminated for one in each.awaits)
            if any(one in each.predecessors for one in failed):
                failed.append(each)
        for each in failed:
            each.may_have_failed = True
            for place in (*each.reads, *each.writes):
                place.storage.forget()
        self.finish(commands)

    def flush(self, queue: CommandQueue, function: str) -> None:
        """Record that a function has submitted all commands of a queue."""
        for each in self.of_queue(queue):
            each.flushed_by = each.flushed_by or function
