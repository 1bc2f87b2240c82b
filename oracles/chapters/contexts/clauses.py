"""Error conditions of creating, retaining and terminating contexts, and of later calls (section 4.4)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Handle, Items
from clconform.oracles.chapters.platforms.device_types import matching, none_found, type_not_valid
from clconform.oracles.engine.answers import Answer, May, Must, Reply
from clconform.oracles.engine.rules import Rules
from clconform.oracles.engine.success import is_command
from clconform.oracles.model.contexts import Context, ContextObject
from clconform.oracles.model.devices import Device, Platform
from clconform.oracles.model.errors import UnknownError
from clconform.oracles.recurring.property_lists import (
    has_unknown_name,
    has_wrong_value,
    pairs,
    properties_of,
    read_list,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.calls.call import Call
    from clconform.oracles.model.cl_object import ClObject
    from clconform.oracles.model.world import Model
    from clconform.spec_tables.entries import Function

rules = Rules()

BY_TYPE = "clCreateContextFromType"
AVAILABLE, TERMINATION = "CL_DEVICE_AVAILABLE", "CL_DEVICE_TERMINATE_CAPABILITY_KHR"
rules.inferred("clCreateContext/CL_DEVICE_NOT_AVAILABLE/1", f"{BY_TYPE}/CL_DEVICE_NOT_AVAILABLE/1")


@rules.clause("clCreateContext/CL_INVALID_PLATFORM/1", "clCreateContextFromType/CL_INVALID_PLATFORM/1")
def platform_not_valid(call: Call, model: Model) -> Reply:
    """properties contains an invalid platform, or it does not contain a platform and none could be selected."""
    named = [value for name, value in read_list(call.properties) or () if name == model.value("CL_CONTEXT_PLATFORM")]
    if not named:
        return May("null-platform") if call.function == BY_TYPE else Answer.NO
    if any(value in (0, None) for value in named):
        return Must("null-platform-in-a-list")
    return Answer.NO if all(isinstance(model.known(value), Platform) for value in named) else May("other-type")


@rules.clause("clCreateContext/CL_DEVICE_NOT_AVAILABLE/1")
def device_not_available(call: Call, model: Model) -> Reply:
    """CL_DEVICE_AVAILABLE is CL_FALSE for an element of devices."""
    if not isinstance(call.devices, Items):
        return Answer.NO
    things = [model.known(value) for value in call.devices.values]
    return any(isinstance(thing, Device) and thing.facts.get(AVAILABLE) == 0 for thing in things)


@rules.clause("clCreateContextFromType/CL_INVALID_DEVICE_TYPE/1")
def device_type_not_valid(call: Call, model: Model) -> Reply:
    """device_type does not have a defined bit."""
    return type_not_valid(call.device_type, platform_named(call, model), model)


@rules.clause("clCreateContextFromType/CL_DEVICE_NOT_FOUND/1")
def no_such_device(call: Call, model: Model) -> Reply:
    """The platform does not have a device of device_type."""
    platform = platform_named(call, model)
    return May("null-platform") if platform is None else none_found(call.device_type, platform, model)


@rules.clause("clCreateContextFromType/CL_DEVICE_NOT_AVAILABLE/1")
def none_available(call: Call, model: Model) -> Reply:
    """CL_DEVICE_AVAILABLE is CL_FALSE for every device of device_type."""
    platform = platform_named(call, model)
    if platform is None:
        return May("null-platform")
    devices = matching(call.device_type, platform, model).devices
    return bool(devices) and all(device.fact(AVAILABLE) == 0 for device in devices)


def platform_named(call: Call, model: Model) -> Platform | None:
    """Return the platform that a property list names, None if it does not name one."""
    thing = model.known(pairs(call.properties).get(model.value("CL_CONTEXT_PLATFORM")))
    return thing if isinstance(thing, Platform) else None


@rules.clause("clCreateContext/CL_INVALID_PROPERTY/3")
def termination_not_supported(call: Call, model: Model) -> Reply:
    """properties sets CL_CONTEXT_TERMINATE_KHR to CL_TRUE, and a device in devices does not support termination."""
    if not isinstance(call.devices, Items) or not terminable(read_list(call.properties), model):
        return Answer.NO
    bit = model.value("CL_DEVICE_TERMINATE_CAPABILITY_CONTEXT_KHR")
    things = [model.known(value) for value in call.devices.values]
    return any(isinstance(thing, Device) and not thing.number(TERMINATION) & bit for thing in things)


@rules.clause("clCreateContext/CL_INVALID_PROPERTY/2", "clCreateContextFromType/CL_INVALID_PROPERTY/2")
def synchronized_with_opengl(call: Call, model: Model) -> Reply:
    """properties contains both CL_CONTEXT_INTEROP_USER_SYNC and a property for sharing with OpenGL."""
    names = {name for name, _ in read_list(call.properties) or ()}
    if not names:
        return Answer.NO
    known = properties_of(call.function, model).items()
    shared = {name for name, record in known if any(gate.name == "cl_khr_gl_sharing" for gate in record.gates)}
    both = model.value("CL_CONTEXT_INTEROP_USER_SYNC") in names and names & shared
    return May("no-predicate") if both else Answer.NO


def terminable(listed: list[tuple[int, int | Handle | None]] | None, model: Model) -> bool:
    """Return whether a property list requests a terminable context."""
    return (model.value("CL_CONTEXT_TERMINATE_KHR"), 1) in (listed or ())


@rules.clause("clTerminateContextKHR/CL_CONTEXT_TERMINATED_KHR/1")
def terminated_before(call: Call, model: Model) -> Reply:
    """context has already been terminated."""
    context = model.known(call.context)
    return isinstance(context, Context) and _is_terminated(context)


@rules.clause("clTerminateContextKHR/CL_INVALID_OPERATION/1")
def not_made_to_be_terminated(call: Call, model: Model) -> Reply:
    """context was not created with CL_CONTEXT_TERMINATE_KHR."""
    context = model.known(call.context)
    return isinstance(context, Context) and not context.terminable


TERMINATE = "clTerminateContextKHR"
TERMINATED = f"{TERMINATE}/CL_CONTEXT_TERMINATED_KHR/1"
AS_BEFORE = ("clSetUserEventStatus", "clSetEventCallback", "clSetMemObjectDestructorCallback", TERMINATE)
"""Functions that remain callable after termination, and the one with an error condition of its own."""
AS_BEFORE_BY_NAME = ("clGet", "clRetain", "clRelease")
"""Name prefixes of functions that remain callable after termination: queries, retains and releases."""
FREES = ("clSVMFree", "clMemFreeINTEL", "clMemBlockingFreeINTEL")


def _makes_or_enqueues(function: Function) -> bool:
    return bool(function.creates) or is_command(function)


def _other(function: Function) -> bool:
    kept = function.name in AS_BEFORE or function.name.startswith(AS_BEFORE_BY_NAME)
    return not kept and not _makes_or_enqueues(function) and function.error_by != "none"


@rules.generally(f"{TERMINATE}/effect/15", TERMINATED, _makes_or_enqueues)
def nothing_is_made_or_enqueued(call: Call, model: Model) -> Reply:
    """The call creates an object or enqueues a command, and its context has been terminated."""
    return any(_terminated(call, model))


@rules.generally(f"{TERMINATE}/effect/13", TERMINATED, _other)
def the_context_is_of_no_use(call: Call, model: Model) -> Reply:
    """A terminated context is an argument of the call, and the call is not a query, retain or release.

    If other objects of a terminated context are arguments, any outcome is allowed.
    """
    if not any(_terminated(call, model)):
        return Answer.NO
    given = (model.known(value) for value in call.arguments.values())
    itself = any(isinstance(each, Context) and _is_terminated(each) for each in given)
    return Answer.MUST if itself and call.function not in FREES else May("after-termination")


def _terminated(call: Call, model: Model) -> Iterator[bool]:
    """Yield for each object in the arguments of a call whether its context is terminated."""
    for value in call.arguments.values():
        for one in value.values if isinstance(value, Items) else (value,):
            context = _context_of(model.known(one)) if isinstance(one, Handle) else None
            if context is not None:
                yield _is_terminated(context)


def _is_terminated(context: Context) -> bool:
    """Return whether a context is terminated; UnknownError if that is not known."""
    if context.terminated is None:
        raise UnknownError("whether the context has been terminated")
    return context.terminated


def _context_of(thing: ClObject | None) -> Context | None:
    if isinstance(thing, ContextObject):
        return thing.context
    return thing if isinstance(thing, Context) else None


# Error conditions that revisions from 3.1.0 on split off from those about properties


def _names(call: Call) -> list[int]:
    return [name for name, _ in read_list(call.properties) or ()]


@rules.part("clCreateContext/CL_INVALID_PLATFORM/2", "clCreateContextFromType/CL_INVALID_PLATFORM/2")
def no_platform_selected(call: Call, model: Model) -> Reply:
    """properties does not contain a platform, and none could be selected."""
    return model.value("CL_CONTEXT_PLATFORM") not in _names(call)


@rules.part("clCreateContext/CL_INVALID_PLATFORM/3", "clCreateContextFromType/CL_INVALID_PLATFORM/3")
def no_such_platform(call: Call, model: Model) -> Reply:
    """properties contains an invalid platform."""
    return model.value("CL_CONTEXT_PLATFORM") in _names(call)


@rules.part("clCreateContext/CL_INVALID_PROPERTY/4", "clCreateContextFromType/CL_INVALID_PROPERTY/3")
def no_such_property(call: Call, model: Model) -> Reply:
    """properties contains an unsupported property name."""
    return has_unknown_name(call, "properties", model)


@rules.part("clCreateContext/CL_INVALID_PROPERTY/5", "clCreateContextFromType/CL_INVALID_PROPERTY/4")
def no_such_value(call: Call, model: Model) -> Reply:
    """properties contains an unsupported value for a property."""
    reply = has_wrong_value(call, "properties", model)
    return reply is Answer.MUST or isinstance(reply, Must)


@rules.part("clCreateContext/CL_INVALID_PROPERTY/6", "clCreateContextFromType/CL_INVALID_PROPERTY/5")
def property_twice(call: Call, model: Model) -> Reply:
    """properties contains the same property name more than once."""
    del model
    names = _names(call)
    return len(set(names)) < len(names)
