"""SVM and kernels: bytes that the host, commands and kernels write and read."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

from clconform.calls.values import Data, ElementList, Handle, HandleBytes, OffsetPointer, OutputBuffer, Pointers
from clconform.oracles.chapters.kernels.execution_info import SVM_POINTERS, SYSTEM
from clconform.runner.pytest_plugin.covers import TableCase, TableTest
from clconform.suites.cases import CaseRegistry
from clconform.suites.helpers import require_handle, skip_unless
from clconform.suites.kit.kit import Kit
from clconform.suites.kit.memory import pattern_bytes

if TYPE_CHECKING:
    from collections.abc import Iterator

NAME = "data.shared"
SIZE = 4096
HALF = SIZE // 2
cases = CaseRegistry(Kit)
test_shared_memory_keeps_written_bytes = TableTest(cases)


SVM_COPY = "clEnqueueSVMMemcpy/success"


def allocate_shared(kit: Kit, size: int = SIZE) -> Handle:
    """Allocate SVM; skip the item if the device does not support SVM."""
    coarse = kit.constant("CL_DEVICE_SVM_COARSE_GRAIN_BUFFER")
    skip_unless(
        (kit.cl.fact("CL_DEVICE_SVM_CAPABILITIES") or 0) & coarse, "the device does not support shared virtual memory"
    )
    return require_handle(kit.cl.clSVMAlloc(kit.context, kit.constant("CL_MEM_READ_WRITE"), size, 0))


@cases.declare("clEnqueueSVMMap/success", "written and read by the host", "clEnqueueSVMUnmap/success")
def map_shared(kit: Kit) -> None:
    """Write SVM through maps of whole allocations and of parts, and read it with a command."""
    memory, area = allocate_shared(kit), kit.host_area(pattern_bytes(SIZE, 9))
    for offset, size in ((0, SIZE), (64, 100), (SIZE - 1, 1)):
        pointer = OffsetPointer(memory, offset) if offset else memory
        kit.enqueue("clEnqueueSVMMap", flags=kit.constant("CL_MAP_WRITE"), svm_ptr=pointer, size=size)
        kit.write_host(pointer, pattern_bytes(size, offset % 11))
        kit.enqueue("clEnqueueSVMUnmap", svm_ptr=pointer)
        kit.enqueue("clEnqueueSVMMemcpy", dst_ptr=area, src_ptr=memory, size=SIZE)
        kit.read_host(area, SIZE)
        kit.enqueue("clEnqueueSVMMap", flags=kit.constant("CL_MAP_READ"), svm_ptr=memory, size=SIZE)
        kit.read_host(memory, SIZE)
        kit.enqueue("clEnqueueSVMUnmap", svm_ptr=memory)


@cases.declare(SVM_COPY, "between shared memory and the host's")
def copy_shared(kit: Kit) -> None:
    """Copy from the host to SVM, between allocations, and from SVM to an output buffer and a host area."""
    memory, other, area = allocate_shared(kit), allocate_shared(kit), kit.host_area(pattern_bytes(SIZE, 3))
    kit.enqueue("clEnqueueSVMMemcpy", dst_ptr=memory, src_ptr=Data(pattern_bytes(SIZE)), size=SIZE)
    kit.enqueue("clEnqueueSVMMemcpy", dst_ptr=other, src_ptr=area, size=SIZE)
    kit.enqueue(
        "clEnqueueSVMMemcpy",
        blocking_copy=0,
        dst_ptr=OffsetPointer(other, 1),
        src_ptr=OffsetPointer(memory, 2),
        size=HALF,
    )
    kit.enqueue("clEnqueueSVMMemcpy", dst_ptr=OutputBuffer(SIZE), src_ptr=other, size=SIZE)
    kit.enqueue("clEnqueueSVMMemcpy", blocking_copy=0, dst_ptr=OffsetPointer(area, SIZE - 1), src_ptr=memory, size=1)
    kit.finish()
    kit.read_host(area, SIZE)


@cases.declare_family
def fills() -> Iterator[TableCase]:
    """Yield an item for each valid pattern size."""
    for length in (1, 2, 4, 8, 16, 32, 64, 128):
        yield cases.create_case(
            "clEnqueueSVMMemFill/success", f"pattern_size={length}", fill_shared, length, others=(SVM_COPY,)
        )


def fill_shared(kit: Kit, length: int) -> None:
    """Fill one and several repetitions of a pattern at different offsets, and read the memory after each fill."""
    memory, pattern = allocate_shared(kit), Data(pattern_bytes(length, 3))
    kit.enqueue("clEnqueueSVMMemcpy", dst_ptr=memory, src_ptr=Data(pattern_bytes(SIZE)), size=SIZE)
    for first, count in ((0, 1), (3, 2), (6, 3), (SIZE // length - 1, 1)):
        place = OffsetPointer(memory, first * length)
        kit.enqueue("clEnqueueSVMMemFill", svm_ptr=place, pattern=pattern, pattern_size=length, size=count * length)
        kit.enqueue("clEnqueueSVMMemcpy", dst_ptr=OutputBuffer(SIZE), src_ptr=memory, size=SIZE)


KERNEL_ENQUEUE = "clEnqueueNDRangeKernel/success"
ITEMS = 64


def _enqueue_kernel(kit: Kit, kernel: Handle, queue: Handle | None = None) -> None:
    sizes = {
        "work_dim": 1,
        "global_work_offset": None,
        "global_work_size": ElementList((ITEMS,)),
        "local_work_size": None,
    }
    kit.enqueue("clEnqueueNDRangeKernel", queue=queue, kernel=kernel, **sizes)


@cases.declare(KERNEL_ENQUEUE, "between two buffers and back", "clSetKernelArg/success")
def run_between_buffers(kit: Kit) -> None:
    """Run a kernel from one buffer to another and back, and another kernel that changes a buffer in place."""
    kernel, in_place = kit.kernel("copy_plus_one"), kit.kernel("add_index")
    buffers = [kit.create_filled_buffer(SIZE, seed=1), kit.create_filled_buffer(SIZE, seed=2)]
    for _ in range(2):
        for index, buffer in enumerate(buffers):
            kit.cl.clSetKernelArg(kernel, index, kit.pointer_bytes, HandleBytes(buffer))
        _enqueue_kernel(kit, kernel)
        kit.cl.clSetKernelArg(in_place, 0, kit.pointer_bytes, HandleBytes(buffers[0]))
        _enqueue_kernel(kit, in_place)
        for buffer in buffers:
            kit.read(buffer, 0, SIZE)
        buffers.reverse()


@cases.declare(KERNEL_ENQUEUE, "a region and host memory", "clSetKernelArg/success", "clCreateSubBuffer/success")
def run_on_region_and_host_memory(kit: Kit) -> None:
    """Run a kernel from a buffer that uses host memory to a sub-buffer of another buffer."""
    kernel = kit.kernel("copy_plus_one")
    source, area = kit.buffer_and_area(pattern_bytes(SIZE, 3))
    target = kit.create_filled_buffer(SIZE)
    region = kit.sub_buffer(target, kit.alignment, HALF)
    kit.cl.clSetKernelArg(kernel, 0, kit.pointer_bytes, HandleBytes(region))
    kit.cl.clSetKernelArg(kernel, 1, kit.pointer_bytes, HandleBytes(source))
    _enqueue_kernel(kit, kernel)
    kit.read(target, 0, SIZE)
    kit.cl.clSetKernelArg(kernel, 0, kit.pointer_bytes, HandleBytes(source))
    kit.cl.clSetKernelArg(kernel, 1, kit.pointer_bytes, HandleBytes(target))
    _enqueue_kernel(kit, kernel)
    mapped = kit.map(source, "CL_MAP_READ", offset=0, size=SIZE)
    kit.read_host(area, SIZE)
    kit.unmap(source, mapped)


@cases.declare("clSetKernelArgSVMPointer/success", "from and to places inside shared memory", KERNEL_ENQUEUE, SVM_COPY)
def run_on_shared_memory(kit: Kit) -> None:
    """Run a kernel whose arguments are addresses inside SVM allocations."""
    source, target = allocate_shared(kit), allocate_shared(kit)
    kernel = kit.kernel("copy_plus_one")
    for memory in (source, target):
        kit.enqueue("clEnqueueSVMMemcpy", dst_ptr=memory, src_ptr=Data(pattern_bytes(SIZE)), size=SIZE)
    for to, start in ((target, OffsetPointer(source, 4)), (OffsetPointer(target, SIZE - 4 * ITEMS), source)):
        kit.cl.clSetKernelArgSVMPointer(kernel, 0, to)
        kit.cl.clSetKernelArgSVMPointer(kernel, 1, start)
        _enqueue_kernel(kit, kernel)
        kit.enqueue("clEnqueueSVMMemcpy", dst_ptr=OutputBuffer(SIZE), src_ptr=target, size=SIZE)


@cases.declare(
    "CL_KERNEL_EXEC_INFO_SVM_PTRS@clSetKernelExecInfo",
    "a walk along addresses in shared memory",
    KERNEL_ENQUEUE,
    SVM_COPY,
)
def walk_shared_memory(kit: Kit) -> None:
    """Run a kernel that walks along SVM allocations, each declared by an address inside it.

    Then declare other allocations instead, and run the kernel again.
    """
    nodes, kernel = [allocate_shared(kit) for _ in range(4)], kit.kernel("walk")
    places: list[Handle | OffsetPointer] = [nodes[0], OffsetPointer(nodes[1], HALF), nodes[2]]
    for chain, told in (
        (places, (nodes[2], OffsetPointer(nodes[1], 1))),
        (places[:1], ()),
        ([nodes[0], nodes[3]], nodes[3:]),
    ):
        for memory in nodes:
            kit.enqueue("clEnqueueSVMMemcpy", dst_ptr=memory, src_ptr=Data(pattern_bytes(SIZE)), size=SIZE)
        for place, following in zip(chain, (*chain[1:], None), strict=True):
            kit.enqueue("clEnqueueSVMMemcpy", dst_ptr=place, src_ptr=Pointers((following,)), size=kit.pointer_bytes)
        listed, size = Pointers(tuple(told)), kit.pointer_bytes * len(told)
        kit.cl.clSetKernelExecInfo(kernel, kit.constant(SVM_POINTERS), size, listed if told else None)
        kit.cl.clSetKernelArgSVMPointer(kernel, 0, chain[0])
        _enqueue_kernel(kit, kernel)
        for memory in nodes:
            kit.enqueue("clEnqueueSVMMemcpy", dst_ptr=OutputBuffer(SIZE), src_ptr=memory, size=SIZE)


@cases.declare_family
def walks_along_system_memory() -> Iterator[TableCase]:
    """Yield walks along host memory: with the flag for fine-grain system SVM set, and with its default."""
    for requirement, words, told in (
        ("CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM/effect/1", "allowed", Data(struct.pack("I", 1))),
        ("CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM/effect/2", "by default", None),
    ):
        yield cases.create_case(
            requirement, f"a walk along the host's memory, {words}", walk_system_memory, told, others=(KERNEL_ENQUEUE,)
        )


def walk_system_memory(kit: Kit, exec_info: Data | None) -> None:
    """Run a kernel that walks along host areas without having them as arguments."""
    skip_unless(kit.has_svm("CL_DEVICE_SVM_FINE_GRAIN_SYSTEM"), "the device does not share all memory of the host")
    nodes, kernel = [kit.host_area(pattern_bytes(SIZE, seed)) for seed in range(3)], kit.kernel("walk")
    for node, following in zip(nodes, (*nodes[1:], None), strict=True):
        kit.cl.host_write(node, kit.pointer_bytes, Pointers((following,)))
    if exec_info is not None:
        kit.cl.clSetKernelExecInfo(kernel, kit.constant(SYSTEM), 4, exec_info)
    kit.cl.clSetKernelArgSVMPointer(kernel, 0, nodes[0])
    _enqueue_kernel(kit, kernel)
    kit.finish()
    for node in nodes:
        kit.read_host(OffsetPointer(node, kit.pointer_bytes), SIZE - kit.pointer_bytes)
