"""Commands and their order: which are complete, and which must complete before others begin (section 3.2.4)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from clconform.oracles.contents.storage import Place, Storage
    from clconform.oracles.model.queues import Queue

BARRIERS = ("clEnqueueBarrier", "clEnqueueBarrierWithWaitList", "clEnqueueWaitForEvents")
"""Commands that all later ones of the queue wait for."""
FENCES = ("clEnqueueBarrier", "clEnqueueBarrierWithWaitList", "clEnqueueMarker", "clEnqueueMarkerWithWaitList")
"""Commands that wait for all earlier ones of the queue where they have no wait list."""


WAITS_FOR_A_SIGNAL = "clEnqueueWaitSignalAMD"


class Awaited:
    """What a command waits for other than commands: an action from elsewhere."""

    @property
    def settled(self) -> bool:
        """Return whether it is known what the wait finds."""
        raise NotImplementedError


@dataclass(eq=False)
class Command:
    """An enqueued command, or a user event, which has no queue and is complete once it is set.

    ``before``: the commands that are over when this one begins, as far as they were not known to be over already.
    ``awaits``: those of its wait list, over or not. ``flushed_by``: the function that has set it on its way to the
    device, so that other queues may wait for it. ``ended_by``: the function that has waited for it. ``owed``: the place
    on the bus whose signal it waits for, as long as no command writes that. ``failed``: it has ended in an error, or
    one that it waits for has, so that it may have. ``terminated``: it certainly never runs and ends in an error, as a
    user event that is set to one, or a command with such an event in its wait list. ``at_once``: it was enqueued at the
    same time as calls of other host threads. ``held_by``: the user events, and the commands that wait for signals,
    among itself and those before it. ``also``: the other queues of a command-buffer for several; ``waited_in``: those
    of its queues that the host has waited for. ``follows``: the signals of semaphores that it waits for; they have run
    when it is over. ``has_run``: it must be complete, although no synchronization point says so, so that what it wrote
    need not be seen. ``cut_off``: its context was terminated while a user event kept it from running. ``left_out``:
    ``Order.leave_out`` has left it out.
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
        """Return whether it is on its way to the device."""
        return bool(self.flushed_by)

    def line(self) -> Iterator[Command]:
        """Yield the command and all before it that are not known to be over."""
        return (each for each in (self, *self.before) if not (each.over or each.left_out))

    def __post_init__(self) -> None:
        line = (self, *self.before)
        self.held_by = tuple(each for each in line if each.queue is None or each.function == WAITS_FOR_A_SIGNAL)

    def forget_past(self) -> None:
        """Forget what came before a command that is over, and what it has used."""
        self.before, self.reads, self.writes, self.awaits, self.held_by = frozenset(), (), (), (), ()
        self.follows = ()

    @property
    def waits_for_the_user(self) -> bool:
        """Return whether a user event keeps the command from ever beginning until it is set."""
        return any(each.queue is None for each in self.held_by if not each.over)

    @property
    def owing(self) -> list[Awaited]:
        """Return the places on the bus whose signals keep the command from ever ending until they are written."""
        return [each.owed for each in self.held_by if each.owed is not None and not each.over]

    @property
    def waits_without_end(self) -> bool:
        """Return whether the command will not end by itself: it waits for a user event or an unwritten signal."""
        return self.waits_for_the_user or bool(self.owing)


@dataclass
class Order:
    """The commands of one example that are not known to be over, in the order in which they were enqueued.

    ``latest``: the record of the last command of all. ``writers``: the last command that has written to each storage.
    ``keeps_past``: commands that are over still tell what came before them, and are known as writers, which only the
    triggers of effects ask for; without that, memory does not grow with their number.
    """

    pending: list[Command] = field(default_factory=list)
    latest: str = ""
    writers: dict[Storage, Command] = field(default_factory=dict)
    keeps_past: bool = True

    def of_queue(self, queue: Queue) -> list[Command]:
        """Return the pending commands of one queue."""
        return [each for each in self.pending if each.queue is queue or queue in each.also]

    def waited(self, queue: Queue, function: str) -> None:
        """Note that a function has waited for all commands of a queue; what runs on others, too, may not be over."""
        over = []
        for each in self.of_queue(queue):
            each.waited_in.append(queue)
            if not each.also or {id(one) for one in (each.queue, *each.also)} <= {id(one) for one in each.waited_in}:
                over.append(each)
        self.finish(over, function)

    def before(
        self, function: str, queue: Queue, awaited: Sequence[Command], *, alone: bool = True
    ) -> frozenset[Command]:
        """Return the commands that a new one of a queue comes after; ``awaited``: those of its wait list.

        A command-buffer for several queues (not ``alone``) follows no command of them, and none follows it, unless an
        event says so: their order is the application's matter.
        """
        earlier = [each for each in self.of_queue(queue) if not each.also] if alone else []
        if not queue.in_order and (awaited or function not in FENCES):
            barriers = [index for index, each in enumerate(earlier) if each.function in BARRIERS]
            earlier = earlier[barriers[-1] : barriers[-1] + 1] if barriers else []
        found: set[Command] = set()
        for direct in reversed((*earlier, *awaited)):
            if direct not in found:  # otherwise all before it are there, too
                found.update(direct.line())
        return frozenset(found)

    def add(self, command: Command) -> None:
        """Add a command that was enqueued."""
        self.pending.append(command)
        self.latest = f"{command.function}/success"
        for place in (*command.reads, *command.writes):
            place.storage.last = self.latest
        if self.keeps_past:
            for place in command.writes:
                self.writers[place.storage] = command

    def finish(self, commands: Iterable[Command], function: str = "") -> None:
        """Note that commands are over, and with them all before them; their queues are flushed up to them.

        ``function``: what has waited for them.
        """
        for command in commands:
            for each in list(command.line()):
                each.over, each.ended_by = True, function
                self._follow(each)
                if not self.keeps_past:
                    each.forget_past()
        self.pending = [each for each in self.pending if not each.over]

    def leave_out(self, commands: Iterable[Command]) -> None:
        """Leave out commands that have ended as far as others know: what they wrote is unknown from now on.

        They are over no more than before; nothing is said of them any longer.
        """
        for each in commands:
            for place in each.writes:
                place.storage.forget()
            each.left_out = True
            each.forget_past()
        self.pending = [each for each in self.pending if not each.left_out]

    def _follow(self, command: Command) -> None:
        """Note that the signals which a command has waited for have run, and all that comes before them."""
        for signal in command.follows:
            for each in signal.line():
                if not each.has_run:
                    each.has_run = True
                    self._follow(each)

    def fail(self, commands: Collection[Command]) -> None:
        """Note that commands end in an error, and that all after them may: their results are unknown.

        The latter need not be over at once.
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
        """Note that all commands of a queue are submitted by a function."""
        for each in self.of_queue(queue):
            each.flushed_by = each.flushed_by or function
