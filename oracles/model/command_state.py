"""The order of commands: which are complete, and which must complete before others begin (3.2.4)."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from clconform.oracles.model.enqueued_command import WAIT_SIGNAL, CommandChain
from clconform.oracles.model.memory_uses import MemoryUses

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from clconform.oracles.contents.storage import MemoryPlace, Storage
    from clconform.oracles.model.enqueued_command import Command
    from clconform.oracles.model.queues import CommandQueue

BARRIERS = ("clEnqueueBarrier", "clEnqueueBarrierWithWaitList", "clEnqueueWaitForEvents")
"""Commands for which all later commands of the queue wait."""
FENCES = ("clEnqueueBarrier", "clEnqueueBarrierWithWaitList", "clEnqueueMarker", "clEnqueueMarkerWithWaitList")
"""Commands that, without a wait list, wait for all earlier commands of the queue."""


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

        They do not count as complete, but do not affect later commands. All predecessors of these commands must have
        ended as well: each is complete, already removed, or one of these commands. Chains end at removed commands.
        """
        removed = list(commands)
        for each in removed:
            for place in each.writes:
                place.storage.forget()
            each.is_removed = True
            self._drop(each)
            each.forget_predecessors()
        for queue in {each.queue for each in removed if each.queue in self._queues}:
            own = self._queues[queue]
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
            grows = False
            for each in self.pending:
                if each not in failed and any(one in failed for one in each.direct_predecessors):
                    failed[each], grows = None, True
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
