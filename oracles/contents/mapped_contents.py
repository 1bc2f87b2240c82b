"""The memory at a pointer (host areas, mapped regions, shared memory), and mapped regions (5.2.4, 5.5.4, 5.6)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Handle, OffsetPointer
from clconform.oracles.contents.storage import PointerTarget, have_common_bytes
from clconform.oracles.model.errors import UndefinedBehaviourError, UnknownFactError
from clconform.oracles.model.memory_objects import Buffer, MemoryObject
from clconform.oracles.model.pointer_memory import PointerMemory

if TYPE_CHECKING:
    from clconform.oracles.contents.storage import MemoryPlace, Storage
    from clconform.oracles.model.mapped_regions import MappedRegion
    from clconform.oracles.model.state import Model


def resolve_pointer(value: object, model: Model) -> PointerTarget:
    """Return the memory that can be accessed through a pointer.

    UnknownFactError if the value is not a pointer, or if the contents of its memory are unknown.
    UndefinedBehaviourError if the pointer does not point to memory.
    """
    handle, offset = (value.handle, value.offset) if isinstance(value, OffsetPointer) else (value, 0)
    if not isinstance(handle, Handle):
        raise UnknownFactError("memory")
    thing = model.objects.get(handle.name)
    if isinstance(thing, Buffer | PointerMemory) and thing.memory is not None:
        return PointerTarget(thing.memory, offset, thing)
    mapped = [each for each in model.mapped_regions if each.pointer == handle.name]
    if not mapped:
        if thing is not None:
            raise UnknownFactError(handle.name)
        raise UndefinedBehaviourError(f"no memory is known as {handle.name}")
    widest = max(mapped, key=lambda each: sum(size for _, size in each.spans))
    rows = None if widest.rows is None else tuple(zip(widest.offsets, widest.rows, strict=False))
    return PointerTarget(widest.region, offset, widest.memory, any(each.shows_latest_bytes for each in mapped), rows)


def needs_map(place: MemoryPlace) -> bool:
    """Return whether the host may access memory only while it is mapped."""
    if place.storage.host:
        return place.storage.is_lent
    return not (isinstance(place.owner, PointerMemory) and place.owner.is_fine_grained)


def find_map(place: MemoryPlace, model: Model, *, writes: bool) -> MappedRegion | None:
    """Return a mapped region through which the host may read or write these bytes, or None.

    The mapping command need not be complete.
    """
    return next(
        (
            each
            for each in model.mapped_regions
            if each.region.storage is place.storage
            and each.contains(place.spans)
            and (each.is_writable if writes else not each.discards_contents)
            and not each.may_be_unmapped
        ),
        None,
    )


def may_be_stale(place: MemoryPlace, model: Model) -> bool:
    """Return whether the host can access memory only through mapped regions that may not show the latest bytes."""
    if not place.shows_contents:
        return True
    through = [
        each for each in model.mapped_regions if each.region.storage is place.storage and each.contains(place.spans)
    ]
    return bool(through) and needs_map(place) and not any(each.shows_latest_bytes for each in through)


def maps_of(storage: Storage, model: Model) -> list[MappedRegion]:
    """Return all mapped regions of a storage: of an object, its parent, and all objects created from them."""
    return [each for each in model.mapped_regions if each.region.storage is storage]


def related_maps(place: MemoryPlace, model: Model) -> list[MappedRegion]:
    """Return the mapped regions that concern a use of memory.

    For a memory object, these are the regions of all objects that have bytes in common with it (5.5.4).
    """
    owner, mapped = place.owner, maps_of(place.storage, model)
    if not isinstance(owner, MemoryObject):
        return mapped
    return [each for each in mapped if have_common_bytes(owner, each.memory)]
