"""User events that commands wait for: no command runs before the event is set; all run after it, or end in an error."""

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
    """Enqueue a command that waits for a user event; return its event too."""
    gate = kit.gate()
    return gate, kit.event_of(kit.call(function, **gate.arguments))


def copied(kit: Kit, *waits_for: Handle, queue: Handle | None = None) -> Handle:
    """Copy between buffers of their own, and return the event."""
    buffers: Arguments = {"src_buffer": kit.buffer(), "dst_buffer": kit.buffer(), "src_offset": 0, "dst_offset": 0}
    after = Items(waits_for) if waits_for else None
    outcome = kit.enqueue("clEnqueueCopyBuffer", queue=queue, after=after, **buffers, size=SIZE, event=OutputBuffer(1))
    return kit.event_of(outcome)


def held_and_let_go(cl: Session, function: str, end: int) -> None:
    """Check that a command does not run, flushed or not, until its event is set, and then ends."""
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
    """Check that later commands of an in-order queue wait, too."""
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
    """Set only one of the two events that a command waits for."""
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
    """Let a command of one queue wait for one of another queue, which waits for a user event."""
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
    """Put a barrier or a marker between a command that waits and one that does not, in an out-of-order queue."""
    kit = Kit(cl)
    needs(promised(cl, fence), f"{fence} is not available")
    kit.queue = kit.out_of_order()
    gate, first = gated(kit, "clEnqueueCopyBuffer")
    outcome = kit.call(fence)
    between = [] if fence == "clEnqueueBarrier" else made(outcome, "event")  # that one gives none
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
    """Read what a command wrote that had to wait, after another one that did not."""
    kit = Kit(cl)
    gate, buffer = kit.gate(), kit.buffer()
    kit.write(buffer, 0, bytes(SIZE))
    cl.clEnqueueWriteBuffer(kit.queue, buffer, 0, 0, SIZE, CONTENT, *gate.wait, None)
    gate.open()
    kit.read(buffer, 0, SIZE)


FENCES = ("clEnqueueBarrier", "clEnqueueBarrierWithWaitList", "clEnqueueMarker", "clEnqueueMarkerWithWaitList")


def cases() -> Iterator[Case]:
    """Yield an item of each command that waits for a user event, and of commands that wait after it."""
    for function in commands():
        if function == "clEnqueueMarker":  # it takes no wait list
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
    """Make one item of each case."""
    parametrize(metafunc, cases())


def test_gates(cl: Session, case: Case) -> None:
    case.act(cl)
