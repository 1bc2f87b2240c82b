"""A small runtime that makes the OpenCL calls for each access as the note on linked allocations requires.

The oracle checks its calls like those of any other runtime. ``Habits`` selects behaviour that the note leaves to the
runtime.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from clconform.calls.traces import HOST, MemoryObject
from clconform.calls.values import Inside
from clconform.suites.chapters.linked.places import SIZE, further, put_by_host
from clconform.suites.kit.memory import telling
from clconform.suites.steps import one, promised

if TYPE_CHECKING:
    from collections.abc import Iterable

    from clconform.calls.traces import Mode
    from clconform.calls.values import Handle
    from clconform.runner.session.traces import TraceRecorder
    from clconform.suites.chapters.linked.places import Place
    from clconform.suites.kit.kit import Kit

AREA_ALIGNMENT = 4096
READ, WRITE, ANEW = "CL_MAP_READ", "CL_MAP_WRITE", "CL_MAP_WRITE_INVALIDATE_REGION"


@dataclass(frozen=True)
class Habits:
    """Behaviour that the note leaves to the runtime.

    ``eager``: the host's allocation command comes first where the user's memory can be shared. ``gives_back``: after a
    transfer through a linked pair, the pair is unmapped immediately. ``latest``: the host's allocation is linked with
    the last of several devices. ``spares``: content that will be discarded is not transferred. ``waits``: transfers
    block.
    """

    eager: bool = False
    gives_back: bool = True
    latest: bool = False
    spares: bool = True
    waits: bool = True


@dataclass
class Memory:
    """State of a memory object in the runtime.

    ``at``: the host's allocation; ``partner``: the context linked with it; ``rights``: the flags of the map that makes
    the host's side active.
    """

    name: str
    user: Handle | Inside | None = None
    size: int = SIZE
    buffers: dict[str, Handle] = field(default_factory=dict)
    host: bool = False
    at: Handle | Inside | None = None
    partner: str = ""
    mapped: Handle | None = None
    rights: tuple[str, ...] = ()
    last: str = ""

    @property
    def told(self) -> MemoryObject:
        """Return the object in the form that the trace records."""
        whose = self.user.handle if isinstance(self.user, Inside) else self.user
        return MemoryObject(self.name, self.size, whose.name if whose else "")


class Runtime:
    """A runtime that performs accesses to memory objects on real contexts."""

    def __init__(self, kit: Kit, places: Iterable[Place], memories: Iterable[Memory], habits: Habits) -> None:
        self.kit, self.habits = kit, habits
        self.places = {place.name: place for place in places}
        self.memories = {memory.name: memory for memory in memories}
        self._seed = 0

    # a trace

    def run(self, recorder: TraceRecorder, accesses: Iterable[tuple[str, str, Mode]]) -> None:
        """Construct the objects, perform the accesses, and read everything on the host at the end."""
        for name in self.memories:
            with recorder.access(name, HOST, "construct"):
                self.constructed(self.memories[name])
        for name, where, mode in accesses:
            self.access(recorder, name, where, mode)
        for name in self.memories:
            if self.memories[name].user or self.memories[name].last:
                self.access(recorder, name, HOST, "read")

    def access(self, recorder: TraceRecorder, name: str, where: str, mode: Mode) -> None:
        """Make an object's content available in a context or on the host, and use it there."""
        memory = self.memories[name]
        with recorder.access(name, where, mode):
            fresh = not memory.last
            self.allocated(memory, where)
            self.moved(memory, where, mode, fresh=fresh)
            memory.last = where
            self.used(memory, where, mode)

    def constructed(self, memory: Memory) -> None:
        """Construct a memory object; nothing is allocated."""

    # allocation commands

    def allocated(self, memory: Memory, where: str) -> None:
        """Execute the allocation command of a context or the host if it has not run yet."""
        if where == HOST:
            self.on_the_host(memory)
        elif where not in memory.buffers:
            if self.habits.eager and memory.user and not memory.last and self.shares(where):
                self.on_the_host(memory)
            linked = memory.host and not memory.partner and self.shares(where)
            if linked:
                memory.partner = where
            memory.buffers[where] = self.places[where].create(memory.at if linked else None)

    def on_the_host(self, memory: Memory) -> None:
        """Execute the host's allocation command; it allocates only without user memory and shared allocations."""
        if memory.host:
            return
        memory.host = True
        memory.partner = self.partner_of(memory)
        if not memory.partner:
            memory.at = memory.user or one(self.kit.cl.host_allocate(memory.size, AREA_ALIGNMENT))

    def partner_of(self, memory: Memory) -> str:
        """Return the context whose allocation is linked with the host's, or an empty string."""
        able = [name for name in memory.buffers if self.shares(name)]
        return "" if not able else able[-1 if self.habits.latest else 0]

    def shares(self, where: str) -> bool:
        """Return whether a context's device shares memory with the host."""
        return self.places[where].unified

    # transfers

    def moved(self, memory: Memory, where: str, mode: Mode, *, fresh: bool) -> None:
        """Transfer the latest content to the context or host of the access."""
        discards = mode.startswith("discard")
        if memory.last == where:
            if where == HOST and memory.mapped:
                self.opened(memory, self.flags_for(mode))
        elif fresh:
            if where not in (HOST, memory.partner) and memory.user and not discards:
                self.places[where].send(memory.buffers[where], memory.user, waits=self.habits.waits)
        elif discards and self.habits.spares:
            self.switched(memory, where, mode)
        else:
            self.brought(memory, where, mode)

    def switched(self, memory: Memory, where: str, mode: Mode) -> None:
        """Activate the side of a linked pair that the access uses, without a transfer."""
        if where == memory.partner:
            self.handed_back(memory)
        elif where == HOST and memory.partner:
            self.opened(memory, self.flags_for(mode))

    def brought(self, memory: Memory, where: str, mode: Mode) -> None:
        """Transfer the content through the host."""
        self.on_the_host(memory)
        from_a_pair = memory.last in (HOST, memory.partner)
        wanted = self.flags_for(mode) if where == HOST and from_a_pair else (READ,) if from_a_pair else (READ, WRITE)
        if where != memory.partner or not from_a_pair:
            self.opened(memory, wanted)
        if not from_a_pair:
            self.fetched(memory, memory.last)
        if where == memory.partner:
            self.handed_back(memory)
        elif where != HOST:
            self.places[where].send(memory.buffers[where], self.pointer(memory), waits=self.habits.waits)
            if self.habits.gives_back:
                self.handed_back(memory)

    def fetched(self, memory: Memory, where: str) -> None:
        """Read a device's allocation into the host's."""
        self.places[where].fetch(memory.buffers[where], self.pointer(memory), waits=self.habits.waits)

    def opened(self, memory: Memory, flags: tuple[str, ...]) -> None:
        """Activate the host's side of a linked pair with a map that allows the access."""
        if not memory.partner or (memory.mapped and self.allows(memory, flags)):
            return
        self.handed_back(memory)
        place = self.places[memory.partner]
        memory.mapped = place.map(memory.buffers[memory.partner], *flags, waits=self.habits.waits)
        memory.rights = flags

    def allows(self, memory: Memory, flags: tuple[str, ...]) -> bool:
        """Return whether the current map allows the accesses of one with these flags."""
        return set(flags) <= set(memory.rights) or (flags == (ANEW,) and memory.rights != (READ,))

    def handed_back(self, memory: Memory) -> None:
        """Activate the device's side of a linked pair."""
        if memory.partner and memory.mapped is not None:
            self.places[memory.partner].unmap(memory.buffers[memory.partner], memory.mapped)
            memory.mapped = None

    def flags_for(self, mode: Mode) -> tuple[str, ...]:
        """Return the map flags of the host for an access; partial writes need the previous content."""
        if mode == "read":
            return (READ,)
        if mode.startswith("discard") and promised(self.kit.cl, "clEnqueueFillBuffer"):  # since 1.2, like the flag
            return (ANEW,)
        return (READ, WRITE)

    def pointer(self, memory: Memory) -> Handle | Inside:
        """Return the host's address of the content."""
        found = memory.mapped or memory.at
        assert found is not None  # noqa: S101 (there is a host allocation)
        return found

    # accesses

    def used(self, memory: Memory, where: str, mode: Mode) -> None:
        """Perform an access, and read the result."""
        self._seed += 1
        if where == HOST:
            self._by_the_host(memory, mode)
            return
        place, buffer = self.places[where], memory.buffers[where]
        if mode in ("discard_write", "discard_read_write"):
            place.put(buffer, self._seed)
        elif mode == "write":
            place.put(buffer, self._seed, memory.size // 8, memory.size // 2)
        elif mode == "read_write":
            place.change(buffer, self._seed)
        place.look(buffer)

    def _by_the_host(self, memory: Memory, mode: Mode) -> None:
        pointer, kit = self.pointer(memory), self.kit
        if mode.startswith("discard"):
            put_by_host(kit, pointer, self._seed, memory.size)
        elif mode != "read":
            if mode == "read_write":
                kit.look(pointer, memory.size)
            put_by_host(kit, further(pointer, memory.size // 2), self._seed, memory.size // 4)
        if memory.mapped is None or memory.rights != (ANEW,):  # this map is write-only
            kit.look(pointer, memory.size)
            if memory.at is not None and memory.mapped is not None:
                kit.look(memory.at, memory.size)


def users(kit: Kit, seed: int = 0, size: int = SIZE, offset: int = 0) -> Handle | Inside:
    """Allocate user memory with test bytes; ``offset`` is its distance from an aligned address."""
    return further(kit.area(telling(size + offset, seed)), offset)
