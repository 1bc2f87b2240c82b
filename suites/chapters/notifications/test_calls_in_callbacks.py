"""Calls made inside callbacks: the permitted calls have the same effect as outside."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from clconform.calls.values import Callback, Handle, Items, OutputBuffer
from clconform.oracles.chapters.notifications.notices import PATIENCE_MS
from clconform.runner.pytest_plugin.aims import Case, parametrize
from clconform.suites.cases import Cases
from clconform.suites.chapters.notifications.waiting import TOLD, flush, on_end, on_event, set_status
from clconform.suites.kit.kit import Kit
from clconform.suites.kit.memory import SIZE
from clconform.suites.recurring.waiting import STATUS
from clconform.suites.steps import needs, promised, value

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pytest

    from clconform.runner.session.lanes import Lane
    from clconform.runner.session.session import Session
    from clconform.suites.kit.valid_calls import Arguments

NAME = "notifications.calls_in_callbacks"
SETS, REGISTERS, INFO, TIMES = "clSetUserEventStatus", "clSetEventCallback", "clGetEventInfo", "clGetEventProfilingInfo"
CALLED = f"{REGISTERS}/success"
A_FAILURE = -5
NEXT = "next"
cases = Cases(Kit)


def inside(kit: Kit, name: str = TOLD, number: int = 1) -> Lane:
    """Return the host thread whose next call is made inside a callback."""
    needs(promised(kit.cl, REGISTERS), "requires OpenCL 1.1 (event callbacks)")
    kit.cl.host_in_callback(number, Callback(name))
    return kit.cl.lane(number)


def ended(kit: Kit, lane: Lane, name: str = TOLD) -> list[Handle]:
    """Wait for a callback and the call inside it, and return the events that the call created."""
    kit.cl.host_await(Callback(name), 1, PATIENCE_MS)
    outcome = lane.join()
    given = getattr(outcome, "outputs", {}).get("event")
    return [Handle(name) for name in given.values] if given is not None else []


def copied(kit: Kit, target: Handle, *after: Handle, queue: Handle | None = None) -> Handle:
    """Enqueue a copy of other bytes to a buffer, and return its event."""
    source = kit.filled(SIZE, seed=3)
    places: Arguments = {"src_buffer": source, "dst_buffer": target, "src_offset": 0, "dst_offset": 0, "size": SIZE}
    waits = Items(after) if after else None
    return kit.event_of(kit.enqueue("clEnqueueCopyBuffer", queue=queue, after=waits, event=OutputBuffer(1), **places))


@cases.family
def sets_an_event() -> Iterator[Case]:
    """Set a user event inside the callback of another one, while a command or a host thread waits for it."""

    def for_a_command(kit: Kit, status: int) -> None:
        first, second, target = kit.user_event(), kit.user_event(), kit.filled(SIZE)
        event = copied(kit, target, second)
        flush(kit.cl, kit.queue)
        lane = inside(kit)
        getattr(lane, SETS)(second, status)
        on_event(kit.cl, first)
        set_status(kit.cl, first)
        ended(kit, lane)
        kit.cl.clWaitForEvents(1, Items((event,)))
        kit.cl.query(INFO, event, STATUS)
        if not status:
            kit.read(target, 0, SIZE)

    def for_a_thread(kit: Kit, status: int) -> None:
        first, second = kit.user_event(), kit.user_event()
        waiting = kit.cl.lane(2)
        waiting.clWaitForEvents(1, Items((second,)))
        lane = inside(kit)
        getattr(lane, SETS)(second, status)
        on_event(kit.cl, first)
        set_status(kit.cl, first)
        ended(kit, lane)
        waiting.join()

    for words, steps in (("a command waits for", for_a_command), ("a host thread waits for", for_a_thread)):
        for status in (0, A_FAILURE):
            told = "complete" if status == 0 else "an error"
            yield cases.case(f"{SETS}/success", f"an event that {words}, {told}", steps, status, others=(CALLED,))


@cases.of(f"{SETS}/success", "an event, from the callback of a command", CALLED)
def set_at_the_end_of_a_command(kit: Kit) -> None:
    """Set a user event in a command's callback, while a command of another queue waits for it."""
    other, gate, targets = kit.new_queue(), kit.user_event(), [kit.filled(SIZE, seed=seed) for seed in range(2)]
    last = copied(kit, targets[1], gate, queue=other)
    flush(kit.cl, other)
    event = copied(kit, targets[0])
    lane = inside(kit)
    getattr(lane, SETS)(gate, 0)
    on_event(kit.cl, event)
    flush(kit.cl, kit.queue)
    ended(kit, lane)
    kit.cl.clWaitForEvents(1, Items((last,)))
    kit.read(targets[1], 0, SIZE)


