"""Coverage points of terminated contexts and their objects (section 4.4)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.contents.waiting import events_in
from clconform.oracles.engine.judgements import SUCCESS
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.contexts import Context, ContextObject
from clconform.oracles.model.events import Event
from clconform.oracles.model.memory_objects import MemoryObject
from clconform.oracles.recurring.waiting import QUERY, STATUS

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.oracles.engine.judged_call import AnsweredCall
    from clconform.oracles.model.cl_object import ClObject

rules = Rules()

TERMINATE, WAIT, PROFILE = "clTerminateContextKHR", "clWaitForEvents", "clGetEventProfilingInfo"
OF_EVENTS = ""
OF_MEMORY = ""
OF_CONTEXTS = "Checked on queries, retains and releases of a terminated context: they succeed."
RELEASES = tuple(f"clRelease{kind}" for kind in ("MemObject", "Event", "CommandQueue", "Context"))


def _of_a_terminated_one(kind: type[ClObject]) -> Callable[[AnsweredCall], bool]:
    """Return the test that a call succeeds on a terminated context or on an object of it."""

    def holds(asked: AnsweredCall) -> bool:
        thing = asked.subject
        context = thing.context if isinstance(thing, ContextObject) else thing
        return isinstance(thing, kind) and isinstance(context, Context) and context.terminated is True

    return holds


def _cut_off(asked: AnsweredCall) -> bool:
    """Return whether the queried event is of a command that was waiting when its context was terminated."""
    command = asked.subject.command if isinstance(asked.subject, Event) else None
    return command is not None and command.cut_off


def _asked_for_the_status(asked: AnsweredCall) -> bool:
    return asked.code == SUCCESS and asked.call.param_name == asked.model.value(STATUS) and _cut_off(asked)


def _waited_for(asked: AnsweredCall) -> bool:
    events = [asked.model.known(each) for each in events_in(asked.call, "event_list")]
    commands = [each.command for each in events if isinstance(each, Event)]
    return any(each is not None and each.cut_off for each in commands)


rules.trigger(
    f"{TERMINATE}/effect/2",
    QUERY,
    "The execution status of enqueued commands becomes CL_CONTEXT_TERMINATED_KHR.",
    STATUS,
    holds=_asked_for_the_status,
)
rules.trigger(
    f"{TERMINATE}/effect/4",
    QUERY,
    "Checked on queries of a command that waited for a user event when its context was terminated.",
    STATUS,
    holds=_asked_for_the_status,
)
rules.trigger(
    f"{TERMINATE}/effect/7",
    WAIT,
    "Checked on waits for a command that waited for a user event when its context was terminated.",
    f"{WAIT}/success",
    holds=_waited_for,
)
rules.trigger(
    f"{TERMINATE}/effect/10",
    PROFILE,
    "Checked on profiling queries of a command that waited for a user event when its context was terminated.",
    f"{PROFILE}/CL_PROFILING_INFO_NOT_AVAILABLE/1",
    holds=_cut_off,
)
for _number, _words, _kind, _functions in (
    (5, OF_EVENTS, Event, (QUERY,)),
    (8, "", Event, ("clSetUserEventStatus",)),
    (9, OF_EVENTS, Event, ("clRetainEvent", "clReleaseEvent")),
    (12, OF_CONTEXTS, Context, ("clGetContextInfo", "clRetainContext", "clReleaseContext")),
    (
        14,
        OF_MEMORY,
        MemoryObject,
        ("clGetMemObjectInfo", "clRetainMemObject", "clReleaseMemObject", "clSetMemObjectDestructorCallback"),
    ),
    (
        16,
        "Checked on releases of memory objects, events and command-queues of a terminated context: they succeed.",
        ContextObject,
        RELEASES[:3],
    ),
):
    for _function in _functions:
        rules.trigger(
            f"{TERMINATE}/effect/{_number}",
            _function,
            _words,
            f"{_function}/success",
            holds=_of_a_terminated_one(_kind),
            by_success=True,
        )
