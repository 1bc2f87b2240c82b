"""Commands that wait for user events: they start only after the event is set, and complete or fail afterwards."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Data, Handle, Items, OutputBuffer
from clconform.runner.pytest_plugin.aims import Case, act, parametrize
from clconform.runner.session.answers import made
from clconform.suites.chapters.notifications.waiting import a_moment, awaited, flush, on_event, set_status, status_of
from clconform.suites.kit.commands import commands
from clconform.suites.kit.kit import Kit
from clconform.suites.kit.memory import SIZE
from clconform.suites.steps import needs, promised

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pytest

    from clconform.calls.values import Handle
    from clconform.runner.session.session import Session
    from clconform.suites.kit.events import Gate
    from clconform.suites.kit.valid_calls import Arguments

NAME = "notifications.gates"
STATUS = "CL_EVENT_COMMAND_EXECUTION_STATUS"
TOLD_OF = "clSetEventCallback/success"
A_FAILURE = -5
TO_FAIL = ("clEnqueueNDRangeKernel", "clEnqueueCopyBuffer", "clEnqueueReadBuffer", "clEnqueueMarkerWithWaitList")
CONTENT = Data(bytes(range(256)) * (SIZE // 256))


def gated(kit: Kit, function: str) -> tuple[Gate, Handle]:
    """Enqueue a command that waits for a user event, and return the gate and the command's event."""
    gate = kit.gate()
    return gate, kit.event_of(kit.call(function, **gate.arguments))


def copied(kit: Kit, *waits_for: Handle, queue: Handle | None = None) -> Handle:
    """Enqueue a copy between two new buffers, and return its event."""
    buffers: Arguments = {"src_buffer": kit.buffer(), "dst_buffer": kit.buffer(), "src_offset": 0, "dst_offset": 0}
    after = Items(waits_for) if waits_for else None
    outcome = kit.enqueue("clEnqueueCopyBuffer", queue=queue, after=after, **buffers, size=SIZE, event=OutputBuffer(1))
    return kit.event_of(outcome)


def held_and_let_go(cl: Session, function: str, end: int) -> None:
    """Check that a command does not run before its user event is set, flushed or not, and then ends."""
    kit = Kit(cl)
    gate, event = gated(kit, function)
    on_event(cl, event, "CL_RUNNING", 1, "running")
    on_event(cl, event, "CL_COMPLETE", 0, "complete")
    status_of(cl, event)
    flush(cl, kit.queue)
    a_moment(cl, name="complete")
    status_of(cl, event)
    gate.open(end)
    kit.finish()
    awaited(cl, name="complete")
    (a_moment if end else awaited)(cl, 1, "running")
    status_of(cl, event)


def the_next_one_too(cl: Session) -> None:
    """Check that later commands of an in-order queue wait as well."""
    kit = Kit(cl)
    gate, first = gated(kit, "clEnqueueCopyBuffer")
    second = copied(kit)
    on_event(cl, second)
    flush(cl, kit.queue)
    a_moment(cl)
    for event in (first, second):
        status_of(cl, event)
    gate.open()
    kit.finish()
    awaited(cl)


def one_of_two(cl: Session) -> None:
    """Set one of the two events that a command waits for, and check that it still waits."""
    kit = Kit(cl)
    gate, first = gated(kit, "clEnqueueCopyBuffer")
    other = kit.user_event()
    event = copied(kit, other, first)
    on_event(cl, event)
    gate.open()
    flush(cl, kit.queue)
    a_moment(cl)
    status_of(cl, event)
    set_status(cl, other)
    kit.finish()
    awaited(cl)


def on_another_queue(cl: Session) -> None:
    """Make a command wait for a command of another queue that waits for a user event."""
    kit = Kit(cl)
    gate, first = gated(kit, "clEnqueueCopyBuffer")
    other = kit.new_queue()
    flush(cl, kit.queue)
    second = copied(kit, first, queue=other)
    on_event(cl, second)
    flush(cl, other)
    a_moment(cl)
    status_of(cl, second)
    gate.open()
    kit.finish(other)
    awaited(cl)


def behind_a_fence(cl: Session, fence: str) -> None:
    """Enqueue a barrier or marker between a waiting and a free command on an out-of-order queue."""
    kit = Kit(cl)
    needs(promised(cl, fence), f"{fence} is not available")
    kit.queue = kit.out_of_order()
    gate, first = gated(kit, "clEnqueueCopyBuffer")
    outcome = kit.call(fence)
    between = [] if fence == "clEnqueueBarrier" else made(outcome, "event")  # this function does not return an event
    last = copied(kit)
    flush(cl, kit.queue)
    a_moment(cl)
    for event in (first, *between, last):
        status_of(cl, event)
    gate.open()
    kit.finish()
    for event in (first, *between, last):
        status_of(cl, event)


def data_wait_too(cl: Session) -> None:
    """Read the result of a write that waits for a user event."""
    kit = Kit(cl)
    gate, buffer = kit.gate(), kit.buffer()
    kit.write(buffer, 0, bytes(SIZE))
    cl.clEnqueueWriteBuffer(kit.queue, buffer, 0, 0, SIZE, CONTENT, *gate.wait, None)
    gate.open()
    kit.read(buffer, 0, SIZE)


FENCES = ("clEnqueueBarrier", "clEnqueueBarrierWithWaitList", "clEnqueueMarker", "clEnqueueMarkerWithWaitList")


def cases() -> Iterator[Case]:
    """Yield an item for each command that waits for a user event, and for commands that depend on such commands."""
    for function in commands():
        if function == "clEnqueueMarker":  # it does not take a wait list
            continue
        yield Case(STATUS, f"{function} waits, then runs", act(held_and_let_go, function, 0), (TOLD_OF,))
    for function in TO_FAIL:
        yield Case(STATUS, f"{function} ends in an error", act(held_and_let_go, function, A_FAILURE), (TOLD_OF,))
    yield Case(STATUS, "the next command in order waits too", the_next_one_too, (TOLD_OF,))
    yield Case(STATUS, "one event of two is set", one_of_two, (TOLD_OF,))
    yield Case(STATUS, "on another queue", on_another_queue, (TOLD_OF,))
    for fence in FENCES:
        yield Case(STATUS, f"out of order, before and behind a {fence}", act(behind_a_fence, fence))
    yield Case("clEnqueueReadBuffer/success", "data that had to wait", data_wait_too, ("clEnqueueWriteBuffer/success",))


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Generate one test item per case."""
    parametrize(metafunc, cases())


def test_gates(cl: Session, case: Case) -> None:
    case.act(cl)
