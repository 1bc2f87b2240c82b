"""Initial content and access of buffers, and content of sub-buffers (sections 5.2.1 and 5.2.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Data, ElementList, Handle, OutputBuffer, PointerArgument
from clconform.runner.pytest_plugin.covers import TableCase, TableTest
from clconform.suites.cases import CaseRegistry
from clconform.suites.chapters.memory_model.add_kernel import create_add_kernel
from clconform.suites.helpers import is_available, require_handle, skip_unless
from clconform.suites.kit.kit import Kit
from clconform.suites.kit.memory import HALF, SIZE, pattern_bytes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.calls.values import Value

NAME = "buffers.contents"
PLAIN = "clCreateBuffer"
BY_LIST = "clCreateBufferWithProperties"
EFFECTS = {PLAIN: (2, 4, 5, 6), BY_LIST: (2, 4, 6, 7)}
"""The numbers of the exercised effects of each creation function.

The effects are, in this order: initial content, SVM storage, kernel access, second part of the initial content.
"""
WRITE, WRITE_RECT = "clEnqueueWriteBuffer", "clEnqueueWriteBufferRect"
ORIGIN = ElementList((0, 0, 0))
cases = CaseRegistry(Kit)
test_buffer_contents_are_as_expected = TableTest(cases)


def create_buffer(kit: Kit, function: str, flags: int, host: PointerArgument = None) -> Handle:
    """Create a buffer with clCreateBuffer, or with clCreateBufferWithProperties and NULL as ``properties``."""
    skip_unless(is_available(kit.cl, function), f"{function} is not available")
    if function == PLAIN:
        return require_handle(kit.cl.clCreateBuffer(kit.context, flags, SIZE, host, OutputBuffer(1)))
    return require_handle(kit.cl.clCreateBufferWithProperties(kit.context, None, flags, SIZE, host, OutputBuffer(1)))


@cases.declare_family
def host_memory_buffers() -> Iterator[TableCase]:
    """Create a buffer that uses host memory, and read the buffer immediately."""

    def steps(kit: Kit, function: str) -> None:
        area = kit.host_area(pattern_bytes(SIZE, 1))
        kit.read(create_buffer(kit, function, kit.constant("CL_MEM_USE_HOST_PTR"), area), 0, SIZE)

    for function, (first, _, _, again) in EFFECTS.items():
        others = (f"{function}/effect/{again}",)
        yield cases.create_case(f"{function}/effect/{first}", "read immediately", steps, function, others=others)


@cases.declare_family
def svm_buffers() -> Iterator[TableCase]:
    """Create a buffer that uses an SVM allocation, fill this allocation with a command, and read the buffer."""

    def steps(kit: Kit, function: str) -> None:
        memory = kit.svm()
        buffer = create_buffer(kit, function, kit.constant("CL_MEM_USE_HOST_PTR"), memory)
        pattern = Data(pattern_bytes(4, 2))
        kit.enqueue("clEnqueueSVMMemFill", svm_ptr=memory, pattern=pattern, pattern_size=4, size=SIZE)
        kit.finish()
        kit.read(buffer, 0, SIZE)

    for function, (_, storage, _, _) in EFFECTS.items():
        yield cases.create_case(f"{function}/effect/{storage}", "filled by its address", steps, function)


@cases.declare_family
def buffers_without_flags() -> Iterator[TableCase]:
    """Create a buffer without flags, and enqueue a kernel that writes to the buffer."""

    def steps(kit: Kit, function: str) -> None:
        buffer = create_buffer(kit, function, 0)
        kit.write(buffer, 0, pattern_bytes(SIZE, 3))
        enqueue_add(kit, create_add_kernel(kit, buffer))
        kit.finish()
        kit.read(buffer, 0, SIZE)

    for function, (_, _, access, _) in EFFECTS.items():
        yield cases.create_case(f"{function}/effect/{access}", "a kernel writes to it", steps, function)


def enqueue_add(kit: Kit, kernel: Handle) -> None:
    """Enqueue a kernel with one work-item per element of a buffer."""
    sizes: dict[str, Value] = {"work_dim": 1, "global_work_offset": None, "local_work_size": None}
    kit.enqueue("clEnqueueNDRangeKernel", kernel=kernel, global_work_size=ElementList((SIZE // 4,)), **sizes)


@cases.declare("clCreateBufferWithProperties/effect/5", "read by another device")
def read_on_another_device(kit: Kit) -> None:
    """Create a buffer without a device list, write it on one device, and read it on another device of the context."""
    other = kit.other_available_device
    kit = kit.for_context(kit.new_context(kit.cl.device, other))
    buffer = create_buffer(kit, BY_LIST, kit.constant("CL_MEM_READ_WRITE"))
    kit.write(buffer, 0, pattern_bytes(SIZE, 4))
    kit.finish()
    kit.read(buffer, 0, SIZE, kit.new_queue(other))


# sub-buffers


@cases.declare("clCreateSubBuffer/effect/5", "the buffer is filled before and after", "clCreateSubBuffer/effect/2")
def fill_around_sub_buffer(kit: Kit) -> None:
    """Fill a buffer before and after creating a sub-buffer, and read the sub-buffer after each fill."""
    flags = kit.constant("CL_MEM_READ_WRITE", "CL_MEM_COPY_HOST_PTR")
    buffer = require_handle(
        kit.cl.clCreateBuffer(kit.context, flags, SIZE, Data(pattern_bytes(SIZE, 5)), OutputBuffer(1))
    )
    fill_and_wait(kit, buffer, 6)
    part = kit.sub_buffer(buffer, kit.alignment, HALF)
    size = min(HALF, SIZE - kit.alignment)
    kit.read(part, 0, size)
    fill_and_wait(kit, buffer, 7)
    kit.read(part, 0, size)


def fill_and_wait(kit: Kit, buffer: Handle, seed: int) -> None:
    """Fill a buffer, and wait for the command."""
    pattern = Data(pattern_bytes(4, seed))
    kit.enqueue("clEnqueueFillBuffer", buffer=buffer, pattern=pattern, pattern_size=4, offset=0, size=SIZE)
    kit.finish()


@cases.declare("OpenCL:memory-consistency-for-svm-allocations/3", "a region in shared memory")
def fill_sub_buffer_of_svm(kit: Kit) -> None:
    """Fill a sub-buffer of a buffer that uses an SVM allocation, and read the sub-buffer."""
    part = kit.sub_buffer(kit.buffer_on_host_memory(kit.svm()), 0, HALF)
    pattern = Data(pattern_bytes(4, 8))
    kit.enqueue("clEnqueueFillBuffer", buffer=part, pattern=pattern, pattern_size=4, offset=0, size=HALF)
    kit.finish()
    kit.read(part, 0, HALF)


# host memory that the program writes again


@cases.declare_family
def rewritten_host_memory() -> Iterator[TableCase]:
    """Write from host memory without blocking, wait for the write, change the host memory, and read the buffer."""

    def steps(kit: Kit, function: str) -> None:
        buffer, area = kit.buffer(), kit.host_area(pattern_bytes(SIZE, 9))
        given: dict[str, Value] = {"buffer": buffer, "blocking_write": 0, "ptr": area}
        if function == WRITE:
            kit.enqueue(WRITE, offset=0, size=SIZE, **given)
        else:
            pitches = dict.fromkeys(
                (f"{side}_{name}_pitch" for side in ("buffer", "host") for name in ("row", "slice")), 0
            )
            origins = {"buffer_origin": ORIGIN, "host_origin": ORIGIN}
            kit.enqueue(WRITE_RECT, region=ElementList((64, 8, 8)), **origins, **pitches, **given)
        kit.finish()
        kit.write_host(area, pattern_bytes(SIZE, 10))
        kit.read(buffer, 0, SIZE)

    for function, number in ((WRITE, 9), (WRITE_RECT, 15)):
        yield cases.create_case(f"{function}/effect/{number}", "written again after it is complete", steps, function)
