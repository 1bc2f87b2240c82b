"""Content of SVM on the host after commands change a part of the memory (3.3.5)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Data, ElementList, Handle, HandleBytes, OffsetPointer
from clconform.runner.pytest_plugin.covers import TableCase, TableTest
from clconform.suites.cases import CaseRegistry
from clconform.suites.helpers import is_available, skip_unless
from clconform.suites.kit.kit import Kit
from clconform.suites.kit.memory import SIZE, pattern_bytes

if TYPE_CHECKING:
    from collections.abc import Iterator

NAME = "memory_model.shared_memory"
BYTES, OFFSET, CHANGED_BYTES, PATTERN = 4 * SIZE, SIZE, SIZE, 4
FINE_GRAIN, SYSTEM_SVM = "CL_DEVICE_SVM_FINE_GRAIN_BUFFER", "CL_DEVICE_SVM_FINE_GRAIN_SYSTEM"
COMMANDS = "OpenCL:host-side-and-device-side-commands"
FILL, COPY, LAUNCH = "clEnqueueSVMMemFill", "clEnqueueSVMMemcpy", "clEnqueueNDRangeKernel"
cases = CaseRegistry(Kit)
test_host_sees_changes_of_commands = TableTest(cases)


def change_part(kit: Kit, function: str, place: OffsetPointer) -> None:
    """Change a few bytes at an address with a command, and wait for it."""
    if function == FILL:
        kit.enqueue(
            FILL, svm_ptr=place, pattern=Data(pattern_bytes(PATTERN, 5)), pattern_size=PATTERN, size=CHANGED_BYTES
        )
    elif function == COPY:
        kit.enqueue(
            COPY, blocking_copy=0, dst_ptr=place, src_ptr=Data(pattern_bytes(CHANGED_BYTES, 7)), size=CHANGED_BYTES
        )
    else:
        kernel = kit.kernel("add_index")
        kit.cl.clSetKernelArgSVMPointer(kernel, 0, place)
        enqueue_kernel(kit, kernel)
    kit.finish()


def enqueue_kernel(kit: Kit, kernel: Handle) -> None:
    """Enqueue a kernel with one work-item per element to change."""
    items = ElementList((CHANGED_BYTES // 4,))
    kit.cl.clEnqueueNDRangeKernel(kit.queue, kernel, 1, None, items, None, 0, None, None)


@cases.declare_family
def fine_grain_memory() -> Iterator[TableCase]:
    """Change a part of a fine-grain SVM allocation, and read all of it on the host without a map."""

    def steps(kit: Kit, function: str) -> None:
        skip_unless(kit.has_svm(FINE_GRAIN), "the device does not support fine-grained buffers")
        memory = kit.svm("CL_MEM_READ_WRITE", "CL_MEM_SVM_FINE_GRAIN_BUFFER", size=BYTES)
        kit.write_host(memory, pattern_bytes(BYTES, 3))
        change_part(kit, function, OffsetPointer(memory, OFFSET))
        kit.read_host(memory, BYTES)

    numbered = tuple(f"{COMMANDS}/{number}" for number in (19, 20, 21))
    for function in (FILL, COPY, LAUNCH):
        yield cases.create_case(
            "OpenCL:shared-virtual-memory/5",
            f"{function}, fine-grained",
            steps,
            function,
            others=("OpenCL:shared-virtual-memory/4", *numbered),
        )


@cases.declare_family
def host_memory() -> Iterator[TableCase]:
    """Change a part of system memory with a command, and read all of this memory on the host."""

    def steps(kit: Kit, function: str) -> None:
        skip_unless(is_available(kit.cl, FILL), "requires OpenCL 2.0 (shared virtual memory)")
        skip_unless(kit.has_svm(SYSTEM_SVM), "the device does not share all memory of the host")
        area = kit.host_area(pattern_bytes(BYTES, 3))
        change_part(kit, function, OffsetPointer(area, OFFSET))
        kit.read_host(area, BYTES)

    for function in (FILL, LAUNCH):
        yield cases.create_case(
            "OpenCL:shared-virtual-memory/7",
            f"{function}, the host's memory",
            steps,
            function,
            others=("OpenCL:shared-virtual-memory/6",),
        )


@cases.declare_family
def mapped_memory() -> Iterator[TableCase]:
    """Change a part of a coarse-grain SVM allocation, and read all of it through a map."""

    def steps(kit: Kit, function: str) -> None:
        memory = kit.svm(size=BYTES)
        kit.enqueue(COPY, dst_ptr=memory, src_ptr=Data(pattern_bytes(BYTES, 3)), size=BYTES)
        change_part(kit, function, OffsetPointer(memory, OFFSET))
        kit.enqueue("clEnqueueSVMMap", flags=kit.constant("CL_MAP_READ"), svm_ptr=memory, size=BYTES)
        kit.read_host(memory, BYTES)
        kit.enqueue("clEnqueueSVMUnmap", svm_ptr=memory)
        kit.finish()

    for function in (FILL, COPY, LAUNCH):
        yield cases.create_case(
            "OpenCL:shared-virtual-memory/1",
            f"{function}, mapped",
            steps,
            function,
            others=("OpenCL:host-side-and-device-side-commands/6",),
        )


@cases.declare("OpenCL:host-side-and-device-side-commands/6", "a buffer, after a kernel", "OpenCL:memory-objects/3")
def read_mapped_buffer(kit: Kit) -> None:
    """Change a part of a buffer with a kernel, and read all of it through a map that waits for the kernel."""
    buffer = kit.create_filled_buffer(BYTES)
    kernel = kit.kernel("add_index")
    kit.cl.clSetKernelArg(kernel, 0, kit.pointer_bytes, HandleBytes(buffer))
    enqueue_kernel(kit, kernel)
    pointer = kit.map(buffer, "CL_MAP_READ", size=BYTES)
    kit.read_host(pointer, BYTES)
    kit.enqueue("clEnqueueUnmapMemObject", memobj=buffer, mapped_ptr=pointer)
    kit.finish()
