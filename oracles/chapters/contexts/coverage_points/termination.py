"""Coverage points of terminated contexts and their objects (section 4.4)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.common.wait_evidence import EVENT_QUERY, STATUS_QUERY
from clconform.oracles.contents.dependencies import listed_events
from clconform.oracles.engine.judgements import SUCCESS
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.contexts import Context, ContextObject
from clconform.oracles.model.events import Event
from clconform.oracles.model.memory_objects import MemoryObject

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.oracles.engine.call_context import CompletedCall
    from clconform.oracles.model.cl_object import ClObject

rules = Rules()

WAIT, PROFILE = "clWaitForEvents", "clGetEventProfilingInfo"


def _is_of_terminated_context(kind: type[ClObject]) -> Callable[[CompletedCall], bool]:
    """Return a function that checks whether a call uses a terminated context, or an object of a terminated context.

    ``kind``: the class of the context or the object.
    """

    def holds(asked: CompletedCall) -> bool:
        thing = asked.subject
        context = thing.context if isinstance(thing, ContextObject) else thing
        return isinstance(thing, kind) and isinstance(context, Context) and context.terminated is True

    return holds


def _has_terminated_command(asked: CompletedCall) -> bool:
    """Return whether the queried event belongs to a command that waited when the context was terminated.

    The command waited for a user event.
    """
    command = asked.subject.command if isinstance(asked.subject, Event) else None
    return command is not None and command.is_cut_off


def _queries_status(asked: CompletedCall) -> bool:
    return (
        asked.code == SUCCESS
        and asked.call.param_name == asked.model.constant_value(STATUS_QUERY)
        and _has_terminated_command(asked)
    )


def _waits_for_terminated(asked: CompletedCall) -> bool:
    events = [asked.model.find(each) for each in listed_events(asked.call, "event_list")]
    commands = [each.command for each in events if isinstance(each, Event)]
    return any(each is not None and each.is_cut_off for each in commands)


for _requirement, _words in (
    (
        "clTerminateContextKHR/effect/2",
        "The execution status of enqueued commands becomes CL_CONTEXT_TERMINATED_KHR.",
    ),
    (
        "clTerminateContextKHR/effect/4",
        "Checked on queries of a command that waited for a user event when its context was terminated.",
    ),
):
    rules.coverage_point(_requirement, EVENT_QUERY, _words, STATUS_QUERY, holds=_queries_status)
rules.coverage_point(
    "clTerminateContextKHR/effect/7",
    WAIT,
    "Checked on waits for a command that waited for a user event when its context was terminated.",
    "clWaitForEvents/success",
    holds=_waits_for_terminated,
)
rules.coverage_point(
    "clTerminateContextKHR/effect/10",
    PROFILE,
    "Checked on profiling queries of a command that waited for a user event when its context was terminated.",
    "clGetEventProfilingInfo/CL_PROFILING_INFO_NOT_AVAILABLE/1",
    holds=_has_terminated_command,
)
for _requirement, _words, _kind, _functions in (
    ("clTerminateContextKHR/effect/5", "", Event, (EVENT_QUERY,)),
    ("clTerminateContextKHR/effect/8", "", Event, ("clSetUserEventStatus",)),
    ("clTerminateContextKHR/effect/9", "", Event, ("clRetainEvent", "clReleaseEvent")),
    (
        "clTerminateContextKHR/effect/12",
        "Checked on queries, retains and releases of a terminated context: they succeed.",
        Context,
        ("clGetContextInfo", "clRetainContext", "clReleaseContext"),
    ),
    (
        "clTerminateContextKHR/effect/14",
        "",
        MemoryObject,
        ("clGetMemObjectInfo", "clRetainMemObject", "clReleaseMemObject", "clSetMemObjectDestructorCallback"),
    ),
    (
        "clTerminateContextKHR/effect/16",
        "Checked on releases of memory objects, events and command-queues of a terminated context: they succeed.",
        ContextObject,
        ("clReleaseMemObject", "clReleaseEvent", "clReleaseCommandQueue"),
    ),
):
    for _function in _functions:
        rules.coverage_point(
            _requirement,
            _function,
            _words,
            f"{_function}/success",
            holds=_is_of_terminated_context(_kind),
            requires_success=True,
        )