@cases.of(f"{SETS}/success", "one event after another, each from the callback of the one before", CALLED)
def chain(kit: Kit) -> None:
    """Set a chain of user events, each inside the callback of the previous one, while a command waits for the last."""
    events, target = [kit.user_event() for _ in range(4)], kit.filled(SIZE)
    event = copied(kit, target, events[-1])
    flush(kit.cl, kit.queue)
    lanes = []
    for number, (one_event, following) in enumerate(pairwise(events), start=1):
        name = f"{NEXT}{number}"
        lane = inside(kit, name, number)
        getattr(lane, SETS)(following, 0)
        on_event(kit.cl, one_event, name=name)
        lanes.append((lane, name))
    set_status(kit.cl, events[0])
    for lane, name in lanes:
        ended(kit, lane, name)
    kit.cl.clWaitForEvents(1, Items((event,)))
    kit.read(target, 0, SIZE)


@cases.of(f"{SETS}/success", "an event, from the callback of a buffer that is destroyed")
def set_at_the_end_of_a_buffer(kit: Kit) -> None:
    """Set a user event inside a destructor callback, and wait for it."""
    gate, doomed = kit.user_event(), kit.buffer()
    lane = inside(kit)
    getattr(lane, SETS)(gate, 0)
    on_end(kit.cl, "clSetMemObjectDestructorCallback", doomed)
    kit.cl.clReleaseMemObject(doomed)
    ended(kit, lane)
    kit.cl.clWaitForEvents(1, Items((gate,)))
    kit.cl.query(INFO, gate, STATUS)


@cases.family
def enqueues() -> Iterator[Case]:
    """Enqueue a non-blocking command inside a callback, then flush its queue outside and wait."""

    def steps(kit: Kit, *, in_order: bool) -> None:
        queue = kit.new_queue() if in_order else kit.out_of_order()
        source, target = kit.filled(SIZE, seed=3), kit.filled(SIZE)
        event = copied(kit, kit.buffer())
        lane = inside(kit)
        lane.clEnqueueCopyBuffer(queue, source, target, 0, 0, SIZE, 0, None, OutputBuffer(1))
        on_event(kit.cl, event)
        flush(kit.cl, kit.queue)
        for last in ended(kit, lane):
            flush(kit.cl, queue)
            kit.cl.clWaitForEvents(1, Items((last,)))
            kit.cl.query(INFO, last, STATUS)
        kit.read(target, 0, SIZE, queue)

    for words, in_order in (("in order", True), ("out of order", False)):
        yield cases.case(
            "clEnqueueCopyBuffer/success",
            f"from inside a callback, {words}",
            lambda kit, in_order=in_order: steps(kit, in_order=in_order),
            others=(CALLED,),
        )


@cases.of("clEnqueueMarkerWithWaitList/success", "from inside a callback", CALLED)
def marks(kit: Kit) -> None:
    """Enqueue a marker inside a callback, and wait for it."""
    needs(promised(kit.cl, "clEnqueueMarkerWithWaitList"), "requires OpenCL 1.2 (markers with wait lists)")
    queue, first = kit.new_queue(), kit.user_event()
    lane = inside(kit)
    lane.clEnqueueMarkerWithWaitList(queue, 0, None, OutputBuffer(1))
    on_event(kit.cl, first)
    set_status(kit.cl, first)
    for last in ended(kit, lane):
        flush(kit.cl, queue)
        kit.cl.clWaitForEvents(1, Items((last,)))


