"""Content of USM: written and read by the host, by commands and by kernels."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Data, Handle, Inside, OutputBuffer
from clconform.oracles.contents.unified import ACCESS, CROSS, DEVICE, HOST, SHARED, SYSTEM, TYPES
from clconform.runner.pytest_plugin.aims import Case, parametrize
from clconform.suites.cases import Cases
from clconform.suites.chapters.usm.kit import ITEMS, UnifiedKit
from clconform.suites.kit.memory import SIZE, telling
from clconform.suites.queries.allocations import FLAGS, PLACEMENTS
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
HINTS = tuple(f"{FLAGS}/effect/{number}" for number in range(2, 7))
cases = Cases(UnifiedKit)


@cases.family
def by_types() -> Iterator[Case]:
    """Yield items for each type of USM: kernels, copies between any two types, and fills."""
    for memory_type, row in (
        (HOST, "host/access/any-device"),
        (DEVICE, "device/access/specific-device"),
        (SHARED, "shared/access/specific-device"),
    ):
        yield cases.case(SET, f"kernels on {memory_type}", worked_on, memory_type, others=(RUN, f"{ROWS}:{row}"))
        for start in TYPES:
            yield cases.case(COPY, f"from {start} to {memory_type}", copied, memory_type, start)
        for length in (1, 2, 4, 8, 16, 32, 64, 128):
            yield cases.case(FILL, f"{memory_type}, pattern of {length}", filled, memory_type, length, others=(COPY,))


@cases.family
def by_the_host() -> Iterator[Case]:
    """Yield an item for each type of USM that the host can access."""
    for memory_type, row in ((HOST, "host"), (SHARED, "shared")):
        yield cases.case(
            f"{ROWS}:{row}/access/host",
            f"the host uses {memory_type}",
            used_by_the_host,
            memory_type,
            others=(COPY, FILL, RUN),
        )


@cases.family
def with_hints() -> Iterator[Case]:
    """Yield shared USM with each placement hint, for a fill and for a kernel."""

    def steps(kit: UnifiedKit, hint: str) -> None:
        memory = kit.unified(SHARED, properties=kit.listed(FLAGS, hint))
        kit.fill(memory, telling(4, 6), SIZE)
        kit.fetch(memory)
        kit.launch(kit.kernel("add_index"), memory)
        kit.finish()
        kit.fetch(memory)

    for hint in PLACEMENTS:
        yield cases.case(f"{FLAGS}/effect/1", hint, steps, hint, others=HINTS)


def copied(kit: UnifiedKit, to: str, start: str) -> None:
    """Copy parts of one allocation to offsets of another, and read both."""
    target, source = kit.filled_unified(to, seed=1), kit.filled_unified(start, seed=2)
    for first, second, size in ((0, 0, 1), (3, 8, 100), (HALF, 1, HALF), (0, 0, SIZE)):
        kit.copy(Inside(target, first), Inside(source, second), size, wait=size != 1)
        kit.finish()
        kit.fetch(target)
    kit.fetch(source)


def filled(kit: UnifiedKit, memory_type: str, length: int) -> None:
    """Fill one and several patterns at different offsets, and read the whole allocation after each fill."""
    memory = kit.filled_unified(memory_type)
    for first, count in ((0, 1), (3, 2), (6, 3), (SIZE // length - 1, 1)):
        kit.fill(Inside(memory, first * length), telling(length, 3), count * length)
        kit.fetch(memory)


def worked_on(kit: UnifiedKit, memory_type: str) -> None:
    """Run kernels on allocations and on addresses inside them, and read the results."""
    kernel, in_place = kit.kernel("copy_plus_one"), kit.kernel("add_index")
    source, target = kit.filled_unified(memory_type, seed=1), kit.filled_unified(memory_type, seed=2)
    for to, start in ((target, Inside(source, 4)), (Inside(target, SIZE - 4 * ITEMS), source)):
        kit.launch(kernel, to, start)
        kit.fetch(target)
    kit.launch(in_place, Inside(target, HALF))
    kit.fetch(target)
    kit.fetch(Inside(target, HALF), 4 * ITEMS)


def used_by_the_host(kit: UnifiedKit, memory_type: str) -> None:
    """Read and write USM on the host, before and after kernels and commands access it."""
    memory, kernel = kit.filled_unified(memory_type), kit.kernel("add_index")
    kit.look(memory, SIZE)
    kit.put(Inside(memory, 5), telling(100, 4))
    kit.launch(kernel, memory)
    kit.finish()
    kit.look(memory, SIZE)
    kit.fill(Inside(memory, HALF), b"\1\2\3\4", HALF)
    kit.finish()
    kit.look(Inside(memory, HALF - 1), HALF + 1)
    kit.put(memory, telling(SIZE, 6))
    kit.fetch(memory)


@cases.of(COPY, "between an allocation and host memory")
def copied_by_the_hosts_address(kit: UnifiedKit) -> None:
    """Copy from host memory to an allocation, and to other host memory, guard bytes included."""
    memory, source, target = kit.filled_unified(*TYPES), kit.area(telling(SIZE, 3)), kit.area(telling(SIZE, 4))
    kit.copy(Inside(memory, 1), Inside(source, 2), HALF, wait=False)
    kit.finish()
    kit.copy(Inside(target, SIZE - 100), memory, 100)
    kit.look(target, SIZE)
    kit.copy(target, source, SIZE)
    kit.look(target, SIZE)


@cases.of(f"{ROWS}:shared-system/access/device", "kernels on system memory", RUN)
def own_memory_worked_on(kit: UnifiedKit) -> None:
    """Run a kernel on host memory, where the device supports access to it."""
    needs((kit.cl.fact(SYSTEM) or 0) & value(kit.cl, ACCESS), "the device does not support shared system allocations")
    area, kernel = kit.area(telling(SIZE)), kit.kernel("add_index")
    kit.launch(kernel, area)
    kit.finish()
    kit.look(area, SIZE)
    kit.fetch(area)


def _on_two_devices(kit: UnifiedKit) -> list[Handle]:
    """Return queues on two devices that support shared access to each other's USM, in a context of their own."""
    access = value(kit.cl, ACCESS)
    sharing = [device for device in kit.cl.devices if (kit.cl.fact(CROSS, device) or 0) & access]
    needs(len(sharing) > 1 and kit.cl.device in sharing, "no two devices support cross-device shared memory")
    both = [kit.cl.device, *(device for device in sharing if device != kit.cl.device)][:2]
    kit.context = kit.new_context(*both)
    return [kit.new_queue(device) for device in both]


