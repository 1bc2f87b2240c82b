"""Calls inside callbacks: a permitted call has the same effect inside a callback as outside."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from clconform.calls.values import ElementList, Handle, HostCallback, OutputBuffer
from clconform.oracles.chapters.notifications.pending_callbacks import PATIENCE_MS
from clconform.runner.pytest_plugin.covers import TableCase, TableTest
from clconform.suites.cases import CaseRegistry
from clconform.suites.chapters.notifications import callbacks
from clconform.suites.chapters.notifications.callbacks import (
    CALLBACK_NAME,
    flush,
    register_destructor_callback,
    set_user_event,
)
from clconform.suites.common.waiting import STATUS
from clconform.suites.helpers import constant_value, is_available, is_success, skip_unless
from clconform.suites.kit.kit import Kit
from clconform.suites.kit.memory import SIZE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.runner.session.host_threads import SessionThread
    from clconform.runner.session.session import Session
    from clconform.suites.kit.valid_calls import Arguments

NAME = "notifications.calls_in_callbacks"
SET_STATUS, SET_CALLBACK, INFO, PROFILING_INFO = (
    "clSetUserEventStatus",
    "clSetEventCallback",
    "clGetEventInfo",
    "clGetEventProfilingInfo",
)
CALLBACK_SUCCESS = "clSetEventCallback/success"
ERROR_STATUS = -5
NEXT = "next"
cases = CaseRegistry(Kit)
test_calls_in_callbacks_take_effect = TableTest(cases)


def get_callback_thread(kit: Kit, name: str = CALLBACK_NAME, number: int = 1) -> SessionThread:
    """Return the host thread that makes its next call inside the callback."""
    skip_unless(is_available(kit.cl, SET_CALLBACK), "requires OpenCL 1.1 (event callbacks)")
    kit.cl.host_in_callback(number, HostCallback(name))
    return kit.cl.host_thread(number)


def register_event_callback(cl: Session, event: Handle, name: str = CALLBACK_NAME) -> None:
    """Register a callback for the completion of an event; skip the case if the driver refuses it.

    The call inside the callback would otherwise stay in flight.
    """
    outcome = callbacks.register_event_callback(cl, event, name=name)
    skip_unless(is_success(outcome), f"the driver refuses {SET_CALLBACK}")


def await_callback(kit: Kit, thread: SessionThread, name: str = CALLBACK_NAME) -> list[Handle]:
    """Wait for a callback and for the call inside it, and return the events that the call created."""
    kit.cl.host_await(HostCallback(name), 1, PATIENCE_MS)
    outcome = thread.join()
    given = getattr(outcome, "outputs", {}).get("event")
    return [Handle(name) for name in given.values] if given is not None else []


def enqueue_copy(kit: Kit, target: Handle, *after: Handle, queue: Handle | None = None) -> Handle:
    """Enqueue a copy of new test bytes to a buffer, and return its event."""
    source = kit.create_filled_buffer(SIZE, seed=3)
    places: Arguments = {"src_buffer": source, "dst_buffer": target, "src_offset": 0, "dst_offset": 0, "size": SIZE}
    waits = ElementList(after) if after else None
    return kit.require_event(
        kit.enqueue("clEnqueueCopyBuffer", queue=queue, after=waits, event=OutputBuffer(1), **places)
    )


@cases.declare_family
def set_events() -> Iterator[TableCase]:
    """Set a user event inside the callback of another user event, while a command or a host thread waits for it."""

    def for_a_command(kit: Kit, status: int) -> None:
        first, second, target = kit.user_event(), kit.user_event(), kit.create_filled_buffer(SIZE)
        event = enqueue_copy(kit, target, second)
        flush(kit.cl, kit.queue)
        host_thread = get_callback_thread(kit)
        getattr(host_thread, SET_STATUS)(second, status)
        register_event_callback(kit.cl, first)
        set_user_event(kit.cl, first)
        await_callback(kit, host_thread)
        kit.cl.clWaitForEvents(1, ElementList((event,)))
        kit.cl.query(INFO, event, STATUS)
        if not status:
            kit.read(target, 0, SIZE)

    def for_a_thread(kit: Kit, status: int) -> None:
        first, second = kit.user_event(), kit.user_event()
        waiting = kit.cl.host_thread(2)
        waiting.clWaitForEvents(1, ElementList((second,)))
        host_thread = get_callback_thread(kit)
        getattr(host_thread, SET_STATUS)(second, status)
        register_event_callback(kit.cl, first)
        set_user_event(kit.cl, first)
        await_callback(kit, host_thread)
        waiting.join()

    for words, steps in (("a command waits for", for_a_command), ("a host thread waits for", for_a_thread)):
        for status in (0, ERROR_STATUS):
            told = "complete" if status == 0 else "an error"
            yield cases.create_case(
                "clSetUserEventStatus/success",
                f"an event that {words}, {told}",
                steps,
                status,
                others=(CALLBACK_SUCCESS,),
            )


@cases.declare("clSetUserEventStatus/success", "an event, from the callback of a command", CALLBACK_SUCCESS)
def set_in_command_callback(kit: Kit) -> None:
    """Set a user event inside a command's callback, while a command of another queue waits for the user event."""
    other, gate, targets = (
        kit.new_queue(),
        kit.user_event(),
        [kit.create_filled_buffer(SIZE, seed=seed) for seed in range(2)],
    )
    last = enqueue_copy(kit, targets[1], gate, queue=other)
    flush(kit.cl, other)
    event = enqueue_copy(kit, targets[0])
    host_thread = get_callback_thread(kit)
    getattr(host_thread, SET_STATUS)(gate, 0)
    register_event_callback(kit.cl, event)
    flush(kit.cl, kit.queue)
    await_callback(kit, host_thread)
    kit.cl.clWaitForEvents(1, ElementList((last,)))
    kit.read(targets[1], 0, SIZE)


