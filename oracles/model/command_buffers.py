"""Command-buffers and the commands recorded in them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

from clconform.oracles.model.contexts import ContextObject

if TYPE_CHECKING:
    from clconform.calls.values import Value
    from clconform.oracles.model.kernels import Kernel
    from clconform.oracles.model.queues import Queue


@dataclass(eq=False)
class CommandBuffer(ContextObject):
    """A command-buffer for some queues. ``recording``: it was not finalized; None where that is not known.

    ``properties``: the list that it was made with, as it was given.
    """

    type: ClassVar[str] = "cl_command_buffer_khr"

    queues: list[Queue] = field(default_factory=list)
    recording: bool | None = None
    properties: Value = None

    @property
    def parent(self) -> ContextObject | None:
        """The first of its queues."""
        return self.queues[0] if self.queues else None


@dataclass(eq=False)
class MutableCommand(ContextObject):
    """A recorded launch of ``kernel``, as it was recorded.

    ``queue``: the name of the queue that it is for. ``offset``, ``global_size``, ``local_size``: one number for each of
    ``dimensions``, zeros where none were given.
    """

    type: ClassVar[str] = "cl_mutable_command_khr"
    keeps_parent: ClassVar[bool] = True

    command_buffer: CommandBuffer | None = None
    kernel: Kernel | None = None
    queue: str | None = None
    dimensions: int = 0
    offset: tuple[int, ...] = ()
    global_size: tuple[int, ...] = ()
    local_size: tuple[int, ...] = ()
    properties: Value = None

    @property
    def parent(self) -> ContextObject | None:
        """The command-buffer that it is recorded in."""
        return self.command_buffer
