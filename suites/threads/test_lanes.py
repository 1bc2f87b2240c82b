"""Calls on separate host threads that wait for another host thread: they return after its action, not before."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

from clconform.calls.values import Data, Handle, Items, OutputBuffer, Text
from clconform.runner.pytest_plugin.aims import Case, act, parametrize
from clconform.suites.kit.kit import Kit
from clconform.suites.kit.memory import SIZE

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pytest

    from clconform.runner.session.session import Session
    from clconform.suites.kit.valid_calls import Arguments

NAME = "threads.lanes"
COPY = "clEnqueueCopyBuffer"
A_MOMENT = 30
"""The time in milliseconds within which a call that does not wait returns."""
A_FAILURE = -5
STATUS_ERROR = "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST/1"
CONTENT = Data(bytes(range(256)) * (SIZE // 256))


def waits_for_a_user_event(cl: Session, status: int, lanes: int) -> None:
    """Wait on some host threads for events, one of which another thread sets later."""
    kit = Kit(cl)
    gate = kit.gate()
    waiting = [cl.lane(number) for number in range(1, lanes + 1)]
    for lane in waiting:
        lane.clWaitForEvents(*gate.wait)
    waiting[0].has_returned(A_MOMENT)
    gate.open(status)
    for lane in waiting:
        lane.join()


def reads_behind_a_gate(cl: Session, status: int) -> None:
    """Read a buffer with a blocking command that waits for a user event."""
    kit = Kit(cl)
    gate, buffer = kit.gate(), kit.filled(SIZE)
    lane = cl.lane(1)
    lane.clEnqueueReadBuffer(kit.queue, buffer, 1, 0, SIZE, OutputBuffer(SIZE), *gate.wait, None)
    lane.has_returned(A_MOMENT)
    gate.open(status)
    lane.join()


def writes_behind_a_gate(cl: Session, status: int) -> None:
    """Write to a buffer with a blocking command that waits for a user event, and read the buffer."""
    kit = Kit(cl)
    gate, buffer = kit.gate(), kit.filled(SIZE, seed=1)
    lane = cl.lane(1)
    lane.clEnqueueWriteBuffer(kit.queue, buffer, 1, 0, SIZE, CONTENT, *gate.wait, None)
    lane.has_returned(A_MOMENT)
    gate.open(status)
    lane.join()
    kit.read(buffer, 0, SIZE)


def finishes(cl: Session, lanes: int, *, flushed: bool = False) -> None:
    """Finish a queue on some host threads while its only command, flushed or not, waits for a user event."""
    kit = Kit(cl)
    gate, source, target = kit.gate(), kit.filled(SIZE), kit.filled(SIZE, seed=1)
    cl.clEnqueueCopyBuffer(kit.queue, source, target, 0, 0, SIZE, *gate.wait, None)
    if flushed:
        cl.clFlush(kit.queue)
    waiting = [cl.lane(number) for number in range(1, lanes + 1)]
    for lane in waiting:
        lane.clFinish(kit.queue)
    waiting[0].has_returned(A_MOMENT)
    gate.open()
    for lane in waiting:
        lane.join()
    kit.read(target, 0, SIZE)


def finishes_out_of_order(cl: Session) -> None:
    """Finish an out-of-order queue whose first command waits for a user event and whose last one does not."""
    kit = Kit(cl)
    queue, gate = kit.out_of_order(), kit.gate()
    targets = []
    for wait in (gate.wait, (0, None)):
        source, target = kit.filled(SIZE), kit.filled(SIZE, seed=1)
        cl.clEnqueueCopyBuffer(queue, source, target, 0, 0, SIZE, *wait, None)
        targets.append(target)
    lane = cl.lane(1)
    lane.clFinish(queue)
    lane.has_returned(A_MOMENT)
    gate.open()
    lane.join()
    for target in targets:
        kit.read(target, 0, SIZE)


def waits_for_a_command(cl: Session) -> None:
    """Wait for the event of a command that waits for a user event, while other calls continue."""
    kit = Kit(cl)
    gate, source, target = kit.gate(), kit.filled(SIZE), kit.filled(SIZE, seed=1)
    event = kit.event_of(kit.enqueue(
        "clEnqueueCopyBuffer", after=Items((gate.event,)), src_buffer=source, dst_buffer=target,
        src_offset=0, dst_offset=0, size=SIZE, event=OutputBuffer(1),
    ))  # fmt: skip
    lane = cl.lane(1)
    lane.clWaitForEvents(1, Items((event,)))
    lane.has_returned(A_MOMENT)
    cl.query("clGetEventInfo", gate.event, "CL_EVENT_REFERENCE_COUNT")
    kit.user_event()
    gate.open()
    lane.join()
    kit.read(target, 0, SIZE)


def releases_events(cl: Session) -> None:
    """Retain and release the event that a host thread waits for, and release another event of the queue."""
    kit = Kit(cl)
    gate = kit.gate()
    pairs = [(kit.filled(SIZE), kit.buffer()) for _ in range(2)]
    places: Arguments = {"src_offset": 0, "dst_offset": 0, "size": SIZE, "event": OutputBuffer(1)}
    first, second = (
        kit.event_of(kit.enqueue(COPY, after=Items((gate.event,)), src_buffer=source, dst_buffer=target, **places))
        for source, target in pairs
    )
    lane = cl.lane(1)
    lane.clWaitForEvents(1, Items((first,)))
    cl.clRetainEvent(first)
    cl.clReleaseEvent(first)
    cl.clReleaseEvent(second)
    lane.has_returned(A_MOMENT)
    gate.open()
    lane.join()
    cl.query("clGetEventInfo", first, "CL_EVENT_REFERENCE_COUNT")
    kit.finish()


def builds(cl: Session, lanes: int) -> None:
    """Build programs on some host threads while another thread creates and queries other objects."""
    kit = Kit(cl)
    programs: list[Handle] = [kit.program() for _ in range(lanes)]
    waiting = [cl.lane(number) for number in range(1, lanes + 1)]
    for lane, program in zip(waiting, programs, strict=True):
        lane.clBuildProgram(program, 1, Items((cl.device,)), Text(""), None, None)
    buffer = kit.buffer()
    cl.query("clGetMemObjectInfo", buffer, "CL_MEM_SIZE")
    kit.event()
    for lane in waiting:
        lane.join()


def cases() -> Iterator[Case]:
    """Yield an item for each kind of call that waits."""
    waited = "clWaitForEvents/effect/1"
    yield Case(waited, "a user event that is set later", act(waits_for_a_user_event, 0, 1))
    failed = f"clWaitForEvents/{STATUS_ERROR}"
    yield Case(failed, "a user event that fails later", act(waits_for_a_user_event, A_FAILURE, 1))
    yield Case(waited, "on three host threads", act(waits_for_a_user_event, 0, 3))
    yield Case(waited, "a command that waits for a user event", waits_for_a_command)
    yield Case("clReleaseEvent/success", "while another host thread waits", releases_events, (waited,))
    commands = {"clEnqueueReadBuffer": reads_behind_a_gate, "clEnqueueWriteBuffer": writes_behind_a_gate}
    for function, does in commands.items():
        yield Case(f"{function}/success", "blocking, behind a user event", act(does, 0))
        yield Case(f"{function}/{STATUS_ERROR}", "blocking, behind a user event that fails", act(does, A_FAILURE))
    yield Case("clFinish/effect/1", "a command that waits for a user event", act(finishes, 1))
    yield Case("clFinish/effect/1", "on two host threads", act(finishes, 2))
    yield Case("clFinish/effect/1", "in a queue that was flushed", functools.partial(finishes, lanes=1, flushed=True))
    yield Case("clFinish/effect/1", "the first of two commands out of order waits", finishes_out_of_order)
    yield Case("clBuildProgram/success", "on a host thread of its own", act(builds, 1))
    yield Case("clBuildProgram/success", "on two host threads", act(builds, 2))


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Generate one item for each case."""
    parametrize(metafunc, cases())


def test_lanes(cl: Session, case: Case) -> None:
    case.act(cl)
