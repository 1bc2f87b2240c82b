"""A command, and the commands that complete before it begins, in memory that does not grow with their number.

A command refers only to its direct predecessors. Positions summarize the others: most commands come after all earlier
commands of a queue, so one position for each queue is enough. Commands of out-of-order queues form chains, in which
each command comes after the one before it.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator

    from clconform.oracles.contents.storage import MemoryPlace
    from clconform.oracles.model.queues import CommandQueue

_Key = TypeVar("_Key")
MAX_CHAINS = 64
"""Maximum number of chains in the positions of one command; others are found through the direct predecessors."""


@dataclass(eq=False, slots=True)
class CommandChain:
    """Commands of which each comes after the one before it; ``queue``: their only queue, or None for several queues."""

    queue: CommandQueue | None
    length: int = 0


@dataclass(eq=False, slots=True)
class PrecedingPositions:
    """The positions up to which the pending commands of queues and chains come before a command.

    ``of_queues``: maps queues to the number of a command. ``of_chains``: maps chains to a position in the chain.
    ``is_partial``: further chains are not listed.
    """

    of_queues: dict[CommandQueue, int] = field(default_factory=dict)
    of_chains: dict[CommandChain, int] = field(default_factory=dict)
    is_partial: bool = False


NO_POSITIONS = PrecedingPositions()


def join_positions(direct: Iterable[Command], queue: CommandQueue | None, queue_position: int) -> PrecedingPositions:
    """Return the positions for a command with these direct predecessors.

    ``queue_position``: all commands of ``queue`` up to this number come before the command, so that the result need not
    list them.
    """
    earlier = [each for each in direct if each.queue is not None]
    if not earlier:
        return NO_POSITIONS
    if len(earlier) == 1 and earlier[0].is_after_queue and earlier[0].queue is queue and queue_position:
        return earlier[0].positions
    queues: dict[CommandQueue, int] = {}
    chains: dict[CommandChain, int] = {}
    partial = False
    for each in earlier:
        partial |= each.positions.is_partial
        _raise_positions(queues, each.positions.of_queues)
        _raise_positions(chains, each.positions.of_chains)
        if each.is_after_queue and each.queue is not None:
            _raise_positions(queues, {each.queue: each.number})
        elif each.chain is not None:
            _raise_positions(chains, {each.chain: each.chain_position})
    if queue_position:
        chains = {chain: position for chain, position in chains.items() if chain.queue is not queue}
    if len(chains) > MAX_CHAINS:
        chains, partial = dict(list(chains.items())[-MAX_CHAINS:]), True
    return PrecedingPositions(queues, chains, partial)


def _raise_positions(positions: dict[_Key, int], others: dict[_Key, int]) -> None:
    for key, position in others.items():
        if positions.get(key, 0) < position:
            positions.pop(key, None)
            positions[key] = position


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

    def __deepcopy__(self, memo: dict[int, object]) -> Command:
        """Return a copy with copies of all predecessors; their chain may be longer than Python can recurse."""
        open_, made = [self], dict[Command, Command]()
        while open_:
            each = open_.pop()
            if id(each) not in memo and each not in made:
                made[each] = object.__new__(Command)
                open_ += each.direct_predecessors
        memo.update({id(each): copied for each, copied in made.items()})
        for each, copied in made.items():
            copied.__dict__.update(copy.deepcopy(each.__dict__, memo))
        return made[self]

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
        # a predecessor that is added to an enqueued command is later than its queue position
        self.positions = join_positions(self.direct_predecessors, self.queue, 0 if self.number else self.queue_position)
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
