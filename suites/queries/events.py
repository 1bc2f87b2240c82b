"""Events to query: user events in each state, events of every command type, with and without profiling."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

from clconform.suites.kit.commands import commands
from clconform.suites.kit.kit import Kit
from clconform.suites.kit.queues import PROFILING
from clconform.suites.queries.kinds import Kind, Kinds

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.suites.queries.kinds import About

INFO, TIMES = "clGetEventInfo", "clGetEventProfilingInfo"
kinds = Kinds()


@kinds.of("a user event", INFO, aims=("clGetEventInfo/CL_INVALID_VALUE/2",))
@kinds.of("a user event", TIMES, aims=("clGetEventProfilingInfo/CL_PROFILING_INFO_NOT_AVAILABLE/1",))
def user_event(kit: Kit) -> About:
    return {"event": kit.user_event()}


@kinds.of("a user event that is complete", INFO)
def completed(kit: Kit) -> About:
    return {"event": kit.event()}


@kinds.of("a user event that has failed", INFO)
def failed(kit: Kit) -> About:
    return {"event": kit.event(-1)}


def _told(function: str, kit: Kit) -> About:
    """Enqueue a command with its own objects, wait for its completion, and return its event."""
    kit = kit.within(kit.context)
    event = kit.event_of(kit.call(function))
    kit.finish()
    return {"event": event}


def _timed(function: str, kit: Kit) -> About:
    timing = Kit(kit.cl, kit.value(PROFILING))
    timing.context = kit.context
    event = timing.event_of(timing.call(function))
    timing.finish()
    return {"event": event}


@kinds.family(TIMES)
def timed_commands() -> Iterator[Kind]:
    for function in commands():
        yield Kind(f"a command of {function}", functools.partial(_timed, function))
    not_timed = ("clGetEventProfilingInfo/CL_PROFILING_INFO_NOT_AVAILABLE/1",)
    yield Kind("a command on a queue that times nothing", functools.partial(_told, "clEnqueueWriteBuffer"), not_timed)


@kinds.family(INFO)
def untimed_commands() -> Iterator[Kind]:
    for function in commands():
        yield Kind(f"a command of {function}", functools.partial(_told, function))
