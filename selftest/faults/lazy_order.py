"""Model of a device that defers its commands: it executes them as late, and as far out of order, as it may.

It has its own ordering rules and never uses the oracle's model, so an error in either shows as a difference.
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
class DeferredCommand:
    """A command or a user event. A user event is done when its status is set.

    ``dependencies``: the commands that must be done before this one.
    """

    function: str
    queue: str = ""
    event: str = ""
    wait_list: list[DeferredCommand] = field(default_factory=list)
    dependencies: list[DeferredCommand] = field(default_factory=list)
    action: Callable[[], None] = lambda: None
    flushed: bool = False
    done: bool = False


class NeverSubmittedError(Exception):
    """A wait depends on a command that nothing submits."""


class LazyOrder:
    """A device that defers commands. Faults override its methods for ordering and visibility.

    ``memory``: the bytes of buffers and of host areas. ``in_order``: whether each queue is in-order. ``unmodelled``: a
    call has occurred that this class does not model. From then on, outcomes of the simulated platform are returned
    unaltered.
    """

    def __init__(self) -> None:
        self.unmodelled = False
        self.memory: dict[str, bytearray] = {}
        self.in_order: dict[str, bool] = {}
        self.commands: list[DeferredCommand] = []
        self.events: dict[str, DeferredCommand] = {}

    def list_dependencies(self, works: list[DeferredCommand]) -> list[DeferredCommand]:
        """Return the commands that a command waits for because of its wait list."""
        return works

    def queue_dependencies(self, work: DeferredCommand) -> list[DeferredCommand]:
        """Return the earlier commands in a command's queue that the command waits for."""
        before = [each for each in self.commands if each.queue == work.queue]
        if self.in_order[work.queue] or (not work.wait_list and work.function in (*BARRIERS, *MARKERS)):
            return before
        barriers = [each for each in before if each.function in BARRIERS]
        return barriers[-1:]

    def on_enqueue(self, work: DeferredCommand) -> None:
        """Handle a newly enqueued command. Subclasses override this method."""

    def finish_dependencies(self, queue: str) -> list[DeferredCommand]:
        """Return the commands that clFinish waits for."""
        return [each for each in self.commands if each.queue == queue]

    def wait_dependencies(self, works: list[DeferredCommand]) -> list[DeferredCommand]:
        """Return the commands that a wait by the host waits for."""
        return works

    def on_user_event_set(self, event: DeferredCommand) -> None:
        """Handle a user event that was set to complete."""
        event.done = True

    def on_user_event_failed(self, event: DeferredCommand) -> None:
        """Handle a user event that was set to an error.

        The commands that wait for it leave unspecified memory contents.
        """
        del event
        self.unmodelled = True

    def on_host_wait(self) -> None:
        """Handle the end of a wait by the host."""

    def on_release(self, memory: str) -> None:
        """Handle the release of the last reference to a buffer; pending commands keep its memory alive."""

    def flush(self, queue: str) -> None:
        """Submit the commands of a queue."""
        for each in self.commands:
            each.flushed = each.flushed or each.queue == queue

    def read_memory(self, memory: str, queue: str) -> bytes | bytearray:
        """Return the bytes of a buffer or a host area that commands of a queue see."""
        del queue
        return self.memory[memory]

    def write_memory(self, memory: str, offset: int, content: bytes, queue: str) -> None:
        """Write bytes to a buffer or a host area."""
        del queue
        self.memory[memory][offset : offset + len(content)] = content

    # execution

    def is_blocked(self, work: DeferredCommand) -> bool:
        """Return whether a command depends on a user event that is not set."""
        return any(each.function == USER and not each.done for each in self.pending_closure([work]))

    def pending_closure(self, works: Iterable[DeferredCommand]) -> list[DeferredCommand]:
        """Return the unfinished commands among ``works``, and all unfinished commands that they depend on."""
        found: list[DeferredCommand] = []
        left = [each for each in works if not each.done]
        while left:
            work = left.pop()
            if work not in found:
                found.append(work)
                left += [each for each in work.dependencies if not each.done]
        return found

    def execute(self, works: Iterable[DeferredCommand]) -> None:
        """Execute commands and their dependencies.

        Of the commands that are ready, the last enqueued command is executed first.
        """
        line = self.pending_closure(works)
        while line:
            ready = [each for each in line if each.function != USER and all(one.done for one in each.dependencies)]
            if not ready:
                return
            if not all(each.flushed for each in line):
                raise NeverSubmittedError
            latest = max(ready, key=self.commands.index)
            latest.action()
            latest.done = True
            line.remove(latest)
