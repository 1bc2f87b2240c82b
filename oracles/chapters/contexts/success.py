"""Contexts: what they are made of and what they tell of it (section 4.4, with its changes by device fission)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Items
from clconform.oracles.chapters.contexts.clauses import platform_named, terminable
from clconform.oracles.chapters.platforms.device_types import matching
from clconform.oracles.engine.rules import Rules
from clconform.oracles.engine.wants import Anything, Element, Fresh, OneOf, Promise, Such, Values, Want, handles
from clconform.oracles.model.contexts import Context
from clconform.oracles.model.errors import UnknownError
from clconform.oracles.model.lifetime import release_context
from clconform.oracles.model.versions import Version
from clconform.oracles.queries.told import either
from clconform.oracles.recurring.property_lists import list_echo, list_or_its_end, read_list

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.oracles.model.cl_object import ClObject
    from clconform.oracles.model.devices import Device
    from clconform.oracles.model.world import Model
    from clconform.oracles.queries.questions import Question

rules = Rules()

NOTHING_IS_NOTHING = Version(3, 0)
"""Since when a context without properties answers nothing at all; before, it might tell the zero that ends a list."""
rules.inferred("CL_CONTEXT_REFERENCE_COUNT")


@rules.success("clCreateContext")
def context_made(call: Call, model: Model) -> Promise:
    """A new context that holds exactly the devices given."""
    if not isinstance(call.devices, Items):
        raise UnknownError("no devices")
    devices = [model.device(value) for value in call.devices.values]

    def apply(value: Element, _seen: dict[str, Values]) -> None:
        if isinstance(value, str):
            context = _context_for(call, value, model)
            context.devices = list({device.name: device for device in devices}.values())
            context.listed = len(devices)
            _hold(model, context)

    return Promise(Fresh("cl_context", 1, 1, ("clCreateContext/success",), model.alive("cl_context")), apply=apply)


@rules.success("clCreateContextFromType")
def context_of_a_type(call: Call, model: Model) -> Promise:
    """A new context on root devices of that type, on all or on some; no sub-device is in it."""
    candidates = _candidates(call, model)

    def apply(value: Element, _seen: dict[str, Values]) -> None:
        if isinstance(value, str):
            context = _context_for(call, value, model)
            context.candidates = candidates
            _hold(model, context)

    records = ("clCreateContextFromType/success",)
    return Promise(Fresh("cl_context", 1, 1, records, model.alive("cl_context")), apply=apply)


@rules.success("clRetainContext")
def one_reference_more(call: Call, model: Model) -> Promise:
    """The context has one reference more."""
    context = model.context(call.context)

    def apply(_value: object, _seen: object) -> None:
        context.references += 1

    return Promise(apply=apply)


@rules.success("clReleaseContext")
def one_reference_less(call: Call, model: Model) -> Promise:
    """The context has one reference less, and goes with the last one once nothing uses it."""
    context = model.context(call.context)

    def apply(_value: object, _seen: object) -> None:
        context.references -= 1
        release_context(context, model)

    return Promise(apply=apply)


@rules.success("clTerminateContextKHR")
def context_called_off(call: Call, model: Model) -> Promise:
    """The context is terminated: from now on it can only be asked, retained and released."""
    context = model.context(call.context)

    def apply(_value: object, _seen: object) -> None:
        context.terminated = True
        context.tainted = True

    return Promise(apply=apply)


@rules.success("clSetContextDestructorCallback")
def destructor_callback_registered(call: Call, model: Model) -> Promise:
    """The callback is registered with the context, which stays as it is."""
    del call, model
    return Promise()


@rules.answer("CL_CONTEXT_DEVICES")
def devices_of(thing: ClObject, question: Question) -> Want:
    """The devices that the context was made with; none of their sub-devices besides."""
    context, name = _context(thing), "CL_CONTEXT_DEVICES"
    if not context.devices:
        some = tuple(device.name for device in context.candidates)
        if not some:
            return Anything(tuple(device.name for device in question.model.root_devices()))
        words = f"some of the root devices {', '.join(some)}"
        return Such(lambda seen: bool(seen) and set(handles(seen)) <= set(some), words, (name,), some)
    names = [device.name for device in context.devices]
    return Such(lambda seen: sorted(map(str, seen)) == sorted(names), ", ".join(names), (name,), tuple(names))


@rules.answer("CL_CONTEXT_NUM_DEVICES")
def number_of_devices(thing: ClObject, question: Question) -> Want:
    """How many devices the context was made with."""
    context, name = _context(thing), "CL_CONTEXT_NUM_DEVICES"
    if context.devices:
        return OneOf(((len(context.devices),),), (name,))
    if not context.candidates:
        return Anything((len(question.model.root_devices()),))
    most = len(context.candidates)
    return Such(lambda seen: isinstance(seen[0], int) and 1 <= seen[0] <= most, f"1 to {most}", (name,), (most,))


@rules.answer("CL_CONTEXT_PROPERTIES", of=Context)
def properties_repeated(context: Context, question: Question) -> Want | None:
    """The property list that the context was made with; nothing where there was none."""
    platform = question.platform or next(iter(question.model.platforms.values()), None)
    told = list_echo if platform and platform.version >= NOTHING_IS_NOTHING else list_or_its_end
    return either(question, told(context.properties))


@rules.answer("CL_CONTEXT_REFERENCE_COUNT")
def reference_count(thing: ClObject, question: Question) -> Want:
    """The references made and retained, or more while objects use the context."""
    del question
    context, name = _context(thing), "CL_CONTEXT_REFERENCE_COUNT"
    owned = context.references
    words = f"at least {owned}"
    return Such(lambda seen: isinstance(seen[0], int) and seen[0] >= owned, words, (name,), (owned,))


def _context(thing: ClObject) -> Context:
    if not isinstance(thing, Context):
        raise UnknownError(thing.name)
    return thing


def _hold(model: Model, context: Context) -> None:
    model.add(context)
    for device in context.devices:
        device.attached += 1


def _candidates(call: Call, model: Model) -> list[Device]:
    """Return the root devices of which a context by a type may be; none where a loader may choose the platform."""
    platform = platform_named(call, model)
    if platform is None and model.through_loader:
        return []
    found = matching(call.device_type, platform or next(iter(model.platforms.values())), model)
    return found.devices if found.exact else model.root_devices(platform)


def _context_for(call: Call, name: str, model: Model) -> Context:
    listed = read_list(call.properties)
    return Context(name, properties=call.properties, terminable=terminable(listed, model))