@cases.of("clFlush/success", "from inside a callback", CALLED, "clFlush/effect/1")
def flushes(kit: Kit) -> None:
    """Flush another queue inside a callback, and check that its command completes."""
    other, target, first = kit.new_queue(), kit.filled(SIZE), kit.user_event()
    event = copied(kit, target, queue=other)
    on_event(kit.cl, event, name=NEXT)
    lane = inside(kit)
    lane.clFlush(other)
    on_event(kit.cl, first)
    set_status(kit.cl, first)
    ended(kit, lane)
    kit.cl.host_await(Callback(NEXT), 1, PATIENCE_MS)


@cases.of(CALLED, "registered from inside a callback")
def registers(kit: Kit) -> None:
    """Register a callback for a user event inside the callback of another one, then set that event."""
    first, second = kit.user_event(), kit.user_event()
    lane = inside(kit)
    getattr(lane, REGISTERS)(second, value(kit.cl, "CL_COMPLETE"), Callback(NEXT), 5)
    on_event(kit.cl, first)
    set_status(kit.cl, first)
    ended(kit, lane)
    set_status(kit.cl, second)
    kit.cl.host_await(Callback(NEXT), 1, PATIENCE_MS)


@cases.family
def asks_for_its_own_event() -> Iterator[Case]:
    """Query the status of an event inside its own callback: it is complete or an error."""

    def of_a_user_event(kit: Kit, status: int) -> None:
        event = kit.user_event()
        lane = inside(kit)
        getattr(lane, INFO)(event, value(kit.cl, STATUS), 4, OutputBuffer(4), None)
        on_event(kit.cl, event)
        set_status(kit.cl, event, status)
        ended(kit, lane)

    def of_a_command(kit: Kit) -> None:
        event = copied(kit, kit.buffer())
        lane = inside(kit)
        getattr(lane, INFO)(event, value(kit.cl, STATUS), 4, OutputBuffer(4), None)
        on_event(kit.cl, event)
        flush(kit.cl, kit.queue)
        ended(kit, lane)

    yield cases.case(STATUS, "from inside the callback, a user event", of_a_user_event, 0, others=(CALLED,))
    yield cases.case(STATUS, "from inside the callback, an error", of_a_user_event, A_FAILURE, others=(CALLED,))
    yield cases.case(STATUS, "from inside the callback, a command", of_a_command, others=(CALLED,))


@cases.of("CL_PROFILING_COMMAND_END", "from inside the callback of the command", CALLED)
def asks_for_times(kit: Kit) -> None:
    """Query the end timestamp of a command inside its completion callback, where it is available."""
    queue = kit.new_queue(properties=kit.value("CL_QUEUE_PROFILING_ENABLE"))
    event = copied(kit, kit.buffer(), queue=queue)
    lane = inside(kit)
    getattr(lane, TIMES)(event, value(kit.cl, "CL_PROFILING_COMMAND_END"), 8, OutputBuffer(8), None)
    on_event(kit.cl, event)
    flush(kit.cl, queue)
    ended(kit, lane)


@cases.of("clReleaseEvent/success", "from inside its own callback", CALLED)
def releases(kit: Kit) -> None:
    """Release a command's event inside its callback, and finish the queue."""
    event = copied(kit, kit.buffer())
    lane = inside(kit)
    lane.clReleaseEvent(event)
    on_event(kit.cl, event)
    flush(kit.cl, kit.queue)
    ended(kit, lane)
    kit.finish()


@cases.of("clRetainEvent/success", "from inside a callback", CALLED)
def retains(kit: Kit) -> None:
    """Retain another event inside a callback, and query its reference count."""
    first, second = kit.user_event(), kit.user_event()
    lane = inside(kit)
    lane.clRetainEvent(second)
    on_event(kit.cl, first)
    set_status(kit.cl, first)
    ended(kit, lane)
    kit.cl.query(INFO, second, "CL_EVENT_REFERENCE_COUNT")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Generate one test item per case."""
    parametrize(metafunc, cases)


def test_calls_in_callbacks(cl: Session, case: Case) -> None:
    case.act(cl)
