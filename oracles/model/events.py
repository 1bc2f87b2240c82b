"""Events of commands, and user events."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from clconform.oracles.model.contexts import ContextObject

if TYPE_CHECKING:
    from clconform.oracles.model.command_state import Command
    from clconform.oracles.model.queues import CommandQueue


@dataclass(eq=False)
class Event(ContextObject):
    """An event. ``queue``: the queue of its command; ``profiling``: the command has profiling timestamps.

    ``command``: None if it is unknown. ``command_types``: the names of the types that it may report. ``earliest_time``:
    the last device timestamp that the device returned before the command was enqueued, in nanoseconds.
    """

    type: ClassVar[str] = "cl_event"

    queue: CommandQueue | None = None
    command: Command | None = None
    profiling: bool = False
    command_types: tuple[str, ...] = ()
    earliest_time: int | None = None

    @property
    def parent(self) -> ContextObject | None:
        """The queue of its command."""
        return self.queue

    @property
    def is_complete(self) -> bool:
        """Return whether the command is known to be complete."""
        return self.command is not None and self.command.is_complete


@dataclass(eq=False)
class UserEvent(Event):
    """A user event; ``status``: its execution status, CL_SUBMITTED until it is set."""

    status: int = 0
