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
    from clconform.oracles.model.devices import Device
    from clconform.oracles.model.enqueued_command import Command
    from clconform.oracles.model.kernels import Kernel
    from clconform.oracles.model.queues import CommandQueue


@dataclass(eq=False)
class RecordedCommand:
    """A recorded command.

    ``call``: an equivalent enqueue call on its ``queue``. ``objects``: maps names to the objects that it uses; a kernel
    is in its state at the time of recording. ``index``: the index in the list of commands. ``after``: the commands for
    which it waits by sync-points. ``barrier``: it is a barrier. ``waits``: it has a sync-point wait list. ``updated``:
    the number of updates that changed it. ``has_automatic_queue``: the implementation chose one of several queues, so
    only sync-points order the command. ``replaced``: the objects that updates have replaced. ``covered_requirements``:
    the requirements that the result of the updated command covers.
    """

    call: Call
    queue: CommandQueue
    objects: Mapping[str, ClObject]
    index: int
    after: tuple[RecordedCommand, ...] = ()
    barrier: bool = False
    waits: bool = False
    updated: int = 0
    has_automatic_queue: bool = False
    replaced: tuple[ClObject, ...] = ()
    covered_requirements: frozenset[str] = frozenset()


@dataclass(eq=False)
class CommandBuffer(ContextObject):
    """A command-buffer for some queues.

    ``recording``: it is not finalized; None if unknown. ``properties``: its property list at creation, unchanged;
    ``flags`` and ``asserts``: the values in this list. ``commands``: the recorded commands in order. ``sync_points``:
    maps sync-points to their commands. ``instances``: the enqueued instances that are not known to be complete.
    ``enqueue_count``: the number of enqueues. ``remapped_from``: the command-buffer of which it is a copy for different
    queues, or None. ``is_automatically_remapped``: the implementation chose the queue for each command. ``is_unknown``:
    a call on it failed with an unexplained error, so its contents and pending instances are unknown.
    """

    type: ClassVar[str] = "cl_command_buffer_khr"

    queues: list[CommandQueue] = field(default_factory=list)
    recording: bool | None = None
    properties: Value = None
    flags: int = 0
    asserts: int = 0
    commands: list[RecordedCommand] = field(default_factory=list)
    sync_points: dict[int, RecordedCommand] = field(default_factory=dict)
    instances: list[Command] = field(default_factory=list)
    enqueue_count: int = 0
    remapped_from: CommandBuffer | None = None
    is_automatically_remapped: bool = False
    is_unknown: bool = False

    @property
    def parent(self) -> ContextObject | None:
        """The first queue of the command-buffer."""
        return self.queues[0] if self.queues else None

    @property
    def devices(self) -> list[Device]:
        """The devices of the queues, without duplicates."""
        return list(dict.fromkeys(each.queue_device for each in self.queues if each.queue_device is not None))

    @property
    def running_instances(self) -> list[Command]:
        """The instances that may not be complete."""
        return [each for each in self.instances if not each.is_complete]

    @property
    def is_certainly_pending(self) -> bool:
        """Whether an instance is certainly pending: it cannot complete without an action of the application."""
        return any(each.waits_indefinitely and not each.terminated for each in self.running_instances)


@dataclass(eq=False)
class MutableCommand(ContextObject):
    """The handle of a recorded enqueue of ``kernel``, with the recorded values and all updates.

    ``queue``: the name of its queue. ``offset``, ``global_size``, ``local_size``: one number for each of
    ``dimensions``, or zeros if NULL was passed. ``recorded``: the recorded command. ``without_queue``: the recording
    call did not name a queue. ``updatable_fields``: the updatable fields, or None if unknown. ``asserts``: the asserts
    in its properties. ``changed_parameters``: the parameters that updates have changed. ``is_remapped_copy``: it is the
    copy of another mutable command, in a remapped command-buffer. ``group_count``: the number of work-groups at the
    time of recording, or 0 if the implementation chose their size.
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
    recorded: RecordedCommand | None = None
    without_queue: bool = False
    updatable_fields: int | None = None
    asserts: int = 0
    changed_parameters: set[str] = field(default_factory=set)
    is_remapped_copy: bool = False
    group_count: int = 0

    @property
    def parent(self) -> ContextObject | None:
        """The command-buffer that contains the command."""
        return self.command_buffer
