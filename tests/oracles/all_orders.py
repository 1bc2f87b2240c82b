"""All orders in which a few commands may run one after the other, each tried, by rules of its own.

What must be over before a command begins is said for two commands at a time, as section 3.2.4 and chapter 5.12 say it.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    State = tuple[tuple[int, ...], ...]

GATE = "clCreateUserEvent"
MARKERS = ("clEnqueueMarker", "clEnqueueMarkerWithWaitList")
BARRIERS = ("clEnqueueBarrier", "clEnqueueBarrierWithWaitList", "clEnqueueWaitForEvents")
CELLS = 2
"""Bytes of each buffer."""


@dataclass(frozen=True)
class Node:
    """A command of a queue, or a user event (which has none), by number in the order of the calls.

    ``cells``: those of the buffers that it works on; ``byte``: what a write or fill puts there.
    """

    number: int
    function: str
    queue: int = -1
    listed: frozenset[int] = frozenset()
    source: int = -1
    target: int = -1
    cells: tuple[int, ...] = ()
    byte: int = 0

    def meets(self, other: Node) -> bool:
        """Return whether both use the same bytes and one of them writes; in two queues, the same buffer."""
        pairs = [(self.target, other.target), (self.target, other.source), (self.source, other.target)]
        near = not set(self.cells).isdisjoint(other.cells) or self.queue != other.queue
        return near and any(mine == theirs >= 0 for mine, theirs in pairs)


@dataclass(frozen=True)
class Graph:
    """Commands and user events; ``in_order``: for each queue, whether it keeps its commands in order."""

    nodes: tuple[Node, ...]
    in_order: tuple[bool, ...]

    def direct(self, first: Node, then: Node) -> bool:
        """Return whether one must be over before another one begins, by what is said of these two."""
        if first.number in then.listed:
            return True
        if first.queue != then.queue or first.queue < 0 or first.number >= then.number:
            return False
        if self.in_order[first.queue] or first.function in BARRIERS:
            return True
        return then.function in (*MARKERS, *BARRIERS) and not then.listed

    @cached_property
    def orders(self) -> list[tuple[Node, ...]]:
        """Every order in which all of them may take place."""
        return list(self._continued((), self.nodes))

    def _continued(self, done: tuple[Node, ...], left: tuple[Node, ...]) -> Iterator[tuple[Node, ...]]:
        if not left:
            yield done
        for node in left:
            if not any(self.direct(other, node) for other in left if other is not node):
                yield from self._continued((*done, node), tuple(each for each in left if each is not node))

    def always_before(self, first: Node, then: Node) -> bool:
        """Return whether one comes before another one in every order."""
        return all(order.index(first) < order.index(then) for order in self.orders)

    def never_runs(self, node: Node, failed: Node) -> bool:
        """Return whether a command waits by lists for a user event that fails."""
        listed = [each for each in self.nodes if each.number in node.listed]
        return node is failed or any(self.never_runs(each, failed) for each in listed)

    def moments(self, over: set[Node], shut: set[Node]) -> Iterator[tuple[Node, ...]]:
        """Yield what may have run, in order, when some are known to be over; ``shut``: user events that are not set."""
        for order in self.orders:
            first = max((order.index(node) for node in over), default=-1) + 1
            last = min((order.index(node) for node in shut), default=len(order))
            yield from (order[:end] for end in range(first, last + 1))

    def states(self, start: State, over: set[Node], shut: set[Node]) -> set[State]:
        """Return what the buffers may hold at such a moment."""
        return {self.after(start, done) for done in self.moments(over, shut)}

    @staticmethod
    def after(start: State, order: tuple[Node, ...]) -> State:
        """Return what the buffers hold after some commands, one after the other."""
        buffers = [list(each) for each in start]
        for node in order:
            for cell in node.cells:
                buffers[node.target][cell] = buffers[node.source][cell] if node.source >= 0 else node.byte
        return tuple(map(tuple, buffers))

    def pairs(self) -> Iterator[tuple[Node, Node]]:
        """Yield each two nodes, in both orders."""
        yield from itertools.permutations(self.nodes, 2)
