"""Bytes in unified shared memory: put there and found by the host, by commands and by kernels."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Data, Handle, Inside, Room
from clconform.oracles.contents.unified import ACCESS, CROSS, DEVICE, HOST, SHARED, SYSTEM, TYPES
from clconform.runner.pytest_plugin.aims import Case, parametrize
from clconform.suites.cases import Cases
from clconform.suites.chapters.usm.desk import ITEMS, UnifiedDesk
from clconform.suites.data.bench import telling
from clconform.suites.queries.allocations import SIZE, allocate
from clconform.suites.steps import needs, one, value

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pytest

    from clconform.runner.session.session import Session

NAME = "usm.contents"
HALF = SIZE // 2
COPY, FILL, RUN = "clEnqueueMemcpyINTEL/success", "clEnqueueMemFillINTEL/success", "clEnqueueNDRangeKernel/success"
SET = "clSetKernelArgMemPointerINTEL/success"
ROWS = "cl_intel_unified_shared_memory"
cases = Cases(UnifiedDesk)


@cases.family
def by_types() -> Iterator[Case]:
    """Yield items of each type of memory: kernels, copies between any two types, and fills."""
    for sort, row in (
        (HOST, "host/access/any-device"),
        (DEVICE, "device/access/specific-device"),
        (SHARED, "shared/access/specific-device"),
    ):
        yield cases.case(SET, f"kernels on {sort}", worked_on, sort, others=(RUN, f"{ROWS}:{row}"))
        for start in TYPES:
            yield cases.case(COPY, f"from {start} to {sort}", copied, sort, start)
        for length in (1, 2, 4, 8, 16, 32, 64, 128):
            yield cases.case(FILL, f"{sort}, pattern of {length}", filled, sort, length, others=(COPY,))


@cases.family
def by_the_host() -> Iterator[Case]:
    """Yield an item of each type of memory that the host can use."""
    for sort, row in ((HOST, "host"), (SHARED, "shared")):
        yield cases.case(
            f"{ROWS}:{row}/access/host", f"the host uses {sort}", used_by_the_host, sort, others=(COPY, FILL, RUN)
        )


def copied(desk: UnifiedDesk, to: str, start: str) -> None:
    """Copy parts of one allocation to places of another, and copy both out."""
    target, source = desk.unified(to, seed=1), desk.unified(start, seed=2)
    for first, second, size in ((0, 0, 1), (3, 8, 100), (HALF, 1, HALF), (0, 0, SIZE)):
        desk.copy(Inside(target, first), Inside(source, second), size, wait=size != 1)
        desk.finish()
        desk.fetch(target)
    desk.fetch(source)


def filled(desk: UnifiedDesk, sort: str, length: int) -> None:
    """Fill one pattern and several at different places, and copy all of the memory out after each."""
    memory = desk.unified(sort)
    for first, count in ((0, 1), (3, 2), (6, 3), (SIZE // length - 1, 1)):
        desk.fill(Inside(memory, first * length), telling(length, 3), count * length)
        desk.fetch(memory)


def worked_on(desk: UnifiedDesk, sort: str) -> None:
    """Run kernels on allocations and on places in them, and copy out what that makes."""
    kernel, in_place = desk.kernel("copy_plus_one"), desk.kernel("add_index")
    source, target = desk.unified(sort, seed=1), desk.unified(sort, seed=2)
    for to, start in ((target, Inside(source, 4)), (Inside(target, SIZE - 4 * ITEMS), source)):
        desk.launch(kernel, to, start)
        desk.fetch(target)
    desk.launch(in_place, Inside(target, HALF))
    desk.fetch(target)
    desk.fetch(Inside(target, HALF), 4 * ITEMS)


def used_by_the_host(desk: UnifiedDesk, sort: str) -> None:
    """Let the host read and write memory that kernels and commands use before and after."""
    memory, kernel = desk.unified(sort), desk.kernel("add_index")
    desk.look(memory, SIZE)
    desk.put(Inside(memory, 5), telling(100, 4))
    desk.launch(kernel, memory)
    desk.finish()
    desk.look(memory, SIZE)
    desk.fill(Inside(memory, HALF), b"\1\2\3\4", HALF)
    desk.finish()
    desk.look(Inside(memory, HALF - 1), HALF + 1)
    desk.put(memory, telling(SIZE, 6))
    desk.fetch(memory)


@cases.of(COPY, "between an allocation and areas of the host's")
def copied_by_the_hosts_address(desk: UnifiedDesk) -> None:
    """Copy from one area to an allocation, and to another area, guard bytes included."""
    memory, source, target = desk.unified(*TYPES), desk.area(telling(SIZE, 3)), desk.area(telling(SIZE, 4))
    desk.copy(Inside(memory, 1), Inside(source, 2), HALF, wait=False)
    desk.finish()
    desk.copy(Inside(target, SIZE - 100), memory, 100)
    desk.look(target, SIZE)
    desk.copy(target, source, SIZE)
    desk.look(target, SIZE)


@cases.of(f"{ROWS}:shared-system/access/device", "kernels on the host's own memory", RUN)
def own_memory_worked_on(desk: UnifiedDesk) -> None:
    """Run a kernel on an area of the host's, where the device says that it can use it."""
    needs((desk.cl.fact(SYSTEM) or 0) & value(desk.cl, ACCESS), "the device does not use the host's own memory")
    area, kernel = desk.area(telling(SIZE)), desk.kernel("add_index")
    desk.launch(kernel, area)
    desk.finish()
    desk.look(area, SIZE)
    desk.fetch(area)


