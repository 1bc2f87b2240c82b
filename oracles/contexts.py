"""Contexts: what they are made of and what they tell of it (section 4.4, with its changes by device fission)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Handle, Items
from clconform.oracles.answers import Answer, May, Reply, UnknownError
from clconform.oracles.model import Context, Device, Thing
from clconform.oracles.partition.lifetime import let_go
from clconform.oracles.promises import Anything, Element, Fresh, OneOf, Promise, Such, Values, Want, handles
from clconform.oracles.rules import SURE, answer, clause, promise

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.oracles.model import Model

SURE["CL_CONTEXT_REFERENCE_COUNT"] = "inferred"


@clause("clCreateContext/CL_INVALID_PROPERTY/1", "clCreateContextFromType/CL_INVALID_PROPERTY/1")
def property_not_valid(call: Call, model: Model) -> Reply:
    """A property's name is unknown, its value is not valid, or it is given twice."""
    if not isinstance(call.properties, Items):
        return Answer.NO
    names = call.properties.values[:-1:2]
    if not call.properties.values or call.properties.values[-1] != 0 or len(call.properties.values) % 2 == 0:
        return Answer.UNDEFINED
    known = {model.value(name) for name in ("CL_CONTEXT_PLATFORM", "CL_CONTEXT_INTEROP_USER_SYNC")}
    every = set(model.tables.values_of_group("cl_context_properties").values())
    if any(name not in every for name in names):
        return Answer.MUST
    if len(set(names)) < len(names):
        return May("property-value")
    return Answer.NO if set(names) <= known else May("unknown-fact")


@clause("clCreateContext/CL_INVALID_PLATFORM/1", "clCreateContextFromType/CL_INVALID_PLATFORM/1")
def platform_not_valid(call: Call, model: Model) -> Reply:
    """No platform could be chosen, or the one named in the list is not valid."""
    if not isinstance(call.properties, Items):
        return May("null-platform") if call.function == "clCreateContextFromType" else Answer.NO
    pairs = dict(zip(call.properties.values[:-1:2], call.properties.values[1::2], strict=False))
    named = pairs.get(model.value("CL_CONTEXT_PLATFORM"), "")
    if named == "" or isinstance(named, Handle):
        return Answer.NO
    return May("null-platform")


@clause("clCreateContext/CL_DEVICE_NOT_AVAILABLE/1")
def device_not_available(call: Call, model: Model) -> Reply:
    """A device says that it is not available."""
    if not isinstance(call.devices, Items):
        return Answer.NO
    things = [model.known(value) for value in call.devices.values]
    return any(isinstance(thing, Device) and thing.facts.get("CL_DEVICE_AVAILABLE") == 0 for thing in things)


@promise("clCreateContext")
def context_made(call: Call, model: Model) -> Promise:
    """A new context that holds exactly the devices given."""
    if not isinstance(call.devices, Items):
        raise UnknownError("no devices")
    devices = [model.device(value) for value in call.devices.values]

    def apply(value: Element, _seen: dict[str, Values]) -> None:
        if isinstance(value, str):
            unique = list({device.name: device for device in devices}.values())
            _hold(model, Context("cl_context", value, devices=unique, properties=_properties(call)))

    return Promise(Fresh("cl_context", 1, 1, ("clCreateContext/success",), model.alive("cl_context")), apply=apply)


@promise("clCreateContextFromType")
def context_of_a_type(call: Call, model: Model) -> Promise:
    """A new context on root devices of that type; no sub-device is in it."""

    def apply(value: Element, _seen: dict[str, Values]) -> None:
        if isinstance(value, str):
            _hold(model, Context("cl_context", value, devices=[], properties=_properties(call)))

    records = ("clCreateContextFromType/success",)
    return Promise(Fresh("cl_context", 1, 1, records, model.alive("cl_context")), apply=apply)


@promise("clRetainContext")
def one_reference_more(call: Call, model: Model) -> Promise:
    """The context has one reference more."""
    context = model.context(call.context)

    def apply(_value: object, _seen: object) -> None:
        context.references += 1

    return Promise(apply=apply)


@promise("clReleaseContext")
def one_reference_less(call: Call, model: Model) -> Promise:
    """The context has one reference less, and goes with the last one once nothing uses it."""
    context = model.context(call.context)

    def apply(_value: object, _seen: object) -> None:
        context.references -= 1
        release_context(context, model)

    return Promise(apply=apply)


def release_context(context: Context, model: Model) -> None:
    """Take a context out of the model once nobody holds it, and give its devices back."""
    attached = any(getattr(thing, "context", None) is context for thing in model.things.values())
    if context.references > 0 or attached or model.things.get(context.name) is not context:
        return
    model.drop(context)
    for device in context.devices:
        device.attached -= 1
        let_go(device, model)


@answer("CL_CONTEXT_DEVICES")
def devices_of(thing: Thing, model: Model) -> Want:
    """The devices that the context was made with; none of their sub-devices besides."""
    context, name = _context(thing), "CL_CONTEXT_DEVICES"
    if not context.devices:
        roots = {device.name for device in model.root_devices()}
        some = tuple(sorted(roots))
        return Such(lambda seen: bool(seen) and set(handles(seen)) <= roots, "root devices only", (name,), some)
    names = [device.name for device in context.devices]
    return Such(lambda seen: sorted(map(str, seen)) == sorted(names), ", ".join(names), (name,), tuple(names))


@answer("CL_CONTEXT_NUM_DEVICES")
def number_of_devices(thing: Thing, model: Model) -> Want:
    """How many devices the context was made with."""
    context, name = _context(thing), "CL_CONTEXT_NUM_DEVICES"
    return OneOf(((len(context.devices),),), (name,)) if context.devices else Anything((len(model.root_devices()),))


@answer("CL_CONTEXT_REFERENCE_COUNT")
def reference_count(thing: Thing, model: Model) -> Want:
    """The references made and retained, or more while objects use the context."""
    del model
    context, name = _context(thing), "CL_CONTEXT_REFERENCE_COUNT"
    owned = context.references
    words = f"at least {owned}"
    return Such(lambda seen: isinstance(seen[0], int) and seen[0] >= owned, words, (name,), (owned,))


@answer("CL_CONTEXT_PROPERTIES")
def properties_of(thing: Thing, model: Model) -> Want:
    """The property list that the context was made with, whole and in its order; nothing where there was none."""
    del model
    context, name = _context(thing), "CL_CONTEXT_PROPERTIES"
    if context.properties is None:
        return OneOf(((), (0,)), (name,))
    return OneOf((context.properties,), (name,))


def _context(thing: Thing) -> Context:
    if not isinstance(thing, Context):
        raise UnknownError(thing.name)
    return thing


def _hold(model: Model, context: Context) -> None:
    model.add(context)
    for device in context.devices:
        device.attached += 1


def _properties(call: Call) -> tuple[int | str | None, ...] | None:
    if not isinstance(call.properties, Items):
        return None
    return tuple(value.name if isinstance(value, Handle) else value for value in call.properties.values)
