"""Commands and their order: which commands are complete, and which must complete before others begin (3.2.4)."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from clconform.oracles.model.command_precedence import NO_POSITIONS, CommandChain, join_positions
from clconform.oracles.model.memory_uses import MemoryUses

if TYPE_CHECKING:
    from collections.abc import Collection, Container, Iterable, Iterator, Sequence

    from clconform.oracles.contents.storage import MemoryPlace, Storage
    from clconform.oracles.model.command_precedence import PrecedingPositions
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

    ``direct_predecessors``: commands that complete before this command begins. All its other predecessors are
    predecessors of these. ``queue_position``: all commands of its only queue with a number up to this one come before
    it. ``is_after_queue``: it comes after all earlier commands of its only queue. ``number``: its position among all
    enqueued commands, or 0. ``awaits``: the commands of the events in its wait list. ``flushed_by``: the function that
    submitted it, so that other queues may wait for it. ``ended_by``: the function that waited for it.
    ``awaited_signal``: the location on the bus whose signal it awaits, until a command writes that signal.
    ``may_have_failed``: it has ended in an error, or may have, because a command for which it waits has.
    ``terminated``: it certainly never runs and ends in an error: a user event that is set to an error, or a command
    with such an event in its wait list. ``is_concurrent``: it was enqueued concurrently with calls of other host
    threads. ``other_queues``: the further queues of an enqueued command-buffer. ``awaited_queues``: the queues of the
    command for which the host has waited. ``awaited_semaphore_signals``: the semaphore signals for which it waits; they
    have run when it is complete. ``has_run``: it must have run, although a synchronization point does not prove it, so
    its writes need not be visible. ``is_cut_off``: its context was terminated while a user event prevented it from
    running. ``is_removed``: ``CommandOrder.remove`` has removed it. ``created_at``, ``ended_at``: the time of the
    command order at which it was created and was complete, or 0 if it is not complete. ``chain``, ``chain_position``:
    its chain and its position there, unless it is after its queue. ``positions``: the positions of its predecessors.
    ``blocker``: a user event among them, or None if there was none; ``find_blocker`` replaces it after it is set.
    ``signal_waits``: the commands that wait for signals, among the command and its predecessors.
    """

    function: str
    queue: CommandQueue | None = None
    direct_predecessors: tuple[Command, ...] = ()
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
    queue_position: int = 0
    is_after_queue: bool = False
    number: int = 0
    created_at: int = 0
    ended_at: int = 0
    chain: CommandChain | None = None
    chain_position: int = 0
    positions: PrecedingPositions = field(init=False)
    blocker: Command | None = field(init=False, default=None)
    signal_waits: tuple[Command, ...] = field(init=False, default=())

    @property
    def is_flushed(self) -> bool:
        """Return whether the command was submitted to the device."""
        return bool(self.flushed_by)

    @property
    def predecessors(self) -> frozenset[Command]:
        """The commands that complete before it begins, except those that were complete when it was created.

        The time for this property grows with their number; ``follows`` checks one command.
        """
        found: set[Command] = set()
        open_ = list(self.direct_predecessors)
        while open_:
            each = open_.pop()
            if each not in found and not (each.ended_at and each.ended_at <= self.created_at):
                found.add(each)
                open_ += each.direct_predecessors
        return frozenset(found)

    def follows(self, other: Command) -> bool:
        """Return whether a command that may not be complete is a predecessor of this command."""
        if other.queue is None or not other.number:
            return other in self.predecessors
        if self.is_after(other.queue, other.number) and not other.other_queues:
            return True
        if other.is_after_queue:
            return False
        if other.chain is not None and self.positions.of_chains.get(other.chain, 0) >= other.chain_position:
            return True
        return self.positions.is_partial and other in self.predecessors

    def is_after(self, queue: CommandQueue | None, number: int) -> bool:
        """Return whether all pending commands that run only on ``queue``, up to a number, certainly precede it."""
        if queue is None:
            return False
        if queue is self.queue and number <= self.queue_position:
            return True
        return self.positions.of_queues.get(queue, 0) >= number

    def pending_chain(self) -> Iterator[Command]:
        """Yield the command and those of its predecessors that are not known to be complete."""
        return pending_chains((self,))

    def __post_init__(self) -> None:
        self._note_predecessors(self.direct_predecessors)

    def _note_predecessors(self, direct: Iterable[Command]) -> None:
        """Derive the positions, and the commands that may prevent this command from starting."""
        self.positions = join_positions(self.direct_predecessors, self.queue, self.queue_position)
        signals: dict[Command, None] = dict.fromkeys(self.signal_waits)
        if self.function == WAIT_SIGNAL:
            signals[self] = None
        blockers: list[Command | None] = [self.blocker]
        for each in direct:
            if each.signal_waits:
                signals |= dict.fromkeys(each.signal_waits)
            blockers.append(each if each.queue is None else each.find_blocker())
        self.signal_waits = tuple(signals)
        known = [each for each in blockers if each is not None]
        self.blocker = next((each for each in known if not each.is_complete), known[-1] if known else None)

    def order_after(self, other: Command) -> None:
        """Make a command, and its predecessors, predecessors of this command."""
        self.direct_predecessors += (other,)
        self._note_predecessors((other,))

    def forget_predecessors(self) -> None:
        """Forget the predecessors of a complete command, and the memory that it used."""
        self.direct_predecessors, self.reads, self.writes, self.awaits = (), (), (), ()
        self.awaited_semaphore_signals, self.signal_waits = (), ()
        self.positions, self.blocker = NO_POSITIONS, None

    def find_blocker(self) -> Command | None:
        """Return a user event that is not set and prevents the command from starting, or None.

        The result is stored for all commands that were visited; a command without a blocker never gets one.
        """
        if self.blocker is None or not self.blocker.is_complete:
            return self.blocker
        successors: dict[Command, Command | None] = {self: None}
        open_, found = [self], None
        while open_ and found is None:
            at = open_.pop()
            for each in at.direct_predecessors:
                if each.is_complete or each in successors:
                    continue
                blocker = each if each.queue is None else each.blocker
                if blocker is not None and not blocker.is_complete:
                    found = blocker
                    break
                if blocker is not None:
                    successors[each] = at
                    open_.append(each)
        if found is None:
            for each in successors:
                each.blocker = None
            return None
        on_path: Command | None = at
        while on_path is not None:
            on_path.blocker = found
            on_path = successors[on_path]
        return found

    @property
    def waits_for_user_event(self) -> bool:
        """Return whether a user event that is not set prevents the command from starting."""
        if self.queue is None:
            return not self.is_complete
        return self.find_blocker() is not None

    @property
    def unwritten_signals(self) -> list[ExternalAction]:
        """Return the locations on the bus whose signals were not written and prevent the command from completing."""
        return [
            each.awaited_signal
            for each in self.signal_waits
            if each.awaited_signal is not None and not each.is_complete
        ]

    @property
    def waits_indefinitely(self) -> bool:
        """Return whether the command waits for a user event or a signal, and cannot complete without a further call."""
        return self.waits_for_user_event or bool(self.unwritten_signals)


