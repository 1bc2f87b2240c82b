"""Buffers, sub-buffers and pipes, the base class of memory objects, and the location of a buffer on the bus."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

from clconform.oracles.model.contexts import ContextObject
from clconform.oracles.model.enqueued_command import ExternalAction

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.calls.values import Value
    from clconform.oracles.contents.storage import Content, StorageView
    from clconform.oracles.model.devices import Device
    from clconform.oracles.model.enqueued_command import Command


@dataclass(frozen=True)
class BackingHostMemory:
    """The host memory that a memory object was created with.

    ``address``: the name of the memory, 0 if there is none, or None if unknown. ``is_svm``: it is shared virtual
    memory; None if unknown.
    """

    address: int | str | None = 0
    is_svm: bool | None = False


@dataclass(eq=False)
class MemoryObject(ContextObject):
    """Base class of memory objects; an instance of the base class has an unknown type.

    ``flags``: the flags at creation, or inherited. ``reportable_flags``: the values that a query for the flags may
    return, or None if unspecified. ``host``: its host memory. ``size``: the number of bytes, or 0 if unknown.
    ``properties``: its property list at creation, unchanged. ``map_count``: the number of calls that requested to map
    it or an object created from it. ``may_be_mapped``: one of these calls succeeded although it should have failed, or
    failed without a known reason. ``memory``: its contents, if the model tracks them. ``latest_calls``: maps functions
    to the last call that wrote or mapped its bytes or texels, including the creating call; initially, a sub-buffer has
    the calls of its buffer. Only coverage points use these calls. ``was_recorded``: a released command-buffer has used
    it.
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
        """The last object in the chain of parents; the object itself if it was not created from another object."""
        parent = self.parent
        return parent.root_object if isinstance(parent, MemoryObject) else self


@dataclass(eq=False)
class Buffer(MemoryObject):
    """A buffer; ``offset``: its offset in the buffer that contains it, or 0.

    ``bus``: its location on the bus; for an external buffer, the location of the other device's buffer.
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
        """The buffer that contains the sub-buffer."""
        return self.buffer


@dataclass(eq=False)
class Pipe(MemoryObject):
    """A pipe for ``max_packets`` packets of ``packet_size`` bytes.

    ``packets``: the packets in the pipe, in order. ``memory``: one byte, which is defined as long as the packets are
    known.
    """

    packet_size: int = 0
    max_packets: int = 0
    packets: list[Content] = field(default_factory=list)
    memory: StorageView | None = None


@dataclass(eq=False)
class RemoteWrite:
    """A command of another device that writes to the memory of a bus location.

    ``is_signaled``: a signal was written after the command. ``wait_command``: the command that waits for this signal;
    the bytes may be read after it.
    """

    command: Command
    is_signaled: bool = False
    wait_command: Command | None = None


@dataclass(eq=False)
class BusLocation(ExternalAction):
    """A buffer at its location on the bus.

    ``memory``: the buffer. ``device``: the device of the buffer. ``address`` and ``signal``: the names of the addresses
    of its bytes and its signal. ``value``: the last signal value, which the command ``writer`` wrote. ``last_wait``:
    the last command that waits for a signal, with the value ``awaited_value``. ``has_unobserved_value``: a value was
    written that waiting commands need not observe. ``remote_writes``: the commands of other devices that write to it.
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
        """Return whether a wait for a signal was enqueued, and the signal was not."""
        return self.last_wait is not None and self.last_wait.awaited_signal is not None