def _on_two_devices(desk: UnifiedDesk) -> list[Handle]:
    """Return queues on two devices that share memory with each other, in a context of their own."""
    access = value(desk.cl, ACCESS)
    sharing = [device for device in desk.cl.devices if (desk.cl.fact(CROSS, device) or 0) & access]
    needs(len(sharing) > 1 and desk.cl.device in sharing, "no two devices share memory with each other")
    both = [desk.cl.device, *(device for device in sharing if device != desk.cl.device)][:2]
    desk.context = desk.new_context(*both)
    return [desk.new_queue(desk.context, device) for device in both]


@cases.of(f"{ROWS}:shared/access/another-device", "one device after the other", RUN, COPY)
def used_by_two_devices(desk: UnifiedDesk) -> None:
    """Run kernels on one allocation on two devices in turn, and let each copy out what it finds."""
    queues = _on_two_devices(desk)
    memory, kernel = desk.unified(SHARED), desk.kernel("add_index")
    for queue in (*queues, *queues):
        desk.launch(kernel, memory, queue=queue)
        desk.finish(queue)
        desk.fetch(memory, queue=queue)
        desk.look(memory, SIZE)


@cases.of("clSharedMemAllocINTEL/success", "of no device, used by two", RUN, COPY)
def shared_by_no_device(desk: UnifiedDesk) -> None:
    """Use an allocation that belongs to no device on both."""
    queues = _on_two_devices(desk)
    memory = one(desk.cl.clSharedMemAllocINTEL(desk.context, None, None, SIZE, 0, Room(1)))
    desk.put(memory, telling(SIZE))
    kernel = desk.kernel("add_index")
    for queue in queues:
        desk.launch(kernel, memory, queue=queue)
        desk.finish(queue)
    desk.fetch(memory, queue=queues[1])
    desk.look(memory, SIZE)


@cases.of("clDeviceMemAllocINTEL/success", "many allocations, apart from each other", COPY)
def kept_apart(desk: UnifiedDesk) -> None:
    """Allocate memory of odd sizes, write other bytes into each, free some, and find all others as they were."""
    sizes = [1, 3, 17, 64, 127, 128, 129, 1000, SIZE, SIZE + 1]
    memory = [allocate(desk.cl, desk.context, DEVICE, SHARED, HOST, size=size) for size in sizes]
    for seed, (each, size) in enumerate(zip(memory, sizes, strict=True)):
        desk.copy(each, Data(telling(size, seed)), size)
    for each in memory[::3]:
        desk.cl.clMemFreeINTEL(desk.context, each)
    for index, (each, size) in enumerate(zip(memory, sizes, strict=True)):
        if index % 3:
            desk.fetch(each, size)


@cases.of("clEnqueueMigrateMemINTEL/success", "contents go with the memory", "clEnqueueMemAdviseINTEL/success", COPY)
def migrated(desk: UnifiedDesk) -> None:
    """Migrate parts of shared memory and give no advice on others: what is not given up stays as it was."""
    memory = desk.unified(SHARED)
    for flags, offset in (("CL_MIGRATE_MEM_OBJECT_HOST", 0), ("CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED", HALF)):
        place: Inside | Handle = Inside(memory, offset) if offset else memory
        desk.do("clEnqueueMigrateMemINTEL", ptr=place, size=HALF, flags=desk.value(flags))
        desk.fetch(memory)
    desk.do("clEnqueueMemAdviseINTEL", ptr=memory, size=SIZE, advice=0)
    desk.fetch(memory)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Make one item of each case."""
    parametrize(metafunc, cases)


def test_contents(cl: Session, case: Case) -> None:
    case.act(cl)
