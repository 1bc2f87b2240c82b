"""Bytes that commands hand to each other: by wait lists, barriers, markers and users, between queues and devices."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from clconform.calls.values import Data, Handle, Items, Room
from clconform.runner.pytest_plugin.aims import Case, parametrize
from clconform.suites.cases import Cases
from clconform.suites.data.bench import Desk, telling
from clconform.suites.steps import needs, one, promised

if TYPE_CHECKING:
    from collections.abc import Callable

    import pytest

    from clconform.runner.session.session import Session

NAME = "data.order"
SIZE, TIMES = 4096, 200
COPY, READ, WRITE = "clEnqueueCopyBuffer", "clEnqueueReadBuffer", "clEnqueueWriteBuffer"
cases = Cases(Desk)


def copy(desk: Desk, queue: Handle, source: Handle, target: Handle, *after: Handle) -> Handle:
    """Copy a buffer into another one after some events; return the command's event."""
    places = {"src_offset": 0, "dst_offset": 0, "size": SIZE}
    outcome = desk.do(
        COPY,
        queue=queue,
        after=Items(after) if after else None,
        src_buffer=source,
        dst_buffer=target,
        event=Room(1),
        **places,
    )
    return desk.event_of(outcome)


def chain(desk: Desk, queues: list[Handle], link: Callable[[Handle, Handle], tuple[Handle, ...]]) -> None:
    """Copy through a row of buffers, each copy on the next queue after what ``link`` makes of the event before."""
    buffers = [desk.filled(SIZE, seed=seed) for seed in range(6)]
    event: Handle | None = None
    for index, (source, target) in enumerate(itertools.pairwise(buffers)):
        queue, last = queues[index % len(queues)], queues[(index - 1) % len(queues)]
        after = link(last, event) if event is not None else ()
        event = copy(desk, queue, source, target, *after)
    desk.cl.clWaitForEvents(1, Items((event,)))
    for buffer in buffers:
        desk.read(buffer, 0, SIZE, queues[0])


def waiting(_queue: Handle, event: Handle) -> tuple[Handle, ...]:
    """Hand on by a wait list."""
    return (event,)


@cases.of(f"{COPY}/success", "in order")
def in_order(desk: Desk) -> None:
    chain(desk, [desk.queue], lambda _queue, _event: ())


@cases.of(f"{COPY}/success", "out of order, by wait lists")
def by_wait_lists(desk: Desk) -> None:
    chain(desk, [desk.out_of_order()], waiting)


@cases.of("clEnqueueBarrierWithWaitList/success", "out of order", f"{COPY}/success")
def by_barriers(desk: Desk) -> None:
    def barrier(queue: Handle, _event: Handle) -> tuple[Handle, ...]:
        desk.do("clEnqueueBarrierWithWaitList", queue=queue)
        return ()

    chain(desk, [desk.out_of_order()], barrier)


@cases.of("clEnqueueMarkerWithWaitList/success", "out of order", f"{COPY}/success")
def by_markers(desk: Desk) -> None:
    def marker(queue: Handle, _event: Handle) -> tuple[Handle, ...]:
        return (desk.event_of(desk.do("clEnqueueMarkerWithWaitList", queue=queue, event=Room(1))),)

    chain(desk, [desk.out_of_order()], marker)


def flushed(desk: Desk) -> Callable[[Handle, Handle], tuple[Handle, ...]]:
    """Hand on to another queue: flush the first one, and wait for the event."""

    def link(queue: Handle, event: Handle) -> tuple[Handle, ...]:
        desk.cl.clFlush(queue)
        return (event,)

    return link


@cases.of(f"{COPY}/success", "between two queues")
def between_queues(desk: Desk) -> None:
    chain(desk, [desk.queue, desk.new_queue(desk.context)], flushed(desk))


@cases.of(f"{COPY}/success", "between two queues, one out of order")
def between_unlike_queues(desk: Desk) -> None:
    chain(desk, [desk.queue, desk.out_of_order()], flushed(desk))


