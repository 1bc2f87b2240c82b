"""Visibility of kernel and copy results on other queues and devices, and dependencies between queues."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Data, ElementList, Handle, OutputBuffer
from clconform.runner.pytest_plugin.covers import TableCase, TableTest
from clconform.suites.cases import CaseRegistry
from clconform.suites.chapters.memory_model.add_kernel import create_add_kernel
from clconform.suites.chapters.notifications.callbacks import flush
from clconform.suites.common.waiting import STATUS
from clconform.suites.helpers import has_version, is_available, skip_unless
from clconform.suites.kit.kit import Kit
from clconform.suites.kit.memory import SIZE, pattern_bytes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from clconform.suites.kit.valid_calls import Arguments

NAME = "memory_model.visibility"
LAUNCH, COPY, INFO = "clEnqueueNDRangeKernel", "clEnqueueCopyBuffer", "clGetEventInfo"
UNMAP = "clEnqueueUnmapMemObject"
MARKER, BARRIER = "clEnqueueMarkerWithWaitList", "clEnqueueBarrierWithWaitList"
ITEMS = SIZE // 4
cases = CaseRegistry(Kit)
test_results_are_visible_after_synchronization = TableTest(cases)


def enqueue_kernel(kit: Kit, kernel: Handle, queue: Handle, *after: Handle) -> Handle:
    """Enqueue a kernel whose arguments are set, with a wait list, and return its event."""
    sizes = {
        "work_dim": 1,
        "global_work_offset": None,
        "global_work_size": ElementList((ITEMS,)),
        "local_work_size": None,
    }
    waits = ElementList(after) if after else None
    return kit.require_event(
        kit.enqueue(LAUNCH, queue=queue, after=waits, kernel=kernel, event=OutputBuffer(1), **sizes)
    )


@cases.declare_family
def ordered_kernels() -> Iterator[TableCase]:
    """Run a kernel twice with the same buffer, and read the buffer.

    The queue, an event, a marker or a barrier orders the runs.
    """

    def by_the_queue(kit: Kit, queue: Handle, event: Handle) -> tuple[Handle, ...]:
        del kit, queue, event
        return ()

    def by_the_event(kit: Kit, queue: Handle, event: Handle) -> tuple[Handle, ...]:
        del kit, queue
        return (event,)

    def by_a_marker(kit: Kit, queue: Handle, event: Handle) -> tuple[Handle, ...]:
        del event
        return (kit.require_event(kit.enqueue(MARKER, queue=queue, event=OutputBuffer(1))),)

    def by_a_barrier(kit: Kit, queue: Handle, event: Handle) -> tuple[Handle, ...]:
        del event
        kit.enqueue(BARRIER, queue=queue)
        return ()

    def steps(kit: Kit, link: Callable[[Kit, Handle, Handle], tuple[Handle, ...]], *, in_order: bool) -> None:
        kit.queue = kit.queue if in_order else kit.out_of_order_queue()
        buffer = kit.create_filled_buffer(SIZE)
        kernel = create_add_kernel(kit, buffer)
        event = enqueue_kernel(kit, kernel, kit.queue)
        last = enqueue_kernel(kit, kernel, kit.queue, *link(kit, kit.queue, event))
        kit.cl.clWaitForEvents(1, ElementList((last,)))
        kit.read(buffer, 0, SIZE, kit.new_queue())

    for requirement, words, link, in_order in (
        ("OpenCL:host-side-and-device-side-commands/9", "in order", by_the_queue, True),
        ("OpenCL:host-side-and-device-side-commands/5", "by its event", by_the_event, False),
        ("OpenCL:host-side-and-device-side-commands/10", "by a marker", by_a_marker, False),
        ("OpenCL:host-side-and-device-side-commands/11", "by a barrier", by_a_barrier, False),
    ):
        yield cases.create_case(
            requirement,
            f"kernels, {words}",
            lambda kit, link=link, in_order=in_order: steps(kit, link, in_order=in_order),
            others=(
                "clEnqueueNDRangeKernel/success",
                "OpenCL:synchronization/12",
                "OpenCL:host-side-and-device-side-commands/15",
            ),
        )


@cases.declare(
    "OpenCL:host-side-and-device-side-commands/13", "a kernel, read in another queue", "OpenCL:execution-model/10"
)
def read_after_finish(kit: Kit) -> None:
    """Enqueue a kernel, finish its queue, and read the kernel's result on another queue."""
    buffer = kit.create_filled_buffer(SIZE)
    enqueue_kernel(kit, create_add_kernel(kit, buffer), kit.queue)
    kit.finish()
    kit.read(buffer, 0, SIZE, kit.new_queue())


