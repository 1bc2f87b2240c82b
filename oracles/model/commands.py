"""The order of commands: which are known to be over, and which must be before another one begins (section 3.2.4)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from clconform.calls.values import Items
from clconform.oracles.contents.geometry import shared_bytes

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from clconform.calls.call import Call
    from clconform.oracles.contents.bus import Surface
    from clconform.oracles.contents.effects import MemoryEffect
    from clconform.oracles.contents.storage import Place
    from clconform.oracles.model.world import Child, Model

BARRIERS = ("clEnqueueBarrier", "clEnqueueBarrierWithWaitList", "clEnqueueWaitForEvents")
"""Commands that all later ones of the queue wait for."""
FENCES = ("clEnqueueBarrier", "clEnqueueBarrierWithWaitList", "clEnqueueMarker", "clEnqueueMarkerWithWaitList")
"""Commands that wait for all earlier ones of the queue where they have no wait list."""


@dataclass(eq=False)
class Command:
    """An enqueued command, or a user event, which has no queue and is over once it is set.

    ``before``: the commands that are over when this one begins, as far as they were not known to be over already.
    ``flushed``: it is on its way to the device, so that other queues may wait for it. ``owed``: the place on the bus
    whose signal it waits for, as long as no command writes that. ``failed``: it has ended in an error, or one that it
    waits for has, so that it may have.
    """

    function: str
    queue: Child | None = None
    before: frozenset[Command] = frozenset()
    reads: tuple[Place, ...] = ()
    writes: tuple[Place, ...] = ()
    event: Child | None = None
    flushed: bool = False
    owed: Surface | None = None
    over: bool = False
    failed: bool = False

    def line(self) -> Iterator[Command]:
        """Yield the command and all before it that are not known to be over."""
        return (each for each in (self, *self.before) if not each.over)

    @property
    def waits_for_the_user(self) -> bool:
        """Tell whether a user event keeps the command from ever beginning until it is set."""
        return any(each.queue is None for each in self.line())

    @property
    def owing(self) -> list[Surface]:
        """Return the places on the bus whose signals keep the command from ever ending until they are written."""
        return [each.owed for each in self.line() if each.owed is not None]

    @property
    def waits_without_end(self) -> bool:
        """Tell whether the command will not end by itself: it waits for the user, or for a signal of nobody yet."""
        return self.waits_for_the_user or bool(self.owing)


@dataclass
class Order:
    """The commands of one example that are not known to be over, in the order in which they were enqueued.

    ``latest``: the record of the last command of all.
    """

    pending: list[Command] = field(default_factory=list)
    latest: str = ""

    def of_queue(self, queue: Child) -> list[Command]:
        """Return the pending commands of one queue."""
        return [each for each in self.pending if each.queue is queue]

    def command(self, call: Call, model: Model, work: MemoryEffect) -> Command:
        """Return the command that a call would enqueue, with all that happens before it."""
        queue = model.child(call.command_queue)
        before = self.of_queue(queue)
        awaited = list(self.awaited(call, model))
        if not queue.in_order and (awaited or call.function not in FENCES):
            barriers = [index for index, each in enumerate(before) if each.function in BARRIERS]
            before = before[barriers[-1] : barriers[-1] + 1] if barriers else []
        line = frozenset(each for direct in (*before, *awaited) for each in direct.line())
        return Command(call.function, queue, line, work.reads, work.writes)

    def awaited(self, call: Call, model: Model) -> Iterator[Command]:
        """Yield the pending commands whose events a call lists."""
        for name in ("event_wait_list", "event_list"):
            listed = call.arguments.get(name)
            if isinstance(listed, Items):
                commands = (getattr(model.known(value), "command", None) for value in listed.values)
                yield from (each for each in commands if each is not None and not each.over)

    def add(self, command: Command) -> None:
        """Take a command in that was enqueued."""
        self.pending.append(command)
        self.latest = f"{command.function}/success"
        for place in (*command.reads, *command.writes):
            place.storage.last = self.latest

    def finish(self, commands: Iterable[Command]) -> None:
        """Note that commands are over, and with them all before them; their queues are flushed up to them."""
        for command in commands:
            for each in list(command.line()):
                each.over = True
                if each.event is not None:
                    each.event.complete = True
        self.pending = [each for each in self.pending if not each.over]

    def fail(self, commands: Collection[Command]) -> None:
        """Note that commands end in an error, and that all after them may: nobody knows what these leave behind.

        The latter need not be over at once.
        """
        failed = list(commands)
        for each in self.pending:
            if any(one in each.before for one in failed):
                failed.append(each)
        for each in failed:
            each.failed = True
            for place in (*each.reads, *each.writes):
                place.storage.forget()
        self.finish(commands)

    def flush(self, queue: Child) -> None:
        """Note that all commands of a queue are on their way."""
        for each in self.of_queue(queue):
            each.flushed = True


def is_blocking(call: Call) -> bool:
    """Tell whether a call comes back when its command is over."""
    return any(call.arguments[name] not in (0, None) for name in call.arguments if name.startswith("blocking"))


def conflicting(command: Command, other: Command) -> bool:
    """Tell whether the outcome hangs on which of two commands comes first: both use memory that one of them writes."""
    pairs = [
        *((mine, theirs) for mine in command.writes for theirs in (*other.reads, *other.writes)),
        *((mine, theirs) for mine in command.reads for theirs in other.writes),
    ]
    near = command.queue is other.queue
    return any(in_each_others_way(mine, theirs, near=near) for mine, theirs in pairs)


def in_each_others_way(some: Place, other: Place, *, near: bool) -> bool:
    """Tell whether two uses of memory may not go on at once where one of them writes.

    For host memory that is where they share bytes; so it is for one memory object within one queue. An object used by
    two queues, or through a region and its parent, is used as a whole.
    """
    if some.storage is not other.storage:
        return False
    apart = (some.storage.host and not some.storage.lent) or (near and some.owner is other.owner)
    return shared_bytes(some.spans, other.spans) if apart else True
