"""Events to ask: of the user in each state, and of a command of each type, timed and not."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

from clconform.calls.values import Handle, Room
from clconform.runner.session.session import made
from clconform.suites.queries.commands import COMMANDS, Bench
from clconform.suites.queries.contexts import About, a_context
from clconform.suites.queries.kinds import Kinds
from clconform.suites.steps import needs, one, promised, value

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.runner.session.session import Session
    from clconform.suites.queries.kinds import Maker

INFO, PROFILING = "clGetEventInfo", "clGetEventProfilingInfo"
kinds = Kinds()


def a_user_event(cl: Session) -> Handle:
    """Make a user event."""
    needs(promised(cl, "clCreateUserEvent"), "user events come with 1.1")
    return one(cl.clCreateUserEvent(a_context(cl), Room(1)))


@kinds.of("a user event", INFO, PROFILING)
def user_event(cl: Session) -> About:
    return {"event": a_user_event(cl)}


@kinds.of("a user event that is complete", INFO)
def completed(cl: Session) -> About:
    event = a_user_event(cl)
    cl.clSetUserEventStatus(event, value(cl, "CL_COMPLETE"))
    return {"event": event}


@kinds.of("a user event that has failed", INFO)
def failed(cl: Session) -> About:
    event = a_user_event(cl)
    cl.clSetUserEventStatus(event, -1)
    return {"event": event}


def event_of(cl: Session, function: str, properties: int) -> About:
    """Enqueue a command, wait until it is over, and return its event."""
    bench = Bench(cl, properties)
    events = made(COMMANDS[function](bench), "event")
    needs(events, f"the driver gives no event of {function}")
    cl.clFinish(bench.queue)
    return {"event": events[0]}


def _timed(function: str, cl: Session) -> About:
    return event_of(cl, function, value(cl, "CL_QUEUE_PROFILING_ENABLE"))


def _told(function: str, cl: Session) -> About:
    return event_of(cl, function, 0)


@kinds.family(PROFILING)
def timed_commands() -> Iterator[tuple[str, Maker]]:
    for function in COMMANDS:
        yield f"a command of {function}", functools.partial(_timed, function)
    yield "a command on a queue that times nothing", functools.partial(_told, "clEnqueueWriteBuffer")


@kinds.family(INFO)
def commands() -> Iterator[tuple[str, Maker]]:
    for function in COMMANDS:
        yield f"a command of {function}", functools.partial(_told, function)
