"""Buffers on memory of another device that cannot be made: by an address of no page, twice, or from elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import BusAddresses, Data, Handle, Inside
from clconform.oracles.contents.bus import surface_at, surfaces, views_of
from clconform.oracles.contents.effects import MemoryEffect
from clconform.oracles.engine.answers import Answer, May, Must, Reply
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.errors import LeftOpenError
from clconform.oracles.model.memory_objects import Buffer, BusPlace
from clconform.oracles.recurring.flags import ADDRESSABLE, EXTERNAL
from clconform.oracles.recurring.objects import gravest

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.oracles.model.world import Model

rules = Rules()

PAGE = 4096
"""Bytes of the smallest page that a device or a host of today has."""
WORD = 8


@rules.clause("clCreateBuffer/CL_INVALID_HOST_PTR/3")
def no_address_of_a_page(call: Call, model: Model) -> Reply:
    """The memory is another device's, and its address on the bus, or that of its signals, is zero or inside a page."""
    if not _wanted(call, model):
        return Answer.NO
    places = _places(call.host_ptr)
    if not places:
        return May("no-addresses")
    reply = gravest(_is_no_page(place, model) for place in places)
    if reply is Answer.NO and surface_at(call.host_ptr, model) is None:
        return Answer.UNDEFINED
    return May("second-view-of-a-buffer") if reply is Answer.NO and _viewed(call, model) else reply


@rules.clause("clCreateBuffer/CL_MEM_OBJECT_ALLOCATION_FAILURE/2")
def not_mapped(call: Call, model: Model) -> Reply:
    """The device cannot reach the address; in any case it does not reach one twice by two buffers."""
    surface = _surface(call, model)
    if surface is None:
        return Answer.NO
    if call.size > surface.memory.size or surface.memory.references < 1:
        return Answer.UNDEFINED
    return Must("second-view-of-a-buffer") if _viewed(call, model) else May("not-on-the-same-bus")


@rules.clause("clCreateBuffer/CL_OUT_OF_RESOURCES/2")
def used_by_another_context(call: Call, model: Model) -> Reply:
    """The memory is used by another application or context."""
    surface = _surface(call, model)
    if surface is None:
        return Answer.NO
    if surface.memory.context is not model.known(call.context):
        return May("memory-of-another-context's-buffer")
    return May("second-view-of-a-buffer") if _viewed(call, model) else Answer.NO


@rules.effect("clCreateSubBuffer")
def part_of_a_buffer(call: Call, model: Model) -> MemoryEffect:
    """A part is made of buffers that have no place on the bus only."""
    if model.get(Buffer, call.buffer).flags & (model.value(ADDRESSABLE) | model.value(EXTERNAL)):
        raise LeftOpenError("part-of-bus-memory")
    return MemoryEffect()


def _wanted(call: Call, model: Model) -> bool:
    """Tell whether a buffer is to be made on memory of another device."""
    return bool(call.flags & model.value(EXTERNAL))


def _surface(call: Call, model: Model) -> BusPlace | None:
    return surface_at(call.host_ptr, model) if _wanted(call, model) else None


def _viewed(call: Call, model: Model) -> bool:
    """Tell whether a living buffer leads to the address already."""
    surface = surface_at(call.host_ptr, model)
    return surface is not None and bool(views_of(surface, model))


def _places(value: object) -> tuple[object, ...]:
    """Return the two addresses that a host pointer leads to; nothing where it leads nowhere."""
    if isinstance(value, BusAddresses):
        return (value.surface, value.signal)
    if isinstance(value, Data) and len(value.content) >= 2 * WORD:
        return tuple(int.from_bytes(value.content[at : at + WORD], "little") for at in (0, WORD))
    return ()


def _is_no_page(place: object, model: Model) -> Reply:
    """Tell whether no page begins at an address; whose page begins there has to be known."""
    if place == 0:
        return Answer.MUST
    offset = place.offset if isinstance(place, Inside) else place if isinstance(place, int) else 0
    if offset % PAGE:
        return Must("page-of-4096-bytes")
    told = {Handle(name) for each in surfaces(model) for name in (each.address, each.signal)}
    return Answer.NO if place in told else Answer.UNDEFINED
