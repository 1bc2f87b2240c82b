"""Events of the user that commands wait for: none of them runs before, and all of them after, or end in an error."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Data, Handle, Items, Room
from clconform.runner.pytest_plugin.aims import Case, act, parametrize
from clconform.runner.session.session import made
from clconform.suites.chapters.notifications.waiting import a_moment, awaited, flush, on_event, set_status, status_of
from clconform.suites.queries.commands import COMMANDS, Bench
from clconform.suites.queries.memory import SIZE
from clconform.suites.queries.queues import a_queue
from clconform.suites.steps import needs, one, promised, value

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pytest

    from clconform.calls.values import Value
    from clconform.runner.session.session import Session

NAME = "notifications.gates"
STATUS = "CL_EVENT_COMMAND_EXECUTION_STATUS"
TOLD_OF = "clSetEventCallback/success"
A_FAILURE = -5
WITH_A_LIST = [function for function in COMMANDS if function != "clEnqueueMarker"]
TO_FAIL = ("clEnqueueNDRangeKernel", "clEnqueueCopyBuffer", "clEnqueueReadBuffer", "clEnqueueMarkerWithWaitList")
CONTENT = Data(bytes(range(256)) * (SIZE // 256))


def gated(cl: Session, function: str) -> tuple[Bench, Handle]:
    """Enqueue a command that waits for an event of the user; return its event too."""
    bench = Bench(cl, gated=True)
    events = made(COMMANDS[function](bench), "event")
    needs(events, f"the driver gives no event of {function}")
    return bench, events[0]


def open_gate(bench: Bench, status: int = 0) -> None:
    """Set the event that the bench's commands wait for."""
    if bench.gate is not None:
        set_status(bench.cl, bench.gate, status)


def held_and_let_go(cl: Session, function: str, end: int) -> None:
    """See that a command does not run, flushed or not, until its event is set, and then ends."""
    bench, event = gated(cl, function)
    on_event(cl, event, "CL_RUNNING", 1, "running")
    on_event(cl, event, "CL_COMPLETE", 0, "complete")
    status_of(cl, event)
    flush(cl, bench.queue)
    a_moment(cl, name="complete")
    status_of(cl, event)
    open_gate(bench, end)
    cl.clFinish(bench.queue)
    awaited(cl, name="complete")
    (a_moment if end else awaited)(cl, 1, "running")
    status_of(cl, event)


def the_next_one_too(cl: Session) -> None:
    """See that in a queue in order what comes later waits as well."""
    bench, first = gated(cl, "clEnqueueCopyBuffer")
    bench.gated = False
    second = one(
        cl.clEnqueueCopyBuffer(bench.queue, bench.buffer(), bench.buffer(), 0, 0, SIZE, 0, None, Room(1)), "event"
    )
    on_event(cl, second)
    flush(cl, bench.queue)
    a_moment(cl)
    for event in (first, second):
        status_of(cl, event)
    open_gate(bench)
    cl.clFinish(bench.queue)
    awaited(cl)


def one_of_two(cl: Session) -> None:
    """Set only one of the two events that a command waits for."""
    bench, first = gated(cl, "clEnqueueCopyBuffer")
    other = one(cl.clCreateUserEvent(bench.context, Room(1)))
    waits = Items((other, first))
    event = one(
        cl.clEnqueueCopyBuffer(bench.queue, bench.buffer(), bench.buffer(), 0, 0, SIZE, 2, waits, Room(1)), "event"
    )
    on_event(cl, event)
    open_gate(bench)
    flush(cl, bench.queue)
    a_moment(cl)
    status_of(cl, event)
    set_status(cl, other)
    cl.clFinish(bench.queue)
    awaited(cl)


