"""Order and visibility after markers, barriers, waits and in-order queues (5.12 to 5.16)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import ElementList, HandleBytes
from clconform.runner.pytest_plugin.covers import TableTest
from clconform.suites.cases import CaseRegistry
from clconform.suites.chapters.events.steps import enqueue_copy, enqueue_fence, enqueue_write, query_statuses
from clconform.suites.chapters.notifications.callbacks import flush
from clconform.suites.common.waiting import STATUS
from clconform.suites.helpers import is_available, skip_unless
from clconform.suites.kit.kit import Kit
from clconform.suites.kit.memory import SIZE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.runner.pytest_plugin.covers import TableCase

NAME = "events.order"
WAIT = "clEnqueueWaitForEvents"
MARKERS = {
    "clEnqueueMarkerWithWaitList": ("effect/5", "effect/6"),
    "clEnqueueMarker": ("effect/2",),
}
BARRIERS = {
    "clEnqueueBarrierWithWaitList": ("effect/5", "effect/6", "effect/7"),
    "clEnqueueBarrier": ("effect/1", "effect/2"),
}
"""The numbers of each barrier function's effects about the commands that the barrier waits for."""
IN_ORDER = "OpenCL:out-of-order-execution-of-kernels-and-memory-object-commands"
KERNEL = "add_index"
cases = CaseRegistry(Kit)
test_later_commands_wait_and_see_earlier_writes = TableTest(cases)


@cases.declare_family
def fences_out_of_order() -> Iterator[TableCase]:
    """Enqueue a marker or barrier between copies on an out-of-order queue, where the first copy waits.

    Two copies precede the marker or barrier: one waits for a user event, the other one has an empty wait list.
    """

    def steps(kit: Kit, function: str) -> None:
        kit.queue = kit.out_of_order_queue()
        gate = kit.gate()
        first = enqueue_copy(kit, gate.event)
        enqueue_copy(kit)
        between = enqueue_fence(kit, function)
        behind = [enqueue_copy(kit) for _ in range(2)]
        flush(kit.cl, kit.queue)
        held = (first, *between, *(behind if function in BARRIERS else ()))
        for _ in range(2):  # the first query may start a command
            query_statuses(kit, *held)
        gate.open()
        kit.finish()
        query_statuses(kit, *held, *behind)

    for function, effects in {**MARKERS, **BARRIERS}.items():
        first, *others = (f"{function}/{effect}" for effect in effects)
        more = ("OpenCL:synchronization/3",) if function == "clEnqueueBarrierWithWaitList" else ()
        yield cases.create_case(first, "out of order", steps, function, others=(*others, STATUS, *more))


@cases.declare_family
def queue_waits_for_user_event() -> Iterator[TableCase]:
    """Make a queue wait for a user event, and query the status of the command after the wait."""

    def steps(kit: Kit, *, in_order: bool) -> None:
        kit.queue = kit.queue if in_order else kit.out_of_order_queue()
        gate = kit.gate()
        skip_unless(is_available(kit.cl, WAIT), f"{WAIT} is not available")
        kit.cl.clEnqueueWaitForEvents(kit.queue, *gate.wait_list)
        last = enqueue_copy(kit)
        flush(kit.cl, kit.queue)
        query_statuses(kit, last)
        gate.open()
        kit.finish()
        query_statuses(kit, last)

    for words, in_order in (("in order", True), ("out of order", False)):
        yield cases.create_case(
            "clEnqueueWaitForEvents/effect/1",
            words,
            lambda kit, in_order=in_order: steps(kit, in_order=in_order),
            others=("clEnqueueWaitForEvents/effect/3", STATUS),
        )


@cases.declare(
    "OpenCL:out-of-order-execution-of-kernels-and-memory-object-commands/1",
    "after a command that waits",
    STATUS,
    "OpenCL:execution-model/16",
)
def wait_in_order(kit: Kit) -> None:
    """Enqueue commands on an in-order queue after a command that waits for a user event.

    The wait lists of these commands are empty or contain only complete events.
    """
    gate = kit.gate()
    events = [enqueue_copy(kit, gate.event), enqueue_copy(kit), enqueue_copy(kit), enqueue_copy(kit, kit.event())]
    flush(kit.cl, kit.queue)
    for _ in range(2):
        query_statuses(kit, *events)
    gate.open()
    kit.finish()
    query_statuses(kit, *events)


@cases.declare("clFinish/effect/2", "read in another queue", "OpenCL:synchronization/10")
def read_after_finish(kit: Kit) -> None:
    """Write a buffer on one queue, finish this queue, and read the buffer on another queue."""
    buffer, _ = enqueue_write(kit, kit.queue)
    kit.finish()
    kit.read(buffer, 0, SIZE, kit.new_queue())


@cases.declare("clWaitForEvents/effect/3", "read in another queue", "OpenCL:synchronization/12")
def read_after_event_wait(kit: Kit) -> None:
    """Write a buffer on one queue, wait for the write's event, and read the buffer on another queue."""
    buffer, event = enqueue_write(kit, kit.queue)
    kit.cl.clWaitForEvents(1, ElementList((event,)))
    kit.read(buffer, 0, SIZE, kit.new_queue())


@cases.declare("clEnqueueBarrier/effect/3", "read after it, out of order")
def read_after_barrier(kit: Kit) -> None:
    """Write a buffer on an out-of-order queue, and read the buffer after a barrier."""
    kit.queue = kit.out_of_order_queue()
    buffer, _ = enqueue_write(kit, kit.queue)
    enqueue_fence(kit, "clEnqueueBarrier")
    kit.read(buffer, 0, SIZE)


@cases.declare("clEnqueueWaitForEvents/effect/2", "read after it, out of order")
def read_after_queue_wait(kit: Kit) -> None:
    """Write a buffer on an out-of-order queue, and read it after a queue wait for the write's event."""
    kit.queue = kit.out_of_order_queue()
    buffer, event = enqueue_write(kit, kit.queue)
    skip_unless(is_available(kit.cl, WAIT), f"{WAIT} is not available")
    kit.cl.clEnqueueWaitForEvents(kit.queue, 1, ElementList((event,)))
    kit.read(buffer, 0, SIZE)


@cases.declare(
    "OpenCL:out-of-order-execution-of-kernels-and-memory-object-commands/2",
    "one kernel after another",
    "clEnqueueNDRangeKernel/success",
    "OpenCL:execution-model/20",
    "OpenCL:execution-of-kernel-instances/1",
)
def read_after_kernels(kit: Kit) -> None:
    """Enqueue a kernel on an in-order queue three times with the same buffer as its argument, and read the buffer."""
    kernel, buffer = kit.kernel(KERNEL), kit.create_filled_buffer(SIZE)
    kit.cl.clSetKernelArg(kernel, 0, kit.pointer_bytes, HandleBytes(buffer))
    for _ in range(3):
        kit.enqueue(
            "clEnqueueNDRangeKernel",
            kernel=kernel,
            work_dim=1,
            global_work_offset=None,
            global_work_size=ElementList((SIZE // 4,)),
            local_work_size=None,
        )
    kit.read(buffer, 0, SIZE)
