"""Postconditions of creating, retaining, releasing and terminating contexts (section 4.4, device fission)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Items
from clconform.oracles.chapters.contexts.clauses import platform_named, terminable
from clconform.oracles.chapters.platforms.device_types import matching
from clconform.oracles.contents.storage import wholes
from clconform.oracles.engine.judgements import UNEXPECTED
from clconform.oracles.engine.rules import Rules
from clconform.oracles.engine.wants import Element, Fresh, Promise, Values
from clconform.oracles.model.contexts import Context, ContextObject
from clconform.oracles.model.errors import UnknownError
from clconform.oracles.model.lifetime import release_context
from clconform.oracles.recurring.property_lists import read_list

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.oracles.model.commands import Command
    from clconform.oracles.model.devices import Device
    from clconform.oracles.model.world import Model

rules = Rules()


@rules.success("clCreateContext")
def context_made(call: Call, model: Model) -> Promise:
    """The call creates a new context with exactly the given devices."""
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
    """The call creates a new context with all or some of the root devices of device_type."""
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
    """The reference count of the context increases by one."""
    context = model.context(call.context)

    def apply(_value: object, _seen: object) -> None:
        context.references += 1

    return Promise(apply=apply)


@rules.success("clReleaseContext")
def one_reference_less(call: Call, model: Model) -> Promise:
    """The reference count of the context decreases by one; the context is deleted once it is unused."""
    context = model.context(call.context)

    def apply(_value: object, _seen: object) -> None:
        context.references -= 1
        release_context(context, model)

    return Promise(apply=apply)


@rules.success("clTerminateContextKHR")
def context_called_off(call: Call, model: Model) -> Promise:
    """The context is terminated and can then only be queried, retained and released."""
    context = model.context(call.context)

    def apply(_value: object, _seen: object) -> None:
        _terminate(context, model)

    return Promise(apply=apply)


@rules.aftermath("clTerminateContextKHR")
def terminated_perhaps(call: Call, model: Model, code: str) -> None:
    """Mark a context as possibly terminated after an unexplained error."""
    context = model.known(call.context)
    if code == UNEXPECTED and isinstance(context, Context):
        context.terminated, context.tainted = context.terminated or None, True
        for each in _pending_in(context, model):
            each.failed = True
        _forget_contents(context, model)


@rules.success("clSetContextDestructorCallback")
def destructor_callback_registered(call: Call, model: Model) -> Promise:
    """The callback is registered; the context does not change."""
    del call, model
    return Promise()


def _hold(model: Model, context: Context) -> None:
    model.add(context)
    for device in context.devices:
        device.attached += 1


def _candidates(call: Call, model: Model) -> list[Device]:
    """Return the root devices that a context by type may have; empty if a loader may choose the platform."""
    platform = platform_named(call, model)
    if platform is None and model.through_loader:
        return []
    found = matching(call.device_type, platform or next(iter(model.platforms.values())), model)
    return found.devices if found.exact else model.root_devices(platform)


def _context_for(call: Call, name: str, model: Model) -> Context:
    listed = read_list(call.properties)
    return Context(name, properties=call.properties, terminable=terminable(listed, model))


def _terminate(context: Context, model: Model) -> None:
    """Mark a context as terminated: its commands end in an error, and the contents of its memory are unknown."""
    context.terminated = True
    context.tainted = True
    pending = _pending_in(context, model)
    for each in pending:
        each.cut_off = each.waits_for_the_user
    model.order.fail(pending)
    _forget_contents(context, model)


def _pending_in(context: Context, model: Model) -> list[Command]:
    """Return the commands in queues of a context that may be pending."""
    return [each for each in model.order.pending if each.queue is not None and each.queue.context is context]


def _forget_contents(context: Context, model: Model) -> None:
    own = [thing for thing in model.of_kind(ContextObject) if thing.context is context]
    for place in wholes(own):
        place.forget()
