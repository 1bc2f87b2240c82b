"""Kernels that enqueue kernels: the parent completes after its children and makes their writes visible (3.2.3)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import ElementList, OutputBuffer
from clconform.oracles.model.buffer_kernels import ELEMENT_BYTES
from clconform.oracles.model.enqueueing_kernels import ENQUEUEING_KERNELS, WORDS
from clconform.runner.pytest_plugin.covers import TableCase, TableTest
from clconform.runner.session.outcome_values import returned_handles
from clconform.suites.cases import CaseRegistry
from clconform.suites.chapters.execution.kernels import create_enqueueing_kernel, set_arguments
from clconform.suites.helpers import skip_unless
from clconform.suites.kit.kit import Kit

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.calls.values import Handle

NAME = "execution.device_side_enqueue"
LAUNCH, COMPLETE = "clEnqueueNDRangeKernel", "OpenCL:device-side-enqueue/2"
OTHER_TARGETS = ("OpenCL:execution-model/11", "OpenCL:synchronization/6", "clEnqueueNDRangeKernel/success")
ITEMS, GROUP, REPEATS = 6, 2, 3
cases: CaseRegistry[Kit] = CaseRegistry(Kit)
test_parent_kernels_complete_after_their_children = TableTest(cases)


def _result_bytes(items: int) -> int:
    return items * WORDS * ELEMENT_BYTES


def _enqueue_kernel(kit: Kit, kernel: Handle, items: int = ITEMS, local: int | None = None) -> list[Handle]:
    """Enqueue a kernel, and return its event in a list."""
    sizes = {
        "global_work_size": ElementList((items,)),
        "local_work_size": ElementList((local,)) if local is not None else None,
    }
    return returned_handles(kit.call(LAUNCH, kernel=kernel, work_dim=1, global_work_offset=None, **sizes), "event")


@cases.declare_family
def enqueueing_kernels() -> Iterator[TableCase]:
    """Yield an item for each enqueuing kernel, with and without a local size."""
    for name in ENQUEUEING_KERNELS:
        words = name.replace("_", " ")
        yield cases.create_case(COMPLETE, words, _run_and_read, name, None, others=OTHER_TARGETS)
        yield cases.create_case(
            COMPLETE, f"{words}, groups of {GROUP}", _run_and_read, name, GROUP, others=OTHER_TARGETS
        )


def _run_and_read(kit: Kit, name: str, local: int | None) -> None:
    """Enqueue a kernel several times with the same buffer as its argument, and read the buffer."""
    kernel, size = create_enqueueing_kernel(kit, name), _result_bytes(ITEMS)
    buffer = kit.create_filled_buffer(size)
    set_arguments(kit, kernel, buffer)
    for _ in range(REPEATS):
        _enqueue_kernel(kit, kernel, local=local)
    kit.read(buffer, 0, size)


@cases.declare(COMPLETE, "on a queue, read on another queue after the event", *OTHER_TARGETS)
def read_after_event(kit: Kit) -> None:
    """Read the result of an enqueuing kernel on another queue; the read waits for the event of the kernel."""
    kernel, size, other = create_enqueueing_kernel(kit, "enqueue_behind"), _result_bytes(ITEMS), kit.new_queue()
    buffer = kit.create_filled_buffer(size)
    kit.finish()
    events = _enqueue_kernel(kit, set_arguments(kit, kernel, buffer))
    skip_unless(events, "the driver gives no event")
    kit.cl.clFlush(kit.queue)
    waits = (len(events), ElementList(tuple(events)), None)
    kit.cl.clEnqueueReadBuffer(other, buffer, 1, 0, size, OutputBuffer(size), *waits)


@cases.declare(COMPLETE, "waited for by its event", *OTHER_TARGETS)
def wait_for_event(kit: Kit) -> None:
    """Wait for the event of an enqueuing kernel, query its status, and read the kernel's result on another queue."""
    kernel, size, other = create_enqueueing_kernel(kit, "enqueue_at_once"), _result_bytes(1), kit.new_queue()
    buffer = kit.create_filled_buffer(size)
    kit.finish()
    events = _enqueue_kernel(kit, set_arguments(kit, kernel, buffer), 1)
    skip_unless(events, "the driver gives no event")
    kit.cl.clWaitForEvents(len(events), ElementList(tuple(events)))
    kit.cl.query("clGetEventInfo", events[0], "CL_EVENT_COMMAND_EXECUTION_STATUS")
    kit.read(buffer, 0, size, other)


@cases.declare(COMPLETE, "two kernels with one device queue, on two queues", *OTHER_TARGETS)
def run_two_kernels(kit: Kit) -> None:
    """Run two enqueuing kernels concurrently on two host queues, each with its own buffer."""
    first, size = create_enqueueing_kernel(kit, "enqueue_at_once"), _result_bytes(ITEMS)
    buffers = [kit.create_filled_buffer(size, seed=seed) for seed in (1, 2)]
    kit.finish()
    queues = [kit.queue, kit.new_queue()]
    sizes = {
        "work_dim": 1,
        "global_work_offset": None,
        "global_work_size": ElementList((ITEMS,)),
        "local_work_size": None,
    }
    for queue, buffer in zip(queues, buffers, strict=True):
        kit.enqueue(LAUNCH, queue=queue, kernel=set_arguments(kit, first, buffer), **sizes)
    for queue, buffer in zip(queues, buffers, strict=True):
        kit.read(buffer, 0, size, queue)
