"""Error conditions of creating, retaining and terminating contexts, and of calls after termination (section 4.4)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import ElementList, Handle
from clconform.oracles.chapters.platforms.device_types import find_matching, is_type_invalid, lacks_matching
from clconform.oracles.common.property_lists import (
    function_properties,
    list_values,
    parse_list,
)
from clconform.oracles.engine.call_postcondition import is_command
from clconform.oracles.engine.predicate_result import MUST, NO, PredicateResult, may, must_by, must_if
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.contexts import Context, ContextObject
from clconform.oracles.model.devices import Device, Platform
from clconform.oracles.model.errors import UnknownFactError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.calls.call import Call
    from clconform.oracles.model.cl_object import ClObject
    from clconform.oracles.model.state import Model
    from clconform.spec_tables.entries import Function

rules = Rules()

BY_TYPE = "clCreateContextFromType"
AVAILABLE, TERMINATION = "CL_DEVICE_AVAILABLE", "CL_DEVICE_TERMINATE_CAPABILITY_KHR"
rules.inferred("clCreateContext/CL_DEVICE_NOT_AVAILABLE/1", "clCreateContextFromType/CL_DEVICE_NOT_AVAILABLE/1")


@rules.clause("clCreateContext/CL_INVALID_PLATFORM/1", "clCreateContextFromType/CL_INVALID_PLATFORM/1")
def is_platform_invalid(call: Call, model: Model) -> PredicateResult:
    """properties contains an invalid platform, or it does not contain a platform and none could be selected.

    The platform is the value of CL_CONTEXT_PLATFORM. Without a platform in properties, the error is optional for
    clCreateContextFromType, and clCreateContext does not return it.
    """
    named = [
        value
        for name, value in parse_list(call.properties) or ()
        if name == model.constant_value("CL_CONTEXT_PLATFORM")
    ]
    if not named:
        return may("null-platform") if call.function == BY_TYPE else NO
    if any(value in (0, None) for value in named):
        return must_by("null-platform-in-a-list")
    return NO if all(isinstance(model.find(value), Platform) for value in named) else may("handle-of-other-type")


@rules.clause("clCreateContext/CL_DEVICE_NOT_AVAILABLE/1")
def is_device_unavailable(call: Call, model: Model) -> PredicateResult:
    """CL_DEVICE_AVAILABLE is CL_FALSE for an element of devices."""
    if not isinstance(call.devices, ElementList):
        return NO
    things = [model.find(value) for value in call.devices.values]
    return must_if(any(isinstance(thing, Device) and thing.facts.get(AVAILABLE) == 0 for thing in things))


@rules.clause("clCreateContextFromType/CL_INVALID_DEVICE_TYPE/1")
def is_device_type_invalid(call: Call, model: Model) -> PredicateResult:
    """device_type does not contain a bit that a document defines.

    The error is optional if device_type contains both defined and undefined bits.
    """
    return is_type_invalid(call.device_type, named_platform(call, model), model)


@rules.clause("clCreateContextFromType/CL_DEVICE_NOT_FOUND/1")
def is_device_not_found(call: Call, model: Model) -> PredicateResult:
    """The platform does not have a device of device_type."""
    platform = named_platform(call, model)
    return may("null-platform") if platform is None else lacks_matching(call.device_type, platform, model)


@rules.clause("clCreateContextFromType/CL_DEVICE_NOT_AVAILABLE/1")
def are_all_devices_unavailable(call: Call, model: Model) -> PredicateResult:
    """CL_DEVICE_AVAILABLE is CL_FALSE for every device of device_type."""
    platform = named_platform(call, model)
    if platform is None:
        return may("null-platform")
    devices = find_matching(call.device_type, platform, model).devices
    return must_if(bool(devices) and all(device.fact(AVAILABLE) == 0 for device in devices))


def named_platform(call: Call, model: Model) -> Platform | None:
    """Return the platform that a property list names, None if it does not name one."""
    thing = model.find(list_values(call.properties).get(model.constant_value("CL_CONTEXT_PLATFORM")))
    return thing if isinstance(thing, Platform) else None


@rules.clause("clCreateContext/CL_INVALID_PROPERTY/3")
def is_termination_unsupported(call: Call, model: Model) -> PredicateResult:
    """properties sets CL_CONTEXT_TERMINATE_KHR to CL_TRUE, and an element of devices does not support termination.

    A device supports termination if its CL_DEVICE_TERMINATE_CAPABILITY_KHR contains
    CL_DEVICE_TERMINATE_CAPABILITY_CONTEXT_KHR.
    """
    if not isinstance(call.devices, ElementList) or not requests_termination(parse_list(call.properties), model):
        return NO
    bit = model.constant_value("CL_DEVICE_TERMINATE_CAPABILITY_CONTEXT_KHR")
    things = [model.find(value) for value in call.devices.values]
    return must_if(any(isinstance(thing, Device) and not thing.number(TERMINATION) & bit for thing in things))


@rules.clause("clCreateContext/CL_INVALID_PROPERTY/2", "clCreateContextFromType/CL_INVALID_PROPERTY/2")
def has_gl_sharing_with_user_sync(call: Call, model: Model) -> PredicateResult:
    """properties contains both CL_CONTEXT_INTEROP_USER_SYNC and a property for sharing with OpenGL."""
    names = {name for name, _ in parse_list(call.properties) or ()}
    if not names:
        return NO
    known = function_properties(call.function, model).items()
    shared = {
        name
        for name, requirement in known
        if any(gate.name == "cl_khr_gl_sharing" for gate in requirement.applicability)
    }
    both = model.constant_value("CL_CONTEXT_INTEROP_USER_SYNC") in names and names & shared
    return may("no-predicate") if both else NO


def requests_termination(listed: list[tuple[int, int | Handle | None]] | None, model: Model) -> bool:
    """Return whether a property list sets CL_CONTEXT_TERMINATE_KHR to CL_TRUE."""
    return (model.constant_value("CL_CONTEXT_TERMINATE_KHR"), 1) in (listed or ())


@rules.clause("clTerminateContextKHR/CL_CONTEXT_TERMINATED_KHR/1")
def is_already_terminated(call: Call, model: Model) -> PredicateResult:
    """context has already been terminated."""
    context = model.find(call.context)
    return must_if(isinstance(context, Context) and _is_terminated(context))


@rules.clause("clTerminateContextKHR/CL_INVALID_OPERATION/1")
def is_not_terminable(call: Call, model: Model) -> PredicateResult:
    """context was not created with CL_CONTEXT_TERMINATE_KHR."""
    context = model.find(call.context)
    return must_if(isinstance(context, Context) and not context.terminable)


TERMINATE = "clTerminateContextKHR"
TERMINATED = "clTerminateContextKHR/CL_CONTEXT_TERMINATED_KHR/1"
CALLABLE_AFTER_TERMINATION = (
    "clSetUserEventStatus",
    "clSetEventCallback",
    "clSetMemObjectDestructorCallback",
    TERMINATE,
)
"""Functions that remain callable after termination, including clTerminateContextKHR, which has its own error condition.
"""
CALLABLE_PREFIXES = ("clGet", "clRetain", "clRelease")
"""Name prefixes of functions that remain callable after termination: queries, retains and releases."""
FREE_FUNCTIONS = ("clSVMFree", "clMemFreeINTEL", "clMemBlockingFreeINTEL")


def _creates_or_enqueues(function: Function) -> bool:
    return bool(function.creates) or is_command(function)


def _is_other_function(function: Function) -> bool:
    kept = function.name in CALLABLE_AFTER_TERMINATION or function.name.startswith(CALLABLE_PREFIXES)
    return not kept and not _creates_or_enqueues(function) and function.error_by != "none"


@rules.general_condition("clTerminateContextKHR/effect/15", TERMINATED, _creates_or_enqueues)
def creates_or_enqueues_after_termination(call: Call, model: Model) -> PredicateResult:
    """The call creates an object or enqueues a command, and its context has been terminated."""
    return must_if(any(_terminated_contexts(call, model)))


@rules.general_condition("clTerminateContextKHR/effect/13", TERMINATED, _is_other_function)
def uses_terminated_context(call: Call, model: Model) -> PredicateResult:
    """A terminated context is an argument of the call, and the call is not a query, retain or release.

    The error is optional for calls whose arguments are only objects of a terminated context, such as queues, and for
    calls that free SVM or USM memory.
    """
    if not any(_terminated_contexts(call, model)):
        return NO
    given = (model.find(value) for value in call.arguments.values())
    itself = any(isinstance(each, Context) and _is_terminated(each) for each in given)
    return MUST if itself and call.function not in FREE_FUNCTIONS else may("after-termination")


def _terminated_contexts(call: Call, model: Model) -> Iterator[bool]:
    """Yield for each object in the arguments of a call whether its context is terminated."""
    for value in call.arguments.values():
        for one in value.values if isinstance(value, ElementList) else (value,):
            context = _context_of(model.find(one)) if isinstance(one, Handle) else None
            if context is not None:
                yield _is_terminated(context)


def _is_terminated(context: Context) -> bool:
    """Return whether a context is terminated; raise UnknownFactError if that is not known."""
    if context.terminated is None:
        raise UnknownFactError("whether the context has been terminated")
    return context.terminated


def _context_of(thing: ClObject | None) -> Context | None:
    if isinstance(thing, ContextObject):
        return thing.context
    return thing if isinstance(thing, Context) else None