@cases.of(f"{ROWS}:shared/access/another-device", "one device after the other", RUN, COPY)
def used_by_two_devices(kit: UnifiedKit) -> None:
    """Run kernels on one allocation on two devices alternately, and read the content on each."""
    queues = _on_two_devices(kit)
    memory, kernel = kit.filled_unified(SHARED), kit.kernel("add_index")
    for queue in (*queues, *queues):
        kit.launch(kernel, memory, queue=queue)
        kit.finish(queue)
        kit.fetch(memory, queue=queue)
        kit.look(memory, SIZE)


@cases.of("clSharedMemAllocINTEL/success", "of no device, used by two", RUN, COPY)
def shared_by_no_device(kit: UnifiedKit) -> None:
    """Use an allocation without an associated device on two devices."""
    queues = _on_two_devices(kit)
    memory = one(kit.cl.clSharedMemAllocINTEL(kit.context, None, None, SIZE, 0, OutputBuffer(1)))
    kit.put(memory, telling(SIZE))
    kernel = kit.kernel("add_index")
    for queue in queues:
        kit.launch(kernel, memory, queue=queue)
        kit.finish(queue)
    kit.fetch(memory, queue=queues[1])
    kit.look(memory, SIZE)


@cases.of("clDeviceMemAllocINTEL/success", "many allocations, independent of each other", COPY)
def kept_apart(kit: UnifiedKit) -> None:
    """Allocate USM of odd sizes, write different bytes into each, free some, and check the others."""
    sizes = [1, 3, 17, 64, 127, 128, 129, 1000, SIZE, SIZE + 1]
    memory = [kit.unified(DEVICE, SHARED, HOST, size=size) for size in sizes]
    for seed, (each, size) in enumerate(zip(memory, sizes, strict=True)):
        kit.copy(each, Data(telling(size, seed)), size)
    for each in memory[::3]:
        kit.cl.clMemFreeINTEL(kit.context, each)
    for index, (each, size) in enumerate(zip(memory, sizes, strict=True)):
        if index % 3:
            kit.fetch(each, size)


@cases.of("clEnqueueMigrateMemINTEL/success", "contents survive migration", "clEnqueueMemAdviseINTEL/success", COPY)
def migrated(kit: UnifiedKit) -> None:
    """Migrate parts of shared USM and pass neutral advice; content that is not given up does not change."""
    memory = kit.filled_unified(SHARED)
    for flags, offset in (("CL_MIGRATE_MEM_OBJECT_HOST", 0), ("CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED", HALF)):
        place: Inside | Handle = Inside(memory, offset) if offset else memory
        kit.enqueue("clEnqueueMigrateMemINTEL", ptr=place, size=HALF, flags=kit.value(flags))
        kit.fetch(memory)
    kit.enqueue("clEnqueueMemAdviseINTEL", ptr=memory, size=SIZE, advice=0)
    kit.fetch(memory)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Generate one test item per case."""
    parametrize(metafunc, cases)


def test_contents(cl: Session, case: Case) -> None:
    case.act(cl)