@cases.declare("OpenCL:host-side-and-device-side-commands/3", "bytes of the host, read in another queue")
def read_after_host_write(kit: Kit) -> None:
    """Write a buffer from host memory without blocking, finish the queue, and read the buffer on another queue."""
    area, buffer = kit.host_area(pattern_bytes(SIZE)), kit.buffer()
    place: Arguments = {"buffer": buffer, "blocking_write": 0, "offset": 0, "size": SIZE, "ptr": area}
    kit.enqueue("clEnqueueWriteBuffer", **place)
    kit.finish()
    kit.read(buffer, 0, SIZE, kit.new_queue())


@cases.declare("OpenCL:synchronization/8", "a blocking write, read in another queue")
def read_after_blocking_write(kit: Kit) -> None:
    """Write a buffer with a blocking call, and read the buffer on another queue."""
    skip_unless(has_version(kit.cl, (3, 0)), "before 3.0 a blocking write may return before its command is complete")
    buffer = kit.buffer()
    place: Arguments = {"buffer": buffer, "offset": 0, "size": SIZE, "ptr": Data(pattern_bytes(SIZE))}
    kit.enqueue("clEnqueueWriteBuffer", **place)
    kit.read(buffer, 0, SIZE, kit.new_queue())


@cases.declare("OpenCL:memory-model/1", "kernels on two devices", "OpenCL:fundamental-memory-regions/1")
def run_on_two_devices(kit: Kit) -> None:
    """Run a kernel on one device, on another device and on the first one again, and read their common buffer."""
    devices = (kit.cl.device, kit.any_other_device)
    kit.context = kit.new_context(*devices)
    queues = [kit.queue, kit.new_queue(devices[1])]
    buffer = kit.create_filled_buffer(SIZE)
    kernel = create_add_kernel(kit, buffer, *devices)
    event: tuple[Handle, ...] = ()
    for queue in (*queues, queues[0]):
        event = (enqueue_kernel(kit, kernel, queue, *event),)
        flush(kit.cl, queue)
    kit.cl.clWaitForEvents(1, ElementList(event))
    kit.read(buffer, 0, SIZE, queues[1])


@cases.declare(
    "OpenCL:host-side-and-device-side-commands/9",
    "written to a region, read from its buffer",
    "OpenCL:host-side-and-device-side-commands/13",
)
def read_after_sub_buffer_write(kit: Kit) -> None:
    """Write to a sub-buffer, and read the parent buffer on the same in-order queue and on another queue."""
    whole = kit.create_filled_buffer(2 * SIZE)
    region = kit.sub_buffer(whole, 0, SIZE)
    place: Arguments = {
        "buffer": region,
        "blocking_write": 0,
        "offset": 0,
        "size": SIZE,
        "ptr": Data(pattern_bytes(SIZE, 5)),
    }
    kit.enqueue("clEnqueueWriteBuffer", **place)
    kit.read(whole, 0, 2 * SIZE)
    kit.enqueue("clEnqueueWriteBuffer", **{**place, "ptr": Data(pattern_bytes(SIZE, 6))})
    kit.finish()
    kit.read(whole, 0, 2 * SIZE, kit.new_queue())


@cases.declare(
    "OpenCL:host-side-and-device-side-commands/8",
    "written through a map, read in another queue",
    "OpenCL:host-side-and-device-side-commands/5",
)
def read_after_mapped_write(kit: Kit) -> None:
    """Write to a mapped region of a buffer, unmap it, and read the buffer on another queue after the unmap."""
    buffer, other = kit.create_filled_buffer(SIZE), kit.new_queue()
    pointer = kit.map(buffer, "CL_MAP_WRITE")
    kit.write_host(pointer, pattern_bytes(SIZE, 5))
    event = kit.require_event(kit.enqueue(UNMAP, memobj=buffer, mapped_ptr=pointer, event=OutputBuffer(1)))
    kit.cl.clWaitForEvents(1, ElementList((event,)))
    kit.read(buffer, 0, SIZE, other)


@cases.declare("clReleaseMemObject/success", "kernels whose objects are released before they are complete", STATUS)
def release_while_kernels_run(kit: Kit) -> None:
    """Enqueue kernels, release them and all buffers but one, and wait for the kernels' events.

    Then query the status of each event, and read the remaining buffer.
    """
    kit.queue = kit.new_queue()
    buffers = [kit.create_filled_buffer(SIZE, seed=index) for index in range(3)]
    kernels = [create_add_kernel(kit, buffer) for buffer in buffers]
    events = [enqueue_kernel(kit, kernel, kit.queue) for kernel in kernels for _ in range(8)]
    for buffer in buffers[1:]:
        kit.cl.clReleaseMemObject(buffer)
    for kernel in kernels:
        kit.cl.clReleaseKernel(kernel)
    kit.cl.clWaitForEvents(len(events), ElementList(tuple(events)))
    for event in events:
        kit.cl.query(INFO, event, STATUS)
    kit.read(buffers[0], 0, SIZE)


