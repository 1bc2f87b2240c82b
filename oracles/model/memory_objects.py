"""Memory objects: buffers, their regions and pipes; and the place on the bus at which a buffer may lie."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

from clconform.oracles.model.commands import Awaited
from clconform.oracles.model.contexts import ContextObject

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.calls.values import Value
    from clconform.oracles.contents.storage import Content, View
    from clconform.oracles.model.commands import Command
    from clconform.oracles.model.devices import Device


@dataclass(frozen=True)
class HostMemory:
    """The host memory that an object was made to lie in.

    ``address``: its name, 0 for none, or None where it is open. ``shared``: whether it is shared virtual memory, or
    None where that is not known.
    """

    address: int | str | None = 0
    shared: bool | None = False


@dataclass(eq=False)
class MemoryObject(ContextObject):
    """A memory object of which nothing but its context and flags is known; its subclasses know more.

    ``flags``: those that it was made with, or inherited; ``told_flags``: those that it may answer with, or None where
    that is open. ``host``: its host memory. ``size``: its bytes, 0 if unknown.
    ``properties``: the list that it was made with, as it was given. ``mappings``: how many calls have asked to map it,
    or an object that was made from it; ``mapped_perhaps``: one of them had to fail and has succeeded, or has failed
    without a reason. ``memory``: its bytes, where they are kept. ``latest``: by function, the last call that has put
    bytes or texels there or mapped them, the one that has made it included; of a region at first those of the buffer
    that it is a part of. It is kept only where the triggers of effects ask for it. ``recorded``: a command-buffer that
    is gone has used it.
    """

    type: ClassVar[str] = "cl_mem"

    flags: int = 0
    told_flags: tuple[int, ...] | None = None
    host: HostMemory | None = None
    properties: Value = None
    size: int = 0
    mappings: int = 0
    mapped_perhaps: bool = False
    memory: View | None = None
    latest: dict[str, Call] = field(default_factory=dict)
    recorded: bool = False

    @property
    def whole(self) -> MemoryObject:
        """The memory object that it was made from, directly or not; itself if it was made from none."""
        parent = self.parent
        return parent.whole if isinstance(parent, MemoryObject) else self


@dataclass(eq=False)
class Buffer(MemoryObject):
    """A buffer. ``offset``: where it begins in the buffer that holds it.

    ``bus``: the place on the bus at which it lies, or that of another device's buffer which it leads to.
    """

    offset: int = 0
    bus: BusPlace | None = None


@dataclass(eq=False)
class SubBuffer(Buffer):
    """A region of a buffer; ``origin``: where it begins in ``buffer``, in bytes."""

    keeps_parent: ClassVar[bool] = True

    buffer: Buffer | None = None
    origin: int = 0

    @property
    def parent(self) -> ContextObject | None:
        """The buffer that it is a region of."""
        return self.buffer


@dataclass(eq=False)
class Pipe(MemoryObject):
    """A pipe for ``max_packets`` packets of ``packet_size`` bytes.

    ``packets``: those in it, the first one first. ``memory``: one byte, defined as long as it is known what is in it.
    """

    packet_size: int = 0
    max_packets: int = 0
    packets: list[Content] = field(default_factory=list)
    memory: View | None = None


@dataclass(eq=False)
class Arrival:
    """A command of another device that writes the memory.

    ``marked``: a signal was written after it; ``told``: the wait for that signal, after which the bytes may be read.
    """

    command: Command
    marked: bool = False
    told: Command | None = None


@dataclass(eq=False)
class BusPlace(Awaited):
    """Memory at its place on the bus.

    ``memory``: the buffer that lies there; ``device``: its owner; ``address`` and ``signal``: the names of
    the two addresses. ``value``: the last one that was written as a signal, by ``writer``. ``waiting``: the last wait
    for a signal, which waits for ``awaited``. ``elsewhere``: a value was written that no wait need see.
    """

    memory: Buffer
    device: Device | None
    address: str
    signal: str
    value: int = 0
    writer: Command | None = None
    waiting: Command | None = None
    awaited: int = 0
    elsewhere: bool = False
    arrivals: list[Arrival] = field(default_factory=list)

    @property
    def settled(self) -> bool:
        """Return whether a signal has been written for sure, so that it is known what a wait finds."""
        return self.writer is not None and self.writer.over

    @property
    def owing(self) -> bool:
        """Return whether a wait has been enqueued whose signal has not."""
        return self.waiting is not None and self.waiting.owed is not None