def pending_chains(commands: Iterable[Command], known: Container[Command] = ()) -> Iterator[Command]:
    """Yield commands and their predecessors, once each, that are not known to be complete.

    ``known``: commands to leave out, with all their predecessors.
    """
    seen: set[Command] = set()
    open_ = list(commands)[::-1]
    while open_:
        each = open_.pop()
        if each.is_complete or each.is_removed or each in seen or each in known:
            continue
        seen.add(each)
        open_ += each.direct_predecessors
        yield each


class _PendingQueue:
    """The pending commands of a queue, in the order in which they were enqueued.

    ``last``: commands that run only on this queue; all other such commands precede one of them. ``barriers``: the
    pending barriers. ``unflushed``: the commands that may not be submitted.
    """

    def __init__(self) -> None:
        self.commands: dict[Command, None] = {}
        self.last: dict[Command, None] = {}
        self.barriers: dict[Command, None] = {}
        self.unflushed: dict[Command, None] = {}

    def add(self, command: Command) -> None:
        """Add an enqueued command."""
        self.commands[command] = self.unflushed[command] = None
        if command.other_queues:
            return
        if command.is_after_queue:
            self.last.clear()
        for each in command.direct_predecessors:
            self.last.pop(each, None)
        self.last[command] = None
        if command.function in BARRIERS:
            self.barriers[command] = None

    def drop(self, command: Command) -> None:
        """Drop a command that is not pending any more."""
        for each in (self.commands, self.last, self.barriers, self.unflushed):
            each.pop(command, None)


