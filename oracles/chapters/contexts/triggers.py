"""Coverage points of section 4.4, apart from its error conditions, and untestable requirements."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.engine.rules import Rules
from clconform.oracles.engine.wording import PERMISSION
from clconform.oracles.model.contexts import Context, ContextObject
from clconform.oracles.model.events import Event, UserEvent
from clconform.oracles.queries.effects import answered
from clconform.oracles.recurring.interfaces import INTERFACES
from clconform.oracles.recurring.property_lists import pairs
from clconform.spec_tables.records import Property

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.oracles.engine.judged_call import AnsweredCall
    from clconform.oracles.queries.questions import Question
    from clconform.spec_tables import Tables

rules = Rules()

MAKERS = ("clCreateContext", "clCreateContextFromType")
INFO, DEVICES = "clGetContextInfo", "CL_CONTEXT_DEVICES"
INITIALIZE = "CL_CONTEXT_MEMORY_INITIALIZE_KHR"
TERMINATE = "clTerminateContextKHR"
NO_SHARING = (
    "In a context without an OpenGL context or share group, creating an object to share with OpenGL fails with "
    "CL_INVALID_GL_SHAREGROUP_REFERENCE_KHR."
)
OUTSIDE = "It is implementation-defined where errors outside of any context are reported."
DEVICE_GONE = (
    "Once a device becomes unavailable, the behaviour of calls that use its context is implementation-defined."
)


def made_with(name: str, bit: str = "") -> Callable[[AnsweredCall], bool]:
    """Return the test that an object is created with a property, and with a bit in its value if ``bit`` is given."""

    def holds(asked: AnsweredCall) -> bool:
        value = pairs(asked.call.properties).get(asked.model.value(name))
        if asked.code != "CL_SUCCESS" or value is None:
            return False
        return not bit or (isinstance(value, int) and bool(value & asked.model.value(bit)))

    return holds


@rules.completion
def _about_opengl(rules: Rules, _tables: Tables) -> None:
    for record in ("clCreateContext/CL_INVALID_PROPERTY/2", "clCreateContextFromType/CL_INVALID_PROPERTY/2"):
        words = "properties contains CL_CONTEXT_INTEROP_USER_SYNC and a property for sharing with OpenGL."
        rules.untestable(record, words, "it needs an OpenGL context, which this suite does not create")


@rules.completion
def _declare(rules: Rules, tables: Tables) -> None:
    for function in MAKERS:
        for record in tables.records_of(function):
            if isinstance(record, Property):
                _property(rules, record)
    for name in ("LOCAL", "PRIVATE"):
        bit = f"CL_CONTEXT_MEMORY_INITIALIZE_{name}_KHR"
        words = f"A context can be created whose {name.lower()} memory is initialized."
        holds = made_with(INITIALIZE, bit)
        rules.trigger(f"cl_context_memory_initialize_khr:{bit}", MAKERS[0], words, f"{MAKERS[0]}/success", holds=holds)
    for record_id, words, when in (
        ("clCreateContext/effect/4", "Duplicate devices in devices are ignored.", _repeated),
        (
            "clCreateContextFromType/effect/1",
            "The context may have all or some of the devices of device_type.",
            _by_type,
        ),
    ):
        rules.trigger(record_id, INFO, words, DEVICES, holds=answered(DEVICES, when=when))
    for record_id, words, reason in (
        (
            "clCreateContext/effect/1",
            NO_SHARING,
            "it needs OpenGL objects, which this suite does not create",
        ),
        ("clCreateContext/effect/2", OUTSIDE, PERMISSION),
        ("clCreateContext/effect/3", DEVICE_GONE, PERMISSION),
        (
            "CL_CONTEXT_PLATFORM/effect/1",
            "If properties does not name a platform, the implementation chooses one.",
            PERMISSION,
        ),
        (
            f"{TERMINATE}/effect/1",
            "The contents of memory objects are undefined once the context is terminated.",
            PERMISSION,
        ),
    ):
        rules.untestable(record_id, words, reason)
    rules.trigger(
        f"{TERMINATE}/effect/2",
        TERMINATE,
        "The execution status of enqueued commands becomes CL_CONTEXT_TERMINATED_KHR.",
        f"{TERMINATE}/success",
        holds=_busy,
    )
    rules.trigger(
        f"{TERMINATE}/effect/3",
        TERMINATE,
        "The call does not wait for pending commands to complete.",
        f"{TERMINATE}/success",
        holds=_busy,
    )


def _property(rules: Rules, record: Property) -> None:
    interface = next((INTERFACES[gate.name] for gate in record.gates if gate.name in INTERFACES), "")
    if interface:
        reason = f"it needs objects of {interface}, which this suite does not create"
        rules.untestable(
            record.id, f"A context can be created with {record.name}, for sharing with {interface}.", reason
        )
        return
    words = f"A context can be created with the property {record.name}."
    rules.trigger(record.id, record.function, words, f"{record.function}/success", holds=made_with(record.name))


def _repeated(question: Question) -> bool:
    context = question.thing
    return isinstance(context, Context) and context.listed > len(context.devices) > 0


def _by_type(question: Question) -> bool:
    return isinstance(question.thing, Context) and bool(question.thing.candidates)


def _busy(asked: AnsweredCall) -> bool:
    """Return whether a command of the context waits for an unset user event."""
    things = asked.model.of_kind(ContextObject)
    own = [thing for thing in things if thing.context is asked.model.known(asked.call.context)]
    waited_for = any(isinstance(thing, UserEvent) and not thing.complete for thing in own)
    waiting = any(isinstance(thing, Event) and not isinstance(thing, UserEvent) and not thing.complete for thing in own)
    return asked.code == "CL_SUCCESS" and waited_for and waiting


def _null(parameter: str) -> Callable[[AnsweredCall], bool]:
    return lambda asked: asked.call.arguments[parameter] is None


for _function, _number in (("clCreateContext", 5), ("clCreateContextFromType", 2)):
    rules.trigger(
        f"{_function}/effect/{_number}",
        _function,
        "",
        f"{_function}/success",
        holds=_null("properties"),
        by_success=True,
    )
rules.trigger(
    "clCreateContext/effect/7",
    "clCreateContext",
    "",
    "clCreateContext/success",
    holds=_null("pfn_notify"),
    by_success=True,
)
rules.trigger(
    "CL_CONTEXT_TERMINATE_KHR/effect/1",
    TERMINATE,
    "Checked on calls that terminate a context created without the property: they fail.",
    f"{TERMINATE}/CL_INVALID_OPERATION/1",
    holds=lambda asked: _made_without("CL_CONTEXT_TERMINATE_KHR", asked),
)
for _number, _words, _when in (
    (4, "", _by_type),
    (
        5,
        "Checked on queries of the devices of a context while a root device has sub-devices.",
        lambda question: _by_type(question) and _parts(question),
    ),
):
    rules.trigger(
        f"clCreateContextFromType/effect/{_number}", INFO, _words, DEVICES, holds=answered(DEVICES, when=_when)
    )
for _record, _words, _reason in (
    (
        "clCreateContext/effect/6",
        "",
        "the documents do not specify which errors a context has to report, so reporting none is allowed",
    ),
    (
        "clCreateContext/effect/10",
        "",
        "it needs an OpenGL context, which this suite does not create",
    ),
    (
        "CL_GLX_DISPLAY_KHR/effect/1",
        "",
        "it needs an OpenGL context, which this suite does not create",
    ),
    (
        "CL_CONTEXT_INTEROP_USER_SYNC/effect/1",
        "",
        "no query returns the value of a property that is not in the list",
    ),
):
    rules.untestable(_record, _words, _reason)


def _made_without(name: str, asked: AnsweredCall) -> bool:
    context = asked.model.known(asked.call.context)
    return isinstance(context, Context) and asked.model.value(name) not in pairs(context.properties)


def _parts(question: Question) -> bool:
    """Return whether a root device has sub-devices."""
    return any(device.children for device in question.model.root_devices())
