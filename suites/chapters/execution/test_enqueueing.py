"""Kernels that enqueue kernels: the parent completes after its children, with their writes visible (section 3.2.3)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Items, OutputBuffer
from clconform.oracles.model.enqueueing_kernels import ENQUEUEING_KERNELS, WORDS
from clconform.oracles.model.known_kernels import ELEMENT_BYTES
from clconform.runner.pytest_plugin.aims import Case, parametrize
from clconform.runner.session.answers import made
from clconform.suites.cases import Cases
from clconform.suites.chapters.execution.kernels import enqueueing, with_arguments
from clconform.suites.kit.kit import Kit
from clconform.suites.steps import needs

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pytest

    from clconform.calls.values import Handle
    from clconform.runner.session.session import Session

NAME = "execution.enqueueing"
LAUNCH, COMPLETE = "clEnqueueNDRangeKernel", "OpenCL:device-side-enqueue/2"
SAME = ("OpenCL:execution-model/11", "OpenCL:synchronization/6", f"{LAUNCH}/success")
ITEMS, GROUP, AGAIN = 6, 2, 3
cases: Cases[Kit] = Cases(Kit)


def _room(items: int) -> int:
    return items * WORDS * ELEMENT_BYTES


def _launch(kit: Kit, kernel: Handle, items: int = ITEMS, local: int | None = None) -> list[Handle]:
    """Enqueue a kernel, and return its event in a list."""
    sizes = {"global_work_size": Items((items,)), "local_work_size": Items((local,)) if local is not None else None}
    return made(kit.call(LAUNCH, kernel=kernel, work_dim=1, global_work_offset=None, **sizes), "event")


@cases.family
def each_kernel() -> Iterator[Case]:
    """Yield one item per kernel, with and without a local size."""
    for name in ENQUEUEING_KERNELS:
        words = name.replace("_", " ")
        yield cases.case(COMPLETE, words, _seen, name, None, others=SAME)
        yield cases.case(COMPLETE, f"{words}, groups of {GROUP}", _seen, name, GROUP, others=SAME)


def _seen(kit: Kit, name: str, local: int | None) -> None:
    """Enqueue a kernel several times on the same buffer, and read the buffer."""
    kernel, size = enqueueing(kit, name), _room(ITEMS)
    buffer = kit.filled(size)
    with_arguments(kit, kernel, buffer)
    for _ in range(AGAIN):
        _launch(kit, kernel, local=local)
    kit.read(buffer, 0, size)


@cases.of(COMPLETE, "on a queue, and read on another one behind the event", *SAME)
def read_behind_the_event(kit: Kit) -> None:
    """Make a read on another queue wait for the event of the kernel."""
    kernel, size, other = enqueueing(kit, "enqueue_behind"), _room(ITEMS), kit.new_queue()
    buffer = kit.filled(size)
    kit.finish()
    events = _launch(kit, with_arguments(kit, kernel, buffer))
    needs(events, "the driver gives no event")
    kit.cl.clFlush(kit.queue)
    waits = (len(events), Items(tuple(events)), None)
    kit.cl.clEnqueueReadBuffer(other, buffer, 1, 0, size, OutputBuffer(size), *waits)


@cases.of(COMPLETE, "waited for by its event", *SAME)
def waited_for(kit: Kit) -> None:
    """Wait for the event of the kernel, query its status, and read on another queue."""
    kernel, size, other = enqueueing(kit, "enqueue_at_once"), _room(1), kit.new_queue()
    buffer = kit.filled(size)
    kit.finish()
    events = _launch(kit, with_arguments(kit, kernel, buffer), 1)
    needs(events, "the driver gives no event")
    kit.cl.clWaitForEvents(len(events), Items(tuple(events)))
    kit.cl.query("clGetEventInfo", events[0], "CL_EVENT_COMMAND_EXECUTION_STATUS")
    kit.read(buffer, 0, size, other)


@cases.of(COMPLETE, "two kernels with one device queue, on two queues", *SAME)
def two_kernels(kit: Kit) -> None:
    """Run two kernels concurrently on two host queues, each on its own buffer."""
    first, size = enqueueing(kit, "enqueue_at_once"), _room(ITEMS)
    buffers = [kit.filled(size, seed=seed) for seed in (1, 2)]
    kit.finish()
    queues = [kit.queue, kit.new_queue()]
    sizes = {"work_dim": 1, "global_work_offset": None, "global_work_size": Items((ITEMS,)), "local_work_size": None}
    for queue, buffer in zip(queues, buffers, strict=True):
        kit.enqueue(LAUNCH, queue=queue, kernel=with_arguments(kit, first, buffer), **sizes)
    for queue, buffer in zip(queues, buffers, strict=True):
        kit.read(buffer, 0, size, queue)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Generate one test item per case."""
    parametrize(metafunc, cases)


def test_enqueueing(cl: Session, case: Case) -> None:
    case.act(cl)