def on_another_queue(cl: Session) -> None:
    """Let a command of one queue wait for one of another, which waits for the user."""
    bench, first = gated(cl, "clEnqueueCopyBuffer")
    other = a_queue(cl, bench.context)
    flush(cl, bench.queue)
    buffers = bench.buffer(), bench.buffer()
    second = one(cl.clEnqueueCopyBuffer(other, *buffers, 0, 0, SIZE, 1, Items((first,)), Room(1)), "event")
    on_event(cl, second)
    flush(cl, other)
    a_moment(cl)
    status_of(cl, second)
    open_gate(bench)
    cl.clFinish(other)
    awaited(cl)


def behind_a_fence(cl: Session, fence: str, *arguments: Value) -> None:
    """Let a barrier or a marker stand between a command that waits and one that does not, in no order else."""
    needs(promised(cl, fence), f"{fence} does not apply here")
    mode = value(cl, "CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE")
    supported = cl.fact("CL_DEVICE_QUEUE_ON_HOST_PROPERTIES") or cl.fact("CL_DEVICE_QUEUE_PROPERTIES") or 0
    needs(supported & mode, "the device has no queues that run out of order")
    bench = Bench(cl, mode, gated=True)
    first = one(COMMANDS["clEnqueueCopyBuffer"](bench), "event")
    outcome = getattr(cl, fence)(bench.queue, *arguments)
    between = made(outcome, "event") if arguments else []
    buffers = bench.buffer(), bench.buffer()
    last = one(cl.clEnqueueCopyBuffer(bench.queue, *buffers, 0, 0, SIZE, 0, None, Room(1)), "event")
    flush(cl, bench.queue)
    a_moment(cl)
    for event in (first, *between, last):
        status_of(cl, event)
    open_gate(bench)
    cl.clFinish(bench.queue)
    for event in (first, *between, last):
        status_of(cl, event)


FENCES: dict[str, tuple[Value, ...]] = {
    "clEnqueueBarrier": (),
    "clEnqueueBarrierWithWaitList": (0, None, Room(1)),
    "clEnqueueMarker": (Room(1),),
    "clEnqueueMarkerWithWaitList": (0, None, Room(1)),
}
"""Function that enqueues a barrier or a marker to what it is told besides the queue."""


def data_wait_too(cl: Session) -> None:
    """Read what a command wrote that had to wait, after another one that did not."""
    bench = Bench(cl, gated=True)
    buffer = bench.buffer()
    cl.clEnqueueWriteBuffer(bench.queue, buffer, 1, 0, SIZE, Data(bytes(SIZE)), 0, None, None)
    cl.clEnqueueWriteBuffer(bench.queue, buffer, 0, 0, SIZE, CONTENT, *bench.wait, None)
    open_gate(bench)
    cl.clEnqueueReadBuffer(bench.queue, buffer, 1, 0, SIZE, Room(SIZE), 0, None, None)


def cases() -> Iterator[Case]:
    """Yield an item of each command that waits for the user, and of what waits behind it."""
    for function in WITH_A_LIST:
        yield Case(STATUS, f"{function} waits, then runs", act(held_and_let_go, function, 0), (TOLD_OF,))
    for function in TO_FAIL:
        yield Case(STATUS, f"{function} ends in an error", act(held_and_let_go, function, A_FAILURE), (TOLD_OF,))
    yield Case(STATUS, "the next command in order waits too", the_next_one_too, (TOLD_OF,))
    yield Case(STATUS, "one event of two is set", one_of_two, (TOLD_OF,))
    yield Case(STATUS, "on another queue", on_another_queue, (TOLD_OF,))
    for fence, arguments in FENCES.items():
        yield Case(STATUS, f"out of order, before and behind a {fence}", act(behind_a_fence, fence, *arguments))
    yield Case("clEnqueueReadBuffer/success", "data that had to wait", data_wait_too, ("clEnqueueWriteBuffer/success",))


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Make one item of each case."""
    parametrize(metafunc, cases())


def test_gates(cl: Session, case: Case) -> None:
    case.act(cl)
