"""Ordered commands see earlier writes: by wait lists, barriers, markers, user events, queues and devices."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from clconform.calls.values import Data, Handle, Items, OutputBuffer
from clconform.runner.pytest_plugin.aims import Case, parametrize
from clconform.suites.cases import Cases
from clconform.suites.kit.kit import Kit
from clconform.suites.kit.memory import telling

if TYPE_CHECKING:
    from collections.abc import Callable

    import pytest

    from clconform.runner.session.session import Session

NAME = "data.order"
SIZE, TIMES = 4096, 200
COPY, READ, WRITE = "clEnqueueCopyBuffer", "clEnqueueReadBuffer", "clEnqueueWriteBuffer"
cases = Cases(Kit)


def copy(kit: Kit, queue: Handle, source: Handle, target: Handle, *after: Handle) -> Handle:
    """Copy a buffer to another one after some events; return the command's event."""
    places = {"src_offset": 0, "dst_offset": 0, "size": SIZE}
    outcome = kit.enqueue(
        COPY,
        queue=queue,
        after=Items(after) if after else None,
        src_buffer=source,
        dst_buffer=target,
        event=OutputBuffer(1),
        **places,
    )
    return kit.event_of(outcome)


def chain(kit: Kit, queues: list[Handle], link: Callable[[Handle, Handle], tuple[Handle, ...]]) -> None:
    """Copy along a chain of buffers on alternating queues; ``link`` returns the events to wait for."""
    buffers = [kit.filled(SIZE, seed=seed) for seed in range(6)]
    event: Handle | None = None
    for index, (source, target) in enumerate(itertools.pairwise(buffers)):
        queue, last = queues[index % len(queues)], queues[(index - 1) % len(queues)]
        after = link(last, event) if event is not None else ()
        event = copy(kit, queue, source, target, *after)
    kit.cl.clWaitForEvents(1, Items((event,)))
    for buffer in buffers:
        kit.read(buffer, 0, SIZE, queues[0])


def waiting(_queue: Handle, event: Handle) -> tuple[Handle, ...]:
    """Order the next copy by a wait list."""
    return (event,)


@cases.of(f"{COPY}/success", "in order")
def in_order(kit: Kit) -> None:
    chain(kit, [kit.queue], lambda _queue, _event: ())


@cases.of(f"{COPY}/success", "out of order, by wait lists")
def by_wait_lists(kit: Kit) -> None:
    chain(kit, [kit.out_of_order()], waiting)


@cases.of("clEnqueueBarrierWithWaitList/success", "out of order", f"{COPY}/success")
def by_barriers(kit: Kit) -> None:
    def barrier(queue: Handle, _event: Handle) -> tuple[Handle, ...]:
        kit.enqueue("clEnqueueBarrierWithWaitList", queue=queue)
        return ()

    chain(kit, [kit.out_of_order()], barrier)


@cases.of("clEnqueueMarkerWithWaitList/success", "out of order", f"{COPY}/success")
def by_markers(kit: Kit) -> None:
    def marker(queue: Handle, _event: Handle) -> tuple[Handle, ...]:
        return (kit.event_of(kit.enqueue("clEnqueueMarkerWithWaitList", queue=queue, event=OutputBuffer(1))),)

    chain(kit, [kit.out_of_order()], marker)


def flushed(kit: Kit) -> Callable[[Handle, Handle], tuple[Handle, ...]]:
    """Return a link to another queue: flush the previous queue, and wait for the event."""

    def link(queue: Handle, event: Handle) -> tuple[Handle, ...]:
        kit.cl.clFlush(queue)
        return (event,)

    return link


@cases.of(f"{COPY}/success", "between two queues")
def between_queues(kit: Kit) -> None:
    chain(kit, [kit.queue, kit.new_queue()], flushed(kit))


@cases.of(f"{COPY}/success", "between two queues, one out of order")
def between_unlike_queues(kit: Kit) -> None:
    chain(kit, [kit.queue, kit.out_of_order()], flushed(kit))


@cases.of(f"{COPY}/success", "between two devices")
def between_devices(kit: Kit) -> None:
    kit.context = kit.new_context(kit.cl.device, kit.any_other_device)
    chain(kit, [kit.queue, kit.new_queue(kit.any_other_device)], flushed(kit))


@cases.of(
    "clCreateUserEvent/success", "commands held back until it is set", f"{COPY}/success", "clSetUserEventStatus/success"
)
def held_back(kit: Kit) -> None:
    """Enqueue copies that wait for a user event, each also for its predecessor, and set the event last."""
    event = kit.user_event()
    buffers = [kit.filled(SIZE, seed=seed) for seed in range(4)]
    area, last = kit.area(telling(SIZE, 9)), event
    for source, target in itertools.pairwise(buffers):
        last = copy(kit, kit.queue, source, target, last)
    kit.enqueue(READ, after=Items((last,)), buffer=buffers[-1], blocking_read=0, offset=0, size=SIZE, ptr=area)
    kit.cl.clFlush(kit.queue)
    kit.cl.clSetUserEventStatus(event, 0)
    kit.finish()
    kit.look(area, SIZE)


@cases.of(f"{READ}/success", "many at once into one area", f"{WRITE}/success")
def many_at_once(kit: Kit) -> None:
    """Write disjoint parts of a buffer without blocking, read it into an area, and check the area."""
    queue = kit.out_of_order()
    buffer, area = kit.filled(SIZE), kit.area(telling(SIZE, 8))
    parts, size = 16, SIZE // 16
    events = []
    for part in range(parts):
        place = {"offset": part * size, "size": size - 1}
        content = Data(telling(size - 1, part))
        written = kit.enqueue(
            WRITE, queue=queue, buffer=buffer, blocking_write=0, ptr=content, event=OutputBuffer(1), **place
        )
        events.append(kit.event_of(written))
    kit.cl.clWaitForEvents(parts, Items(tuple(events)))
    kit.enqueue(READ, queue=queue, buffer=buffer, blocking_read=0, offset=0, size=SIZE, ptr=area)
    kit.finish(queue)
    kit.look(area, SIZE)


@cases.of(f"{WRITE}/success", "one byte from another queue, many times", f"{READ}/success")
def rewritten_from_another_queue(kit: Kit) -> None:
    """Write a buffer on one queue, blocking, then one byte of it on another, non-blocking; read it at the end."""
    other = kit.new_queue()
    for seed in range(TIMES):
        buffer = kit.filled(64, seed=seed)
        kit.enqueue("clEnqueueMarkerWithWaitList")
        kit.enqueue(WRITE, queue=other, buffer=buffer, blocking_write=0, offset=63, size=1, ptr=Data(b"\xac"))
        kit.finish()
        kit.finish(other)
        kit.read(buffer, 0, 64, other)


@cases.of("clEnqueueFillBuffer/success", "behind a write that was waited for, out of order", f"{WRITE}/success")
def filled_behind_a_write(kit: Kit) -> None:
    """Write a buffer, blocking, then fill its end: a blocking call orders commands in any queue."""
    queue = kit.out_of_order()
    for seed in range(TIMES // 4):
        buffer = kit.buffer(size=64)
        kit.write(buffer, 0, telling(64, seed), queue)
        kit.enqueue(
            "clEnqueueFillBuffer", queue=queue, buffer=buffer, pattern=Data(b"wxyz"), pattern_size=4, offset=60, size=4
        )
        kit.finish(queue)
        kit.read(buffer, 0, 64, queue)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Generate one item for each case."""
    parametrize(metafunc, cases)


def test_order(cl: Session, case: Case) -> None:
    case.act(cl)