@cases.declare(
    "clSetUserEventStatus/success",
    "several events, each from the callback of the previous one",
    CALLBACK_SUCCESS,
)
def set_chain_of_events(kit: Kit) -> None:
    """Set a chain of user events, each inside the callback of the previous one; a command waits for the last event."""
    events, target = [kit.user_event() for _ in range(4)], kit.create_filled_buffer(SIZE)
    event = enqueue_copy(kit, target, events[-1])
    flush(kit.cl, kit.queue)
    host_threads = []
    for number, (one_event, following) in enumerate(pairwise(events), start=1):
        name = f"{NEXT}{number}"
        host_thread = get_callback_thread(kit, name, number)
        getattr(host_thread, SET_STATUS)(following, 0)
        register_event_callback(kit.cl, one_event, name=name)
        host_threads.append((host_thread, name))
    set_user_event(kit.cl, events[0])
    for host_thread, name in host_threads:
        await_callback(kit, host_thread, name)
    kit.cl.clWaitForEvents(1, ElementList((event,)))
    kit.read(target, 0, SIZE)


@cases.declare("clSetUserEventStatus/success", "an event, from the callback of a buffer that is destroyed")
def set_in_destructor_callback(kit: Kit) -> None:
    """Set a user event inside a destructor callback, and wait for it."""
    gate, doomed = kit.user_event(), kit.buffer()
    host_thread = get_callback_thread(kit)
    getattr(host_thread, SET_STATUS)(gate, 0)
    register_destructor_callback(kit.cl, "clSetMemObjectDestructorCallback", doomed)
    kit.cl.clReleaseMemObject(doomed)
    await_callback(kit, host_thread)
    kit.cl.clWaitForEvents(1, ElementList((gate,)))
    kit.cl.query(INFO, gate, STATUS)


@cases.declare_family
def enqueue_commands() -> Iterator[TableCase]:
    """Enqueue a non-blocking command inside a callback, then flush its queue outside the callback and wait."""

    def steps(kit: Kit, *, in_order: bool) -> None:
        queue = kit.new_queue() if in_order else kit.out_of_order_queue()
        source, target = kit.create_filled_buffer(SIZE, seed=3), kit.create_filled_buffer(SIZE)
        event = enqueue_copy(kit, kit.buffer())
        host_thread = get_callback_thread(kit)
        host_thread.clEnqueueCopyBuffer(queue, source, target, 0, 0, SIZE, 0, None, OutputBuffer(1))
        register_event_callback(kit.cl, event)
        flush(kit.cl, kit.queue)
        for last in await_callback(kit, host_thread):
            flush(kit.cl, queue)
            kit.cl.clWaitForEvents(1, ElementList((last,)))
            kit.cl.query(INFO, last, STATUS)
        kit.read(target, 0, SIZE, queue)

    for words, in_order in (("in order", True), ("out of order", False)):
        yield cases.create_case(
            "clEnqueueCopyBuffer/success",
            f"from inside a callback, {words}",
            lambda kit, in_order=in_order: steps(kit, in_order=in_order),
            others=(CALLBACK_SUCCESS,),
        )


@cases.declare("clEnqueueMarkerWithWaitList/success", "from inside a callback", CALLBACK_SUCCESS)
def enqueue_marker(kit: Kit) -> None:
    """Enqueue a marker inside a callback, and wait for it."""
    skip_unless(is_available(kit.cl, "clEnqueueMarkerWithWaitList"), "requires OpenCL 1.2 (markers with wait lists)")
    queue, first = kit.new_queue(), kit.user_event()
    host_thread = get_callback_thread(kit)
    host_thread.clEnqueueMarkerWithWaitList(queue, 0, None, OutputBuffer(1))
    register_event_callback(kit.cl, first)
    set_user_event(kit.cl, first)
    for last in await_callback(kit, host_thread):
        flush(kit.cl, queue)
        kit.cl.clWaitForEvents(1, ElementList((last,)))