@cases.declare_family
def releases_while_copying() -> Iterator[TableCase]:
    """Copy from buffers, release the buffers before a wait, and read the copies."""

    def steps(kit: Kit, *, in_order: bool) -> None:
        queue = kit.new_queue() if in_order else kit.out_of_order_queue()
        sources, targets = (
            [kit.create_filled_buffer(SIZE, seed=seed + index) for index in range(3)] for seed in (1, 9)
        )
        for source, target in zip(sources, targets, strict=True):
            places: Arguments = {"src_buffer": source, "dst_buffer": target, "src_offset": 0, "dst_offset": 0}
            kit.enqueue(COPY, queue=queue, size=SIZE, **places)
            kit.cl.clReleaseMemObject(source)
        kit.finish(queue)
        for target in targets:
            kit.read(target, 0, SIZE, queue)

    for words, in_order in (("in order", True), ("out of order", False)):
        yield cases.create_case(
            "clReleaseMemObject/success",
            f"buffers that are released before their copies are complete, {words}",
            lambda kit, in_order=in_order: steps(kit, in_order=in_order),
            others=("clEnqueueCopyBuffer/success",),
        )


def enqueue_copy(kit: Kit, queue: Handle, *after: Handle) -> Handle:
    """Enqueue a copy between two new buffers, and return its event."""
    places: Arguments = {
        "src_buffer": kit.buffer(),
        "dst_buffer": kit.buffer(),
        "src_offset": 0,
        "dst_offset": 0,
        "size": SIZE,
    }
    waits = ElementList(after) if after else None
    return kit.require_event(kit.enqueue(COPY, queue=queue, after=waits, event=OutputBuffer(1), **places))


@cases.declare("OpenCL:execution-model/6", "two queues that wait for each other", "OpenCL:execution-model/24", STATUS)
def alternate_queues(kit: Kit) -> None:
    """Enqueue commands on two queues alternately, each after the previous one.

    The first command waits for a user event.
    """
    gate, queues = kit.gate(), (kit.queue, kit.new_queue())
    events = [enqueue_copy(kit, kit.queue, gate.event)]
    for index in range(1, 5):
        flush(kit.cl, queues[(index - 1) % 2])
        events.append(enqueue_copy(kit, queues[index % 2], events[-1]))
    for event in events:
        kit.cl.query(INFO, event, STATUS)
    gate.open()
    for queue in queues:
        kit.finish(queue)
    for event in events:
        kit.cl.query(INFO, event, STATUS)


@cases.declare("OpenCL:execution-model/23", "while another queue waits", STATUS)
def finish_despite_waiting_queue(kit: Kit) -> None:
    """Finish a queue while a command of another queue waits for a user event."""
    gate, other = kit.gate(), kit.new_queue()
    enqueue_copy(kit, kit.queue, gate.event)
    flush(kit.cl, kit.queue)
    event = enqueue_copy(kit, other)
    kit.finish(other)
    kit.cl.query(INFO, event, STATUS)
    gate.open()
    kit.finish()


@cases.declare("OpenCL:execution-of-kernel-instances/2", "a kernel after a barrier, out of order", STATUS)
def run_kernel_after_barrier(kit: Kit) -> None:
    """Enqueue a kernel after a barrier on an out-of-order queue.

    A command before the barrier waits for a user event.
    """
    skip_unless(is_available(kit.cl, BARRIER), "requires OpenCL 1.2 (barriers with wait lists)")
    kit.queue = kit.out_of_order_queue()
    buffer = kit.create_filled_buffer(SIZE)
    kernel, gate = create_add_kernel(kit, buffer), kit.gate()
    enqueue_copy(kit, kit.queue, gate.event)
    kit.enqueue(BARRIER)
    event = enqueue_kernel(kit, kernel, kit.queue)
    flush(kit.cl, kit.queue)
    kit.cl.query(INFO, event, STATUS)
    gate.open()
    kit.finish()
    kit.cl.query(INFO, event, STATUS)


@cases.declare(
    "OpenCL:execution-of-kernel-instances/4",
    "a kernel after a user event",
    "OpenCL:execution-of-kernel-instances/3",
    STATUS,
)
def run_kernel_after_user_event(kit: Kit) -> None:
    """Make a kernel wait for a user event, query its status before and after completion, and read the buffer."""
    buffer = kit.create_filled_buffer(SIZE)
    kernel, gate = create_add_kernel(kit, buffer), kit.gate()
    event = enqueue_kernel(kit, kernel, kit.queue, gate.event)
    kit.cl.query(INFO, event, STATUS)
    gate.open()
    kit.finish()
    kit.cl.query(INFO, event, STATUS)
    kit.read(buffer, 0, SIZE)


@cases.declare(
    "OpenCL:execution-of-kernel-instances/8",
    "in two contexts",
    "OpenCL:execution-of-kernel-instances/7",
    "OpenCL:execution-model/22",
    "OpenCL:multiple-host-threads/3",
)
def use_queues_of_one_device(kit: Kit) -> None:
    """Create queues for one device in two contexts, and use each queue."""
    for each in (kit, kit.foreign):
        for queue in (each.queue, each.new_queue()):
            enqueue_copy(each, queue)
            each.finish(queue)
