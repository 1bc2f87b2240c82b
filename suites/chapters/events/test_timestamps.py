"""Availability and order of profiling timestamps, and implicit flushes (5.15, 5.16)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import ElementList, OutputBuffer
from clconform.runner.pytest_plugin.covers import TableTest
from clconform.suites.cases import CaseRegistry
from clconform.suites.chapters.events.steps import enqueue_copy
from clconform.suites.chapters.notifications.callbacks import await_callback, flush, register_event_callback
from clconform.suites.kit.commands import command_functions
from clconform.suites.kit.events import NON_BLOCKING
from clconform.suites.kit.kit import Kit
from clconform.suites.kit.memory import SIZE
from clconform.suites.kit.queues import PROFILING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from clconform.calls.values import Handle
    from clconform.runner.pytest_plugin.covers import TableCase
    from clconform.suites.kit.valid_calls import Arguments

NAME = "events.timestamps"
INFO, NOT_AVAILABLE = "clGetEventProfilingInfo", "clGetEventProfilingInfo/CL_PROFILING_INFO_NOT_AVAILABLE/1"
TIMESTAMPS = tuple(f"CL_PROFILING_COMMAND_{state}" for state in ("QUEUED", "SUBMIT", "START", "END", "COMPLETE"))
STORED = "OpenCL:profiling-operations-on-memory-objects-and-kernels/1"
ERROR_STATUS = -5
COPY, MARKER = "clEnqueueCopyBuffer", "clEnqueueMarkerWithWaitList"
FLUSH, READ = "clFlush", "clEnqueueReadBuffer"
START, END = TIMESTAMPS[2:4]
STARTS_AFTER_DEPENDENCIES = "OpenCL:execution-model/17"
AFTER_ANOTHER_QUEUE, OUT_OF_ORDER, BY_A_MARKER = (
    "after a command of another queue",
    "out of order",
    "after a marker of another queue",
)
cases = CaseRegistry(Kit)
test_timestamps_follow_completion_and_order = TableTest(cases)


def query_timestamps(kit: Kit, event: Handle, names: Iterable[str] = TIMESTAMPS) -> None:
    """Query profiling timestamps."""
    for name in names:
        kit.cl.query(INFO, event, name)


@cases.declare_family
def timestamps_before_and_after_completion() -> Iterator[TableCase]:
    """Query the timestamps of a command before its user event is set, and after its completion, in two orders."""

    def steps(kit: Kit, function: str) -> None:
        kit.queue = kit.new_queue(properties=kit.constant(PROFILING))
        gate = kit.gate()
        event = kit.require_event(kit.call(function, **gate.arguments))
        flush(kit.cl, kit.queue)
        query_timestamps(kit, event)
        gate.open()
        kit.finish()
        query_timestamps(kit, event)
        query_timestamps(kit, event, reversed(TIMESTAMPS))

    for function in command_functions():
        if function != "clEnqueueMarker":  # clEnqueueMarker does not take a wait list
            effects = tuple(f"{name}/effect/1" for name in TIMESTAMPS)
            yield cases.create_case(
                NOT_AVAILABLE, f"{function}, before its end", steps, function, others=(STORED, *effects)
            )


@cases.declare(NOT_AVAILABLE, "a command that can never run")
def query_failed_command(kit: Kit) -> None:
    """Query the timestamps of a command that failed because its user event was set to an error."""
    kit.queue = kit.new_queue(properties=kit.constant(PROFILING))
    gate = kit.gate()
    event = kit.require_event(kit.call(COPY, **gate.arguments))
    gate.open(ERROR_STATUS)
    kit.finish()
    query_timestamps(kit, event)


@cases.declare_family
def timestamps_along_wait_lists() -> Iterator[TableCase]:
    """Query the start and end timestamps of two commands, where the second waits for the first."""

    def steps(kit: Kit, function: str, way: str) -> None:
        profiling = kit.constant(PROFILING)
        own = kit.queue = kit.new_queue(properties=profiling | (kit.out_of_order_bits() if way == OUT_OF_ORDER else 0))
        first = middle = enqueue_copy(kit)
        if way == BY_A_MARKER:
            middle = kit.require_event(kit.enqueue(MARKER, after=ElementList((first,)), event=OutputBuffer(1)))
        flush(kit.cl, own)
        kit.queue = own if way == OUT_OF_ORDER else kit.new_queue(properties=profiling)
        listed: Arguments = {"num_events_in_wait_list": 1, "event_wait_list": ElementList((middle,))}
        second = kit.require_event(kit.call(function, **NON_BLOCKING, **listed))
        kit.finish(kit.queue)
        for event in (first, second, first):
            query_timestamps(kit, event, (START, END))

    functions = [(function, AFTER_ANOTHER_QUEUE) for function in command_functions() if function != "clEnqueueMarker"]
    for function, way in (*functions, (COPY, OUT_OF_ORDER), (COPY, BY_A_MARKER)):
        yield cases.create_case(
            STARTS_AFTER_DEPENDENCIES, f"{function}, {way}", steps, function, way, others=(START, END)
        )


@cases.declare_family
def implicit_flushes() -> Iterator[TableCase]:
    """Enqueue a command on an out-of-order queue, block on a later command, and wait for the first one's callback."""

    def steps(kit: Kit, way: str) -> None:
        kit.queue = kit.out_of_order_queue()
        buffer = kit.create_filled_buffer(SIZE)
        event = kit.require_event(kit.call(COPY))
        register_event_callback(kit.cl, event)
        if way == "clWaitForEvents":
            place: Arguments = {"buffer": buffer, "blocking_read": 0, "offset": 0, "size": SIZE, "ptr": kit.host_area()}
            other = kit.require_event(kit.enqueue("clEnqueueReadBuffer", event=OutputBuffer(1), **place))
            kit.cl.clWaitForEvents(1, ElementList((other,)))
        else:
            kit.read(buffer, 0, SIZE)
        await_callback(kit.cl)

    for way, others in (
        ("clWaitForEvents", ()),
        ("clEnqueueReadBuffer", ("clFlush/effect/3", "clSetMemObjectDestructorCallback/effect/8")),
    ):
        yield cases.create_case("clFlush/effect/4", f"{way} for another command", steps, way, others=others)


@cases.declare_family
def waits_of_another_queue() -> Iterator[TableCase]:
    """Make another queue wait for two commands of an out-of-order queue that are flushed explicitly or implicitly."""

    def steps(kit: Kit, way: str) -> None:
        own = kit.queue = kit.out_of_order_queue()
        events = (enqueue_copy(kit), enqueue_copy(kit))
        if way == FLUSH:
            flush(kit.cl, own)
        elif way == READ:
            kit.read(kit.create_filled_buffer(SIZE), 0, SIZE)
        else:
            kit.cl.clWaitForEvents(1, ElementList((enqueue_copy(kit),)))
        other = kit.new_queue()
        for event in events[::-1]:
            kit.enqueue(MARKER, queue=other, after=ElementList((event,)))
        kit.finish(other)

    for way, others in ((FLUSH, ("clFlush/effect/2",)), (READ, ("clFlush/effect/3",)), ("clWaitForEvents", ())):
        yield cases.create_case("clFlush/effect/4", f"{way}, then waits of another queue", steps, way, others=others)
