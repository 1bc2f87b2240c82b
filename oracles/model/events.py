"""Events of commands, and user events."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from clconform.oracles.model.contexts import ContextObject

if TYPE_CHECKING:
    from clconform.oracles.model.enqueued_command import Command
    from clconform.oracles.model.queues import CommandQueue


@dataclass(eq=False)
class Event(ContextObject):
    """The event of a command.

    ``queue``: the queue of the command. ``command``: the command, or None if unknown. ``profiling``: the command has
    profiling timestamps. ``command_types``: the command types that the event may report. ``earliest_time``: the last
    timestamp that the device returned before the command was enqueued, in nanoseconds.
    """

    type: ClassVar[str] = "cl_event"

    queue: CommandQueue | None = None
    command: Command | None = None
    profiling: bool = False
    command_types: tuple[str, ...] = ()
    earliest_time: int | None = None

    @property
    def parent(self) -> ContextObject | None:
        """The queue of the command."""
        return self.queue

    @property
    def is_complete(self) -> bool:
        """Return whether the command is known to be complete."""
        return self.command is not None and self.command.is_complete


@dataclass(eq=False)
class UserEvent(Event):
    """A user event; ``status``: its execution status, which is CL_SUBMITTED until the application sets it."""

    status: int = 0
