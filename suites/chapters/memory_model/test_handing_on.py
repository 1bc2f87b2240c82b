"""Visibility of kernel and copy results on other queues and devices, and dependencies between queues."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Data, Handle, Items, OutputBuffer
from clconform.runner.pytest_plugin.aims import Case, parametrize
from clconform.suites.cases import Cases
from clconform.suites.chapters.memory_model.adding import adding
from clconform.suites.chapters.notifications.waiting import flush
from clconform.suites.kit.kit import Kit
from clconform.suites.kit.memory import SIZE, telling
from clconform.suites.recurring.waiting import STATUS
from clconform.suites.steps import at_least, needs, promised

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import pytest

    from clconform.runner.session.session import Session
    from clconform.suites.kit.valid_calls import Arguments

NAME = "memory_model.handing_on"
LAUNCH, COPY, INFO = "clEnqueueNDRangeKernel", "clEnqueueCopyBuffer", "clGetEventInfo"
MODEL, INSTANCES = "OpenCL:execution-model", "OpenCL:execution-of-kernel-instances"
COMMANDS, SYNCHRONIZATION = "OpenCL:host-side-and-device-side-commands", "OpenCL:synchronization"
UNMAP = "clEnqueueUnmapMemObject"
MARKER, BARRIER = "clEnqueueMarkerWithWaitList", "clEnqueueBarrierWithWaitList"
ITEMS = SIZE // 4
cases = Cases(Kit)


def worked(kit: Kit, kernel: Handle, queue: Handle, *after: Handle) -> Handle:
    """Enqueue a kernel with set arguments after some events, and return its event."""
    sizes = {"work_dim": 1, "global_work_offset": None, "global_work_size": Items((ITEMS,)), "local_work_size": None}
    waits = Items(after) if after else None
    return kit.event_of(kit.enqueue(LAUNCH, queue=queue, after=waits, kernel=kernel, event=OutputBuffer(1), **sizes))


@cases.family
def kernels_one_after_another() -> Iterator[Case]:
    """Run a kernel twice on a buffer, ordered by different means, and read the buffer."""

    def by_the_queue(kit: Kit, queue: Handle, event: Handle) -> tuple[Handle, ...]:
        del kit, queue, event
        return ()

    def by_the_event(kit: Kit, queue: Handle, event: Handle) -> tuple[Handle, ...]:
        del kit, queue
        return (event,)

    def by_a_marker(kit: Kit, queue: Handle, event: Handle) -> tuple[Handle, ...]:
        del event
        return (kit.event_of(kit.enqueue(MARKER, queue=queue, event=OutputBuffer(1))),)

    def by_a_barrier(kit: Kit, queue: Handle, event: Handle) -> tuple[Handle, ...]:
        del event
        kit.enqueue(BARRIER, queue=queue)
        return ()

    def steps(kit: Kit, link: Callable[[Kit, Handle, Handle], tuple[Handle, ...]], *, in_order: bool) -> None:
        kit.queue = kit.queue if in_order else kit.out_of_order()
        buffer = kit.filled(SIZE)
        kernel = adding(kit, buffer)
        event = worked(kit, kernel, kit.queue)
        last = worked(kit, kernel, kit.queue, *link(kit, kit.queue, event))
        kit.cl.clWaitForEvents(1, Items((last,)))
        kit.read(buffer, 0, SIZE, kit.new_queue())

    for record, words, link, in_order in (
        (f"{COMMANDS}/9", "in order", by_the_queue, True),
        (f"{COMMANDS}/5", "by its event", by_the_event, False),
        (f"{COMMANDS}/10", "by a marker", by_a_marker, False),
        (f"{COMMANDS}/11", "by a barrier", by_a_barrier, False),
    ):
        yield cases.case(
            record,
            f"kernels, {words}",
            lambda kit, link=link, in_order=in_order: steps(kit, link, in_order=in_order),
            others=(f"{LAUNCH}/success", f"{SYNCHRONIZATION}/12", f"{COMMANDS}/15"),
        )


@cases.of(f"{COMMANDS}/13", "a kernel, read in another queue", f"{MODEL}/10")
def finished(kit: Kit) -> None:
    """Enqueue a kernel, finish its queue, and read on another queue."""
    buffer = kit.filled(SIZE)
    worked(kit, adding(kit, buffer), kit.queue)
    kit.finish()
    kit.read(buffer, 0, SIZE, kit.new_queue())


@cases.of(f"{COMMANDS}/3", "bytes of the host, read in another queue")
def written_from_the_host(kit: Kit) -> None:
    """Write from host memory without blocking, finish the queue, and read on another queue."""
    area, buffer = kit.area(telling(SIZE)), kit.buffer()
    place: Arguments = {"buffer": buffer, "blocking_write": 0, "offset": 0, "size": SIZE, "ptr": area}
    kit.enqueue("clEnqueueWriteBuffer", **place)
    kit.finish()
    kit.read(buffer, 0, SIZE, kit.new_queue())


@cases.of(f"{SYNCHRONIZATION}/8", "a blocking write, read in another queue")
def written_by_a_blocking_call(kit: Kit) -> None:
    """Write with a blocking call, and read on another queue."""
    needs(at_least(kit.cl, (3, 0)), "before 3.0 a blocking write may return before its command is complete")
    buffer = kit.buffer()
    place: Arguments = {"buffer": buffer, "offset": 0, "size": SIZE, "ptr": Data(telling(SIZE))}
    kit.enqueue("clEnqueueWriteBuffer", **place)
    kit.read(buffer, 0, SIZE, kit.new_queue())


@cases.of("OpenCL:memory-model/1", "kernels on two devices", "OpenCL:fundamental-memory-regions/1")
def on_two_devices(kit: Kit) -> None:
    """Run a kernel on a buffer on one device, on another one, and on the first again, and read the buffer."""
    devices = (kit.cl.device, kit.any_other_device)
    kit.context = kit.new_context(*devices)
    queues = [kit.queue, kit.new_queue(devices[1])]
    buffer = kit.filled(SIZE)
    kernel = adding(kit, buffer, *devices)
    event: tuple[Handle, ...] = ()
    for queue in (*queues, queues[0]):
        event = (worked(kit, kernel, queue, *event),)
        flush(kit.cl, queue)
    kit.cl.clWaitForEvents(1, Items(event))
    kit.read(buffer, 0, SIZE, queues[1])


@cases.of(f"{COMMANDS}/9", "written to a region, read from its buffer", f"{COMMANDS}/13")
def written_to_a_region(kit: Kit) -> None:
    """Write to a sub-buffer, and read its buffer: in order, and on another queue."""
    whole = kit.filled(2 * SIZE)
    region = kit.sub_buffer(whole, 0, SIZE)
    place: Arguments = {"buffer": region, "blocking_write": 0, "offset": 0, "size": SIZE, "ptr": Data(telling(SIZE, 5))}
    kit.enqueue("clEnqueueWriteBuffer", **place)
    kit.read(whole, 0, 2 * SIZE)
    kit.enqueue("clEnqueueWriteBuffer", **{**place, "ptr": Data(telling(SIZE, 6))})
    kit.finish()
    kit.read(whole, 0, 2 * SIZE, kit.new_queue())


@cases.of(f"{COMMANDS}/8", "written through a map, read in another queue", f"{COMMANDS}/5")
def written_through_a_map(kit: Kit) -> None:
    """Write to a mapped region, and read on another queue after the unmap is complete."""
    buffer, other = kit.filled(SIZE), kit.new_queue()
    pointer = kit.map(buffer, "CL_MAP_WRITE")
    kit.put(pointer, telling(SIZE, 5))
    event = kit.event_of(kit.enqueue(UNMAP, memobj=buffer, mapped_ptr=pointer, event=OutputBuffer(1)))
    kit.cl.clWaitForEvents(1, Items((event,)))
    kit.read(buffer, 0, SIZE, other)


@cases.of("clReleaseMemObject/success", "kernels whose objects are released while they are on their way", STATUS)
def released_under_a_kernel(kit: Kit) -> None:
    """Enqueue kernels, release them and all but one buffer, and query the statuses after a wait."""
    kit.queue = kit.new_queue()
    buffers = [kit.filled(SIZE, seed=index) for index in range(3)]
    kernels = [adding(kit, buffer) for buffer in buffers]
    events = [worked(kit, kernel, kit.queue) for kernel in kernels for _ in range(8)]
    for buffer in buffers[1:]:
        kit.cl.clReleaseMemObject(buffer)
    for kernel in kernels:
        kit.cl.clReleaseKernel(kernel)
    kit.cl.clWaitForEvents(len(events), Items(tuple(events)))
    for event in events:
        kit.cl.query(INFO, event, STATUS)
    kit.read(buffers[0], 0, SIZE)


@cases.family
def released_under_copies() -> Iterator[Case]:
    """Copy from buffers, release the buffers before a wait, and read the copies."""

    def steps(kit: Kit, *, in_order: bool) -> None:
        queue = kit.new_queue() if in_order else kit.out_of_order()
        sources, targets = ([kit.filled(SIZE, seed=seed + index) for index in range(3)] for seed in (1, 9))
        for source, target in zip(sources, targets, strict=True):
            places: Arguments = {"src_buffer": source, "dst_buffer": target, "src_offset": 0, "dst_offset": 0}
            kit.enqueue(COPY, queue=queue, size=SIZE, **places)
            kit.cl.clReleaseMemObject(source)
        kit.finish(queue)
        for target in targets:
            kit.read(target, 0, SIZE, queue)

    for words, in_order in (("in order", True), ("out of order", False)):
        yield cases.case(
            "clReleaseMemObject/success",
            f"buffers that are released while copies of them are on their way, {words}",
            lambda kit, in_order=in_order: steps(kit, in_order=in_order),
            others=(f"{COPY}/success",),
        )


def copied(kit: Kit, queue: Handle, *after: Handle) -> Handle:
    """Enqueue a copy between two new buffers, and return its event."""
    places: Arguments = {
        "src_buffer": kit.buffer(),
        "dst_buffer": kit.buffer(),
        "src_offset": 0,
        "dst_offset": 0,
        "size": SIZE,
    }
    waits = Items(after) if after else None
    return kit.event_of(kit.enqueue(COPY, queue=queue, after=waits, event=OutputBuffer(1), **places))


@cases.of(f"{MODEL}/6", "two queues that wait for each other", f"{MODEL}/24", STATUS)
def to_and_fro(kit: Kit) -> None:
    """Make commands of two queues wait for each other alternately, with a user event for the first."""
    gate, queues = kit.gate(), (kit.queue, kit.new_queue())
    events = [copied(kit, kit.queue, gate.event)]
    for index in range(1, 5):
        flush(kit.cl, queues[(index - 1) % 2])
        events.append(copied(kit, queues[index % 2], events[-1]))
    for event in events:
        kit.cl.query(INFO, event, STATUS)
    gate.open()
    for queue in queues:
        kit.finish(queue)
    for event in events:
        kit.cl.query(INFO, event, STATUS)


@cases.of(f"{MODEL}/23", "beside a queue that waits", STATUS)
def beside_a_waiting_queue(kit: Kit) -> None:
    """Finish a queue while a command of another queue waits for a user event."""
    gate, other = kit.gate(), kit.new_queue()
    copied(kit, kit.queue, gate.event)
    flush(kit.cl, kit.queue)
    event = copied(kit, other)
    kit.finish(other)
    kit.cl.query(INFO, event, STATUS)
    gate.open()
    kit.finish()


@cases.of(f"{INSTANCES}/2", "a kernel behind a barrier, out of order", STATUS)
def kernel_behind_a_barrier(kit: Kit) -> None:
    """Enqueue a kernel after a barrier on an out-of-order queue, where a command before the barrier waits."""
    needs(promised(kit.cl, BARRIER), "requires OpenCL 1.2 (barriers with wait lists)")
    kit.queue = kit.out_of_order()
    buffer = kit.filled(SIZE)
    kernel, gate = adding(kit, buffer), kit.gate()
    copied(kit, kit.queue, gate.event)
    kit.enqueue(BARRIER)
    event = worked(kit, kernel, kit.queue)
    flush(kit.cl, kit.queue)
    kit.cl.query(INFO, event, STATUS)
    gate.open()
    kit.finish()
    kit.cl.query(INFO, event, STATUS)


@cases.of(f"{INSTANCES}/4", "a kernel behind a user event", f"{INSTANCES}/3", STATUS)
def kernel_behind_a_gate(kit: Kit) -> None:
    """Make a kernel wait for a user event, query its status before and after completion, and read the buffer."""
    buffer = kit.filled(SIZE)
    kernel, gate = adding(kit, buffer), kit.gate()
    event = worked(kit, kernel, kit.queue, gate.event)
    kit.cl.query(INFO, event, STATUS)
    gate.open()
    kit.finish()
    kit.cl.query(INFO, event, STATUS)
    kit.read(buffer, 0, SIZE)


@cases.of(f"{INSTANCES}/8", "in two contexts", f"{INSTANCES}/7", f"{MODEL}/22", "OpenCL:multiple-host-threads/3")
def queues_of_one_device(kit: Kit) -> None:
    """Create queues on one device in two contexts, and use each queue."""
    for each in (kit, kit.foreign):
        for queue in (each.queue, each.new_queue()):
            copied(each, queue)
            each.finish(queue)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Generate one test item per case."""
    parametrize(metafunc, cases)


def test_handing_on(cl: Session, case: Case) -> None:
    case.act(cl)
