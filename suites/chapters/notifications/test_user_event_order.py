"""Commands that wait for user events: they start only after the event is set, and then complete or fail."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Data, ElementList, Handle, OutputBuffer
from clconform.runner.pytest_plugin.covers import TableCase, TableTest, bind_action
from clconform.runner.session.outcome_values import returned_handles
from clconform.suites.chapters.notifications.callbacks import (
    await_callback,
    check_not_called,
    flush,
    query_status,
    register_event_callback,
    set_user_event,
)
from clconform.suites.helpers import is_available, skip_unless
from clconform.suites.kit.commands import command_functions
from clconform.suites.kit.kit import Kit
from clconform.suites.kit.memory import SIZE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.calls.values import Handle
    from clconform.runner.session.session import Session
    from clconform.suites.kit.events import UserEventGate
    from clconform.suites.kit.valid_calls import Arguments

NAME = "notifications.user_event_order"
STATUS = "CL_EVENT_COMMAND_EXECUTION_STATUS"
CALLBACK_SUCCESS = "clSetEventCallback/success"
ERROR_STATUS = -5
FAILING_COMMANDS = (
    "clEnqueueNDRangeKernel",
    "clEnqueueCopyBuffer",
    "clEnqueueReadBuffer",
    "clEnqueueMarkerWithWaitList",
)
CONTENT = Data(bytes(range(256)) * (SIZE // 256))


def enqueue_gated(kit: Kit, function: str) -> tuple[UserEventGate, Handle]:
    """Enqueue a command that waits for a user event; return its ``UserEventGate`` and the event of the command."""
    gate = kit.gate()
    return gate, kit.require_event(kit.call(function, **gate.arguments))


def enqueue_copy(kit: Kit, *waits_for: Handle, queue: Handle | None = None) -> Handle:
    """Enqueue a copy between two new buffers, and return its event."""
    buffers: Arguments = {"src_buffer": kit.buffer(), "dst_buffer": kit.buffer(), "src_offset": 0, "dst_offset": 0}
    after = ElementList(waits_for) if waits_for else None
    outcome = kit.enqueue("clEnqueueCopyBuffer", queue=queue, after=after, **buffers, size=SIZE, event=OutputBuffer(1))
    return kit.require_event(outcome)


def run_after_event(cl: Session, function: str, end: int) -> None:
    """Check that a command waits for its user event before and after a flush, and ends once the event is set.

    ``end``: the status that the user event is set to.
    """
    kit = Kit(cl)
    gate, event = enqueue_gated(kit, function)
    register_event_callback(cl, event, "CL_RUNNING", 1, "running")
    register_event_callback(cl, event, "CL_COMPLETE", 0, "complete")
    query_status(cl, event)
    flush(cl, kit.queue)
    check_not_called(cl, name="complete")
    query_status(cl, event)
    gate.open(end)
    kit.finish()
    await_callback(cl, name="complete")
    (check_not_called if end else await_callback)(cl, 1, "running")
    query_status(cl, event)


def wait_in_order(cl: Session) -> None:
    """Check that commands of an in-order queue wait for an earlier command that waits for a user event."""
    kit = Kit(cl)
    gate, first = enqueue_gated(kit, "clEnqueueCopyBuffer")
    second = enqueue_copy(kit)
    register_event_callback(cl, second)
    flush(cl, kit.queue)
    check_not_called(cl)
    for event in (first, second):
        query_status(cl, event)
    gate.open()
    kit.finish()
    await_callback(cl)


def set_one_of_two_events(cl: Session) -> None:
    """Set one of the two user events that a command waits for, and check that the command still waits."""
    kit = Kit(cl)
    gate, first = enqueue_gated(kit, "clEnqueueCopyBuffer")
    other = kit.user_event()
    event = enqueue_copy(kit, other, first)
    register_event_callback(cl, event)
    gate.open()
    flush(cl, kit.queue)
    check_not_called(cl)
    query_status(cl, event)
    set_user_event(cl, other)
    kit.finish()
    await_callback(cl)


def wait_on_another_queue(cl: Session) -> None:
    """Make a command wait for a command of another queue, which in turn waits for a user event."""
    kit = Kit(cl)
    gate, first = enqueue_gated(kit, "clEnqueueCopyBuffer")
    other = kit.new_queue()
    flush(cl, kit.queue)
    second = enqueue_copy(kit, first, queue=other)
    register_event_callback(cl, second)
    flush(cl, other)
    check_not_called(cl)
    query_status(cl, second)
    gate.open()
    kit.finish(other)
    await_callback(cl)


def wait_after_fence(cl: Session, fence: str) -> None:
    """Enqueue a barrier or marker on an out-of-order queue.

    The command before it waits for a user event, and the command after it does not have a wait list.
    """
    kit = Kit(cl)
    skip_unless(is_available(cl, fence), f"{fence} is not available")
    kit.queue = kit.out_of_order_queue()
    gate, first = enqueue_gated(kit, "clEnqueueCopyBuffer")
    outcome = kit.call(fence)
    between = (
        [] if fence == "clEnqueueBarrier" else returned_handles(outcome, "event")
    )  # clEnqueueBarrier does not return an event
    last = enqueue_copy(kit)
    flush(cl, kit.queue)
    check_not_called(cl)
    for event in (first, *between, last):
        query_status(cl, event)
    gate.open()
    kit.finish()
    for event in (first, *between, last):
        query_status(cl, event)


def read_delayed_data(cl: Session) -> None:
    """Read a buffer after a write that waits for a user event."""
    kit = Kit(cl)
    gate, buffer = kit.gate(), kit.buffer()
    kit.write(buffer, 0, bytes(SIZE))
    cl.clEnqueueWriteBuffer(kit.queue, buffer, 0, 0, SIZE, CONTENT, *gate.wait_list, None)
    gate.open()
    kit.read(buffer, 0, SIZE)


FENCES = ("clEnqueueBarrier", "clEnqueueBarrierWithWaitList", "clEnqueueMarker", "clEnqueueMarkerWithWaitList")


def cases() -> Iterator[TableCase]:
    """Yield items for each command that waits for a user event, and for commands that depend on such commands."""
    for function in command_functions():
        if function == "clEnqueueMarker":  # clEnqueueMarker does not take a wait list
            continue
        yield TableCase(
            STATUS, f"{function} waits, then runs", bind_action(run_after_event, function, 0), (CALLBACK_SUCCESS,)
        )
    for function in FAILING_COMMANDS:
        yield TableCase(
            STATUS,
            f"{function} ends in an error",
            bind_action(run_after_event, function, ERROR_STATUS),
            (CALLBACK_SUCCESS,),
        )
    yield TableCase(STATUS, "the next command in order waits too", wait_in_order, (CALLBACK_SUCCESS,))
    yield TableCase(STATUS, "one event of two is set", set_one_of_two_events, (CALLBACK_SUCCESS,))
    yield TableCase(STATUS, "on another queue", wait_on_another_queue, (CALLBACK_SUCCESS,))
    for fence in FENCES:
        yield TableCase(STATUS, f"out of order, before and after a {fence}", bind_action(wait_after_fence, fence))
    yield TableCase(
        "clEnqueueReadBuffer/success", "data that had to wait", read_delayed_data, ("clEnqueueWriteBuffer/success",)
    )


test_commands_wait_for_user_events = TableTest(cases)
