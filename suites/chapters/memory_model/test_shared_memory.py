"""Content of SVM on the host after commands change a part of it (3.3.5)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Data, Handle, HandleBytes, Inside, Items
from clconform.runner.pytest_plugin.aims import Case, parametrize
from clconform.suites.cases import Cases
from clconform.suites.kit.kit import Kit
from clconform.suites.kit.memory import SIZE, telling
from clconform.suites.steps import needs, promised

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pytest

    from clconform.runner.session.session import Session

NAME = "memory_model.shared_memory"
BYTES, OFFSET, CHANGED, PATTERN = 4 * SIZE, SIZE, SIZE, 4
FINE, OF_THE_SYSTEM = "CL_DEVICE_SVM_FINE_GRAIN_BUFFER", "CL_DEVICE_SVM_FINE_GRAIN_SYSTEM"
MODEL, COMMANDS = "OpenCL:shared-virtual-memory", "OpenCL:host-side-and-device-side-commands"
FILL, COPY, LAUNCH = "clEnqueueSVMMemFill", "clEnqueueSVMMemcpy", "clEnqueueNDRangeKernel"
cases = Cases(Kit)


def changed(kit: Kit, function: str, place: Inside) -> None:
    """Change a few bytes at an address with a command, and wait for it."""
    if function == FILL:
        kit.enqueue(FILL, svm_ptr=place, pattern=Data(telling(PATTERN, 5)), pattern_size=PATTERN, size=CHANGED)
    elif function == COPY:
        kit.enqueue(COPY, blocking_copy=0, dst_ptr=place, src_ptr=Data(telling(CHANGED, 7)), size=CHANGED)
    else:
        kernel = kit.kernel("add_index")
        kit.cl.clSetKernelArgSVMPointer(kernel, 0, place)
        launched(kit, kernel)
    kit.finish()


def launched(kit: Kit, kernel: Handle) -> None:
    """Enqueue a kernel with one work-item per element to change."""
    items = Items((CHANGED // 4,))
    kit.cl.clEnqueueNDRangeKernel(kit.queue, kernel, 1, None, items, None, 0, None, None)


@cases.family
def without_a_map() -> Iterator[Case]:
    """Change a part of a fine-grain SVM allocation, and read all of it on the host without a map."""

    def steps(kit: Kit, function: str) -> None:
        needs(kit.has_svm(FINE), "the device does not support fine-grained buffers")
        memory = kit.svm("CL_MEM_READ_WRITE", "CL_MEM_SVM_FINE_GRAIN_BUFFER", size=BYTES)
        kit.put(memory, telling(BYTES, 3))
        changed(kit, function, Inside(memory, OFFSET))
        kit.look(memory, BYTES)

    numbered = tuple(f"{COMMANDS}/{number}" for number in (19, 20, 21))
    for function in (FILL, COPY, LAUNCH):
        yield cases.case(f"{MODEL}/5", f"{function}, fine-grained", steps, function, others=(f"{MODEL}/4", *numbered))


@cases.family
def of_the_host() -> Iterator[Case]:
    """Change a part of host memory through its address, and read all of it on the host."""

    def steps(kit: Kit, function: str) -> None:
        needs(promised(kit.cl, FILL), "requires OpenCL 2.0 (shared virtual memory)")
        needs(kit.has_svm(OF_THE_SYSTEM), "the device does not share all memory of the host")
        area = kit.area(telling(BYTES, 3))
        changed(kit, function, Inside(area, OFFSET))
        kit.look(area, BYTES)

    for function in (FILL, LAUNCH):
        yield cases.case(f"{MODEL}/7", f"{function}, the host's memory", steps, function, others=(f"{MODEL}/6",))


@cases.family
def by_a_map() -> Iterator[Case]:
    """Change a part of a coarse-grain SVM allocation, and read all of it through a map."""

    def steps(kit: Kit, function: str) -> None:
        memory = kit.svm(size=BYTES)
        kit.enqueue(COPY, dst_ptr=memory, src_ptr=Data(telling(BYTES, 3)), size=BYTES)
        changed(kit, function, Inside(memory, OFFSET))
        kit.enqueue("clEnqueueSVMMap", flags=kit.value("CL_MAP_READ"), svm_ptr=memory, size=BYTES)
        kit.look(memory, BYTES)
        kit.enqueue("clEnqueueSVMUnmap", svm_ptr=memory)
        kit.finish()

    for function in (FILL, COPY, LAUNCH):
        yield cases.case(f"{MODEL}/1", f"{function}, mapped", steps, function, others=(f"{COMMANDS}/6",))


@cases.of(f"{COMMANDS}/6", "a buffer, after a kernel", "OpenCL:memory-objects/3")
def of_a_buffer(kit: Kit) -> None:
    """Change a part of a buffer with a kernel, and read all of it through a map that waits for the kernel."""
    buffer = kit.filled(BYTES)
    kernel = kit.kernel("add_index")
    kit.cl.clSetKernelArg(kernel, 0, 8, HandleBytes(buffer))
    launched(kit, kernel)
    pointer = kit.map(buffer, "CL_MAP_READ", size=BYTES)
    kit.look(pointer, BYTES)
    kit.enqueue("clEnqueueUnmapMemObject", memobj=buffer, mapped_ptr=pointer)
    kit.finish()


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Generate one test item per case."""
    parametrize(metafunc, cases)


def test_shared_memory(cl: Session, case: Case) -> None:
    case.act(cl)
