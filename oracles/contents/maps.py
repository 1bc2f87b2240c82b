"""Mapped regions, and what a pointer reaches: areas of the host, maps, shared memory (sections 5.2.4, 5.5.4, 5.6)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from clconform.calls.values import Handle, Inside
from clconform.oracles.contents.storage import Place, View
from clconform.oracles.engine.answers import UnknownError
from clconform.oracles.model.world import Child

if TYPE_CHECKING:
    from clconform.oracles.contents.geometry import Spans
    from clconform.oracles.contents.storage import Storage
    from clconform.oracles.model.commands import Command
    from clconform.oracles.model.world import Model


class ForbiddenError(Exception):
    """What a call would do to memory is undefined even if it succeeds; the message says why."""


class LeftOpenError(ForbiddenError):
    """No document says what such a call does, so that it is never made; ``point`` names the register's entry."""

    def __init__(self, point: str) -> None:
        super().__init__(f"no document says what it does: {point}")


@dataclass(eq=False)
class MappedRegion:
    """A region that is mapped: the host may use it through ``pointer`` once ``command`` is over.

    ``writes``: it may be written; ``discards``: what it held is gone, so that it may not be read. ``doubtful``: a call
    that was to take it back has failed, and nobody knows what that has left of it.
    """

    function: str
    pointer: str
    memory: Child
    region: View
    command: Command
    writes: bool = False
    discards: bool = False
    doubtful: bool = False

    @property
    def offset(self) -> int:
        """Where the region begins, counted from the pointer by whose name it is known: 0 but for shared memory."""
        if self.function != "clEnqueueSVMMap" or self.memory.memory is None:
            return 0
        return self.region.start - self.memory.memory.start

    @property
    def undoing(self) -> tuple[str, tuple[Handle | Inside, ...]]:
        """Return the function that takes the map back, and what it is told of it besides the queue."""
        if self.function == "clEnqueueSVMMap":
            whole = Handle(self.pointer)
            return "clEnqueueSVMUnmap", (Inside(whole, self.offset) if self.offset else whole,)
        return "clEnqueueUnmapMemObject", (Handle(self.memory.name), Handle(self.pointer))

    def holds(self, spans: Spans) -> bool:
        """Tell whether bytes of its storage are all inside."""
        end = self.region.start + self.region.size
        return all(self.region.start <= start and start + size <= end for start, size in spans)


@dataclass(frozen=True)
class Reach:
    """What lies at and behind an address; ``owner``: the object that it belongs to."""

    view: View
    offset: int
    owner: Child

    def place(self, spans: Spans) -> Place:
        """Return spans that count from the address; ForbiddenError where they lead outside."""
        if any(start + self.offset < 0 or start + self.offset + size > self.view.size for start, size in spans):
            raise ForbiddenError("it leads beyond the memory that the pointer reaches")
        moved = tuple((self.view.start + self.offset + start, size) for start, size in spans)
        return Place(self.view.storage, moved, self.owner)


def reach(value: object, model: Model) -> Reach:
    """Return what a pointer reaches.

    UnknownError: it is no pointer by a name, or one to memory that is not kept here. ForbiddenError: nothing is there.
    """
    handle, offset = (value.handle, value.offset) if isinstance(value, Inside) else (value, 0)
    if not isinstance(handle, Handle):
        raise UnknownError("memory")
    thing = model.things.get(handle.name)
    if isinstance(thing, Child) and thing.memory is not None:
        return Reach(thing.memory, offset, thing)
    mapped = [each for each in model.maps if each.pointer == handle.name]
    if not mapped:
        if thing is not None:
            raise UnknownError(handle.name)
        raise ForbiddenError(f"no memory is known as {handle.name}")
    widest = max(mapped, key=lambda each: each.region.size)
    return Reach(widest.region, offset, widest.memory)


def needs_a_map(place: Place) -> bool:
    """Tell whether the host may use memory only while it is mapped."""
    if place.storage.host:
        return place.storage.lent
    return not (place.owner is not None and place.owner.fine)


def mapped(place: Place, model: Model, *, writes: bool) -> MappedRegion | None:
    """Return a map through which the host may read or write these bytes, whether its command is over or not."""
    return next(
        (
            each
            for each in model.maps
            if each.region.storage is place.storage
            and each.holds(place.spans)
            and (each.writes if writes else not each.discards)
        ),
        None,
    )


def maps_of(storage: Storage, model: Model) -> list[MappedRegion]:
    """Return all maps of the bytes of an object, of its parent and of its regions."""
    return [each for each in model.maps if each.region.storage is storage]
