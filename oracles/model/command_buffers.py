"""Command-buffers and the commands recorded in them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

from clconform.oracles.model.contexts import ContextObject

if TYPE_CHECKING:
    from collections.abc import Mapping

    from clconform.calls.call import Call
    from clconform.calls.values import Value
    from clconform.oracles.model.cl_object import ClObject
    from clconform.oracles.model.commands import Command
    from clconform.oracles.model.devices import Device
    from clconform.oracles.model.kernels import Kernel
    from clconform.oracles.model.queues import Queue


@dataclass(eq=False)
class Recorded:
    """A recorded command. ``call``: what it does, as a call that names its ``queue``.

    ``things``: the objects that it uses, by name, a kernel as it was when it was recorded. ``at``: its place in the
    list of commands; ``after``: the commands that it waits for by their synchronization points. ``barrier``: it is one.
    ``waits``: it was given a list to wait for. ``updated``: by how many updates it was changed.
    ``apart``: the implementation has chosen its queue among several, so that only synchronization-points order it.
    ``replaced``: the objects that updates have put others in place of. ``shows``: the records that what it leaves
    shows since it was updated.
    """

    call: Call
    queue: Queue
    things: Mapping[str, ClObject]
    at: int
    after: tuple[Recorded, ...] = ()
    barrier: bool = False
    waits: bool = False
    updated: int = 0
    apart: bool = False
    replaced: tuple[ClObject, ...] = ()
    shows: frozenset[str] = frozenset()


@dataclass(eq=False)
class CommandBuffer(ContextObject):
    """A command-buffer for some queues. ``recording``: it was not finalized; None where that is not known.

    ``properties``: the list that it was made with, as it was given; ``flags`` and ``asserts``: what it says.
    ``commands``: those recorded, in their order; ``points``: the synchronization points that it gave, each with its
    command. ``instances``: those that were enqueued and are not known to be over; ``times``: how often it was enqueued.
    ``remapped_from``: the one that it is a copy of, for other queues; ``automatic``: which of them is for which command
    was left to the implementation. ``unclear``: a call on it has failed with an unexplained error, so that
    what it holds, and whether an instance of it is pending, is not known.
    """

    type: ClassVar[str] = "cl_command_buffer_khr"

    queues: list[Queue] = field(default_factory=list)
    recording: bool | None = None
    properties: Value = None
    flags: int = 0
    asserts: int = 0
    commands: list[Recorded] = field(default_factory=list)
    points: dict[int, Recorded] = field(default_factory=dict)
    instances: list[Command] = field(default_factory=list)
    times: int = 0
    remapped_from: CommandBuffer | None = None
    automatic: bool = False
    unclear: bool = False

    @property
    def parent(self) -> ContextObject | None:
        """The first of its queues."""
        return self.queues[0] if self.queues else None

    @property
    def devices(self) -> list[Device]:
        """The devices of its queues, each once."""
        return list(dict.fromkeys(each.on for each in self.queues if each.on is not None))

    @property
    def running(self) -> list[Command]:
        """The instances that may not be over."""
        return [each for each in self.instances if not each.over]

    @property
    def held(self) -> bool:
        """Whether an instance is pending for certain: something that only the application can do holds it up."""
        return any(each.waits_without_end and not each.terminated for each in self.running)


@dataclass(eq=False)
class MutableCommand(ContextObject):
    """A recorded launch of ``kernel``, as it was recorded and updated.

    ``queue``: the name of the queue that it is for. ``offset``, ``global_size``, ``local_size``: one number for each of
    ``dimensions``, zeros where none were given. ``recorded``: what it does;
    ``without_queue``: no queue was named for it. ``fields``: what of it may be updated, None
    where that is not known; ``asserts``: what its properties say; ``changed``: the names of the parameters that an
    update has changed; ``counterpart``: it is the copy of another one, in a remapped command-buffer. ``groups``: how
    many work-groups it was recorded with, 0 where the implementation has chosen their size.
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
    recorded: Recorded | None = None
    without_queue: bool = False
    fields: int | None = None
    asserts: int = 0
    changed: set[str] = field(default_factory=set)
    counterpart: bool = False
    groups: int = 0

    @property
    def parent(self) -> ContextObject | None:
        """The command-buffer that it is recorded in."""
        return self.command_buffer
