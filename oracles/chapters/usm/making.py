"""Unified shared memory as it is allocated, and what is told of it by any address inside it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from clconform.oracles.chapters.memory_objects.mapping import POINTED
from clconform.oracles.chapters.usm.allocating import FLAGS, supporting
from clconform.oracles.contents.storage import Storage, View
from clconform.oracles.contents.unified import DEVICE, HOST, SHARED, SORT_OF, SYSTEM
from clconform.oracles.engine.rules import Rules
from clconform.oracles.engine.wants import Complaint, Each, Element, OneOf, Promise, Values, Want
from clconform.oracles.model.world import Child, Context, Device, Thing
from clconform.oracles.recurring.alignment import aligned_to, largest_type
from clconform.oracles.recurring.making import exactly, made
from clconform.oracles.recurring.property_lists import pairs

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.oracles.model.world import Model

rules = Rules()

TYPE, BASE, SIZE, OWNER = (f"CL_MEM_ALLOC_{name}_INTEL" for name in ("TYPE", "BASE_PTR", "SIZE", "DEVICE"))
TYPES = {
    HOST: "CL_MEM_TYPE_HOST_INTEL",
    DEVICE: "CL_MEM_TYPE_DEVICE_INTEL",
    SHARED: "CL_MEM_TYPE_SHARED_INTEL",
}
UNKNOWN = "CL_MEM_TYPE_UNKNOWN_INTEL"


@rules.success(*SORT_OF)
def unified_allocated(call: Call, model: Model) -> Promise:
    """New memory of the type, aligned as it was asked for, that tells what it was allocated with."""
    context = model.context(call.context)
    device = model.known(call.arguments.get("device"))
    child = Child(POINTED, "", context=context, sort=SORT_OF[call.function], size=call.size)
    child.devices = [device] if isinstance(device, Device) else []
    child.memory = View(Storage(call.size), 0, call.size)
    child.fine = child.sort != DEVICE
    child.alignment = call.alignment or largest_type(supporting(call, model))
    flags = pairs(call.properties).get(model.value(FLAGS), 0)
    child.echoes = {
        TYPE: exactly(model.value(TYPES[child.sort])),
        SIZE: exactly(call.size),
        OWNER: exactly(device.name if isinstance(device, Device) else None),
        FLAGS: exactly(flags if isinstance(flags, int) else 0),
    }
    promised = made(POINTED, call, model, child)
    add = promised.apply

    def apply(value: Element, seen: dict[str, Values]) -> list[Complaint] | None:
        child.echoes[BASE] = exactly(str(value))
        return add(value, seen)

    by_default = "size/4" if child.sort == SHARED and not child.devices else "size/2"
    record = f"{call.function}/{'success' if call.alignment else by_default}"
    return replace(promised, apply=apply, alignment=aligned_to(child.alignment, record))


@rules.answer(TYPE)
def type_of_nothing(thing: Thing, model: Model) -> Want:
    """The type that memory was allocated as; that of no such memory is unknown."""
    return _of_nothing(thing, model, TYPE, model.value(UNKNOWN))


@rules.answer(BASE)
def base_of_nothing(thing: Thing, model: Model) -> Want:
    """Where memory begins; NULL for an address in no such memory."""
    return _of_nothing(thing, model, BASE, None)


@rules.answer(SIZE)
def size_of_nothing(thing: Thing, model: Model) -> Want:
    """How many bytes were asked for; none for an address in no such memory."""
    return _of_nothing(thing, model, SIZE, 0)


@rules.answer(OWNER)
def device_of_nothing(thing: Thing, model: Model) -> Want:
    """The device that memory was allocated for; NULL where there is none, and for an address in no such memory."""
    return _of_nothing(thing, model, OWNER, None)


@rules.answer(FLAGS)
def flags_of_nothing(thing: Thing, model: Model) -> Want:
    """The flags that memory was allocated with; none where none were given, and for an address in no such memory."""
    return _of_nothing(thing, model, FLAGS, 0)


def _of_nothing(thing: Thing, model: Model, query: str, told: int | None) -> Want:
    """Return what is told of an address in no memory that was allocated here, as far as that is not system memory."""
    if not isinstance(thing, Context):
        return Each((), choice=thing.echoes[query][0])
    shared = any(device.facts.get(SYSTEM) for device in thing.devices)
    if shared:
        also = (model.value(TYPES[SHARED]),) if query == TYPE else None
        return OneOf(((told,), also), (query,)) if also else Each((), choice=(told,))
    return OneOf(((told,),), (query,))
