"""Commands and their order: which are complete, and which must complete before others begin (section 3.2.4)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from clconform.oracles.contents.storage import Place, Storage
    from clconform.oracles.model.queues import Queue

BARRIERS = ("clEnqueueBarrier", "clEnqueueBarrierWithWaitList", "clEnqueueWaitForEvents")
"""Commands that all later commands of the queue wait for."""
FENCES = ("clEnqueueBarrier", "clEnqueueBarrierWithWaitList", "clEnqueueMarker", "clEnqueueMarkerWithWaitList")
"""Commands that wait for all earlier commands of the queue if they have no wait list."""


WAITS_FOR_A_SIGNAL = "clEnqueueWaitSignalAMD"


class Awaited:
    """An action from elsewhere, other than a command, for which a command waits."""

    @property
    def settled(self) -> bool:
        """Return whether the result of the wait is known."""
        raise NotImplementedError


@dataclass(eq=False)
class Command:
    """An enqueued command, or a user event, which has no queue and is complete once it is set.

    ``before``: the commands that complete before this one begins, without those already known to be complete.
    ``awaits``: those of its wait list, complete or not. ``flushed_by``: the function that submitted it, so that other
    queues may wait for it. ``ended_by``: the function that waited for it. ``owed``: the location on the bus for whose
    signal it waits, until a command writes that signal. ``failed``: it has ended in an error, or may have, because one
    that it waits for has. ``terminated``: it certainly never runs and ends in an error, as a user event that is set to
    an error, or a command with such an event in its wait list. ``at_once``: it was enqueued concurrently with calls of
    other host threads. ``held_by``: the user events, and the commands that wait for signals, among itself and those
    before it. ``also``: the other queues of a command-buffer for several; ``waited_in``: those of its queues for which
    the host has waited. ``follows``: the semaphore signals for which it waits; they have run when it is complete.
    ``has_run``: it must have run, although no synchronization point proves it, so its writes need not be visible.
    ``cut_off``: its context was terminated while a user event prevented it from running. ``left_out``:
    ``Order.leave_out`` has removed it.
    """

    function: str
    queue: Queue | None = None
    before: frozenset[Command] = frozenset()
    reads: tuple[Place, ...] = ()
    writes: tuple[Place, ...] = ()
    awaits: tuple[Command, ...] = ()
    flushed_by: str = ""
    ended_by: str = ""
    owed: Awaited | None = None
    over: bool = False
    failed: bool = False
    terminated: bool = False
    at_once: bool = False
    also: tuple[Queue, ...] = ()
    waited_in: list[Queue] = field(default_factory=list)
    follows: tuple[Command, ...] = ()
    has_run: bool = False
    cut_off: bool = False
    left_out: bool = False
    held_by: tuple[Command, ...] = field(init=False)

    @property
    def flushed(self) -> bool:
        """Return whether it was submitted to the device."""
        return bool(self.flushed_by)

    def line(self) -> Iterator[Command]:
        """Yield the command and all before it that are not known to be complete."""
        return (each for each in (self, *self.before) if not (each.over or each.left_out))

    def __post_init__(self) -> None:
        line = (self, *self.before)
        self.held_by = tuple(each for each in line if each.queue is None or each.function == WAITS_FOR_A_SIGNAL)

    def forget_past(self) -> None:
        """Forget the predecessors of a complete command, and the memory that it used."""
        self.before, self.reads, self.writes, self.awaits, self.held_by = frozenset(), (), (), (), ()
        self.follows = ()

    @property
    def waits_for_the_user(self) -> bool:
        """Return whether a user event that is not set prevents the command from starting."""
        return any(each.queue is None for each in self.held_by if not each.over)

    @property
    def owing(self) -> list[Awaited]:
        """Return the locations on the bus whose unwritten signals prevent the command from completing."""
        return [each.owed for each in self.held_by if each.owed is not None and not each.over]

    @property
    def waits_without_end(self) -> bool:
        """Return whether the command waits for a user event or an unwritten signal, and thus cannot complete alone."""
        return self.waits_for_the_user or bool(self.owing)


@dataclass
class Order:
    """The commands of one example that are not known to be complete, in the order in which they were enqueued.

    ``latest``: the requirement of the last command of all. ``writers``: the last command that has written to each
    storage. ``keeps_past``: complete commands keep their predecessors and remain known as writers. Only coverage points
    need that; without it, memory use does not grow with the number of commands.
    """

    pending: list[Command] = field(default_factory=list)
    latest: str = ""
    writers: dict[Storage, Command] = field(default_factory=dict)
    keeps_past: bool = True

    def of_queue(self, queue: Queue) -> list[Command]:
        """Return the pending commands of one queue."""
        return [each for each in self.pending if each.queue is queue or queue in each.also]

    def waited(self, queue: Queue, function: str) -> None:
        """Record that a function has waited for all commands of a queue.

        Commands that also run on other queues may still be incomplete.
        """
        over = []
        for each in self.of_queue(queue):
            each.waited_in.append(queue)
            if not each.also or {id(one) for one in (each.queue, *each.also)} <= {id(one) for one in each.waited_in}:
                over.append(each)
        self.finish(over, function)

    def before(
        self, function: str, queue: Queue, awaited: Sequence[Command], *, alone: bool = True
    ) -> frozenset[Command]:
        """Return the predecessors of a new command of a queue; ``awaited``: those of its wait list.

        A command-buffer for several queues (not ``alone``) follows no command of them, and none follows it, unless an
        event orders them: the application is responsible for their order.
        """
        earlier = [each for each in self.of_queue(queue) if not each.also] if alone else []
        if not queue.in_order and (awaited or function not in FENCES):
            barriers = [index for index, each in enumerate(earlier) if each.function in BARRIERS]
            earlier = earlier[barriers[-1] : barriers[-1] + 1] if barriers else []
        found: set[Command] = set()
        for direct in reversed((*earlier, *awaited)):
            if direct not in found:  # otherwise all its predecessors are included already
                found.update(direct.line())
        return frozenset(found)

    def add(self, command: Command) -> None:
        """Add an enqueued command."""
        self.pending.append(command)
        self.latest = f"{command.function}/success"
        for place in (*command.reads, *command.writes):
            place.storage.last = self.latest
        if self.keeps_past:
            for place in command.writes:
                self.writers[place.storage] = command

    def finish(self, commands: Iterable[Command], function: str = "") -> None:
        """Record that commands and their predecessors are complete.

        ``function``: the one that has waited for them.
        """
        for command in commands:
            for each in list(command.line()):
                each.over, each.ended_by = True, function
                self._follow(each)
                if not self.keeps_past:
                    each.forget_past()
        self.pending = [each for each in self.pending if not each.over]

    def leave_out(self, commands: Iterable[Command]) -> None:
        """Remove commands that have ended according to other sources; the memory that they wrote becomes unknown.

        They do not count as complete, but the model makes no further statements about them.
        """
        for each in commands:
            for place in each.writes:
                place.storage.forget()
            each.left_out = True
            each.forget_past()
        self.pending = [each for each in self.pending if not each.left_out]

    def _follow(self, command: Command) -> None:
        """Record that the signals for which a command has waited have run, and their predecessors."""
        for signal in command.follows:
            for each in signal.line():
                if not each.has_run:
                    each.has_run = True
                    self._follow(each)

    def fail(self, commands: Collection[Command]) -> None:
        """Record that commands end in an error and that their successors may fail; the results of both are unknown.

        The successors are not necessarily complete.
        """
        failed = list(commands)
        for each in self.pending:
            each.terminated = each.terminated or any(one.terminated for one in each.awaits)
            if any(one in each.before for one in failed):
                failed.append(each)
        for each in failed:
            each.failed = True
            for place in (*each.reads, *each.writes):
                place.storage.forget()
        self.finish(commands)

    def flush(self, queue: Queue, function: str) -> None:
        """Record that a function has submitted all commands of a queue."""
        for each in self.of_queue(queue):
            each.flushed_by = each.flushed_by or function
