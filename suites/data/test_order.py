"""Order by wait lists, barriers, markers, user events or queues: commands see the writes of earlier commands."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from clconform.calls.values import Data, ElementList, Handle, OutputBuffer
from clconform.runner.pytest_plugin.covers import TableTest
from clconform.suites.cases import CaseRegistry
from clconform.suites.kit.kit import Kit
from clconform.suites.kit.memory import pattern_bytes

if TYPE_CHECKING:
    from collections.abc import Callable

NAME = "data.order"
SIZE, REPEATS = 4096, 200
COPY, READ, WRITE = "clEnqueueCopyBuffer", "clEnqueueReadBuffer", "clEnqueueWriteBuffer"
cases = CaseRegistry(Kit)
test_ordered_command_sees_earlier_writes = TableTest(cases)


def copy_buffer(kit: Kit, queue: Handle, source: Handle, target: Handle, *after: Handle) -> Handle:
    """Copy a buffer to another buffer after these events; return the copy's event."""
    places = {"src_offset": 0, "dst_offset": 0, "size": SIZE}
    outcome = kit.enqueue(
        COPY,
        queue=queue,
        after=ElementList(after) if after else None,
        src_buffer=source,
        dst_buffer=target,
        event=OutputBuffer(1),
        **places,
    )
    return kit.require_event(outcome)


def copy_along_chain(kit: Kit, queues: list[Handle], link: Callable[[Handle, Handle], tuple[Handle, ...]]) -> None:
    """Copy along a chain of buffers on alternating queues.

    ``link``: returns the events that the next copy waits for, from the queue and the event of the previous copy.
    """
    buffers = [kit.create_filled_buffer(SIZE, seed=seed) for seed in range(6)]
    event: Handle | None = None
    for index, (source, target) in enumerate(itertools.pairwise(buffers)):
        queue, last = queues[index % len(queues)], queues[(index - 1) % len(queues)]
        after = link(last, event) if event is not None else ()
        event = copy_buffer(kit, queue, source, target, *after)
    kit.cl.clWaitForEvents(1, ElementList((event,)))
    for buffer in buffers:
        kit.read(buffer, 0, SIZE, queues[0])


def link_by_wait_list(_queue: Handle, event: Handle) -> tuple[Handle, ...]:
    """Return the previous copy's event as the wait list of the next copy."""
    return (event,)


@cases.declare("clEnqueueCopyBuffer/success", "in order")
def copy_in_order(kit: Kit) -> None:
    copy_along_chain(kit, [kit.queue], lambda _queue, _event: ())


@cases.declare("clEnqueueCopyBuffer/success", "out of order, by wait lists")
def copy_with_wait_lists(kit: Kit) -> None:
    copy_along_chain(kit, [kit.out_of_order_queue()], link_by_wait_list)


@cases.declare("clEnqueueBarrierWithWaitList/success", "out of order", "clEnqueueCopyBuffer/success")
def copy_with_barriers(kit: Kit) -> None:
    def barrier(queue: Handle, _event: Handle) -> tuple[Handle, ...]:
        kit.enqueue("clEnqueueBarrierWithWaitList", queue=queue)
        return ()

    copy_along_chain(kit, [kit.out_of_order_queue()], barrier)


@cases.declare("clEnqueueMarkerWithWaitList/success", "out of order", "clEnqueueCopyBuffer/success")
def copy_with_markers(kit: Kit) -> None:
    def marker(queue: Handle, _event: Handle) -> tuple[Handle, ...]:
        return (kit.require_event(kit.enqueue("clEnqueueMarkerWithWaitList", queue=queue, event=OutputBuffer(1))),)

    copy_along_chain(kit, [kit.out_of_order_queue()], marker)


def link_by_flush(kit: Kit) -> Callable[[Handle, Handle], tuple[Handle, ...]]:
    """Return a link that flushes the previous copy's queue, and makes the next copy wait for the event."""

    def link(queue: Handle, event: Handle) -> tuple[Handle, ...]:
        kit.cl.clFlush(queue)
        return (event,)

    return link


@cases.declare("clEnqueueCopyBuffer/success", "between two queues")
def copy_between_queues(kit: Kit) -> None:
    copy_along_chain(kit, [kit.queue, kit.new_queue()], link_by_flush(kit))


