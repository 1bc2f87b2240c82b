"""A small runtime that follows the note on linked allocations.

For each access, it makes the calls that the note requires.

The oracle checks its calls like the calls of any other runtime. ``RuntimeOptions`` selects behaviour that the note
leaves to the runtime.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from clconform.calls.linked_allocations import HOST, TraceMemoryObject
from clconform.calls.values import OffsetPointer
from clconform.suites.chapters.linked_allocations.memory_regions import SIZE, add_offset, write_on_host
from clconform.suites.helpers import is_available, require_handle
from clconform.suites.kit.memory import pattern_bytes

if TYPE_CHECKING:
    from collections.abc import Iterable

    from clconform.calls.linked_allocations import Mode
    from clconform.calls.values import Handle
    from clconform.runner.linked_allocations.trace_recording import TraceRecorder
    from clconform.suites.chapters.linked_allocations.memory_regions import DeviceContext
    from clconform.suites.kit.kit import Kit

AREA_ALIGNMENT = 4096
READ, WRITE, INVALIDATE = "CL_MAP_READ", "CL_MAP_WRITE", "CL_MAP_WRITE_INVALIDATE_REGION"


@dataclass(frozen=True)
class RuntimeOptions:
    """Choices between kinds of behaviour that the note permits.

    ``host_first``: the host's allocation command comes first if a device can share the user's memory.
    ``unmap_after_transfer``: after a transfer through a linked pair, the pair is unmapped immediately. ``link_last``:
    the host's allocation is linked with the last of several devices. ``skip_discarded``: content that will be discarded
    is not transferred. ``blocking``: transfers block.
    """

    host_first: bool = False
    unmap_after_transfer: bool = True
    link_last: bool = False
    skip_discarded: bool = True
    blocking: bool = True


@dataclass
class ManagedMemory:
    """The runtime's state of one memory object.

    ``user_pointer``: memory of the user, or None. ``host_pointer``: the host's allocation; ``partner``: the context
    linked with this allocation. ``map_flags``: the flags of the current map of a linked pair. ``last_used``: the
    context, or the host, of the previous access.
    """

    name: str
    user_pointer: Handle | OffsetPointer | None = None
    size: int = SIZE
    buffers: dict[str, Handle] = field(default_factory=dict)
    host_allocated: bool = False
    host_pointer: Handle | OffsetPointer | None = None
    partner: str = ""
    mapped_pointer: Handle | None = None
    map_flags: tuple[str, ...] = ()
    last_used: str = ""

    @property
    def traced_object(self) -> TraceMemoryObject:
        """Return the object in the form that the trace records."""
        whose = self.user_pointer.handle if isinstance(self.user_pointer, OffsetPointer) else self.user_pointer
        return TraceMemoryObject(self.name, self.size, whose.name if whose else "")


class LinkingRuntime:
    """A runtime that performs accesses to memory objects on real contexts."""

    def __init__(
        self, kit: Kit, places: Iterable[DeviceContext], memories: Iterable[ManagedMemory], habits: RuntimeOptions
    ) -> None:
        self.kit, self.habits = kit, habits
        self.places = {place.name: place for place in places}
        self.memories = {memory.name: memory for memory in memories}
        self._seed = 0

    # a trace

    def run(self, recorder: TraceRecorder, accesses: Iterable[tuple[str, str, Mode]]) -> None:
        """Construct all memory objects, perform the accesses, and read every object on the host at the end."""
        for name in self.memories:
            with recorder.announce_access(name, HOST, "construct"):
                self.construct(self.memories[name])
        for name, where, mode in accesses:
            self.access(recorder, name, where, mode)
        for name in self.memories:
            if self.memories[name].user_pointer or self.memories[name].last_used:
                self.access(recorder, name, HOST, "read")

    def access(self, recorder: TraceRecorder, name: str, site: str, mode: Mode) -> None:
        """Make the content of an object available in a context or on the host, and access it there."""
        memory = self.memories[name]
        with recorder.announce_access(name, site, mode):
            fresh = not memory.last_used
            self.allocate(memory, site)
            self.transfer(memory, site, mode, fresh=fresh)
            memory.last_used = site
            self.perform_access(memory, site, mode)

    def construct(self, memory: ManagedMemory) -> None:
        """Construct a memory object, without an allocation."""

    # allocation commands

    def allocate(self, memory: ManagedMemory, where: str) -> None:
        """Execute the allocation command of a context or the host if it has not run yet."""
        if where == HOST:
            self.allocate_on_host(memory)
        elif where not in memory.buffers:
            if (
                self.habits.host_first
                and memory.user_pointer
                and not memory.last_used
                and self.shares_host_memory(where)
            ):
                self.allocate_on_host(memory)
            linked = memory.host_allocated and not memory.partner and self.shares_host_memory(where)
            if linked:
                memory.partner = where
            memory.buffers[where] = self.places[where].create_buffer(memory.host_pointer if linked else None)

    def allocate_on_host(self, memory: ManagedMemory) -> None:
        """Execute the host's allocation command.

        The command allocates memory only if the user provides none and no context's allocation can be linked.
        """
        if memory.host_allocated:
            return
        memory.host_allocated = True
        memory.partner = self.choose_partner(memory)
        if not memory.partner:
            memory.host_pointer = memory.user_pointer or require_handle(
                self.kit.cl.host_allocate(memory.size, AREA_ALIGNMENT)
            )

    def choose_partner(self, memory: ManagedMemory) -> str:
        """Return the context whose allocation is linked with the host's, or an empty string."""
        able = [name for name in memory.buffers if self.shares_host_memory(name)]
        return "" if not able else able[-1 if self.habits.link_last else 0]

    def shares_host_memory(self, where: str) -> bool:
        """Return whether the device of a context shares memory with the host."""
        return self.places[where].unified

    # transfers

    def transfer(self, memory: ManagedMemory, where: str, mode: Mode, *, fresh: bool) -> None:
        """Transfer the latest content to the context or host that accesses the object."""
        discards = mode.startswith("discard")
        if memory.last_used == where:
            if where == HOST and memory.mapped_pointer:
                self.map_for_host(memory, self.get_map_flags(mode))
        elif fresh:
            if where not in (HOST, memory.partner) and memory.user_pointer and not discards:
                self.places[where].write_from_host(
                    memory.buffers[where], memory.user_pointer, waits=self.habits.blocking
                )
        elif discards and self.habits.skip_discarded:
            self.activate_side(memory, where, mode)
        else:
            self.transfer_through_host(memory, where, mode)

    def activate_side(self, memory: ManagedMemory, where: str, mode: Mode) -> None:
        """Map or unmap a linked pair, so that the context or the host can access the object without a transfer."""
        if where == memory.partner:
            self.unmap_for_device(memory)
        elif where == HOST and memory.partner:
            self.map_for_host(memory, self.get_map_flags(mode))

    def transfer_through_host(self, memory: ManagedMemory, where: str, mode: Mode) -> None:
        """Transfer the content through the host's allocation."""
        self.allocate_on_host(memory)
        from_a_pair = memory.last_used in (HOST, memory.partner)
        wanted = (
            self.get_map_flags(mode) if where == HOST and from_a_pair else (READ,) if from_a_pair else (READ, WRITE)
        )
        if where != memory.partner or not from_a_pair:
            self.map_for_host(memory, wanted)
        if not from_a_pair:
            self.read_to_host(memory, memory.last_used)
        if where == memory.partner:
            self.unmap_for_device(memory)
        elif where != HOST:
            self.places[where].write_from_host(
                memory.buffers[where], self.get_host_pointer(memory), waits=self.habits.blocking
            )
            if self.habits.unmap_after_transfer:
                self.unmap_for_device(memory)

    def read_to_host(self, memory: ManagedMemory, where: str) -> None:
        """Read the content of a device's allocation into the host's allocation."""
        self.places[where].read_to_host(
            memory.buffers[where], self.get_host_pointer(memory), waits=self.habits.blocking
        )

    def map_for_host(self, memory: ManagedMemory, flags: tuple[str, ...]) -> None:
        """Map a linked pair for an access by the host, unless the current map already permits the access."""
        if not memory.partner or (memory.mapped_pointer and self.map_allows(memory, flags)):
            return
        self.unmap_for_device(memory)
        place = self.places[memory.partner]
        memory.mapped_pointer = place.map(memory.buffers[memory.partner], *flags, waits=self.habits.blocking)
        memory.map_flags = flags

    def map_allows(self, memory: ManagedMemory, flags: tuple[str, ...]) -> bool:
        """Return whether the current map allows every access that a map with these flags allows."""
        return set(flags) <= set(memory.map_flags) or (flags == (INVALIDATE,) and memory.map_flags != (READ,))

    def unmap_for_device(self, memory: ManagedMemory) -> None:
        """Unmap a linked pair, so that the device can access the content."""
        if memory.partner and memory.mapped_pointer is not None:
            self.places[memory.partner].unmap(memory.buffers[memory.partner], memory.mapped_pointer)
            memory.mapped_pointer = None

    def get_map_flags(self, mode: Mode) -> tuple[str, ...]:
        """Return the flags of the host's map for an access. The map for a partial write keeps the previous content."""
        if mode == "read":
            return (READ,)
        if mode.startswith("discard") and is_available(
            self.kit.cl, "clEnqueueFillBuffer"
        ):  # clEnqueueFillBuffer is available since version 1.2, like the flag
            return (INVALIDATE,)
        return (READ, WRITE)

    def get_host_pointer(self, memory: ManagedMemory) -> Handle | OffsetPointer:
        """Return the address of the content on the host."""
        found = memory.mapped_pointer or memory.host_pointer
        assert found is not None  # noqa: S101 (there is a host allocation)
        return found

    # accesses

    def perform_access(self, memory: ManagedMemory, where: str, mode: Mode) -> None:
        """Perform an access to an object in a context or on the host, and read the result."""
        self._seed += 1
        if where == HOST:
            self._access_on_host(memory, mode)
            return
        place, buffer = self.places[where], memory.buffers[where]
        if mode in ("discard_write", "discard_read_write"):
            place.write_on_device(buffer, self._seed)
        elif mode == "write":
            place.write_on_device(buffer, self._seed, memory.size // 8, memory.size // 2)
        elif mode == "read_write":
            place.change_on_device(buffer, self._seed)
        place.read_on_device(buffer)

    def _access_on_host(self, memory: ManagedMemory, mode: Mode) -> None:
        pointer, kit = self.get_host_pointer(memory), self.kit
        if mode.startswith("discard"):
            write_on_host(kit, pointer, self._seed, memory.size)
        elif mode != "read":
            if mode == "read_write":
                kit.read_host(pointer, memory.size)
            write_on_host(kit, add_offset(pointer, memory.size // 2), self._seed, memory.size // 4)
        if memory.mapped_pointer is None or memory.map_flags != (INVALIDATE,):  # the map is write-only
            kit.read_host(pointer, memory.size)
            if memory.host_pointer is not None and memory.mapped_pointer is not None:
                kit.read_host(memory.host_pointer, memory.size)


def allocate_user_memory(kit: Kit, seed: int = 0, size: int = SIZE, offset: int = 0) -> Handle | OffsetPointer:
    """Allocate user memory with test bytes; ``offset``: its distance in bytes from an aligned address."""
    return add_offset(kit.host_area(pattern_bytes(size + offset, seed)), offset)
