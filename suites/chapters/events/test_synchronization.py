"""Commands and kernels that wait for other commands through wait lists and barriers, on one or several queues (3.2)."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

from clconform.calls.values import ElementList, HandleBytes, OutputBuffer
from clconform.runner.pytest_plugin.covers import TableTest
from clconform.suites.cases import CaseRegistry
from clconform.suites.chapters.events.steps import (
    enqueue_copy,
    enqueue_fence,
    enqueue_fence_after,
    enqueue_write,
    query_statuses,
)
from clconform.suites.chapters.notifications.callbacks import flush
from clconform.suites.common.waiting import STATUS
from clconform.suites.kit.kit import Kit
from clconform.suites.kit.memory import SIZE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from clconform.calls.values import Handle
    from clconform.runner.pytest_plugin.covers import TableCase
    from clconform.suites.kit.valid_calls import Arguments

NAME = "events.synchronization"
COPY, READ, LAUNCH = "clEnqueueCopyBuffer", "clEnqueueReadBuffer", "clEnqueueNDRangeKernel"
KERNEL = "add_index"
LONG_LIST, REPEATS = 17, 60
cases = CaseRegistry(Kit)
test_commands_wait_for_their_dependencies = TableTest(cases)


def enqueue_kernel(kit: Kit, queue: Handle, *after: Handle) -> tuple[Handle, Handle]:
    """Enqueue a kernel with its own buffer, and return the buffer and the event."""
    kernel, buffer = kit.kernel(KERNEL), kit.create_filled_buffer(SIZE)
    kit.cl.clSetKernelArg(kernel, 0, kit.pointer_bytes, HandleBytes(buffer))
    outcome = kit.enqueue(
        LAUNCH,
        queue=queue,
        after=ElementList(after) if after else None,
        kernel=kernel,
        work_dim=1,
        global_work_offset=None,
        global_work_size=ElementList((SIZE // 4,)),
        local_work_size=None,
        event=OutputBuffer(1),
    )
    return buffer, kit.require_event(outcome)


def check_blocked_until_set(kit: Kit, gate: Handle, event: Handle) -> None:
    """Query the status of a command before and after its user event is set and the queue is finished.

    ``gate``: the user event that the command with the event ``event`` waits for.
    """
    flush(kit.cl, kit.queue)
    query_statuses(kit, event, event)
    kit.cl.clSetUserEventStatus(gate, 0)
    kit.finish()
    query_statuses(kit, event)


@cases.declare_family
def long_lists() -> Iterator[TableCase]:
    """Make a command wait for several events, one of which is incomplete.

    The position of the incomplete event varies.
    """

    def steps(kit: Kit, enqueue: Callable[..., Handle], count: int, place: int) -> None:
        gate, others = kit.user_event(), [kit.event() for _ in range(count - 1)]
        check_blocked_until_set(kit, gate, enqueue(kit, *others[:place], gate, *others[place:]))

    def case(requirement: str, enqueue: Callable[..., Handle], words: str, count: int, place: int) -> TableCase:
        told_of = f"the {words} of {count} events is not set"
        return cases.create_case(requirement, told_of, steps, enqueue, count, place, others=(STATUS,))

    for words, place in (("first", 0), ("in the middle", LONG_LIST // 2), ("last", LONG_LIST - 1)):
        yield case("OpenCL:execution-model/17", enqueue_copy, words, LONG_LIST, place)
    for function in ("clEnqueueMarkerWithWaitList", "clEnqueueBarrierWithWaitList"):
        for count in (2, LONG_LIST):
            for words, place in (("first", 0), ("last", count - 1)):
                yield case(
                    f"{function}/effect/6", functools.partial(enqueue_fence_after, function), words, count, place
                )


@cases.declare("OpenCL:execution-model/17", "one event twice, and one that is not set", STATUS)
def list_event_twice(kit: Kit) -> None:
    """List a complete event twice, before and after an incomplete event."""
    gate, first = kit.user_event(), enqueue_copy(kit)
    event = enqueue_copy(kit, first, gate, first)
    check_blocked_until_set(kit, gate, event)


@cases.declare(
    "OpenCL:execution-of-kernel-instances/3",
    "a kernel",
    "OpenCL:synchronization/5",
    "OpenCL:synchronization/7",
    "OpenCL:execution-of-kernel-instances/4",
    "OpenCL:execution-model/12",
    "OpenCL:execution-model/14",
)
def kernel_waits_for_user_event(kit: Kit) -> None:
    """Make a kernel wait for a user event."""
    gate = kit.user_event()
    _, event = enqueue_kernel(kit, kit.queue, gate)
    check_blocked_until_set(kit, gate, event)


@cases.declare_family
def kernels_after_barrier() -> Iterator[TableCase]:
    """Enqueue a kernel after a barrier that waits for a blocked command, on an out-of-order queue."""

    def steps(kit: Kit, function: str) -> None:
        kit.queue = kit.out_of_order_queue()
        buffer = kit.create_filled_buffer(SIZE)
        gate = kit.user_event()
        enqueue_copy(kit, gate)
        enqueue_fence(kit, function)
        kernel = kit.kernel(KERNEL)
        kit.cl.clSetKernelArg(kernel, 0, kit.pointer_bytes, HandleBytes(buffer))
        sizes: Arguments = {
            "work_dim": 1,
            "global_work_offset": None,
            "global_work_size": ElementList((4,)),
            "local_work_size": None,
        }
        event = kit.require_event(kit.enqueue(LAUNCH, kernel=kernel, event=OutputBuffer(1), **sizes))
        check_blocked_until_set(kit, gate, event)

    others = (
        "OpenCL:categories-of-kernels/3",
        "OpenCL:execution-model/15",
        "OpenCL:synchronization/9",
        "OpenCL:synchronization/4",
    )
    for function in ("clEnqueueBarrierWithWaitList", "clEnqueueBarrier"):
        yield cases.create_case("OpenCL:execution-of-kernel-instances/2", function, steps, function, others=others)


@cases.declare(
    "clEnqueueBarrierWithWaitList/effect/7",
    "after one with a wait list",
    STATUS,
    "OpenCL:execution-model/15",
    "OpenCL:synchronization/4",
)
def wait_after_barrier_with_list(kit: Kit) -> None:
    """Enqueue commands after a barrier that waits for a user event, on an out-of-order queue."""
    kit.queue = kit.out_of_order_queue()
    gate = kit.gate()
    kit.enqueue("clEnqueueBarrierWithWaitList", after=gate.wait_list[1])
    events = [enqueue_copy(kit) for _ in range(2)]
    flush(kit.cl, kit.queue)
    query_statuses(kit, *events, *events)
    gate.open()
    kit.finish()
    query_statuses(kit, *events)


def wait_across_queues(kit: Kit, other: Handle, enqueue: Callable[[Kit, Handle], Handle]) -> None:
    """Make a command of another queue wait for a command that depends on a user event.

    ``enqueue``: enqueues the waiting command on the kit's queue. ``other``: the other queue, which becomes the kit's
    queue.
    """
    gate = kit.user_event()
    first = enqueue_copy(kit, gate)
    flush(kit.cl, kit.queue)
    kit.queue, own = other, kit.queue
    check_blocked_until_set(kit, gate, enqueue(kit, first))
    query_statuses(kit, first)
    kit.finish(own)


@cases.declare("OpenCL:execution-model/24", "a command of another queue", "OpenCL:execution-model/6", STATUS)
def copy_waits_across_queues(kit: Kit) -> None:
    """Make a copy wait for a command of another queue."""
    wait_across_queues(kit, kit.new_queue(), enqueue_copy)


@cases.declare(
    "OpenCL:execution-model/24", "a kernel, for a command of another queue", "OpenCL:execution-model/6", STATUS
)
def kernel_waits_across_queues(kit: Kit) -> None:
    """Make a kernel wait for a command of another queue, and read the kernel's result.

    The kernel was run once before.
    """
    other = kit.new_queue()
    buffers: list[Handle] = []
    enqueue_kernel(kit, other)
    kit.finish(other)

    def enqueue(kit: Kit, first: Handle) -> Handle:
        buffer, event = enqueue_kernel(kit, other, first)
        buffers.append(buffer)
        return event

    wait_across_queues(kit, other, enqueue)
    kit.read(buffers[0], 0, SIZE)


@cases.declare(
    "OpenCL:execution-model/23",
    "while another queue is blocked",
    STATUS,
    "OpenCL:execution-model/22",
    "OpenCL:execution-of-kernel-instances/7",
)
def finish_despite_blocked_queue(kit: Kit) -> None:
    """Finish a queue while a command of another queue waits for a user event."""
    other, gate = kit.new_queue(), kit.user_event()
    enqueue_copy(kit, gate)
    flush(kit.cl, kit.queue)
    kit.queue, own = other, kit.queue
    event = enqueue_copy(kit)
    kit.finish(other)
    query_statuses(kit, event)
    kit.cl.clSetUserEventStatus(gate, 0)
    kit.finish(own)


@cases.declare("OpenCL:execution-of-kernel-instances/8", "for two contexts")
def use_queues_of_two_contexts(kit: Kit) -> None:
    """Create queues for one device in two contexts, and use both queues."""
    for each in (kit, kit.foreign):
        each.read(each.create_filled_buffer(SIZE), 0, SIZE)


@cases.declare_family
def kernel_results_on_another_queue() -> Iterator[TableCase]:
    """Write with a kernel, wait for it, and read the result on another queue."""

    def steps(kit: Kit, way: str) -> None:
        buffer, event = enqueue_kernel(kit, kit.queue)
        if way == "clFinish":
            kit.finish()
        else:
            kit.cl.clWaitForEvents(1, ElementList((event,)))
        kit.read(buffer, 0, SIZE, kit.new_queue())

    others = (
        "OpenCL:execution-model/10",
        "OpenCL:execution-of-kernel-instances/5",
        "OpenCL:execution-of-kernel-instances/6",
    )
    for way in ("clFinish", "clWaitForEvents"):
        yield cases.create_case("OpenCL:execution-model/9", f"after {way}", steps, way, others=others)


@cases.declare("OpenCL:execution-model/12", "after each of many waits", "clWaitForEvents/success", STATUS)
def wait_repeatedly(kit: Kit) -> None:
    """Enqueue a command, wait for it, and query its status, many times."""
    places: Arguments = {"src_buffer": kit.create_filled_buffer(SIZE), "dst_buffer": kit.buffer(), "size": SIZE}
    for _ in range(REPEATS):
        event = kit.require_event(kit.enqueue(COPY, src_offset=0, dst_offset=0, event=OutputBuffer(1), **places))
        kit.cl.clWaitForEvents(1, ElementList((event,)))
        query_statuses(kit, event)


@cases.declare(
    "OpenCL:synchronization/11",
    "read in another queue",
    "OpenCL:synchronization/13",
    "OpenCL:execution-model/18",
    "OpenCL:synchronization/8",
)
def read_after_event(kit: Kit) -> None:
    """Write a buffer on one queue, and read it on another queue after the write's event."""
    other = kit.new_queue()
    buffer, event = enqueue_write(kit, kit.queue)
    kit.cl.clFlush(kit.queue)
    place: Arguments = {"buffer": buffer, "offset": 0, "size": SIZE, "ptr": OutputBuffer(SIZE)}
    kit.enqueue(READ, queue=other, after=ElementList((event,)), **place)


@cases.declare("OpenCL:synchronization/14", "read after it, out of order")
def read_after_barrier(kit: Kit) -> None:
    """Write a buffer on an out-of-order queue, and read the buffer after a barrier."""
    kit.queue = kit.out_of_order_queue()
    buffer, _ = enqueue_write(kit, kit.queue)
    enqueue_fence(kit, "clEnqueueBarrierWithWaitList")
    kit.read(buffer, 0, SIZE)


@cases.declare("OpenCL:execution-model/20", "read after it, in order")
def read_in_order(kit: Kit) -> None:
    """Write a buffer without blocking, and read the buffer on the same in-order queue."""
    buffer, _ = enqueue_write(kit, kit.queue)
    kit.read(buffer, 0, SIZE)