@cases.declare("clFlush/success", "from inside a callback", CALLBACK_SUCCESS, "clFlush/effect/1")
def flush_another_queue(kit: Kit) -> None:
    """Flush another queue inside a callback, and check that the command of the flushed queue completes."""
    other, target, first = kit.new_queue(), kit.create_filled_buffer(SIZE), kit.user_event()
    event = enqueue_copy(kit, target, queue=other)
    register_event_callback(kit.cl, event, name=NEXT)
    host_thread = get_callback_thread(kit)
    host_thread.clFlush(other)
    register_event_callback(kit.cl, first)
    set_user_event(kit.cl, first)
    await_callback(kit, host_thread)
    kit.cl.host_await(HostCallback(NEXT), 1, PATIENCE_MS)


@cases.declare(CALLBACK_SUCCESS, "registered from inside a callback")
def register_callback(kit: Kit) -> None:
    """Register a callback for a second user event inside the callback of the first event, then set the second event."""
    first, second = kit.user_event(), kit.user_event()
    host_thread = get_callback_thread(kit)
    getattr(host_thread, SET_CALLBACK)(second, constant_value(kit.cl, "CL_COMPLETE"), HostCallback(NEXT), 5)
    register_event_callback(kit.cl, first)
    set_user_event(kit.cl, first)
    await_callback(kit, host_thread)
    set_user_event(kit.cl, second)
    kit.cl.host_await(HostCallback(NEXT), 1, PATIENCE_MS)


@cases.declare_family
def query_own_event() -> Iterator[TableCase]:
    """Query the status of an event inside the event's callback, for user events and a command."""

    def of_a_user_event(kit: Kit, status: int) -> None:
        event = kit.user_event()
        host_thread = get_callback_thread(kit)
        getattr(host_thread, INFO)(event, constant_value(kit.cl, STATUS), 4, OutputBuffer(4), None)
        register_event_callback(kit.cl, event)
        set_user_event(kit.cl, event, status)
        await_callback(kit, host_thread)

    def of_a_command(kit: Kit) -> None:
        event = enqueue_copy(kit, kit.buffer())
        host_thread = get_callback_thread(kit)
        getattr(host_thread, INFO)(event, constant_value(kit.cl, STATUS), 4, OutputBuffer(4), None)
        register_event_callback(kit.cl, event)
        flush(kit.cl, kit.queue)
        await_callback(kit, host_thread)

    yield cases.create_case(
        STATUS, "from inside the callback, a user event", of_a_user_event, 0, others=(CALLBACK_SUCCESS,)
    )
    yield cases.create_case(
        STATUS, "from inside the callback, an error", of_a_user_event, ERROR_STATUS, others=(CALLBACK_SUCCESS,)
    )
    yield cases.create_case(STATUS, "from inside the callback, a command", of_a_command, others=(CALLBACK_SUCCESS,))


@cases.declare("CL_PROFILING_COMMAND_END", "from inside the callback of the command", CALLBACK_SUCCESS)
def query_timestamp(kit: Kit) -> None:
    """Query the end timestamp of a command inside its completion callback, where it must be available."""
    queue = kit.new_queue(properties=kit.constant("CL_QUEUE_PROFILING_ENABLE"))
    event = enqueue_copy(kit, kit.buffer(), queue=queue)
    host_thread = get_callback_thread(kit)
    getattr(host_thread, PROFILING_INFO)(
        event, constant_value(kit.cl, "CL_PROFILING_COMMAND_END"), 8, OutputBuffer(8), None
    )
    register_event_callback(kit.cl, event)
    flush(kit.cl, queue)
    await_callback(kit, host_thread)


@cases.declare("clReleaseEvent/success", "from inside its own callback", CALLBACK_SUCCESS)
def release_own_event(kit: Kit) -> None:
    """Release a command's event inside its callback, and finish the queue."""
    event = enqueue_copy(kit, kit.buffer())
    host_thread = get_callback_thread(kit)
    host_thread.clReleaseEvent(event)
    register_event_callback(kit.cl, event)
    flush(kit.cl, kit.queue)
    await_callback(kit, host_thread)
    kit.finish()


@cases.declare("clRetainEvent/success", "from inside a callback", CALLBACK_SUCCESS)
def retain_another_event(kit: Kit) -> None:
    """Retain another event inside a callback, and query its reference count."""
    first, second = kit.user_event(), kit.user_event()
    host_thread = get_callback_thread(kit)
    host_thread.clRetainEvent(second)
    register_event_callback(kit.cl, first)
    set_user_event(kit.cl, first)
    await_callback(kit, host_thread)
    kit.cl.query(INFO, second, "CL_EVENT_REFERENCE_COUNT")
