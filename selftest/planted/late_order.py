"""Commands as a device of its own keeps them: done as late, and as unlike their order, as its own reading allows.

It never asks the model, so that a mistake in either shows.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

BARRIERS = ("clEnqueueBarrier", "clEnqueueBarrierWithWaitList", "clEnqueueWaitForEvents")
MARKERS = ("clEnqueueMarker", "clEnqueueMarkerWithWaitList")
USER = "clCreateUserEvent"


@dataclass(eq=False)
class Work:
    """A command, or a user event, which is done when it is set. ``after``: what is done before it."""

    function: str
    queue: str = ""
    event: str = ""
    listed: list[Work] = field(default_factory=list)
    after: list[Work] = field(default_factory=list)
    act: Callable[[], None] = lambda: None
    flushed: bool = False
    done: bool = False


class WaitsForeverError(Exception):
    """A command is waited for that nothing will submit."""


class LateOrder:
    """Bytes, queues and commands; the methods that faults replace say how commands are ordered, and what they see.

    ``memory``: the bytes of buffers and of areas of the host. ``in_order``: whether a queue keeps its commands in
    order. ``blind``: something has been done that it does not know.
    """

    def __init__(self) -> None:
        self.blind = False
        self.memory: dict[str, bytearray] = {}
        self.in_order: dict[str, bool] = {}
        self.works: list[Work] = []
        self.events: dict[str, Work] = {}

    def listed(self, works: list[Work]) -> list[Work]:
        """Return what a command waits for, of its list."""
        return works

    def earlier(self, work: Work) -> list[Work]:
        """Return what a command waits for in its own queue."""
        before = [each for each in self.works if each.queue == work.queue]
        if self.in_order[work.queue] or (not work.listed and work.function in (*BARRIERS, *MARKERS)):
            return before
        barriers = [each for each in before if each.function in BARRIERS]
        return barriers[-1:]

    def given(self, work: Work) -> None:
        """Take a command from the host."""

    def finished(self, queue: str) -> list[Work]:
        """Return what a queue is finished with."""
        return [each for each in self.works if each.queue == queue]

    def awaited(self, works: list[Work]) -> list[Work]:
        """Return what a wait of the host waits for."""
        return works

    def opened(self, event: Work) -> None:
        """Have a user event set."""
        event.done = True

    def failed(self, event: Work) -> None:
        """Have a user event set to an error: what becomes of the memory behind it is open."""
        del event
        self.blind = True

    def waited(self) -> None:
        """Have a wait of the host come to its end."""

    def released(self, memory: str) -> None:
        """Have the last reference to a buffer released, which lives on for the commands that use it."""

    def flush(self, queue: str) -> None:
        """Have a queue flushed."""
        for each in self.works:
            each.flushed = each.flushed or each.queue == queue

    def fetched(self, memory: str, queue: str) -> bytes | bytearray:
        """Return the bytes of a buffer or an area as commands of a queue see them."""
        del queue
        return self.memory[memory]

    def stored(self, memory: str, offset: int, content: bytes, queue: str) -> None:
        """Put bytes into a buffer or an area."""
        del queue
        self.memory[memory][offset : offset + len(content)] = content

    # what is done when

    def held(self, work: Work) -> bool:
        """Return whether a command waits for a user event that is not set."""
        return any(each.function == USER and not each.done for each in self.line([work]))

    def line(self, works: Iterable[Work]) -> list[Work]:
        """Return some works, and all that are done before them, as far as they are not done."""
        found: list[Work] = []
        left = [each for each in works if not each.done]
        while left:
            work = left.pop()
            if work not in found:
                found.append(work)
                left += [each for each in work.after if not each.done]
        return found

    def do(self, works: Iterable[Work]) -> None:
        """Do some works and what is before them: of those that are ready, the last one that came in first."""
        line = self.line(works)
        while line:
            ready = [each for each in line if each.function != USER and all(one.done for one in each.after)]
            if not ready:
                return
            if not all(each.flushed for each in line):
                raise WaitsForeverError
            latest = max(ready, key=self.works.index)
            latest.act()
            latest.done = True
            line.remove(latest)
