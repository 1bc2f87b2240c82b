"""Commands and kernels that wait for commands of their own or another queue, by wait lists and barriers (3.2)."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

from clconform.calls.values import HandleBytes, Items, OutputBuffer
from clconform.runner.pytest_plugin.aims import parametrize
from clconform.suites.cases import Cases
from clconform.suites.chapters.events.steps import copied, statuses, told, told_after, written
from clconform.suites.chapters.notifications.waiting import flush
from clconform.suites.kit.kit import Kit
from clconform.suites.kit.memory import SIZE
from clconform.suites.recurring.waiting import STATUS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import pytest

    from clconform.calls.values import Handle
    from clconform.runner.pytest_plugin.aims import Case
    from clconform.runner.session.session import Session
    from clconform.suites.kit.valid_calls import Arguments

NAME = "events.synchronization"
MODEL, INSTANCES, SYNC = "OpenCL:execution-model", "OpenCL:execution-of-kernel-instances", "OpenCL:synchronization"
COPY, READ, LAUNCH = "clEnqueueCopyBuffer", "clEnqueueReadBuffer", "clEnqueueNDRangeKernel"
KERNEL = "add_index"
MANY, TIMES = 17, 60
cases = Cases(Kit)


def launched(kit: Kit, queue: Handle, *after: Handle) -> tuple[Handle, Handle]:
    """Enqueue a kernel on a new buffer, and return the buffer and the event."""
    kernel, buffer = kit.kernel(KERNEL), kit.filled(SIZE)
    kit.cl.clSetKernelArg(kernel, 0, 8, HandleBytes(buffer))
    outcome = kit.enqueue(
        LAUNCH,
        queue=queue,
        after=Items(after) if after else None,
        kernel=kernel,
        work_dim=1,
        global_work_offset=None,
        global_work_size=Items((SIZE // 4,)),
        local_work_size=None,
        event=OutputBuffer(1),
    )
    return buffer, kit.event_of(outcome)


def held_until_set(kit: Kit, gate: Handle, event: Handle) -> None:
    """Query the status of a command that waits for a user event, complete the event, finish, and query again."""
    flush(kit.cl, kit.queue)
    statuses(kit, event, event)
    kit.cl.clSetUserEventStatus(gate, 0)
    kit.finish()
    statuses(kit, event)


@cases.family
def long_lists() -> Iterator[Case]:
    """Make a command wait for several events; one of them, at a given position, is incomplete."""

    def steps(kit: Kit, enqueue: Callable[..., Handle], count: int, place: int) -> None:
        gate, others = kit.user_event(), [kit.event() for _ in range(count - 1)]
        held_until_set(kit, gate, enqueue(kit, *others[:place], gate, *others[place:]))

    def case(record: str, enqueue: Callable[..., Handle], words: str, count: int, place: int) -> Case:
        told_of = f"the {words} of {count} events is not set"
        return cases.case(record, told_of, steps, enqueue, count, place, others=(STATUS,))

    for words, place in (("first", 0), ("in the middle", MANY // 2), ("last", MANY - 1)):
        yield case(f"{MODEL}/17", copied, words, MANY, place)
    for function in ("clEnqueueMarkerWithWaitList", "clEnqueueBarrierWithWaitList"):
        for count in (2, MANY):
            for words, place in (("first", 0), ("last", count - 1)):
                yield case(f"{function}/effect/6", functools.partial(told_after, function), words, count, place)


@cases.of(f"{MODEL}/17", "one event twice, and one that is not set", STATUS)
def listed_twice(kit: Kit) -> None:
    """List an event twice, before and after an incomplete event."""
    gate, first = kit.user_event(), copied(kit)
    event = copied(kit, first, gate, first)
    held_until_set(kit, gate, event)


@cases.of(f"{INSTANCES}/3", "a kernel", f"{SYNC}/5", f"{SYNC}/7", f"{INSTANCES}/4", f"{MODEL}/12", f"{MODEL}/14")
def kernel_behind_a_gate(kit: Kit) -> None:
    """Make a kernel wait for a user event."""
    gate = kit.user_event()
    _, event = launched(kit, kit.queue, gate)
    held_until_set(kit, gate, event)


@cases.family
def kernels_behind_a_barrier() -> Iterator[Case]:
    """Enqueue a kernel after a blocked barrier on an out-of-order queue."""

    def steps(kit: Kit, function: str) -> None:
        kit.queue = kit.out_of_order()
        buffer = kit.filled(SIZE)
        gate = kit.user_event()
        copied(kit, gate)
        told(kit, function)
        kernel = kit.kernel(KERNEL)
        kit.cl.clSetKernelArg(kernel, 0, 8, HandleBytes(buffer))
        sizes: Arguments = {
            "work_dim": 1,
            "global_work_offset": None,
            "global_work_size": Items((4,)),
            "local_work_size": None,
        }
        event = kit.event_of(kit.enqueue(LAUNCH, kernel=kernel, event=OutputBuffer(1), **sizes))
        held_until_set(kit, gate, event)

    others = ("OpenCL:categories-of-kernels/3", f"{MODEL}/15", f"{SYNC}/9", f"{SYNC}/4")
    for function in ("clEnqueueBarrierWithWaitList", "clEnqueueBarrier"):
        yield cases.case(f"{INSTANCES}/2", function, steps, function, others=others)


@cases.of("clEnqueueBarrierWithWaitList/effect/7", "behind one with a list", STATUS, f"{MODEL}/15", f"{SYNC}/4")
def behind_a_barrier_with_a_list(kit: Kit) -> None:
    """Enqueue commands after a barrier that waits for a user event, on an out-of-order queue."""
    kit.queue = kit.out_of_order()
    gate = kit.gate()
    kit.enqueue("clEnqueueBarrierWithWaitList", after=gate.wait[1])
    events = [copied(kit) for _ in range(2)]
    flush(kit.cl, kit.queue)
    statuses(kit, *events, *events)
    gate.open()
    kit.finish()
    statuses(kit, *events)


def across_queues(kit: Kit, other: Handle, enqueue: Callable[[Kit, Handle], Handle]) -> None:
    """Make a command of another queue wait for a command that depends on a user event.

    ``enqueue``: enqueues the command on the kit's queue, which is ``other`` from then on.
    """
    gate = kit.user_event()
    first = copied(kit, gate)
    flush(kit.cl, kit.queue)
    kit.queue, own = other, kit.queue
    held_until_set(kit, gate, enqueue(kit, first))
    statuses(kit, first)
    kit.finish(own)


@cases.of(f"{MODEL}/24", "a command of another queue", f"{MODEL}/6", STATUS)
def copy_across_queues(kit: Kit) -> None:
    """Make a copy wait for a command of another queue."""
    across_queues(kit, kit.new_queue(), copied)


@cases.of(f"{MODEL}/24", "a kernel, for a command of another queue", f"{MODEL}/6", STATUS)
def kernel_across_queues(kit: Kit) -> None:
    """Make an already executed kernel wait for a command of another queue, and read its result."""
    other = kit.new_queue()
    buffers: list[Handle] = []
    launched(kit, other)
    kit.finish(other)

    def enqueue(kit: Kit, first: Handle) -> Handle:
        buffer, event = launched(kit, other, first)
        buffers.append(buffer)
        return event

    across_queues(kit, other, enqueue)
    kit.read(buffers[0], 0, SIZE)


@cases.of(f"{MODEL}/23", "beside a queue that is held up", STATUS, f"{MODEL}/22", f"{INSTANCES}/7")
def beside_a_held_queue(kit: Kit) -> None:
    """Finish a queue while a command of another queue waits for a user event."""
    other, gate = kit.new_queue(), kit.user_event()
    copied(kit, gate)
    flush(kit.cl, kit.queue)
    kit.queue, own = other, kit.queue
    event = copied(kit)
    kit.finish(other)
    statuses(kit, event)
    kit.cl.clSetUserEventStatus(gate, 0)
    kit.finish(own)


@cases.of(f"{INSTANCES}/8", "for two contexts")
def queues_of_two_contexts(kit: Kit) -> None:
    """Create queues for one device in two contexts, and use both."""
    for each in (kit, kit.foreign):
        each.read(each.filled(SIZE), 0, SIZE)


@cases.family
def kernels_read_in_another_queue() -> Iterator[Case]:
    """Write with a kernel, wait for it, and read the result on another queue."""

    def steps(kit: Kit, way: str) -> None:
        buffer, event = launched(kit, kit.queue)
        if way == "clFinish":
            kit.finish()
        else:
            kit.cl.clWaitForEvents(1, Items((event,)))
        kit.read(buffer, 0, SIZE, kit.new_queue())

    others = (f"{MODEL}/10", f"{INSTANCES}/5", f"{INSTANCES}/6")
    for way in ("clFinish", "clWaitForEvents"):
        yield cases.case(f"{MODEL}/9", f"after {way}", steps, way, others=others)


@cases.of(f"{MODEL}/12", "after each of many waits", "clWaitForEvents/success", STATUS)
def waited_for_again_and_again(kit: Kit) -> None:
    """Enqueue a command, wait for it, and query its status, many times."""
    places: Arguments = {"src_buffer": kit.filled(SIZE), "dst_buffer": kit.buffer(), "size": SIZE}
    for _ in range(TIMES):
        event = kit.event_of(kit.enqueue(COPY, src_offset=0, dst_offset=0, event=OutputBuffer(1), **places))
        kit.cl.clWaitForEvents(1, Items((event,)))
        statuses(kit, event)


@cases.of(f"{SYNC}/11", "read in another queue", f"{SYNC}/13", f"{MODEL}/18", f"{SYNC}/8")
def seen_behind_its_event(kit: Kit) -> None:
    """Write on one queue, and read on another queue after the write's event."""
    other = kit.new_queue()
    buffer, event = written(kit, kit.queue)
    kit.cl.clFlush(kit.queue)
    place: Arguments = {"buffer": buffer, "offset": 0, "size": SIZE, "ptr": OutputBuffer(SIZE)}
    kit.enqueue(READ, queue=other, after=Items((event,)), **place)


@cases.of(f"{SYNC}/14", "read behind it, out of order")
def seen_behind_a_barrier(kit: Kit) -> None:
    """Write on an out-of-order queue, and read after a barrier."""
    kit.queue = kit.out_of_order()
    buffer, _ = written(kit, kit.queue)
    told(kit, "clEnqueueBarrierWithWaitList")
    kit.read(buffer, 0, SIZE)


@cases.of(f"{MODEL}/20", "read behind it, in order")
def seen_in_order(kit: Kit) -> None:
    """Write without blocking, and read on the same queue."""
    buffer, _ = written(kit, kit.queue)
    kit.read(buffer, 0, SIZE)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Generate one test item per case."""
    parametrize(metafunc, cases)


def test_synchronization(cl: Session, case: Case) -> None:
    case.act(cl)