@cases.of(f"{COPY}/success", "between two devices")
def between_devices(desk: Desk) -> None:
    others = [device for device in desk.cl.devices if device != desk.cl.device]
    needs(others, "the platform has one device only")
    desk.context = desk.new_context(desk.cl.device, others[0])
    chain(desk, [desk.queue, desk.new_queue(desk.context, others[0])], flushed(desk))


@cases.of(
    "clCreateUserEvent/success", "commands held back until it is set", f"{COPY}/success", "clSetUserEventStatus/success"
)
def held_back(desk: Desk) -> None:
    """Let copies wait for a user event, each for the one before, and set it at last."""
    needs(promised(desk.cl, "clCreateUserEvent"), "user events come with 1.1")
    event = one(desk.cl.clCreateUserEvent(desk.context, Room(1)))
    buffers = [desk.filled(SIZE, seed=seed) for seed in range(4)]
    area, last = desk.area(telling(SIZE, 9)), event
    for source, target in itertools.pairwise(buffers):
        last = copy(desk, desk.queue, source, target, last)
    desk.do(READ, after=Items((last,)), buffer=buffers[-1], blocking_read=0, offset=0, size=SIZE, ptr=area)
    desk.cl.clFlush(desk.queue)
    desk.cl.clSetUserEventStatus(event, 0)
    desk.finish()
    desk.look(area, SIZE)


@cases.of(f"{READ}/success", "many at once into one area", f"{WRITE}/success")
def many_at_once(desk: Desk) -> None:
    """Write and read parts of a buffer that do not meet, all without waiting, and look at them when all are over."""
    queue = desk.out_of_order()
    buffer, area = desk.filled(SIZE), desk.area(telling(SIZE, 8))
    parts, size = 16, SIZE // 16
    events = []
    for part in range(parts):
        place = {"offset": part * size, "size": size - 1}
        content = Data(telling(size - 1, part))
        written = desk.do(WRITE, queue=queue, buffer=buffer, blocking_write=0, ptr=content, event=Room(1), **place)
        events.append(desk.event_of(written))
    desk.cl.clWaitForEvents(parts, Items(tuple(events)))
    desk.do(READ, queue=queue, buffer=buffer, blocking_read=0, offset=0, size=SIZE, ptr=area)
    desk.finish(queue)
    desk.look(area, SIZE)


@cases.of(f"{WRITE}/success", "one byte from another queue, many times", f"{READ}/success")
def rewritten_from_another_queue(desk: Desk) -> None:
    """Write a buffer from one queue and wait, then a byte of it from another without; read when all is over."""
    other = desk.new_queue(desk.context)
    for seed in range(TIMES):
        buffer = desk.filled(64, seed=seed)
        desk.do("clEnqueueMarkerWithWaitList")
        desk.do(WRITE, queue=other, buffer=buffer, blocking_write=0, offset=63, size=1, ptr=Data(b"\xac"))
        desk.finish()
        desk.finish(other)
        desk.read(buffer, 0, 64, other)


@cases.of("clEnqueueFillBuffer/success", "behind a write that was waited for, out of order", f"{WRITE}/success")
def filled_behind_a_write(desk: Desk) -> None:
    """Write a buffer and wait, then fill its end: the call that has waited is order enough in any queue."""
    queue = desk.out_of_order()
    for seed in range(TIMES // 4):
        buffer = desk.new_buffer("CL_MEM_READ_WRITE", size=64)
        desk.write(buffer, 0, telling(64, seed), queue)
        desk.do(
            "clEnqueueFillBuffer", queue=queue, buffer=buffer, pattern=Data(b"wxyz"), pattern_size=4, offset=60, size=4
        )
        desk.finish(queue)
        desk.read(buffer, 0, 64, queue)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Make one item of each case."""
    parametrize(metafunc, cases)


def test_order(cl: Session, case: Case) -> None:
    case.act(cl)
