"""Commands that wait for others of their queue or of another one, kernels among them, by lists and barriers (3.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import HandleBytes, Items, OutputBuffer
from clconform.runner.pytest_plugin.aims import parametrize
from clconform.suites.cases import Cases
from clconform.suites.chapters.events.steps import copied, statuses, told, written
from clconform.suites.chapters.notifications.waiting import flush
from clconform.suites.kit.kit import Kit
from clconform.suites.kit.memory import SIZE
from clconform.suites.recurring.waiting import STATUS
from clconform.suites.steps import needs, promised

if TYPE_CHECKING:
    from collections.abc import Iterator

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
    """Launch a kernel on a buffer of its own; return the buffer, and the event."""
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


@cases.family
def long_lists() -> Iterator[Case]:
    """Let a command wait for many events, of which only one is not set: it is somewhere in the list."""

    def steps(kit: Kit, place: int) -> None:
        gate = kit.user_event()
        others = [kit.event() for _ in range(MANY - 1)]
        event = copied(kit, *others[:place], gate, *others[place:])
        flush(kit.cl, kit.queue)
        statuses(kit, event, event)
        kit.cl.clSetUserEventStatus(gate, 0)
        kit.finish()
        statuses(kit, event)

    for words, place in (("first", 0), ("in the middle", MANY // 2), ("last", MANY - 1)):
        yield cases.case(f"{MODEL}/17", f"the {words} of {MANY} events is not set", steps, place, others=(STATUS,))


@cases.family
def long_lists_of_markers() -> Iterator[Case]:
    """Let a marker or a barrier wait for two events, or for many, of which the first or the last one is not set."""

    def steps(kit: Kit, function: str, count: int, place: int) -> None:
        needs(promised(kit.cl, function), f"{function} is not available")
        gate, others = kit.user_event(), [kit.event() for _ in range(count - 1)]
        listed = Items((*others[:place], gate, *others[place:]))
        event = kit.event_of(kit.enqueue(function, after=listed, event=OutputBuffer(1)))
        flush(kit.cl, kit.queue)
        statuses(kit, event, event)
        kit.cl.clSetUserEventStatus(gate, 0)
        kit.finish()
        statuses(kit, event)

    for function in ("clEnqueueMarkerWithWaitList", "clEnqueueBarrierWithWaitList"):
        for count in (2, MANY):
            for words, place in (("first", 0), ("last", count - 1)):
                told_of = f"the {words} of {count} events is not set"
                yield cases.case(f"{function}/effect/6", told_of, steps, function, count, place, others=(STATUS,))


@cases.of(f"{MODEL}/17", "one event twice, and one that is not set", STATUS)
def listed_twice(kit: Kit) -> None:
    """List an event twice, on both sides of one that is not set."""
    gate, first = kit.user_event(), copied(kit)
    event = copied(kit, first, gate, first)
    flush(kit.cl, kit.queue)
    statuses(kit, event, event)
    kit.cl.clSetUserEventStatus(gate, 0)
    kit.finish()
    statuses(kit, event)


@cases.of(f"{INSTANCES}/3", "a kernel", f"{SYNC}/5", f"{SYNC}/7", f"{INSTANCES}/4", f"{MODEL}/12", f"{MODEL}/14")
def kernel_behind_a_gate(kit: Kit) -> None:
    """Let a kernel wait for a user event."""
    gate = kit.user_event()
    _, event = launched(kit, kit.queue, gate)
    flush(kit.cl, kit.queue)
    statuses(kit, event, event)
    kit.cl.clSetUserEventStatus(gate, 0)
    kit.finish()
    statuses(kit, event)


@cases.family
def kernels_behind_a_barrier() -> Iterator[Case]:
    """Put a kernel behind a barrier that is held up, out of order."""

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
        flush(kit.cl, kit.queue)
        statuses(kit, event, event)
        kit.cl.clSetUserEventStatus(gate, 0)
        kit.finish()
        statuses(kit, event)

    others = ("OpenCL:categories-of-kernels/3", f"{MODEL}/15", f"{SYNC}/9", f"{SYNC}/4")
    for function in ("clEnqueueBarrierWithWaitList", "clEnqueueBarrier"):
        yield cases.case(f"{INSTANCES}/2", function, steps, function, others=others)


@cases.of("clEnqueueBarrierWithWaitList/effect/7", "behind one with a list", STATUS, f"{MODEL}/15", f"{SYNC}/4")
def behind_a_barrier_with_a_list(kit: Kit) -> None:
    """Put commands behind a barrier that waits for a user event, out of order."""
    kit.queue = kit.out_of_order()
    gate = kit.gate()
    kit.enqueue("clEnqueueBarrierWithWaitList", after=gate.wait[1])
    events = [copied(kit) for _ in range(2)]
    flush(kit.cl, kit.queue)
    statuses(kit, *events, *events)
    gate.open()
    kit.finish()
    statuses(kit, *events)


@cases.of(f"{MODEL}/24", "a command of another queue", f"{MODEL}/6", STATUS)
def across_queues(kit: Kit) -> None:
    """Let a command wait for that of another queue, which waits for a user event."""
    other, gate = kit.new_queue(), kit.user_event()
    first = copied(kit, gate)
    flush(kit.cl, kit.queue)
    kit.queue, own = other, kit.queue
    second = copied(kit, first)
    flush(kit.cl, other)
    statuses(kit, second, second)
    kit.cl.clSetUserEventStatus(gate, 0)
    kit.finish(other)
    statuses(kit, second, first)
    kit.finish(own)


@cases.of(f"{MODEL}/24", "a kernel, for a command of another queue", f"{MODEL}/6", STATUS)
def kernel_across_queues(kit: Kit) -> None:
    """Let a kernel wait for the command of another queue, which waits for a user event; it was launched once before."""
    other, gate = kit.new_queue(), kit.user_event()
    launched(kit, other)
    kit.finish(other)
    first = copied(kit, gate)
    flush(kit.cl, kit.queue)
    kit.queue, own = other, kit.queue
    buffer, second = launched(kit, other, first)
    flush(kit.cl, other)
    statuses(kit, second, second)
    kit.cl.clSetUserEventStatus(gate, 0)
    kit.finish(other)
    statuses(kit, second, first)
    kit.read(buffer, 0, SIZE)
    kit.finish(own)


@cases.of(f"{MODEL}/23", "beside a queue that is held up", STATUS, f"{MODEL}/22", f"{INSTANCES}/7")
def beside_a_held_queue(kit: Kit) -> None:
    """Finish a queue while the command of another one waits for a user event."""
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
    """Make queues for one device in two contexts, and let both work."""
    for each in (kit, kit.foreign):
        each.read(each.filled(SIZE), 0, SIZE)


@cases.family
def kernels_read_in_another_queue() -> Iterator[Case]:
    """Let a kernel write, wait for it, and read what it has written in another queue."""

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
    """Enqueue a command, wait for it, and ask for its status, many times."""
    places: Arguments = {"src_buffer": kit.filled(SIZE), "dst_buffer": kit.buffer(), "size": SIZE}
    for _ in range(TIMES):
        event = kit.event_of(kit.enqueue(COPY, src_offset=0, dst_offset=0, event=OutputBuffer(1), **places))
        kit.cl.clWaitForEvents(1, Items((event,)))
        statuses(kit, event)


@cases.of(f"{SYNC}/11", "read in another queue", f"{SYNC}/13", f"{MODEL}/18", f"{SYNC}/8")
def seen_behind_its_event(kit: Kit) -> None:
    """Write in one queue, and read in another one after the event."""
    other = kit.new_queue()
    buffer, event = written(kit, kit.queue)
    kit.cl.clFlush(kit.queue)
    place: Arguments = {"buffer": buffer, "offset": 0, "size": SIZE, "ptr": OutputBuffer(SIZE)}
    kit.enqueue(READ, queue=other, after=Items((event,)), **place)


@cases.of(f"{SYNC}/14", "read behind it, out of order")
def seen_behind_a_barrier(kit: Kit) -> None:
    """Write in a queue out of order, and read behind a barrier."""
    kit.queue = kit.out_of_order()
    buffer, _ = written(kit, kit.queue)
    told(kit, "clEnqueueBarrierWithWaitList")
    kit.read(buffer, 0, SIZE)


@cases.of(f"{MODEL}/20", "read behind it, in order")
def seen_in_order(kit: Kit) -> None:
    """Write without waiting, and read in the same queue."""
    buffer, _ = written(kit, kit.queue)
    kit.read(buffer, 0, SIZE)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Make one item of each case."""
    parametrize(metafunc, cases)


def test_synchronization(cl: Session, case: Case) -> None:
    case.act(cl)
