"""Enumerates all sequential orders in which a few commands may run, by rules that are independent of the oracle.

The rules state for each pair of commands whether one must end before the other begins (sections 3.2.4 and 5.12).
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    State = tuple[tuple[int, ...], ...]

CREATE_USER_EVENT = "clCreateUserEvent"
MARKERS = ("clEnqueueMarker", "clEnqueueMarkerWithWaitList")
BARRIERS = ("clEnqueueBarrier", "clEnqueueBarrierWithWaitList", "clEnqueueWaitForEvents")
BUFFER_SIZE = 2
"""Bytes of each buffer."""


@dataclass(frozen=True)
class CommandNode:
    """A command of a queue, or a user event (which has no queue), numbered in the order of the calls.

    ``cells``: the positions in the buffers that it uses; ``byte``: the value that a write or fill stores there.
    """

    number: int
    function: str
    queue: int = -1
    wait_list: frozenset[int] = frozenset()
    source: int = -1
    target: int = -1
    cells: tuple[int, ...] = ()
    byte: int = 0

    def conflicts_with(self, other: CommandNode) -> bool:
        """Return whether two commands use the same bytes, or on different queues the same buffer, and one writes."""
        pairs = [(self.target, other.target), (self.target, other.source), (self.source, other.target)]
        near = not set(self.cells).isdisjoint(other.cells) or self.queue != other.queue
        return near and any(mine == theirs >= 0 for mine, theirs in pairs)


@dataclass(frozen=True)
class OrderGraph:
    """Commands and user events. ``in_order``: for each queue, whether it is an in-order queue."""

    nodes: tuple[CommandNode, ...]
    in_order: tuple[bool, ...]

    def must_precede(self, first: CommandNode, then: CommandNode) -> bool:
        """Return whether ``first`` must end before ``then`` begins, by the direct rules for two commands."""
        if first.number in then.wait_list:
            return True
        if first.queue != then.queue or first.queue < 0 or first.number >= then.number:
            return False
        if self.in_order[first.queue] or first.function in BARRIERS:
            return True
        return then.function in (*MARKERS, *BARRIERS) and not then.wait_list

    @cached_property
    def orders(self) -> list[tuple[CommandNode, ...]]:
        """All orders in which the commands and user events may complete."""
        return list(self._complete_orders((), self.nodes))

    def _complete_orders(
        self, done: tuple[CommandNode, ...], left: tuple[CommandNode, ...]
    ) -> Iterator[tuple[CommandNode, ...]]:
        if not left:
            yield done
        for node in left:
            if not any(self.must_precede(other, node) for other in left if other is not node):
                yield from self._complete_orders((*done, node), tuple(each for each in left if each is not node))

    def is_always_before(self, first: CommandNode, then: CommandNode) -> bool:
        """Return whether ``first`` comes before ``then`` in every order."""
        return all(order.index(first) < order.index(then) for order in self.orders)

    def depends_on_failed(self, node: CommandNode, failed: CommandNode) -> bool:
        """Return whether a command depends, through wait lists, on a user event that fails."""
        listed = [each for each in self.nodes if each.number in node.wait_list]
        return node is failed or any(self.depends_on_failed(each, failed) for each in listed)

    def find_prefixes(self, over: set[CommandNode], shut: set[CommandNode]) -> Iterator[tuple[CommandNode, ...]]:
        """Yield each sequence of commands that may have run when ``over`` are complete.

        ``shut``: user events that are not set.
        """
        for order in self.orders:
            first = max((order.index(node) for node in over), default=-1) + 1
            last = min((order.index(node) for node in shut), default=len(order))
            yield from (order[:end] for end in range(first, last + 1))

    def find_contents(self, start: State, over: set[CommandNode], shut: set[CommandNode]) -> set[State]:
        """Return the possible contents of the buffers when ``over`` are complete.

        ``shut``: user events that are not set.
        """
        return {self.apply_commands(start, done) for done in self.find_prefixes(over, shut)}

    @staticmethod
    def apply_commands(start: State, order: tuple[CommandNode, ...]) -> State:
        """Return the contents of the buffers after the commands ran in this order."""
        buffers = [list(each) for each in start]
        for node in order:
            for cell in node.cells:
                buffers[node.target][cell] = buffers[node.source][cell] if node.source >= 0 else node.byte
        return tuple(map(tuple, buffers))

    def iterate_pairs(self) -> Iterator[tuple[CommandNode, CommandNode]]:
        """Yield each pair of different nodes, in both orders."""
        yield from itertools.permutations(self.nodes, 2)
