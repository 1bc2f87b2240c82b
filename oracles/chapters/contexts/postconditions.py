"""Postconditions of creating, retaining, releasing and terminating contexts (section 4.4, device fission)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import ElementList
from clconform.oracles.chapters.contexts.error_conditions import named_platform, requests_termination
from clconform.oracles.chapters.platforms.device_types import find_matching
from clconform.oracles.common.property_lists import parse_list
from clconform.oracles.contents.storage import whole_places
from clconform.oracles.engine.judgements import UNEXPECTED_ERROR
from clconform.oracles.engine.matchers import Element, NewHandles, Postcondition, Values
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.contexts import Context, ContextObject
from clconform.oracles.model.errors import UnknownFactError
from clconform.oracles.model.lifetime import release_context

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.oracles.model.devices import Device
    from clconform.oracles.model.enqueued_command import Command
    from clconform.oracles.model.state import Model

rules = Rules()


@rules.postcondition("clCreateContext")
def expect_context(call: Call, model: Model) -> Postcondition:
    """The call creates a new context with exactly the devices in devices."""
    if not isinstance(call.devices, ElementList):
        raise UnknownFactError("no devices")
    devices = [model.device(value) for value in call.devices.values]

    def apply(value: Element, _seen: dict[str, Values]) -> None:
        if isinstance(value, str):
            context = _create_context(call, value, model)
            context.devices = list({device.name: device for device in devices}.values())
            context.device_count = len(devices)
            _add_context(model, context)

    return Postcondition(
        NewHandles("cl_context", 1, 1, ("clCreateContext/success",), model.live_names("cl_context")), apply=apply
    )


@rules.postcondition("clCreateContextFromType")
def expect_context_from_type(call: Call, model: Model) -> Postcondition:
    """The call creates a new context with all or some of the root devices of device_type."""
    candidates = _candidate_devices(call, model)

    def apply(value: Element, _seen: dict[str, Values]) -> None:
        if isinstance(value, str):
            context = _create_context(call, value, model)
            context.candidates = candidates
            _add_context(model, context)

    requirements = ("clCreateContextFromType/success",)
    return Postcondition(NewHandles("cl_context", 1, 1, requirements, model.live_names("cl_context")), apply=apply)


@rules.postcondition("clRetainContext")
def expect_retained(call: Call, model: Model) -> Postcondition:
    """The reference count of context increases by one."""
    context = model.context(call.context)

    def apply(_value: object, _seen: object) -> None:
        context.references += 1

    return Postcondition(apply=apply)


@rules.postcondition("clReleaseContext")
def expect_released(call: Call, model: Model) -> Postcondition:
    """The reference count of context decreases by one. At 0, context is deleted as soon as no object uses it."""
    context = model.context(call.context)

    def apply(_value: object, _seen: object) -> None:
        context.references -= 1
        release_context(context, model)

    return Postcondition(apply=apply)


@rules.postcondition("clTerminateContextKHR")
def expect_terminated(call: Call, model: Model) -> Postcondition:
    """context is terminated, and can then only be queried, retained and released."""
    context = model.context(call.context)

    def apply(_value: object, _seen: object) -> None:
        _terminate(context, model)

    return Postcondition(apply=apply)


@rules.aftermath("clTerminateContextKHR")
def mark_possibly_terminated(call: Call, model: Model, code: str) -> None:
    """Mark a context as possibly terminated after an unexpected error."""
    context = model.find(call.context)
    if code == UNEXPECTED_ERROR and isinstance(context, Context):
        context.terminated = context.terminated or None
        model.taint(context)
        for each in _pending_commands(context, model):
            each.may_have_failed = True
        _forget_contents(context, model)


@rules.postcondition("clSetContextDestructorCallback")
def expect_callback_registered(call: Call, model: Model) -> Postcondition:
    """The callback is registered; the context does not change."""
    del call, model
    return Postcondition()


def _add_context(model: Model, context: Context) -> None:
    model.add(context)
    for device in context.devices:
        device.attached += 1


def _candidate_devices(call: Call, model: Model) -> list[Device]:
    """Return the root devices that clCreateContextFromType may use; empty if a loader may choose the platform."""
    platform = named_platform(call, model)
    if platform is None and model.through_loader:
        return []
    found = find_matching(call.device_type, platform or next(iter(model.platforms.values())), model)
    return found.devices if found.exact else model.root_devices(platform)


def _create_context(call: Call, name: str, model: Model) -> Context:
    listed = parse_list(call.properties)
    return Context(name, properties=call.properties, terminable=requests_termination(listed, model))


def _terminate(context: Context, model: Model) -> None:
    """Mark a context as terminated: its commands end in an error, and the contents of its memory are unknown."""
    context.terminated = True
    model.taint(context)
    pending = _pending_commands(context, model)
    for each in pending:
        each.is_cut_off = each.waits_for_user_event
    model.commands.fail(pending)
    _forget_contents(context, model)


def _pending_commands(context: Context, model: Model) -> list[Command]:
    """Return the commands in queues of a context that may be pending."""
    return [each for each in model.commands.pending if each.queue is not None and each.queue.context is context]


def _forget_contents(context: Context, model: Model) -> None:
    own = [thing for thing in model.objects_of_class(ContextObject) if thing.context is context]
    for place in whole_places(own):
        place.forget()
