"""Content of USM: the host, commands and kernels write it and read it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Data, Handle, OffsetPointer, OutputBuffer
from clconform.oracles.contents.usm import ACCESS, CROSS, DEVICE, HOST, SHARED, SYSTEM, TYPES
from clconform.runner.pytest_plugin.covers import TableCase, TableTest
from clconform.suites.cases import CaseRegistry
from clconform.suites.chapters.usm.kit import ITEMS, UnifiedKit
from clconform.suites.helpers import constant_value, require_handle, skip_unless
from clconform.suites.kit.memory import SIZE, pattern_bytes
from clconform.suites.queries.allocations import FLAGS, PLACEMENTS

if TYPE_CHECKING:
    from collections.abc import Iterator

NAME = "usm.contents"
HALF = SIZE // 2
COPY, FILL, RUN = "clEnqueueMemcpyINTEL/success", "clEnqueueMemFillINTEL/success", "clEnqueueNDRangeKernel/success"
SET = "clSetKernelArgMemPointerINTEL/success"
ROWS = "cl_intel_unified_shared_memory"
HINTS = tuple(f"{FLAGS}/effect/{number}" for number in range(2, 7))
cases = CaseRegistry(UnifiedKit)
test_usm_contents_are_as_expected = TableTest(cases)


@cases.declare_family
def cases_by_type() -> Iterator[TableCase]:
    """Yield items for each type of USM: kernels, copies between any two types, and fills."""
    for memory_type, row in (
        (HOST, "host/access/any-device"),
        (DEVICE, "device/access/specific-device"),
        (SHARED, "shared/access/specific-device"),
    ):
        yield cases.create_case(
            SET, f"kernels on {memory_type}", run_kernels, memory_type, others=(RUN, f"{ROWS}:{row}")
        )
        for start in TYPES:
            yield cases.create_case(COPY, f"from {start} to {memory_type}", copy_parts, memory_type, start)
        for length in (1, 2, 4, 8, 16, 32, 64, 128):
            yield cases.create_case(
                FILL, f"{memory_type}, pattern of {length}", fill_parts, memory_type, length, others=(COPY,)
            )


@cases.declare_family
def cases_by_host() -> Iterator[TableCase]:
    """Yield an item for each type of USM that the host can access."""
    for memory_type, row in ((HOST, "host"), (SHARED, "shared")):
        yield cases.create_case(
            f"{ROWS}:{row}/access/host",
            f"the host uses {memory_type}",
            access_on_host,
            memory_type,
            others=(COPY, FILL, RUN),
        )


@cases.declare_family
def placement_hints() -> Iterator[TableCase]:
    """Yield items with shared USM for each placement hint, for a fill and for a kernel."""

    def steps(kit: UnifiedKit, hint: str) -> None:
        memory = kit.usm(SHARED, properties=kit.property_list(FLAGS, hint))
        kit.fill(memory, pattern_bytes(4, 6), SIZE)
        kit.read_usm(memory)
        kit.run_kernel(kit.kernel("add_index"), memory)
        kit.finish()
        kit.read_usm(memory)

    for hint in PLACEMENTS:
        yield cases.create_case("CL_MEM_ALLOC_FLAGS_INTEL/effect/1", hint, steps, hint, others=HINTS)


def copy_parts(kit: UnifiedKit, to: str, start: str) -> None:
    """Copy parts of one allocation to offsets of another allocation, and read both allocations."""
    target, source = kit.create_filled(to, seed=1), kit.create_filled(start, seed=2)
    for first, second, size in ((0, 0, 1), (3, 8, 100), (HALF, 1, HALF), (0, 0, SIZE)):
        kit.copy(OffsetPointer(target, first), OffsetPointer(source, second), size, wait=size != 1)
        kit.finish()
        kit.read_usm(target)
    kit.read_usm(source)


def fill_parts(kit: UnifiedKit, memory_type: str, length: int) -> None:
    """Fill one and several repetitions of a pattern at different offsets, and read the allocation after each fill."""
    memory = kit.create_filled(memory_type)
    for first, count in ((0, 1), (3, 2), (6, 3), (SIZE // length - 1, 1)):
        kit.fill(OffsetPointer(memory, first * length), pattern_bytes(length, 3), count * length)
        kit.read_usm(memory)


def run_kernels(kit: UnifiedKit, memory_type: str) -> None:
    """Run kernels whose arguments are allocations, or addresses inside allocations, and read the results."""
    kernel, in_place = kit.kernel("copy_plus_one"), kit.kernel("add_index")
    source, target = kit.create_filled(memory_type, seed=1), kit.create_filled(memory_type, seed=2)
    for to, start in ((target, OffsetPointer(source, 4)), (OffsetPointer(target, SIZE - 4 * ITEMS), source)):
        kit.run_kernel(kernel, to, start)
        kit.read_usm(target)
    kit.run_kernel(in_place, OffsetPointer(target, HALF))
    kit.read_usm(target)
    kit.read_usm(OffsetPointer(target, HALF), 4 * ITEMS)


def access_on_host(kit: UnifiedKit, memory_type: str) -> None:
    """Read and write USM on the host, before and after kernels and commands access it."""
    memory, kernel = kit.create_filled(memory_type), kit.kernel("add_index")
    kit.read_host(memory, SIZE)
    kit.write_host(OffsetPointer(memory, 5), pattern_bytes(100, 4))
    kit.run_kernel(kernel, memory)
    kit.finish()
    kit.read_host(memory, SIZE)
    kit.fill(OffsetPointer(memory, HALF), b"\1\2\3\4", HALF)
    kit.finish()
    kit.read_host(OffsetPointer(memory, HALF - 1), HALF + 1)
    kit.write_host(memory, pattern_bytes(SIZE, 6))
    kit.read_usm(memory)


@cases.declare(COPY, "between an allocation and host memory")
def copy_host_memory(kit: UnifiedKit) -> None:
    """Copy from host memory to USM, from USM to host memory, and within host memory, guard bytes included."""
    memory, source, target = (
        kit.create_filled(*TYPES),
        kit.host_area(pattern_bytes(SIZE, 3)),
        kit.host_area(pattern_bytes(SIZE, 4)),
    )
    kit.copy(OffsetPointer(memory, 1), OffsetPointer(source, 2), HALF, wait=False)
    kit.finish()
    kit.copy(OffsetPointer(target, SIZE - 100), memory, 100)
    kit.read_host(target, SIZE)
    kit.copy(target, source, SIZE)
    kit.read_host(target, SIZE)


@cases.declare("cl_intel_unified_shared_memory:shared-system/access/device", "kernels on system memory", RUN)
def run_on_system_memory(kit: UnifiedKit) -> None:
    """Run a kernel that changes host memory, if the device supports kernel access to host memory."""
    skip_unless(
        (kit.cl.fact(SYSTEM) or 0) & constant_value(kit.cl, ACCESS),
        "the device does not support shared system allocations",
    )
    area, kernel = kit.host_area(pattern_bytes(SIZE)), kit.kernel("add_index")
    kit.run_kernel(kernel, area)
    kit.finish()
    kit.read_host(area, SIZE)
    kit.read_usm(area)


def _create_queues_on_two_devices(kit: UnifiedKit) -> list[Handle]:
    """Return queues on two devices of a new context; both devices support cross-device access to shared USM."""
    access = constant_value(kit.cl, ACCESS)
    sharing = [device for device in kit.cl.devices if (kit.cl.fact(CROSS, device) or 0) & access]
    skip_unless(len(sharing) > 1 and kit.cl.device in sharing, "no two devices support cross-device shared memory")
    both = [kit.cl.device, *(device for device in sharing if device != kit.cl.device)][:2]
    kit.context = kit.new_context(*both)
    return [kit.new_queue(device) for device in both]


@cases.declare("cl_intel_unified_shared_memory:shared/access/another-device", "one device after the other", RUN, COPY)
def use_on_two_devices(kit: UnifiedKit) -> None:
    """Run kernels that change one allocation on two devices alternately, and read the content on each device."""
    queues = _create_queues_on_two_devices(kit)
    memory, kernel = kit.create_filled(SHARED), kit.kernel("add_index")
    for queue in (*queues, *queues):
        kit.run_kernel(kernel, memory, queue=queue)
        kit.finish(queue)
        kit.read_usm(memory, queue=queue)
        kit.read_host(memory, SIZE)


@cases.declare("clSharedMemAllocINTEL/success", "without a device, used by two devices", RUN, COPY)
def use_without_device(kit: UnifiedKit) -> None:
    """Use shared USM that is not associated with a device on two devices."""
    queues = _create_queues_on_two_devices(kit)
    memory = require_handle(kit.cl.clSharedMemAllocINTEL(kit.context, None, None, SIZE, 0, OutputBuffer(1)))
    kit.write_host(memory, pattern_bytes(SIZE))
    kernel = kit.kernel("add_index")
    for queue in queues:
        kit.run_kernel(kernel, memory, queue=queue)
        kit.finish(queue)
    kit.read_usm(memory, queue=queues[1])
    kit.read_host(memory, SIZE)


@cases.declare("clDeviceMemAllocINTEL/success", "many allocations, independent of each other", COPY)
def keep_allocations_separate(kit: UnifiedKit) -> None:
    """Allocate USM of odd sizes, write different bytes to each allocation, free some, and read the others."""
    sizes = [1, 3, 17, 64, 127, 128, 129, 1000, SIZE, SIZE + 1]
    memory = [kit.usm(DEVICE, SHARED, HOST, size=size) for size in sizes]
    for seed, (each, size) in enumerate(zip(memory, sizes, strict=True)):
        kit.copy(each, Data(pattern_bytes(size, seed)), size)
    for each in memory[::3]:
        kit.cl.clMemFreeINTEL(kit.context, each)
    for index, (each, size) in enumerate(zip(memory, sizes, strict=True)):
        if index % 3:
            kit.read_usm(each, size)


@cases.declare(
    "clEnqueueMigrateMemINTEL/success", "contents survive migration", "clEnqueueMemAdviseINTEL/success", COPY
)
def migrate_and_advise(kit: UnifiedKit) -> None:
    """Migrate parts of shared USM and pass neutral advice; content that is not discarded must not change."""
    memory = kit.create_filled(SHARED)
    for flags, offset in (("CL_MIGRATE_MEM_OBJECT_HOST", 0), ("CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED", HALF)):
        place: OffsetPointer | Handle = OffsetPointer(memory, offset) if offset else memory
        kit.enqueue("clEnqueueMigrateMemINTEL", ptr=place, size=HALF, flags=kit.constant(flags))
        kit.read_usm(memory)
    kit.enqueue("clEnqueueMemAdviseINTEL", ptr=memory, size=SIZE, advice=0)
    kit.read_usm(memory)
