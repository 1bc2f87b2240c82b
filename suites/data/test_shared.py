"""Shared virtual memory and kernels: bytes that the host, commands and kernels put there for each other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Data, Handle, HandleBytes, Inside, Items, Pointers, Room
from clconform.oracles.chapters.kernels.execution_info import SVM_POINTERS
from clconform.oracles.contents.storage import POINTER_BYTES
from clconform.runner.pytest_plugin.aims import Case, parametrize
from clconform.suites.cases import Cases
from clconform.suites.data.bench import Desk, telling
from clconform.suites.steps import needs, one

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pytest

    from clconform.runner.session.session import Session

NAME = "data.shared"
SIZE = 4096
HALF = SIZE // 2
cases = Cases(Desk)


SHARED = "clEnqueueSVMMemcpy/success"


def shared(desk: Desk, size: int = SIZE) -> Handle:
    """Allocate shared memory; the item is skipped where the device has none."""
    coarse = desk.value("CL_DEVICE_SVM_COARSE_GRAIN_BUFFER")
    needs((desk.cl.fact("CL_DEVICE_SVM_CAPABILITIES") or 0) & coarse, "the device has no shared virtual memory")
    return one(desk.cl.clSVMAlloc(desk.context, desk.value("CL_MEM_READ_WRITE"), size, 0))


@cases.of("clEnqueueSVMMap/success", "written and read by the host", "clEnqueueSVMUnmap/success")
def shared_mapped(desk: Desk) -> None:
    """Write shared memory through maps of all of it and of a part, and read it by a command."""
    memory, area = shared(desk), desk.area(telling(SIZE, 9))
    for offset, size in ((0, SIZE), (64, 100), (SIZE - 1, 1)):
        pointer = Inside(memory, offset) if offset else memory
        desk.do("clEnqueueSVMMap", flags=desk.value("CL_MAP_WRITE"), svm_ptr=pointer, size=size)
        desk.put(pointer, telling(size, offset % 11))
        desk.do("clEnqueueSVMUnmap", svm_ptr=pointer)
        desk.do("clEnqueueSVMMemcpy", dst_ptr=area, src_ptr=memory, size=SIZE)
        desk.look(area, SIZE)
        desk.do("clEnqueueSVMMap", flags=desk.value("CL_MAP_READ"), svm_ptr=memory, size=SIZE)
        desk.look(memory, SIZE)
        desk.do("clEnqueueSVMUnmap", svm_ptr=memory)


@cases.of(SHARED, "between shared memory and the host's")
def shared_copied(desk: Desk) -> None:
    """Copy from the host to shared memory, within it, and back into a room and an area."""
    memory, other, area = shared(desk), shared(desk), desk.area(telling(SIZE, 3))
    desk.do("clEnqueueSVMMemcpy", dst_ptr=memory, src_ptr=Data(telling(SIZE)), size=SIZE)
    desk.do("clEnqueueSVMMemcpy", dst_ptr=other, src_ptr=area, size=SIZE)
    desk.do("clEnqueueSVMMemcpy", blocking_copy=0, dst_ptr=Inside(other, 1), src_ptr=Inside(memory, 2), size=HALF)
    desk.do("clEnqueueSVMMemcpy", dst_ptr=Room(SIZE), src_ptr=other, size=SIZE)
    desk.do("clEnqueueSVMMemcpy", blocking_copy=0, dst_ptr=Inside(area, SIZE - 1), src_ptr=memory, size=1)
    desk.finish()
    desk.look(area, SIZE)


@cases.family
def fills() -> Iterator[Case]:
    """Yield an item of each valid size of a pattern."""
    for length in (1, 2, 4, 8, 16, 32, 64, 128):
        yield cases.case("clEnqueueSVMMemFill/success", f"pattern of {length}", filled, length, others=(SHARED,))


def filled(desk: Desk, length: int) -> None:
    """Fill one pattern and several at different places, and read all of the memory after each."""
    memory, pattern = shared(desk), Data(telling(length, 3))
    desk.do("clEnqueueSVMMemcpy", dst_ptr=memory, src_ptr=Data(telling(SIZE)), size=SIZE)
    for first, count in ((0, 1), (3, 2), (6, 3), (SIZE // length - 1, 1)):
        place = Inside(memory, first * length)
        desk.do("clEnqueueSVMMemFill", svm_ptr=place, pattern=pattern, pattern_size=length, size=count * length)
        desk.do("clEnqueueSVMMemcpy", dst_ptr=Room(SIZE), src_ptr=memory, size=SIZE)


RUN = "clEnqueueNDRangeKernel/success"
ITEMS = 64


def _run(desk: Desk, kernel: Handle, queue: Handle | None = None) -> None:
    sizes = {"work_dim": 1, "global_work_offset": None, "global_work_size": Items((ITEMS,)), "local_work_size": None}
    desk.do("clEnqueueNDRangeKernel", queue=queue, kernel=kernel, **sizes)


@cases.of(RUN, "between two buffers and back", "clSetKernelArg/success")
def kernels_between_buffers(desk: Desk) -> None:
    """Run a kernel from one buffer to another and back, and another kernel in place."""
    kernel, in_place = desk.kernel("copy_plus_one"), desk.kernel("add_index")
    buffers = [desk.filled(SIZE, seed=1), desk.filled(SIZE, seed=2)]
    for _ in range(2):
        for index, buffer in enumerate(buffers):
            desk.cl.clSetKernelArg(kernel, index, 8, HandleBytes(buffer))
        _run(desk, kernel)
        desk.cl.clSetKernelArg(in_place, 0, 8, HandleBytes(buffers[0]))
        _run(desk, in_place)
        for buffer in buffers:
            desk.read(buffer, 0, SIZE)
        buffers.reverse()


@cases.of(RUN, "a region and host memory", "clSetKernelArg/success", "clCreateSubBuffer/success")
def kernels_on_regions_and_host_memory(desk: Desk) -> None:
    """Run a kernel from a buffer on host memory to a region of another buffer."""
    kernel = desk.kernel("copy_plus_one")
    source, area = desk.on_area(telling(SIZE, 3))
    target = desk.filled(SIZE)
    region = desk.region(target, desk.alignment, HALF)
    desk.cl.clSetKernelArg(kernel, 0, 8, HandleBytes(region))
    desk.cl.clSetKernelArg(kernel, 1, 8, HandleBytes(source))
    _run(desk, kernel)
    desk.read(target, 0, SIZE)
    desk.cl.clSetKernelArg(kernel, 0, 8, HandleBytes(source))
    desk.cl.clSetKernelArg(kernel, 1, 8, HandleBytes(target))
    _run(desk, kernel)
    mapped = desk.map(source, "CL_MAP_READ", offset=0, size=SIZE)
    desk.look(area, SIZE)
    desk.unmap(source, mapped)


@cases.of("clSetKernelArgSVMPointer/success", "from and to places inside shared memory", RUN, SHARED)
def kernels_on_shared_memory(desk: Desk) -> None:
    """Run a kernel between places inside allocations."""
    source, target = shared(desk), shared(desk)
    kernel = desk.kernel("copy_plus_one")
    for memory in (source, target):
        desk.do("clEnqueueSVMMemcpy", dst_ptr=memory, src_ptr=Data(telling(SIZE)), size=SIZE)
    for to, start in ((target, Inside(source, 4)), (Inside(target, SIZE - 4 * ITEMS), source)):
        desk.cl.clSetKernelArgSVMPointer(kernel, 0, to)
        desk.cl.clSetKernelArgSVMPointer(kernel, 1, start)
        _run(desk, kernel)
        desk.do("clEnqueueSVMMemcpy", dst_ptr=Room(SIZE), src_ptr=target, size=SIZE)


@cases.of("CL_KERNEL_EXEC_INFO_SVM_PTRS@clSetKernelExecInfo", "a walk along addresses in shared memory", RUN, SHARED)
def walked_along_shared_memory(desk: Desk) -> None:
    """Let a kernel reach allocations that it was told of by any address inside them, then others instead."""
    nodes, kernel = [shared(desk) for _ in range(4)], desk.kernel("walk")
    places: list[Handle | Inside] = [nodes[0], Inside(nodes[1], HALF), nodes[2]]
    for chain, told in ((places, (nodes[2], Inside(nodes[1], 1))), (places[:1], ()), ([nodes[0], nodes[3]], nodes[3:])):
        for memory in nodes:
            desk.do("clEnqueueSVMMemcpy", dst_ptr=memory, src_ptr=Data(telling(SIZE)), size=SIZE)
        for place, following in zip(chain, (*chain[1:], None), strict=True):
            desk.do("clEnqueueSVMMemcpy", dst_ptr=place, src_ptr=Pointers((following,)), size=POINTER_BYTES)
        listed, size = Pointers(tuple(told)), POINTER_BYTES * len(told)
        desk.cl.clSetKernelExecInfo(kernel, desk.value(SVM_POINTERS), size, listed if told else None)
        desk.cl.clSetKernelArgSVMPointer(kernel, 0, chain[0])
        _run(desk, kernel)
        for memory in nodes:
            desk.do("clEnqueueSVMMemcpy", dst_ptr=Room(SIZE), src_ptr=memory, size=SIZE)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Make one item of each case."""
    parametrize(metafunc, cases)


def test_shared(cl: Session, case: Case) -> None:
    case.act(cl)
