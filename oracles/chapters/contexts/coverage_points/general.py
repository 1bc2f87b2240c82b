"""Coverage points of the prose about contexts, and untestable requirements (section 4.4)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.common.interop import INTERFACES
from clconform.oracles.common.property_lists import list_values
from clconform.oracles.engine.rules import Rules
from clconform.oracles.engine.wording import PERMISSION
from clconform.oracles.model.contexts import Context, ContextObject
from clconform.oracles.model.events import Event, UserEvent
from clconform.oracles.queries.prose_rules import cover_query
from clconform.spec_tables.requirements import Property

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.oracles.engine.call_context import CompletedCall
    from clconform.oracles.queries.query_request import QueryRequest
    from clconform.spec_tables import Tables

rules = Rules()

CREATORS = ("clCreateContext", "clCreateContextFromType")
INFO, DEVICES = "clGetContextInfo", "CL_CONTEXT_DEVICES"
INITIALIZE = "CL_CONTEXT_MEMORY_INITIALIZE_KHR"
TERMINATE = "clTerminateContextKHR"
NO_GL_SHARING = (
    "In a context without an OpenGL context or share group, creating an object to share with OpenGL fails with "
    "CL_INVALID_GL_SHAREGROUP_REFERENCE_KHR."
)
ERRORS_OUTSIDE_CONTEXTS = "It is implementation-defined where errors outside of any context are reported."
UNAVAILABLE_DEVICE = (
    "Once a device becomes unavailable, the behaviour of calls that use its context is implementation-defined."
)


def is_created_with(name: str, bit: str = "") -> Callable[[CompletedCall], bool]:
    """Return a function that checks whether a call creates an object with property ``name``.

    If ``bit`` is not empty, the value of the property must contain this bit.
    """

    def holds(asked: CompletedCall) -> bool:
        value = list_values(asked.call.properties).get(asked.model.constant_value(name))
        if asked.code != "CL_SUCCESS" or value is None:
            return False
        return not bit or (isinstance(value, int) and bool(value & asked.model.constant_value(bit)))

    return holds


@rules.completion
def _declare_gl_sharing(rules: Rules, _tables: Tables) -> None:
    for requirement in ("clCreateContext/CL_INVALID_PROPERTY/2", "clCreateContextFromType/CL_INVALID_PROPERTY/2"):
        words = "properties contains CL_CONTEXT_INTEROP_USER_SYNC and a property for sharing with OpenGL."
        rules.untestable(requirement, words, "it needs an OpenGL context, which this suite does not create")


@rules.completion
def _declare_effects(rules: Rules, tables: Tables) -> None:
    for function in CREATORS:
        for requirement in tables.requirements_of(function):
            if isinstance(requirement, Property):
                _declare_property(rules, requirement)
    for name in ("LOCAL", "PRIVATE"):
        bit = f"CL_CONTEXT_MEMORY_INITIALIZE_{name}_KHR"
        words = f"A context can be created with {bit}, which initializes {name.lower()} memory."
        holds = is_created_with(INITIALIZE, bit)
        rules.coverage_point(
            f"cl_context_memory_initialize_khr:{bit}", CREATORS[0], words, f"{CREATORS[0]}/success", holds=holds
        )


def _declare_property(rules: Rules, requirement: Property) -> None:
    interface = next((INTERFACES[gate.name] for gate in requirement.applicability if gate.name in INTERFACES), "")
    if interface:
        reason = f"it needs objects of {interface}, which this suite does not create"
        rules.untestable(
            requirement.id, f"A context can be created with {requirement.name}, for sharing with {interface}.", reason
        )
        return
    words = f"A context can be created with the property {requirement.name}."
    rules.coverage_point(
        requirement.id,
        requirement.function,
        words,
        f"{requirement.function}/success",
        holds=is_created_with(requirement.name),
    )


def _has_repeated_device(question: QueryRequest) -> bool:
    context = question.subject
    return isinstance(context, Context) and context.device_count > len(context.devices) > 0


def _is_created_from_type(question: QueryRequest) -> bool:
    return isinstance(question.subject, Context) and bool(question.subject.candidates)


def _has_waiting_command(asked: CompletedCall) -> bool:
    """Return whether a call succeeds while its context has an unset user event and an incomplete command."""
    things = asked.model.objects_of_class(ContextObject)
    own = [thing for thing in things if thing.context is asked.model.find(asked.call.context)]
    waited_for = any(isinstance(thing, UserEvent) and not thing.is_complete for thing in own)
    waiting = any(
        isinstance(thing, Event) and not isinstance(thing, UserEvent) and not thing.is_complete for thing in own
    )
    return asked.code == "CL_SUCCESS" and waited_for and waiting


def _is_null(parameter: str) -> Callable[[CompletedCall], bool]:
    return lambda asked: asked.call.arguments[parameter] is None


for _requirement, _parameter in (
    ("clCreateContext/effect/5", "properties"),
    ("clCreateContext/effect/7", "pfn_notify"),
    ("clCreateContextFromType/effect/2", "properties"),
):
    _function = _requirement.partition("/")[0]
    rules.coverage_point(
        _requirement, _function, "", f"{_function}/success", holds=_is_null(_parameter), requires_success=True
    )
for _requirement, _words in (
    (
        "clTerminateContextKHR/effect/2",
        "The execution status of enqueued commands becomes CL_CONTEXT_TERMINATED_KHR.",
    ),
    ("clTerminateContextKHR/effect/3", "The call does not wait for pending commands to complete."),
):
    rules.coverage_point(_requirement, TERMINATE, _words, "clTerminateContextKHR/success", holds=_has_waiting_command)
rules.coverage_point(
    "CL_CONTEXT_TERMINATE_KHR/effect/1",
    TERMINATE,
    "Checked on calls that try to terminate a context created without CL_CONTEXT_TERMINATE_KHR.",
    "clTerminateContextKHR/CL_INVALID_OPERATION/1",
    holds=lambda asked: _lacks_property("CL_CONTEXT_TERMINATE_KHR", asked),
)
for _requirement, _words, _when in (
    ("clCreateContext/effect/4", "clCreateContext ignores duplicate elements of devices.", _has_repeated_device),
    (
        "clCreateContextFromType/effect/1",
        "The context may have all or some of the devices of device_type.",
        _is_created_from_type,
    ),
    ("clCreateContextFromType/effect/4", "", _is_created_from_type),
    (
        "clCreateContextFromType/effect/5",
        "Checked on queries of the devices of a context while a root device has sub-devices.",
        lambda question: _is_created_from_type(question) and _has_sub_devices(question),
    ),
):
    rules.coverage_point(_requirement, INFO, _words, DEVICES, holds=cover_query(DEVICES, when=_when))
for _record, _words, _reason in (
    ("clCreateContext/effect/1", NO_GL_SHARING, "it needs OpenGL objects, which this suite does not create"),
    ("clCreateContext/effect/2", ERRORS_OUTSIDE_CONTEXTS, PERMISSION),
    ("clCreateContext/effect/3", UNAVAILABLE_DEVICE, PERMISSION),
    (
        "CL_CONTEXT_PLATFORM/effect/1",
        "If properties does not name a platform, the implementation chooses the platform.",
        PERMISSION,
    ),
    (
        "clTerminateContextKHR/effect/1",
        "The contents of memory objects are undefined once the context is terminated.",
        PERMISSION,
    ),
    (
        "clCreateContext/effect/6",
        "",
        "the documents do not specify which errors a context has to report, so reporting none is allowed",
    ),
    ("clCreateContext/effect/10", "", "it needs an OpenGL context, which this suite does not create"),
    ("CL_GLX_DISPLAY_KHR/effect/1", "", "it needs an OpenGL context, which this suite does not create"),
    ("CL_CONTEXT_INTEROP_USER_SYNC/effect/1", "", "no query returns the value of a property that is not in the list"),
):
    rules.untestable(_record, _words, _reason)


def _lacks_property(name: str, asked: CompletedCall) -> bool:
    context = asked.model.find(asked.call.context)
    return isinstance(context, Context) and asked.model.constant_value(name) not in list_values(context.properties)


def _has_sub_devices(question: QueryRequest) -> bool:
    """Return whether a root device has sub-devices."""
    return any(device.children for device in question.model.root_devices())