@cases.declare("clEnqueueCopyBuffer/success", "between two queues, one out of order")
def copy_between_mixed_queues(kit: Kit) -> None:
    copy_along_chain(kit, [kit.queue, kit.out_of_order_queue()], link_by_flush(kit))


@cases.declare("clEnqueueCopyBuffer/success", "between two devices")
def copy_between_devices(kit: Kit) -> None:
    kit.context = kit.new_context(kit.cl.device, kit.any_other_device)
    copy_along_chain(kit, [kit.queue, kit.new_queue(kit.any_other_device)], link_by_flush(kit))


@cases.declare(
    "clCreateUserEvent/success",
    "commands blocked until it is set",
    "clEnqueueCopyBuffer/success",
    "clSetUserEventStatus/success",
)
def copy_after_user_event(kit: Kit) -> None:
    """Enqueue copies that each wait for the previous copy; the first copy waits for a user event, which is set last."""
    event = kit.user_event()
    buffers = [kit.create_filled_buffer(SIZE, seed=seed) for seed in range(4)]
    area, last = kit.host_area(pattern_bytes(SIZE, 9)), event
    for source, target in itertools.pairwise(buffers):
        last = copy_buffer(kit, kit.queue, source, target, last)
    kit.enqueue(READ, after=ElementList((last,)), buffer=buffers[-1], blocking_read=0, offset=0, size=SIZE, ptr=area)
    kit.cl.clFlush(kit.queue)
    kit.cl.clSetUserEventStatus(event, 0)
    kit.finish()
    kit.read_host(area, SIZE)


@cases.declare("clEnqueueReadBuffer/success", "many concurrently into one area", "clEnqueueWriteBuffer/success")
def transfer_disjoint_parts(kit: Kit) -> None:
    """Write disjoint parts of a buffer without blocking, read the buffer into a host area, and read the area."""
    queue = kit.out_of_order_queue()
    buffer, area = kit.create_filled_buffer(SIZE), kit.host_area(pattern_bytes(SIZE, 8))
    parts, size = 16, SIZE // 16
    events = []
    for part in range(parts):
        place = {"offset": part * size, "size": size - 1}
        content = Data(pattern_bytes(size - 1, part))
        written = kit.enqueue(
            WRITE, queue=queue, buffer=buffer, blocking_write=0, ptr=content, event=OutputBuffer(1), **place
        )
        events.append(kit.require_event(written))
    kit.cl.clWaitForEvents(parts, ElementList(tuple(events)))
    kit.enqueue(READ, queue=queue, buffer=buffer, blocking_read=0, offset=0, size=SIZE, ptr=area)
    kit.finish(queue)
    kit.read_host(area, SIZE)


@cases.declare("clEnqueueWriteBuffer/success", "one byte from another queue, many times", "clEnqueueReadBuffer/success")
def rewrite_from_other_queue(kit: Kit) -> None:
    """Write a buffer on one queue, change one byte of it on another queue without blocking, and read it."""
    other = kit.new_queue()
    for seed in range(REPEATS):
        buffer = kit.create_filled_buffer(64, seed=seed)
        kit.enqueue("clEnqueueMarkerWithWaitList")
        kit.enqueue(WRITE, queue=other, buffer=buffer, blocking_write=0, offset=63, size=1, ptr=Data(b"\xac"))
        kit.finish()
        kit.finish(other)
        kit.read(buffer, 0, 64, other)


@cases.declare(
    "clEnqueueFillBuffer/success", "after a write that is complete, out of order", "clEnqueueWriteBuffer/success"
)
def fill_after_write(kit: Kit) -> None:
    """Write a buffer with a blocking call, then fill the last bytes of the buffer.

    The commands are ordered on every queue.
    """
    queue = kit.out_of_order_queue()
    for seed in range(REPEATS // 4):
        buffer = kit.buffer(size=64)
        kit.write(buffer, 0, pattern_bytes(64, seed), queue)
        kit.enqueue(
            "clEnqueueFillBuffer", queue=queue, buffer=buffer, pattern=Data(b"wxyz"), pattern_size=4, offset=60, size=4
        )
        kit.finish(queue)
        kit.read(buffer, 0, 64, queue)
