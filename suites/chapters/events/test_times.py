"""Availability and order of profiling timestamps, and implicit flushes (5.15, 5.16)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Items, OutputBuffer
from clconform.runner.pytest_plugin.aims import parametrize
from clconform.suites.cases import Cases
from clconform.suites.chapters.events.steps import copied
from clconform.suites.chapters.notifications.waiting import awaited, flush, on_event
from clconform.suites.kit.commands import commands
from clconform.suites.kit.events import NOT_BLOCKING
from clconform.suites.kit.kit import Kit
from clconform.suites.kit.memory import SIZE
from clconform.suites.kit.queues import PROFILING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import pytest

    from clconform.calls.values import Handle
    from clconform.runner.pytest_plugin.aims import Case
    from clconform.runner.session.session import Session
    from clconform.suites.kit.valid_calls import Arguments

NAME = "events.times"
INFO, NOT_THERE = "clGetEventProfilingInfo", "clGetEventProfilingInfo/CL_PROFILING_INFO_NOT_AVAILABLE/1"
TIMES = tuple(f"CL_PROFILING_COMMAND_{state}" for state in ("QUEUED", "SUBMIT", "START", "END", "COMPLETE"))
STORED = "OpenCL:profiling-operations-on-memory-objects-and-kernels/1"
A_FAILURE = -5
COPY, MARKER = "clEnqueueCopyBuffer", "clEnqueueMarkerWithWaitList"
FLUSH, READ = "clFlush", "clEnqueueReadBuffer"
START, END = TIMES[2:4]
LAUNCHES_LATER = "OpenCL:execution-model/17"
BEHIND, OUT_OF_ORDER, BY_A_MARKER = "behind one of another queue", "out of order", "behind a marker of another queue"
cases = Cases(Kit)


def asked(kit: Kit, event: Handle, names: Iterable[str] = TIMES) -> None:
    """Query profiling timestamps."""
    for name in names:
        kit.cl.query(INFO, event, name)


@cases.family
def before_and_after() -> Iterator[Case]:
    """Query a command's timestamps while it waits and after its completion, in both orders."""

    def steps(kit: Kit, function: str) -> None:
        kit.queue = kit.new_queue(properties=kit.value(PROFILING))
        gate = kit.gate()
        event = kit.event_of(kit.call(function, **gate.arguments))
        flush(kit.cl, kit.queue)
        asked(kit, event)
        gate.open()
        kit.finish()
        asked(kit, event)
        asked(kit, event, reversed(TIMES))

    for function in commands():
        if function != "clEnqueueMarker":  # it does not take a wait list
            effects = tuple(f"{name}/effect/1" for name in TIMES)
            yield cases.case(NOT_THERE, f"{function}, before its end", steps, function, others=(STORED, *effects))


@cases.of(NOT_THERE, "a command that can never run")
def of_none_that_ran(kit: Kit) -> None:
    """Query the timestamps of a command whose user event was set to an error."""
    kit.queue = kit.new_queue(properties=kit.value(PROFILING))
    gate = kit.gate()
    event = kit.event_of(kit.call(COPY, **gate.arguments))
    gate.open(A_FAILURE)
    kit.finish()
    asked(kit, event)


@cases.family
def along_lists() -> Iterator[Case]:
    """Query the start and end timestamps of two commands, where the second waits for the first."""

    def steps(kit: Kit, function: str, way: str) -> None:
        profiling = kit.value(PROFILING)
        own = kit.queue = kit.new_queue(properties=profiling | (kit.out_of_order_bits() if way == OUT_OF_ORDER else 0))
        first = middle = copied(kit)
        if way == BY_A_MARKER:
            middle = kit.event_of(kit.enqueue(MARKER, after=Items((first,)), event=OutputBuffer(1)))
        flush(kit.cl, own)
        kit.queue = own if way == OUT_OF_ORDER else kit.new_queue(properties=profiling)
        listed: Arguments = {"num_events_in_wait_list": 1, "event_wait_list": Items((middle,))}
        second = kit.event_of(kit.call(function, **NOT_BLOCKING, **listed))
        kit.finish(kit.queue)
        for event in (first, second, first):
            asked(kit, event, (START, END))

    functions = [(function, BEHIND) for function in commands() if function != "clEnqueueMarker"]
    for function, way in (*functions, (COPY, OUT_OF_ORDER), (COPY, BY_A_MARKER)):
        yield cases.case(LAUNCHES_LATER, f"{function}, {way}", steps, function, way, others=(START, END))


@cases.family
def flushed_by_another() -> Iterator[Case]:
    """Enqueue a command on an out-of-order queue, block on a later command, and check that the first one completes."""

    def steps(kit: Kit, way: str) -> None:
        kit.queue = kit.out_of_order()
        buffer = kit.filled(SIZE)
        event = kit.event_of(kit.call(COPY))
        on_event(kit.cl, event)
        if way == "clWaitForEvents":
            place: Arguments = {"buffer": buffer, "blocking_read": 0, "offset": 0, "size": SIZE, "ptr": kit.area()}
            other = kit.event_of(kit.enqueue("clEnqueueReadBuffer", event=OutputBuffer(1), **place))
            kit.cl.clWaitForEvents(1, Items((other,)))
        else:
            kit.read(buffer, 0, SIZE)
        awaited(kit.cl)

    for way, others in (
        ("clWaitForEvents", ()),
        ("clEnqueueReadBuffer", ("clFlush/effect/3", "clSetMemObjectDestructorCallback/effect/8")),
    ):
        yield cases.case("clFlush/effect/4", f"{way} for another command", steps, way, others=others)


@cases.family
def waited_for_by_another_queue() -> Iterator[Case]:
    """Enqueue and flush two commands on an out-of-order queue, and make another queue wait for both."""

    def steps(kit: Kit, way: str) -> None:
        own = kit.queue = kit.out_of_order()
        events = (copied(kit), copied(kit))
        if way == FLUSH:
            flush(kit.cl, own)
        elif way == READ:
            kit.read(kit.filled(SIZE), 0, SIZE)
        else:
            kit.cl.clWaitForEvents(1, Items((copied(kit),)))
        other = kit.new_queue()
        for event in events[::-1]:
            kit.enqueue(MARKER, queue=other, after=Items((event,)))
        kit.finish(other)

    for way, others in ((FLUSH, ("clFlush/effect/2",)), (READ, ("clFlush/effect/3",)), ("clWaitForEvents", ())):
        yield cases.case("clFlush/effect/4", f"{way}, then waits of another queue", steps, way, others=others)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Generate one test item per case."""
    parametrize(metafunc, cases)


def test_times(cl: Session, case: Case) -> None:
    case.act(cl)
