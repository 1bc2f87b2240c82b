"""Kernels with indirect access to USM: atomic operations, and walks along addresses that are stored in memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Data, Handle, Inside, Pointers
from clconform.oracles.chapters.kernels.execution_info import INDIRECT, POINTERS
from clconform.oracles.contents.storage import POINTER_BYTES
from clconform.oracles.contents.unified import ACCESS, ATOMIC, CAPABILITIES, CROSS, DEVICE, HOST, SHARED, SYSTEM, TYPES
from clconform.oracles.model.known_kernels import ELEMENT_BYTES
from clconform.oracles.model.pointed_memory import UsmAllocation
from clconform.runner.pytest_plugin.aims import Case, act, parametrize
from clconform.suites.chapters.usm.kit import UnifiedKit
from clconform.suites.kit.memory import SIZE, telling
from clconform.suites.steps import needs

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pytest

    from clconform.runner.session.session import Session

NAME = "usm.kernels"
COPY, RUN = "clEnqueueMemcpyINTEL/success", "clEnqueueNDRangeKernel/success"
BIT = f"cl_device_unified_shared_memory_capabilities_intel:{ATOMIC}"
TELL = "clSetKernelExecInfo"
MANY = 1 << 12
"""Work-items that access the same few elements."""
INNER = 512
"""Offset of a node that is not at the start of its allocation."""
TYPE_OF = {kind.title: name for name, kind in INDIRECT.items()}


def _claims(kit: UnifiedKit, *queries: str, device: Handle | None = None) -> bool:
    """Return whether a device reports access and atomics for a type of USM."""
    wanted = kit.value(ACCESS, ATOMIC)
    return any((kit.cl.fact(query, device) or 0) & wanted == wanted for query in queries)


# atomics


def met_in_memory(cl: Session, memory_type: str, offset: int) -> None:
    """Change a few elements with the atomics of many work-items, twice, and read the result."""
    kit = UnifiedKit(cl)
    needs(_claims(kit, *CAPABILITIES[memory_type]), f"the device reports no atomics for {memory_type}")
    size = offset + ELEMENT_BYTES * MANY
    memory, kernel = kit.unified(memory_type, size=size), kit.kernel("tally")
    kit.copy(memory, Data(telling(size)), size)
    for _ in range(2):
        kit.launch(kernel, Inside(memory, offset) if offset else memory, items=MANY)
        kit.fetch(memory, size)


def met_between_host_steps(cl: Session, memory_type: str) -> None:
    """Write USM on the host, change it with the atomics of work-items, and read it on the host."""
    kit = UnifiedKit(cl)
    needs(_claims(kit, *CAPABILITIES[memory_type]), f"the device reports no atomics for {memory_type}")
    memory, kernel = kit.filled_unified(memory_type), kit.kernel("tally")
    for seed in (1, 2):
        kit.put(memory, telling(SIZE, seed))
        kit.launch(kernel, memory, items=SIZE // ELEMENT_BYTES)
        kit.finish()
        kit.look(memory, SIZE)
    kit.fetch(memory)


def met_in_the_hosts_own(cl: Session) -> None:
    """Change host memory with the atomics of work-items, where the device supports that."""
    kit = UnifiedKit(cl)
    needs(_claims(kit, SYSTEM), "the device reports no atomics for shared system allocations")
    area, kernel = kit.area(telling(SIZE)), kit.kernel("tally")
    kit.launch(kernel, area, items=SIZE // ELEMENT_BYTES)
    kit.finish()
    kit.look(area, SIZE)
    kit.fetch(area)


def met_on_two_devices(cl: Session) -> None:
    """Change shared USM with the atomics of two devices, one after the other."""
    kit = UnifiedKit(cl)
    able = [device for device in cl.devices if _claims(kit, CROSS, device=device)]
    needs(len(able) > 1 and cl.device in able, "no two devices report atomics for cross-device shared memory")
    both = [cl.device, *(device for device in able if device != cl.device)][:2]
    kit.context = kit.new_context(*both)
    memory, kernel = kit.filled_unified(SHARED), kit.kernel("tally")
    for queue in [kit.new_queue(device) for device in both]:
        kit.launch(kernel, memory, queue=queue, items=SIZE // ELEMENT_BYTES)
        kit.finish(queue)
        kit.fetch(memory, queue=queue)


# pointer walks


def _walked(kit: UnifiedKit, kernel: Handle, *nodes: Handle | Inside) -> None:
    """Link nodes, let a kernel walk along them, and read all allocations that contain them."""
    kit.link(*nodes)
    kit.launch(kernel, nodes[0])
    for node in nodes:
        kit.fetch(node.handle if isinstance(node, Inside) else node)


def _of_types(kit: UnifiedKit, count: int, *memory_types: str) -> list[Handle]:
    """Allocate USM of these types in rotation, limited to the types that the device supports."""
    able = [memory_type for memory_type in memory_types if kit.has_unified(memory_type)]
    needs(able, f"the device does not support {' or '.join(memory_types)}")
    return [kit.filled_unified(able[index % len(able)], seed=index) for index in range(count)]


def walked_by_list(cl: Session, first: str, second: str, offset: int) -> None:
    """Access an allocation from another one, declared to the kernel by a pointer."""
    kit = UnifiedKit(cl)
    memory, further, kernel = kit.filled_unified(first, seed=1), kit.filled_unified(second, seed=2), kit.kernel("walk")
    kit.tell(kernel, further)
    _walked(kit, kernel, memory, Inside(further, offset) if offset else further)


def walked_by_type(cl: Session, first: str, second: str, offset: int) -> None:
    """Access an allocation from another one, where the kernel may access all USM of its type."""
    kit = UnifiedKit(cl)
    memory, further, kernel = kit.filled_unified(first, seed=1), kit.filled_unified(second, seed=2), kit.kernel("walk")
    kit.allow(kernel, second)
    _walked(kit, kernel, memory, Inside(further, offset) if offset else further)


def walked_by_long_list(cl: Session, count: int) -> None:
    """Access many allocations of all types, declared in reverse order."""
    kit = UnifiedKit(cl)
    nodes, kernel = _of_types(kit, count + 1, *TYPES), kit.kernel("walk")
    kit.tell(kernel, *reversed(nodes[1:]))
    _walked(kit, kernel, *nodes)


def walked_to_the_last(cl: Session, count: int) -> None:
    """Access only the last allocation of a list."""
    kit = UnifiedKit(cl)
    nodes, kernel = _of_types(kit, count + 1, *TYPES), kit.kernel("walk")
    kit.tell(kernel, *nodes[1:])
    _walked(kit, kernel, nodes[0], nodes[-1])


def walked_by_all_types(cl: Session) -> None:
    """Access allocations of all types, twice each, with all types allowed."""
    kit = UnifiedKit(cl)
    nodes, kernel = _of_types(kit, 2 * len(TYPES) + 1, *TYPES), kit.kernel("walk")
    for memory_type in TYPES:
        kit.allow(kernel, memory_type)
    _walked(kit, kernel, *nodes)


def walked_to_what_was_made_later(cl: Session, memory_type: str) -> None:
    """Access an allocation that is created after its type is allowed."""
    kit = UnifiedKit(cl)
    kernel = kit.kernel("walk")
    kit.allow(kernel, memory_type)
    _walked(kit, kernel, kit.filled_unified(*TYPES, seed=1), kit.filled_unified(memory_type, seed=2))


def told_anew(cl: Session) -> None:
    """Replace a list by another one, and clear it."""
    kit = UnifiedKit(cl)
    first, second, third = _of_types(kit, 3, *TYPES)
    kernel = kit.kernel("walk")
    for lists in ([second], [third], [second, third]):
        kit.tell(kernel, *lists)
        _walked(kit, kernel, first, *lists)
    kit.tell(kernel)
    _walked(kit, kernel, first)


def told_in_both_ways(cl: Session) -> None:
    """Combine a list with allowed types, in both orders, and disallow the types again."""
    kit = UnifiedKit(cl)
    first, second, third = _of_types(kit, 3, *TYPES)
    memory_type = cl.model.get(UsmAllocation, second).title
    before, after = kit.kernel("walk"), kit.kernel("walk")
    kit.allow(before, memory_type)
    kit.tell(before, third)
    kit.tell(after, third)
    kit.allow(after, memory_type)
    for kernel in (before, after):
        _walked(kit, kernel, first, second, third)
        kit.allow(kernel, memory_type, yes=False)
        _walked(kit, kernel, first, third)


def linked_by_the_host(cl: Session, memory_type: str) -> None:
    """Write the addresses on the host, and read the elements."""
    kit = UnifiedKit(cl)
    nodes, kernel = [kit.filled_unified(memory_type, seed=seed) for seed in range(3)], kit.kernel("walk")
    for node, following in zip(nodes, [*nodes[1:], None], strict=True):
        cl.host_write(node, POINTER_BYTES, Pointers((following,)))
    kit.tell(kernel, *nodes[1:])
    kit.launch(kernel, nodes[0])
    kit.finish()
    for node in nodes:
        kit.look(Inside(node, POINTER_BYTES), SIZE - POINTER_BYTES)
        kit.fetch(node)


def atomics() -> Iterator[Case]:
    """Yield the items for each type of USM that a device may support atomics for."""
    for memory_type in TYPES:
        for offset in (0, 4 * ELEMENT_BYTES):
            yield Case(BIT, f"{memory_type}, {offset} bytes on", act(met_in_memory, memory_type, offset), (RUN, COPY))
    for memory_type in (HOST, SHARED):
        yield Case(BIT, f"{memory_type}, between host accesses", act(met_between_host_steps, memory_type), (RUN,))
    yield Case(BIT, "system memory", met_in_the_hosts_own, (RUN,))
    yield Case(BIT, "one device after the other", met_on_two_devices, (RUN,))


def walks() -> Iterator[Case]:
    """Yield the items for each type of USM, and each way to declare it."""
    by_list, by_type = f"{POINTERS}@{TELL}", {memory_type: f"{name}@{TELL}" for memory_type, name in TYPE_OF.items()}
    for second in TYPES:
        for first in TYPES:
            words = f"from {first} to {second}"
            yield Case(by_list, words, act(walked_by_list, first, second, 0), (RUN,))
            yield Case(by_type[second], words, act(walked_by_type, first, second, 0), (RUN,))
        words = f"to the middle of {second}"
        yield Case(by_list, words, act(walked_by_list, DEVICE, second, INNER), (RUN,))
        yield Case(by_type[second], words, act(walked_by_type, DEVICE, second, INNER), (RUN,))
        words = f"to {second} made later"
        yield Case(by_type[second], words, act(walked_to_what_was_made_later, second), (RUN,))
    for count in (2, 3, 17):
        yield Case(by_list, f"{count} pointers", act(walked_by_long_list, count), (RUN,))
        yield Case(by_list, f"the last of {count} pointers", act(walked_to_the_last, count), (RUN,))
    yield Case(by_type[DEVICE], "all types", walked_by_all_types, (*by_type.values(), RUN))
    yield Case(by_list, "one list after another", told_anew, (RUN,))
    yield Case(by_list, "together with flags", told_in_both_ways, (*by_type.values(), RUN))
    for memory_type in (HOST, SHARED):
        yield Case(by_list, f"{memory_type}, linked by the host", act(linked_by_the_host, memory_type), (RUN,))


def cases() -> Iterator[Case]:
    """Yield all items."""
    yield from atomics()
    yield from walks()


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Generate one test item per case."""
    parametrize(metafunc, cases())


def test_kernels(cl: Session, case: Case) -> None:
    case.act(cl)
