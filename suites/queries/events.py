"""Events for queries: user events in each state, and events of every command type, with and without profiling."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

from clconform.suites.kit.commands import command_functions
from clconform.suites.kit.kit import Kit
from clconform.suites.kit.queues import PROFILING
from clconform.suites.queries.kinds import ObjectKind, ObjectKindRegistry

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.suites.queries.kinds import QuerySubject

INFO, PROFILING_INFO = "clGetEventInfo", "clGetEventProfilingInfo"
kinds = ObjectKindRegistry()


@kinds.declare("a user event", INFO, covers=("clGetEventInfo/CL_INVALID_VALUE/2",))
@kinds.declare("a user event", PROFILING_INFO, covers=("clGetEventProfilingInfo/CL_PROFILING_INFO_NOT_AVAILABLE/1",))
def user_event(kit: Kit) -> QuerySubject:
    return {"event": kit.user_event()}


@kinds.declare("a user event that is complete", INFO)
def complete_event(kit: Kit) -> QuerySubject:
    return {"event": kit.event()}


@kinds.declare("a user event that has failed", INFO)
def failed_event(kit: Kit) -> QuerySubject:
    return {"event": kit.event(-1)}


def _command_event(function: str, kit: Kit) -> QuerySubject:
    """Enqueue a command, wait for its completion, and return its event; the command has its own objects."""
    kit = kit.for_context(kit.context)
    event = kit.require_event(kit.call(function))
    kit.finish()
    return {"event": event}


def _profiled_event(function: str, kit: Kit) -> QuerySubject:
    timing = Kit(kit.cl, kit.constant(PROFILING))
    timing.context = kit.context
    event = timing.require_event(timing.call(function))
    timing.finish()
    return {"event": event}


@kinds.declare_family(PROFILING_INFO)
def profiled_commands() -> Iterator[ObjectKind]:
    for function in command_functions():
        yield ObjectKind(f"a command of {function}", functools.partial(_profiled_event, function))
    not_timed = ("clGetEventProfilingInfo/CL_PROFILING_INFO_NOT_AVAILABLE/1",)
    yield ObjectKind(
        "a command on a queue that times nothing", functools.partial(_command_event, "clEnqueueWriteBuffer"), not_timed
    )


@kinds.declare_family(INFO)
def unprofiled_commands() -> Iterator[ObjectKind]:
    for function in command_functions():
        yield ObjectKind(f"a command of {function}", functools.partial(_command_event, function))
