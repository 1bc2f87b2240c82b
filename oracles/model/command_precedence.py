"""Which commands complete before a command begins, in time and memory that do not grow with their number.

A command refers only to its direct predecessors. Positions summarize the others: most commands come after all earlier
commands of a queue, so one position for each queue is enough. Commands of out-of-order queues form chains, in which
each command comes after the one before it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterable

    from clconform.oracles.model.command_state import Command
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
