"""Kernels that access USM indirectly: atomics, and walks along addresses that are stored in memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Data, Handle, OffsetPointer, Pointers
from clconform.oracles.chapters.kernels.execution_info import INDIRECT
from clconform.oracles.contents.usm import ACCESS, ATOMIC, CAPABILITIES, CROSS, DEVICE, HOST, SHARED, SYSTEM, TYPES
from clconform.oracles.model.buffer_kernels import ELEMENT_BYTES
from clconform.oracles.model.pointer_memory import UsmAllocation
from clconform.runner.pytest_plugin.covers import TableCase, TableTest, bind_action
from clconform.suites.chapters.usm.kit import UnifiedKit
from clconform.suites.helpers import skip_unless
from clconform.suites.kit.memory import SIZE, pattern_bytes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.runner.session.session import Session

NAME = "usm.kernels"
COPY, RUN = "clEnqueueMemcpyINTEL/success", "clEnqueueNDRangeKernel/success"
BIT = "cl_device_unified_shared_memory_capabilities_intel:CL_UNIFIED_SHARED_MEMORY_ATOMIC_ACCESS_INTEL"
DECLARE = "clSetKernelExecInfo"
MANY_ITEMS = 1 << 12
"""The number of work-items that access a few common elements."""
INNER_OFFSET = 512
"""The offset of a node that is not at the start of its allocation."""
TYPE_OF = {kind.title: name for name, kind in INDIRECT.items()}


def _reports_atomics(kit: UnifiedKit, *queries: str, device: Handle | None = None) -> bool:
    """Return whether one of these queries reports access and atomics for a type of USM on a device."""
    wanted = kit.constant(ACCESS, ATOMIC)
    return any((kit.cl.fact(query, device) or 0) & wanted == wanted for query in queries)


# atomics


def update_atomically(cl: Session, memory_type: str, offset: int) -> None:
    """Change a few elements of USM with the atomics of many work-items, twice, and read the result."""
    kit = UnifiedKit(cl)
    skip_unless(_reports_atomics(kit, *CAPABILITIES[memory_type]), f"the device reports no atomics for {memory_type}")
    size = offset + ELEMENT_BYTES * MANY_ITEMS
    memory, kernel = kit.usm(memory_type, size=size), kit.kernel("tally")
    kit.copy(memory, Data(pattern_bytes(size)), size)
    for _ in range(2):
        kit.run_kernel(kernel, OffsetPointer(memory, offset) if offset else memory, items=MANY_ITEMS)
        kit.read_usm(memory, size)


def update_between_host_accesses(cl: Session, memory_type: str) -> None:
    """Write USM on the host, change it with atomics of work-items, and read it on the host."""
    kit = UnifiedKit(cl)
    skip_unless(_reports_atomics(kit, *CAPABILITIES[memory_type]), f"the device reports no atomics for {memory_type}")
    memory, kernel = kit.create_filled(memory_type), kit.kernel("tally")
    for seed in (1, 2):
        kit.write_host(memory, pattern_bytes(SIZE, seed))
        kit.run_kernel(kernel, memory, items=SIZE // ELEMENT_BYTES)
        kit.finish()
        kit.read_host(memory, SIZE)
    kit.read_usm(memory)


def update_system_memory(cl: Session) -> None:
    """Change host memory with atomics of work-items, if the device supports atomics on host memory."""
    kit = UnifiedKit(cl)
    skip_unless(_reports_atomics(kit, SYSTEM), "the device reports no atomics for shared system allocations")
    area, kernel = kit.host_area(pattern_bytes(SIZE)), kit.kernel("tally")
    kit.run_kernel(kernel, area, items=SIZE // ELEMENT_BYTES)
    kit.finish()
    kit.read_host(area, SIZE)
    kit.read_usm(area)


def update_on_two_devices(cl: Session) -> None:
    """Change shared USM with atomics of two devices, one after the other."""
    kit = UnifiedKit(cl)
    able = [device for device in cl.devices if _reports_atomics(kit, CROSS, device=device)]
    skip_unless(len(able) > 1 and cl.device in able, "no two devices report atomics for cross-device shared memory")
    both = [cl.device, *(device for device in able if device != cl.device)][:2]
    kit.context = kit.new_context(*both)
    memory, kernel = kit.create_filled(SHARED), kit.kernel("tally")
    for queue in [kit.new_queue(device) for device in both]:
        kit.run_kernel(kernel, memory, queue=queue, items=SIZE // ELEMENT_BYTES)
        kit.finish(queue)
        kit.read_usm(memory, queue=queue)


# pointer walks


def _walk_and_read(kit: UnifiedKit, kernel: Handle, *nodes: Handle | OffsetPointer) -> None:
    """Link nodes, let a kernel walk along them, and read all allocations that contain them."""
    kit.link_nodes(*nodes)
    kit.run_kernel(kernel, nodes[0])
    for node in nodes:
        kit.read_usm(node.handle if isinstance(node, OffsetPointer) else node)


def _allocate_types(kit: UnifiedKit, count: int, *memory_types: str) -> list[Handle]:
    """Allocate USM of these types in rotation, but only of types that the device supports."""
    able = [memory_type for memory_type in memory_types if kit.has_usm(memory_type)]
    skip_unless(able, f"the device does not support {' or '.join(memory_types)}")
    return [kit.create_filled(able[index % len(able)], seed=index) for index in range(count)]


def walk_by_list(cl: Session, first: str, second: str, offset: int) -> None:
    """Walk from one allocation to another, which a pointer list declares to the kernel."""
    kit = UnifiedKit(cl)
    memory, further, kernel = kit.create_filled(first, seed=1), kit.create_filled(second, seed=2), kit.kernel("walk")
    kit.declare_pointers(kernel, further)
    _walk_and_read(kit, kernel, memory, OffsetPointer(further, offset) if offset else further)


def walk_by_type(cl: Session, first: str, second: str, offset: int) -> None:
    """Walk from one allocation to another, where the kernel may access all USM of the second type."""
    kit = UnifiedKit(cl)
    memory, further, kernel = kit.create_filled(first, seed=1), kit.create_filled(second, seed=2), kit.kernel("walk")
    kit.declare_type(kernel, second)
    _walk_and_read(kit, kernel, memory, OffsetPointer(further, offset) if offset else further)


def walk_by_long_list(cl: Session, count: int) -> None:
    """Walk along many allocations of all types, which a pointer list declares in reverse order."""
    kit = UnifiedKit(cl)
    nodes, kernel = _allocate_types(kit, count + 1, *TYPES), kit.kernel("walk")
    kit.declare_pointers(kernel, *reversed(nodes[1:]))
    _walk_and_read(kit, kernel, *nodes)


def walk_to_last(cl: Session, count: int) -> None:
    """Walk from one allocation to the last allocation of a pointer list."""
    kit = UnifiedKit(cl)
    nodes, kernel = _allocate_types(kit, count + 1, *TYPES), kit.kernel("walk")
    kit.declare_pointers(kernel, *nodes[1:])
    _walk_and_read(kit, kernel, nodes[0], nodes[-1])


def walk_by_all_types(cl: Session) -> None:
    """Walk along allocations of all types, where the kernel may access all types."""
    kit = UnifiedKit(cl)
    nodes, kernel = _allocate_types(kit, 2 * len(TYPES) + 1, *TYPES), kit.kernel("walk")
    for memory_type in TYPES:
        kit.declare_type(kernel, memory_type)
    _walk_and_read(kit, kernel, *nodes)


def walk_to_later_allocation(cl: Session, memory_type: str) -> None:
    """Walk to an allocation that is created after its type is allowed."""
    kit = UnifiedKit(cl)
    kernel = kit.kernel("walk")
    kit.declare_type(kernel, memory_type)
    _walk_and_read(kit, kernel, kit.create_filled(*TYPES, seed=1), kit.create_filled(memory_type, seed=2))


def replace_declarations(cl: Session) -> None:
    """Walk with several pointer lists, each replacing the previous list, and with an empty list."""
    kit = UnifiedKit(cl)
    first, second, third = _allocate_types(kit, 3, *TYPES)
    kernel = kit.kernel("walk")
    for lists in ([second], [third], [second, third]):
        kit.declare_pointers(kernel, *lists)
        _walk_and_read(kit, kernel, first, *lists)
    kit.declare_pointers(kernel)
    _walk_and_read(kit, kernel, first)


def combine_declarations(cl: Session) -> None:
    """Walk with a pointer list and an allowed type, set in both orders, then disallow the type and walk again."""
    kit = UnifiedKit(cl)
    first, second, third = _allocate_types(kit, 3, *TYPES)
    memory_type = cl.model.get(UsmAllocation, second).title
    before, after = kit.kernel("walk"), kit.kernel("walk")
    kit.declare_type(before, memory_type)
    kit.declare_pointers(before, third)
    kit.declare_pointers(after, third)
    kit.declare_type(after, memory_type)
    for kernel in (before, after):
        _walk_and_read(kit, kernel, first, second, third)
        kit.declare_type(kernel, memory_type, allowed=False)
        _walk_and_read(kit, kernel, first, third)


def link_on_host(cl: Session, memory_type: str) -> None:
    """Write the addresses of nodes on the host, let a kernel walk along the nodes, and read the nodes."""
    kit = UnifiedKit(cl)
    nodes, kernel = [kit.create_filled(memory_type, seed=seed) for seed in range(3)], kit.kernel("walk")
    for node, following in zip(nodes, [*nodes[1:], None], strict=True):
        cl.host_write(node, kit.pointer_bytes, Pointers((following,)))
    kit.declare_pointers(kernel, *nodes[1:])
    kit.run_kernel(kernel, nodes[0])
    kit.finish()
    for node in nodes:
        kit.read_host(OffsetPointer(node, kit.pointer_bytes), SIZE - kit.pointer_bytes)
        kit.read_usm(node)


def atomic_cases() -> Iterator[TableCase]:
    """Yield items for atomics on each type of USM."""
    for memory_type in TYPES:
        for offset in (0, 4 * ELEMENT_BYTES):
            yield TableCase(
                BIT,
                f"{memory_type}, {offset} bytes on",
                bind_action(update_atomically, memory_type, offset),
                (RUN, COPY),
            )
    for memory_type in (HOST, SHARED):
        yield TableCase(
            BIT, f"{memory_type}, between host accesses", bind_action(update_between_host_accesses, memory_type), (RUN,)
        )
    yield TableCase(BIT, "system memory", update_system_memory, (RUN,))
    yield TableCase(BIT, "one device after the other", update_on_two_devices, (RUN,))


def walk_cases() -> Iterator[TableCase]:
    """Yield items for walks along each type of USM, and for each way to declare indirect access."""
    by_list, by_type = (
        "CL_KERNEL_EXEC_INFO_USM_PTRS_INTEL@clSetKernelExecInfo",
        {memory_type: f"{name}@{DECLARE}" for memory_type, name in TYPE_OF.items()},
    )
    for second in TYPES:
        for first in TYPES:
            words = f"from {first} to {second}"
            yield TableCase(by_list, words, bind_action(walk_by_list, first, second, 0), (RUN,))
            yield TableCase(by_type[second], words, bind_action(walk_by_type, first, second, 0), (RUN,))
        words = f"to the middle of {second}"
        yield TableCase(by_list, words, bind_action(walk_by_list, DEVICE, second, INNER_OFFSET), (RUN,))
        yield TableCase(by_type[second], words, bind_action(walk_by_type, DEVICE, second, INNER_OFFSET), (RUN,))
        words = f"to {second} allocated later"
        yield TableCase(by_type[second], words, bind_action(walk_to_later_allocation, second), (RUN,))
    for count in (2, 3, 17):
        yield TableCase(by_list, f"{count} pointers", bind_action(walk_by_long_list, count), (RUN,))
        yield TableCase(by_list, f"the last of {count} pointers", bind_action(walk_to_last, count), (RUN,))
    yield TableCase(by_type[DEVICE], "all types", walk_by_all_types, (*by_type.values(), RUN))
    yield TableCase(by_list, "one list after another", replace_declarations, (RUN,))
    yield TableCase(by_list, "together with flags", combine_declarations, (*by_type.values(), RUN))
    for memory_type in (HOST, SHARED):
        yield TableCase(by_list, f"{memory_type}, linked by the host", bind_action(link_on_host, memory_type), (RUN,))


def cases() -> Iterator[TableCase]:
    """Yield all items."""
    yield from atomic_cases()
    yield from walk_cases()


test_kernels_access_usm_indirectly = TableTest(cases)
