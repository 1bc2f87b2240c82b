"""Calls that wait on one host thread for an action of another host thread: they must not return before the action."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

from clconform.calls.values import Data, ElementList, Handle, OutputBuffer, Text
from clconform.runner.pytest_plugin.covers import TableCase, TableTest, bind_action
from clconform.suites.kit.kit import Kit
from clconform.suites.kit.memory import SIZE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.runner.session.session import Session
    from clconform.suites.kit.valid_calls import Arguments

NAME = "threads.host_threads"
COPY = "clEnqueueCopyBuffer"
EARLY_RETURN_MILLISECONDS = 30
"""The time in which a call that does not wait returns, in milliseconds."""
FAILURE_STATUS = -5
STATUS_ERROR = "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST/1"
CONTENT = Data(bytes(range(256)) * (SIZE // 256))


def wait_for_user_event(cl: Session, status: int, threads: int) -> None:
    """Wait on some host threads for a user event that another thread sets later."""
    kit = Kit(cl)
    gate = kit.gate()
    waiting = [cl.host_thread(number) for number in range(1, threads + 1)]
    for host_thread in waiting:
        host_thread.clWaitForEvents(*gate.wait_list)
    waiting[0].has_returned(EARLY_RETURN_MILLISECONDS)
    gate.open(status)
    for host_thread in waiting:
        host_thread.join()


def read_after_gate(cl: Session, status: int) -> None:
    """Read a buffer on one host thread with a blocking command that waits for a user event."""
    kit = Kit(cl)
    gate, buffer = kit.gate(), kit.create_filled_buffer(SIZE)
    host_thread = cl.host_thread(1)
    host_thread.clEnqueueReadBuffer(kit.queue, buffer, 1, 0, SIZE, OutputBuffer(SIZE), *gate.wait_list, None)
    host_thread.has_returned(EARLY_RETURN_MILLISECONDS)
    gate.open(status)
    host_thread.join()


def write_after_gate(cl: Session, status: int) -> None:
    """Write to a buffer with a blocking command that waits for a user event, and read the buffer."""
    kit = Kit(cl)
    gate, buffer = kit.gate(), kit.create_filled_buffer(SIZE, seed=1)
    host_thread = cl.host_thread(1)
    host_thread.clEnqueueWriteBuffer(kit.queue, buffer, 1, 0, SIZE, CONTENT, *gate.wait_list, None)
    host_thread.has_returned(EARLY_RETURN_MILLISECONDS)
    gate.open(status)
    host_thread.join()
    kit.read(buffer, 0, SIZE)


def finish_queue(cl: Session, threads: int, *, flushed: bool = False) -> None:
    """Finish a queue on some host threads while the only command of the queue waits for a user event.

    ``flushed``: the queue is flushed before.
    """
    kit = Kit(cl)
    gate, source, target = kit.gate(), kit.create_filled_buffer(SIZE), kit.create_filled_buffer(SIZE, seed=1)
    cl.clEnqueueCopyBuffer(kit.queue, source, target, 0, 0, SIZE, *gate.wait_list, None)
    if flushed:
        cl.clFlush(kit.queue)
    waiting = [cl.host_thread(number) for number in range(1, threads + 1)]
    for host_thread in waiting:
        host_thread.clFinish(kit.queue)
    waiting[0].has_returned(EARLY_RETURN_MILLISECONDS)
    gate.open()
    for host_thread in waiting:
        host_thread.join()
    kit.read(target, 0, SIZE)


def finish_out_of_order_queue(cl: Session) -> None:
    """Finish an out-of-order queue whose first command waits for a user event.

    The last command of the queue does not wait.
    """
    kit = Kit(cl)
    queue, gate = kit.out_of_order_queue(), kit.gate()
    targets = []
    wait_lists: list[tuple[int, ElementList | None]] = [gate.wait_list, (0, None)]
    for wait in wait_lists:
        source, target = kit.create_filled_buffer(SIZE), kit.create_filled_buffer(SIZE, seed=1)
        cl.clEnqueueCopyBuffer(queue, source, target, 0, 0, SIZE, *wait, None)
        targets.append(target)
    host_thread = cl.host_thread(1)
    host_thread.clFinish(queue)
    host_thread.has_returned(EARLY_RETURN_MILLISECONDS)
    gate.open()
    host_thread.join()
    for target in targets:
        kit.read(target, 0, SIZE)


def wait_for_command(cl: Session) -> None:
    """Wait on a host thread for a command that waits for a user event, while another thread makes calls."""
    kit = Kit(cl)
    gate, source, target = kit.gate(), kit.create_filled_buffer(SIZE), kit.create_filled_buffer(SIZE, seed=1)
    event = kit.require_event(kit.enqueue(
        "clEnqueueCopyBuffer", after=ElementList((gate.event,)), src_buffer=source, dst_buffer=target,
        src_offset=0, dst_offset=0, size=SIZE, event=OutputBuffer(1),
    ))  # fmt: skip
    host_thread = cl.host_thread(1)
    host_thread.clWaitForEvents(1, ElementList((event,)))
    host_thread.has_returned(EARLY_RETURN_MILLISECONDS)
    cl.query("clGetEventInfo", gate.event, "CL_EVENT_REFERENCE_COUNT")
    kit.user_event()
    gate.open()
    host_thread.join()
    kit.read(target, 0, SIZE)


def release_awaited_events(cl: Session) -> None:
    """Retain and release an event while a host thread waits for it, and release another event of the queue."""
    kit = Kit(cl)
    gate = kit.gate()
    pairs = [(kit.create_filled_buffer(SIZE), kit.buffer()) for _ in range(2)]
    places: Arguments = {"src_offset": 0, "dst_offset": 0, "size": SIZE, "event": OutputBuffer(1)}
    first, second = (
        kit.require_event(
            kit.enqueue(COPY, after=ElementList((gate.event,)), src_buffer=source, dst_buffer=target, **places)
        )
        for source, target in pairs
    )
    host_thread = cl.host_thread(1)
    host_thread.clWaitForEvents(1, ElementList((first,)))
    cl.clRetainEvent(first)
    cl.clReleaseEvent(first)
    cl.clReleaseEvent(second)
    host_thread.has_returned(EARLY_RETURN_MILLISECONDS)
    gate.open()
    host_thread.join()
    cl.query("clGetEventInfo", first, "CL_EVENT_REFERENCE_COUNT")
    kit.finish()


def build_programs(cl: Session, threads: int) -> None:
    """Build programs on some host threads while another thread creates and queries other objects."""
    kit = Kit(cl)
    programs: list[Handle] = [kit.program() for _ in range(threads)]
    waiting = [cl.host_thread(number) for number in range(1, threads + 1)]
    for host_thread, program in zip(waiting, programs, strict=True):
        host_thread.clBuildProgram(program, 1, ElementList((cl.device,)), Text(""), None, None)
    buffer = kit.buffer()
    cl.query("clGetMemObjectInfo", buffer, "CL_MEM_SIZE")
    kit.event()
    for host_thread in waiting:
        host_thread.join()


def cases() -> Iterator[TableCase]:
    """Yield an item for each kind of call that waits."""
    waited = "clWaitForEvents/effect/1"
    yield TableCase(waited, "a user event that is set later", bind_action(wait_for_user_event, 0, 1))
    failed = "clWaitForEvents/CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST/1"
    yield TableCase(failed, "a user event that fails later", bind_action(wait_for_user_event, FAILURE_STATUS, 1))
    yield TableCase(waited, "on three host threads", bind_action(wait_for_user_event, 0, 3))
    yield TableCase(waited, "a command that waits for a user event", wait_for_command)
    yield TableCase("clReleaseEvent/success", "while another host thread waits", release_awaited_events, (waited,))
    commands = {"clEnqueueReadBuffer": read_after_gate, "clEnqueueWriteBuffer": write_after_gate}
    for function, does in commands.items():
        yield TableCase(f"{function}/success", "blocking, after a user event", bind_action(does, 0))
        yield TableCase(
            f"{function}/{STATUS_ERROR}", "blocking, after a user event that fails", bind_action(does, FAILURE_STATUS)
        )
    yield TableCase("clFinish/effect/1", "a command that waits for a user event", bind_action(finish_queue, 1))
    yield TableCase("clFinish/effect/1", "on two host threads", bind_action(finish_queue, 2))
    yield TableCase(
        "clFinish/effect/1", "in a queue that was flushed", functools.partial(finish_queue, threads=1, flushed=True)
    )
    yield TableCase("clFinish/effect/1", "the first of two commands out of order waits", finish_out_of_order_queue)
    yield TableCase("clBuildProgram/success", "on a host thread of its own", bind_action(build_programs, 1))
    yield TableCase("clBuildProgram/success", "on two host threads", bind_action(build_programs, 2))


test_blocked_call_returns_after_its_event = TableTest(cases)
