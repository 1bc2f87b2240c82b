"""Mapped regions, and the memory at a pointer: areas of the host, maps, shared memory (sections 5.2.4, 5.5.4, 5.6)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Handle, Inside
from clconform.oracles.contents.storage import Reach
from clconform.oracles.model.errors import ForbiddenError, UnknownError
from clconform.oracles.model.memory_objects import Buffer
from clconform.oracles.model.pointed_memory import PointedMemory

if TYPE_CHECKING:
    from clconform.oracles.contents.storage import Place, Storage
    from clconform.oracles.model.maps import MappedRegion
    from clconform.oracles.model.world import Model


def reach(value: object, model: Model) -> Reach:
    """Return the memory that a pointer reaches.

    UnknownError: not a known pointer, or its memory is not modelled. ForbiddenError: the pointer does not lead to
    memory.
    """
    handle, offset = (value.handle, value.offset) if isinstance(value, Inside) else (value, 0)
    if not isinstance(handle, Handle):
        raise UnknownError("memory")
    thing = model.things.get(handle.name)
    if isinstance(thing, Buffer | PointedMemory) and thing.memory is not None:
        return Reach(thing.memory, offset, thing)
    mapped = [each for each in model.maps if each.pointer == handle.name]
    if not mapped:
        if thing is not None:
            raise UnknownError(handle.name)
        raise ForbiddenError(f"no memory is known as {handle.name}")
    widest = max(mapped, key=lambda each: sum(size for _, size in each.spans))
    rows = None if widest.rows is None else tuple(zip(widest.offsets, widest.rows, strict=False))
    return Reach(widest.region, offset, widest.memory, any(each.shows for each in mapped), rows)


def needs_a_map(place: Place) -> bool:
    """Return whether the host may use memory only while it is mapped."""
    if place.storage.host:
        return place.storage.lent
    return not (isinstance(place.owner, PointedMemory) and place.owner.fine)


def mapped(place: Place, model: Model, *, writes: bool) -> MappedRegion | None:
    """Return a map through which the host may read or write these bytes, whether its command is complete or not."""
    return next(
        (
            each
            for each in model.maps
            if each.region.storage is place.storage
            and each.holds(place.spans)
            and (each.writes if writes else not each.discards)
            and not each.perhaps_over
        ),
        None,
    )


def unshown(place: Place, model: Model) -> bool:
    """Return whether the host may read memory only through maps that need not show the latest bytes."""
    if not place.shown:
        return True
    through = [each for each in model.maps if each.region.storage is place.storage and each.holds(place.spans)]
    return bool(through) and needs_a_map(place) and not any(each.shows for each in through)


def maps_of(storage: Storage, model: Model) -> list[MappedRegion]:
    """Return all maps of the bytes of an object, of its parent and of its sub-buffers."""
    return [each for each in model.maps if each.region.storage is storage]
