"""Finds pending commands that use the same memory as another command, without comparing it with all of them.

The uses of each storage are grouped by queue, so that a command skips the queues whose commands all precede it. In each
group, uses are found by their bytes. A use is dropped from its group after a later command has used at least the same
bytes in the same way: a command that is not ordered after the earlier use is not ordered after the later one either.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from operator import attrgetter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from clconform.oracles.contents.storage import MemoryPlace, Storage
    from clconform.oracles.model.enqueued_command import Command
    from clconform.oracles.model.queues import CommandQueue


MAX_MISSES = 8
"""Maximum number of uses that a use does not cover, in a search for those that it covers."""


@dataclass(eq=False, slots=True)
class MemoryUse:
    """A command that uses a place of memory; ``start`` and ``end``: the first byte, and the one after the last."""

    command: Command
    place: MemoryPlace
    writes: bool
    start: int
    end: int

    def covers(self, other: MemoryUse) -> bool:
        """Return whether each later command that conflicts with the use ``other`` also conflicts with this use."""
        if self.command.queue is not other.command.queue or (other.writes and not self.writes):
            return False
        whole = len(self.place.spans) == 1 and self.start <= other.start and other.end <= self.end
        return (whole or self.place.spans == other.place.spans) and self.command.follows(other.command)


def _create_use(command: Command, place: MemoryPlace, *, writes: bool) -> MemoryUse:
    start = min((start for start, _ in place.spans), default=0)
    end = max((start + size for start, size in place.spans), default=0)
    return MemoryUse(command, place, writes, start, max(end, start + 1))


class UsesByBytes:
    """Uses of memory, found by their bytes.

    A use is stored in one or two cells of 2 ** level bytes; its level is the least with cells of at least its size.
    """

    def __init__(self) -> None:
        self._levels: dict[int, dict[int, dict[MemoryUse, None]]] = {}
        self.uses: dict[MemoryUse, None] = {}

    def add(self, use: MemoryUse) -> None:
        """Add a use."""
        self.uses[use] = None
        level, cells = self._cells_of(use)
        for cell in cells:
            self._levels.setdefault(level, {}).setdefault(cell, {})[use] = None

    def drop(self, use: MemoryUse) -> None:
        """Drop a use, if it is stored."""
        if use not in self.uses:
            return
        del self.uses[use]
        level, cells = self._cells_of(use)
        stored = self._levels[level]
        for cell in cells:
            del stored[cell][use]
            if not stored[cell]:
                del stored[cell]
        if not stored:
            del self._levels[level]

    def overlapping(self, start: int, end: int) -> Iterator[MemoryUse]:
        """Yield the uses that may include bytes from ``start`` up to, but not including, ``end``; some of them twice.

        The latest uses of a cell are first.
        """
        for level, stored in self._levels.items():
            first, last = start >> level, (end - 1) >> level
            cells = range(first, last + 1) if last - first < len(stored) else (c for c in stored if first <= c <= last)
            for cell in cells:
                yield from (each for each in reversed(stored.get(cell, {})) if each.start < end and start < each.end)

    @staticmethod
    def _cells_of(use: MemoryUse) -> tuple[int, range]:
        level = (use.end - use.start - 1).bit_length()
        return level, range(use.start >> level, ((use.end - 1) >> level) + 1)


def _drop_covered(stored: UsesByBytes, use: MemoryUse) -> None:
    """Drop the uses that a use covers; the search ends after some uses that it does not cover."""
    covered, misses = [], 0
    for each in stored.overlapping(use.start, use.end):
        if use.covers(each):
            covered.append(each)
        else:
            misses += 1
            if misses > MAX_MISSES:
                break
    for each in covered:
        stored.drop(each)


class _QueueUses:
    """The uses of a storage by the commands of one queue; ``latest``: the number of the latest of these commands."""

    def __init__(self) -> None:
        self.latest = self.count = 0
        self.by_owner: dict[object, tuple[UsesByBytes, UsesByBytes]] = {}

    def uses_through(self, owner: object) -> tuple[UsesByBytes, UsesByBytes]:
        """Return the reads and the writes through a memory object."""
        if owner not in self.by_owner:
            self.by_owner[owner] = UsesByBytes(), UsesByBytes()
        return self.by_owner[owner]


class _StorageUses:
    """The uses of a storage by pending commands; ``commands``: these commands, in order."""

    def __init__(self) -> None:
        self.commands: dict[Command, None] = {}
        self.of_queues: dict[CommandQueue | None, _QueueUses] = {}


class MemoryUses:
    """The memory that pending commands use."""

    def __init__(self) -> None:
        self._storages: dict[Storage, _StorageUses] = {}
        self._of_commands: dict[Command, list[MemoryUse]] = {}

    def add(self, command: Command, reads: Sequence[MemoryPlace], writes: Sequence[MemoryPlace]) -> None:
        """Add the memory that an enqueued command uses."""
        uses = [_create_use(command, place, writes=False) for place in reads]
        uses += [_create_use(command, place, writes=True) for place in writes]
        if not uses:
            return
        self._of_commands[command] = uses
        for use in uses:
            of_storage = self._storages.setdefault(use.place.storage, _StorageUses())
            of_storage.commands[command] = None
            of_queue = of_storage.of_queues.setdefault(_group_of(command), _QueueUses())
            of_queue.latest = command.number
            of_queue.count += 1
            through = of_queue.uses_through(use.place.owner)
            for each in through if use.writes else through[:1]:
                _drop_covered(each, use)
            through[use.writes].add(use)

    def drop(self, command: Command) -> None:
        """Drop a command that is not pending any more."""
        for use in self._of_commands.pop(command, ()):
            of_storage = self._storages[use.place.storage]
            group = _group_of(command)
            of_queue = of_storage.of_queues[group]
            of_queue.uses_through(use.place.owner)[use.writes].drop(use)
            of_queue.count -= 1
            if not of_queue.count:
                del of_storage.of_queues[group]
            of_storage.commands.pop(command, None)
            if not of_storage.of_queues:
                del self._storages[use.place.storage]

    def commands_on(self, places: Iterable[MemoryPlace]) -> Iterator[Command]:
        """Yield the commands that use the storages of the places, in the order in which they were enqueued."""
        storages = {place.storage: None for place in places if place.storage in self._storages}
        previous = None
        for each in heapq.merge(*(self._storages[each].commands for each in storages), key=attrgetter("number")):
            if each is not previous:
                yield each
            previous = each

    def find_conflict(self, command: Command, conflicts: Callable[[Command, Command], bool]) -> Command | None:
        """Return the first command that conflicts with a new command and does not precede it, or None.

        ``conflicts``: whether the order of two commands matters; only for commands that use the same storage.
        """
        uses = [_create_use(command, place, writes=False) for place in command.reads]
        uses += [_create_use(command, place, writes=True) for place in command.writes]
        candidates = (other.command for use in uses for other in self._find_unordered(use))
        if not any(not command.follows(each) and conflicts(command, each) for each in candidates):
            return None
        places = (*command.reads, *command.writes)
        others = (each for each in self.commands_on(places) if conflicts(command, each))
        return next((each for each in others if not command.follows(each)), None)

    def _find_unordered(self, use: MemoryUse) -> Iterator[MemoryUse]:
        """Yield the uses of the same memory by commands that need not precede a use."""
        storage, command = use.place.storage, use.command
        if storage not in self._storages:
            return
        apart = storage.host and not storage.is_lent
        for queue, group in self._storages[storage].of_queues.items():
            if command.is_after(queue, group.latest):
                continue
            for owner, (reads, writes) in group.by_owner.items():
                near = apart or (queue is not None and queue is command.queue and owner is use.place.owner)
                for each in (writes, reads) if use.writes else (writes,):
                    yield from each.overlapping(use.start, use.end) if near else reversed(each.uses)


def _group_of(command: Command) -> CommandQueue | None:
    """Return the queue of a command, or None for several queues."""
    return None if command.other_queues else command.queue
