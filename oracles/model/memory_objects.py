"""Memory objects: buffers, sub-buffers and pipes; and the location of a buffer on the bus."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

from clconform.oracles.model.command_state import ExternalAction
from clconform.oracles.model.contexts import ContextObject

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.calls.values import Value
    from clconform.oracles.contents.storage import Content, StorageView
    from clconform.oracles.model.command_state import Command
    from clconform.oracles.model.devices import Device


@dataclass(frozen=True)
class BackingHostMemory:
    """The host memory that contains an object.

    ``address``: its name, 0 for none, or None if unknown. ``is_svm``: whether it is shared virtual memory, or None if
    unknown.
    """

    address: int | str | None = 0
    is_svm: bool | None = False


@dataclass(eq=False)
class MemoryObject(ContextObject):
    """A memory object of which only the context and the flags are known; its subclasses know more.

    ``flags``: those of its creation, or inherited; ``reportable_flags``: those that it may report, or None if
    unspecified. ``host``: its host memory. ``size``: its bytes, 0 if unknown. ``properties``: its property list at
    creation, unchanged. ``map_count``: the number of calls that requested to map it, or an object created from it;
    ``may_be_mapped``: one of them should have failed but succeeded, or failed without a known reason. ``memory``: its
    bytes, if they are kept. ``latest_calls``: by function, the last call that wrote or mapped its bytes or texels, its
    creation included; for a sub-buffer initially those of its buffer. It is kept only for coverage points.
    ``was_recorded``: a released command-buffer has used it.
    """

    type: ClassVar[str] = "cl_mem"

    flags: int = 0
    reportable_flags: tuple[int, ...] | None = None
    host: BackingHostMemory | None = None
    properties: Value = None
    size: int = 0
    map_count: int = 0
    may_be_mapped: bool = False
    memory: StorageView | None = None
    latest_calls: dict[str, Call] = field(default_factory=dict)
    was_recorded: bool = False

    @property
    def root_object(self) -> MemoryObject:
        """The memory object from which it was created, directly or indirectly; itself if there is none."""
        parent = self.parent
        return parent.root_object if isinstance(parent, MemoryObject) else self


@dataclass(eq=False)
class Buffer(MemoryObject):
    """A buffer. ``offset``: its offset in the buffer that contains it.

    ``bus``: its location on the bus, or the location of another device's buffer that it represents.
    """

    offset: int = 0
    bus: BusLocation | None = None


@dataclass(eq=False)
class SubBuffer(Buffer):
    """A sub-buffer; ``origin``: its offset in ``buffer``, in bytes."""

    keeps_parent: ClassVar[bool] = True

    buffer: Buffer | None = None
    origin: int = 0

    @property
    def parent(self) -> ContextObject | None:
        """The buffer of which it is a part."""
        return self.buffer


@dataclass(eq=False)
class Pipe(MemoryObject):
    """A pipe for ``max_packets`` packets of ``packet_size`` bytes.

    ``packets``: those in it, the first one first. ``memory``: one byte, defined as long as the contents are known.
    """

    packet_size: int = 0
    max_packets: int = 0
    packets: list[Content] = field(default_factory=list)
    memory: StorageView | None = None


@dataclass(eq=False)
class RemoteWrite:
    """A command of another device that writes the memory.

    ``is_signaled``: a signal was written after it; ``wait_command``: the wait for that signal, after which the bytes
    may be read.
    """

    command: Command
    is_signaled: bool = False
    wait_command: Command | None = None


@dataclass(eq=False)
class BusLocation(ExternalAction):
    """Memory at its location on the bus.

    ``memory``: the buffer at this location; ``device``: its owner; ``address`` and ``signal``: the names of the two
    addresses. ``value``: the last value that was written as a signal, by ``writer``. ``last_wait``: the last wait for a
    signal, with the value ``awaited_value``. ``has_unobserved_value``: a value was written that waits need not observe.
    """

    memory: Buffer
    device: Device | None
    address: str
    signal: str
    value: int = 0
    writer: Command | None = None
    last_wait: Command | None = None
    awaited_value: int = 0
    has_unobserved_value: bool = False
    remote_writes: list[RemoteWrite] = field(default_factory=list)

    @property
    def is_settled(self) -> bool:
        """Return whether a signal has certainly been written, so that the result of a wait is known."""
        return self.writer is not None and self.writer.is_complete

    @property
    def awaits_signal(self) -> bool:
        """Return whether a wait was enqueued whose signal was not."""
        return self.last_wait is not None and self.last_wait.awaited_signal is not None