class CommandOrder:
    """The commands of one example that are not known to be complete, in the order in which they were enqueued.

    ``pending``: these commands, as keys. ``latest_requirement``: the success requirement of the last enqueued command.
    ``writers``: maps storages to the last command that writes to it. ``keeps_history``: complete commands keep their
    predecessors and remain in ``writers``. Only coverage points need this history; without it, memory use does not grow
    with the number of commands. ``may_flush_later``: a queue may be flushed after a command of another queue waits for
    its event, but before the host waits (interpretation: flush-before-the-wait). A test flushes it first.
    ``memory_uses``: the memory that pending commands use. ``signals``: the pending commands that wait for signals.
    """

    def __init__(self) -> None:
        self.pending: dict[Command, None] = {}
        self.latest_requirement = ""
        self.writers: dict[Storage, Command] = {}
        self.keeps_history = True
        self.may_flush_later = False
        self.memory_uses = MemoryUses()
        self._queues: dict[CommandQueue, _PendingQueue] = {}
        self._blocked_by: dict[Command, dict[Command, None]] = {}
        self._signal_waits: dict[Command, None] = {}
        self._time = 0

    @property
    def time(self) -> int:
        """The number of commands that were enqueued, and waits that have ended, so far."""
        return self._time

    @property
    def latest(self) -> Command | None:
        """The pending command that was enqueued last, or None."""
        return next(reversed(self.pending), None)

    def of_queue(self, queue: CommandQueue) -> list[Command]:
        """Return the pending commands of one queue."""
        return list(self._queues[queue].commands) if queue in self._queues else []

    def unflushed_queues(self) -> Iterator[CommandQueue]:
        """Yield the queues with commands that may not be submitted."""
        return (queue for queue, each in self._queues.items() if each.unflushed)

    def has_blocked_commands(self) -> bool:
        """Return whether a pending command waits for a user event or a signal, and cannot complete without a call."""
        return any(self._blocked_by.values()) or any(each.awaited_signal is not None for each in self._signal_waits)

    def is_blocked_by(self, event: Command) -> bool:
        """Return whether a pending command waits for a user event that is not set."""
        return bool(self._blocked_by.get(event))

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
    ) -> tuple[Command, ...]:
        """Return the direct predecessors of a new command of a queue; ``awaited``: the commands in its wait list.

        A marker or barrier with a wait list does not wait for earlier commands, even if its events are complete.
        ``single_queue``: the command runs on one queue only. A command-buffer for several queues is ordered by events
        alone, also relative to commands of its queues: the application is responsible for their order.
        """
        own = self._queues.get(queue) if single_queue else None
        earlier: Iterable[Command] = ()
        if own is not None and (queue.in_order or (not awaited and function in FENCES)):
            earlier = own.last
        elif own is not None:
            earlier = itertools.islice(reversed(own.barriers), 1)
        found = dict.fromkeys((*earlier, *awaited))
        return tuple(each for each in found if not (each.is_complete or each.is_removed))

    def is_after_queue(self, queue: CommandQueue, direct: Sequence[Command]) -> bool:
        """Return whether a new command with these direct predecessors comes after all commands of its only queue."""
        own = self._queues.get(queue)
        if own is None:
            return True
        return len(own.last) <= len(direct) and own.last.keys() <= set(direct)

    def add(self, command: Command, ended_accesses: Collection[MemoryPlace] = ()) -> None:
        """Add an enqueued command; ``ended_accesses``: memory that it has read before the call returned."""
        self._time += 1
        command.number = self._time
        self.pending[command] = None
        for queue in (command.queue, *command.other_queues):
            if queue is not None:
                self._queues.setdefault(queue, _PendingQueue()).add(command)
        if not command.is_after_queue:
            self._extend_chain(command)
        if command.function == WAIT_SIGNAL:
            self._signal_waits[command] = None
        for each in command.direct_predecessors:
            if each.queue is None:
                self._blocked_by.setdefault(each, {})[command] = None
        self.latest_requirement = f"{command.function}/success"
        for place in (*command.reads, *command.writes):
            place.storage.last_requirement = self.latest_requirement
        command.reads = tuple(each for each in command.reads if each not in ended_accesses)
        self.memory_uses.add(command, command.reads, command.writes)
        if self.keeps_history:
            for place in command.writes:
                self.writers[place.storage] = command

    @staticmethod
    def _extend_chain(command: Command) -> None:
        """Append a command to the chain of a direct predecessor, or to a new chain."""
        own = None if command.other_queues else command.queue
        command.chain = next(
            (
                each.chain
                for each in command.direct_predecessors
                if each.chain is not None and each.chain_position == each.chain.length and each.chain.queue is own
            ),
            None,
        ) or CommandChain(own)
        command.chain.length += 1
        command.chain_position = command.chain.length

    def finish(self, commands: Iterable[Command], function: str = "") -> None:
        """Record that commands and their predecessors are complete; ``function``: the function that waited for them."""
        self._time += 1
        for command in commands:
            for each in list(command.pending_chain()):
                each.is_complete, each.ended_by, each.ended_at = True, function, self._time
                self._note_signals_run(each)
                self._drop(each)
                if not self.keeps_history:
                    each.forget_predecessors()

    def remove(self, commands: Iterable[Command]) -> None:
        """Remove commands that have ended according to a query or callback; the memory that they write becomes unknown.

        They do not count as complete, but do not affect later commands.
        """
        removed = list(commands)
        for each in removed:
            for place in each.writes:
                place.storage.forget()
            each.is_removed = True
            self._drop(each)
            each.forget_predecessors()
        for queue in {each.queue for each in removed if each.queue in self._queues}:
            own = self._queues[queue]  # type: ignore[index]
            own.last = {each: None for each in own.commands if not each.other_queues}

    def _drop(self, command: Command) -> None:
        """Drop a command that is not pending any more, or a user event that is set."""
        self._blocked_by.pop(command, None)
        if command not in self.pending:
            return
        del self.pending[command]
        for queue in (command.queue, *command.other_queues):
            own = self._queues.get(queue) if queue is not None else None
            if own is not None:
                own.drop(command)
                if not own.commands:
                    del self._queues[queue]  # type: ignore[arg-type]
        self._signal_waits.pop(command, None)
        for each in command.direct_predecessors:
            if each in self._blocked_by:
                self._blocked_by[each].pop(command, None)
        self.memory_uses.drop(command)

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
        failed = dict.fromkeys(commands)
        for each in self.pending:
            each.terminated = each.terminated or any(one.terminated for one in each.awaits)
        grows = True
        while grows:
            more = [
                each
                for each in self.pending
                if each not in failed and any(one in failed for one in each.direct_predecessors)
            ]
            failed |= dict.fromkeys(more)
            grows = bool(more)
        for each in failed:
            each.may_have_failed = True
            for place in (*each.reads, *each.writes):
                place.storage.forget()
        self.finish(commands)

    def flush(self, queue: CommandQueue, function: str) -> None:
        """Record that a function has submitted all commands of a queue."""
        own = self._queues.get(queue)
        if own is not None:
            for each in own.unflushed:
                each.flushed_by = each.flushed_by or function
            own.unflushed.clear()
