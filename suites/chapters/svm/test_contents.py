"""Content of SVM: after kernels, with several queues, while mapped, and through images (section 5.6)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Data, ElementList, Handle, OutputBuffer
from clconform.runner.pytest_plugin.covers import TableCase, TableTest
from clconform.suites.cases import CaseRegistry
from clconform.suites.helpers import require_handle, skip_unless
from clconform.suites.kit.images import IMAGE_OF_BUFFER
from clconform.suites.kit.kit import Kit
from clconform.suites.kit.memory import SIZE, pattern_bytes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.calls.values import Value

NAME = "svm.contents"
MAP = "clEnqueueSVMMap"
UNMAP = "clEnqueueSVMUnmap"
COPY = "clEnqueueSVMMemcpy"
READ_ONLY, WRITE_ONLY = "CL_MEM_READ_ONLY", "CL_MEM_WRITE_ONLY"
FINE_GRAIN, ATOMIC = "CL_MEM_SVM_FINE_GRAIN_BUFFER", "CL_MEM_SVM_ATOMICS"
LARGE_PRIME = 5003
ITEMS = ElementList((SIZE // 4,))
cases = CaseRegistry(Kit)
test_svm_contents_are_as_expected = TableTest(cases)


def write_svm(kit: Kit, memory: Handle, seed: int, queue: Handle | None = None) -> None:
    """Write bytes to SVM with a blocking copy."""
    kit.enqueue(COPY, queue=queue, blocking_copy=1, dst_ptr=memory, src_ptr=Data(pattern_bytes(SIZE, seed)), size=SIZE)


def enqueue_kernel(
    kit: Kit, *pointers: Handle, name: str = "add_index", queue: Handle | None = None, after: Value = None
) -> None:
    """Set SVM pointers as the arguments of a kernel, and enqueue the kernel."""
    kernel = kit.kernel(name)
    for index, pointer in enumerate(pointers):
        kit.cl.clSetKernelArgSVMPointer(kernel, index, pointer)
    sizes: dict[str, Value] = {"work_dim": 1, "global_work_offset": None, "local_work_size": None}
    kit.enqueue("clEnqueueNDRangeKernel", queue=queue, after=after, kernel=kernel, global_work_size=ITEMS, **sizes)


def read_svm(kit: Kit, memory: Handle, *, wait: bool = True) -> None:
    """Read SVM through a map; ``wait`` selects a blocking map."""
    given: dict[str, Value] = {"svm_ptr": memory, "size": SIZE, "flags": kit.constant("CL_MAP_READ")}
    kit.enqueue(MAP, **{**given, "blocking_map": int(wait)})
    if not wait:
        kit.finish()
    kit.read_host(memory, SIZE)
    kit.enqueue(UNMAP, svm_ptr=memory)
    kit.finish()


@cases.declare("clEnqueueSVMMemcpy/success", "a prime number of bytes, more than a page")
def copy_many_bytes(kit: Kit) -> None:
    """Copy bytes from the host to an SVM allocation, from there to another allocation, and back to the host."""
    source, target = kit.svm(size=LARGE_PRIME), kit.svm(size=LARGE_PRIME)
    from_the_host, to_the_host = Data(pattern_bytes(LARGE_PRIME, 9)), OutputBuffer(LARGE_PRIME)
    for there, here in ((source, from_the_host), (target, source), (to_the_host, target)):
        kit.enqueue(COPY, blocking_copy=1, dst_ptr=there, src_ptr=here, size=LARGE_PRIME)


@cases.declare_family
def contents_after_kernel() -> Iterator[TableCase]:
    """Run a kernel on SVM, and read the SVM through a map.

    The items differ in the allocation flags, and in whether the map blocks.
    """

    def steps(kit: Kit, *flags: str, wait: bool) -> None:
        memory = kit.svm(*flags) if flags else allocate_without_flags(kit)
        write_svm(kit, memory, 1)
        enqueue_kernel(kit, memory)
        kit.finish()
        read_svm(kit, memory, wait=wait)

    def plainly(kit: Kit) -> None:
        steps(kit, wait=True)

    def later(kit: Kit) -> None:
        steps(kit, "CL_MEM_READ_WRITE", wait=False)

    yield cases.create_case(
        "clSVMAlloc/effect/6",
        "allocated without flags",
        plainly,
        others=("OpenCL:svm-sharing-granularity-coarse-and-fine-grained-sharing/4", "clEnqueueSVMMap/effect/6"),
    )
    yield cases.create_case(
        "clEnqueueSVMMap/effect/7",
        "a map that is waited for",
        later,
        others=(
            "OpenCL:svm-sharing-granularity-coarse-and-fine-grained-sharing/4",
            "OpenCL:svm-sharing-granularity-coarse-and-fine-grained-sharing/5",
        ),
    )


def allocate_without_flags(kit: Kit) -> Handle:
    """Allocate SVM without flags."""
    kit.svm()  # skips where the device does not support SVM
    return require_handle(kit.cl.clSVMAlloc(kit.context, 0, SIZE, 0))


@cases.declare("OpenCL:svm-sharing-granularity-coarse-and-fine-grained-sharing/7", "two queues")
def use_two_queues(kit: Kit) -> None:
    """Run a kernel on one queue, then another kernel on a second queue, and read the result."""
    memory, other = kit.svm(), kit.command_buffer_queue()
    write_svm(kit, memory, 2)
    enqueue_kernel(kit, memory)
    kit.finish()
    enqueue_kernel(kit, memory, queue=other)
    kit.finish(other)
    read_svm(kit, memory)


@cases.declare("OpenCL:svm-sharing-granularity-coarse-and-fine-grained-sharing/7", "two queues and an event")
def wait_for_kernel_of_another_queue(kit: Kit) -> None:
    """Make a kernel of one queue wait for a kernel of another queue, and read the result of the two kernels."""
    memory, other = kit.svm(), kit.command_buffer_queue()
    write_svm(kit, memory, 3)
    kernel = kit.kernel("add_index")
    kit.cl.clSetKernelArgSVMPointer(kernel, 0, memory)
    sizes: dict[str, Value] = {"work_dim": 1, "global_work_offset": None, "local_work_size": None}
    launch: dict[str, Value] = {"kernel": kernel, "global_work_size": ITEMS, **sizes}
    event = kit.require_event(kit.enqueue("clEnqueueNDRangeKernel", event=OutputBuffer(1), **launch))
    kit.cl.clFlush(kit.queue)
    kit.enqueue("clEnqueueNDRangeKernel", queue=other, after=ElementList((event,)), **launch)
    kit.finish(other)
    read_svm(kit, memory)


@cases.declare("OpenCL:svm-sharing-granularity-coarse-and-fine-grained-sharing/6", "two kernels read it")
def read_by_two_kernels(kit: Kit) -> None:
    """Run two kernels concurrently on two queues.

    The kernels read the same SVM, and each writes a copy. Read both copies.
    """
    source, other = kit.svm(), kit.command_buffer_queue()
    copies = kit.svm(), kit.svm()
    write_svm(kit, source, 4)
    gate = kit.gate()
    listed = gate.arguments["event_wait_list"]
    for queue, copy in zip((kit.queue, other), copies, strict=True):
        enqueue_kernel(kit, copy, source, name="copy_plus_one", queue=queue, after=listed)
    gate.open()
    for queue in (kit.queue, other):
        kit.finish(queue)
    for copy in copies:
        read_svm(kit, copy)


@cases.declare_family
def read_only_and_write_only() -> Iterator[TableCase]:
    """Copy with a kernel from SVM with CL_MEM_READ_ONLY to SVM with CL_MEM_WRITE_ONLY, and read the copy."""

    def steps(kit: Kit) -> None:
        filled, source, copy = kit.svm(), kit.svm(READ_ONLY), kit.svm(WRITE_ONLY)
        write_svm(kit, filled, 10)
        kit.enqueue(COPY, blocking_copy=1, dst_ptr=source, src_ptr=filled, size=SIZE)
        enqueue_kernel(kit, copy, source, name="copy_plus_one")
        kit.finish()
        read_svm(kit, copy)

    flags = "cl_svm_mem_flags:CL_MEM_READ_ONLY", "cl_svm_mem_flags:CL_MEM_WRITE_ONLY"
    yield cases.create_case(flags[0], "copied by a kernel", steps, others=flags[1:])


@cases.declare_family
def fine_grain_memory() -> Iterator[TableCase]:
    """Run a kernel on fine-grain SVM, with and without atomics, and read the SVM without a map."""

    def steps(kit: Kit, *flags: str) -> None:
        capabilities = {FINE_GRAIN: "CL_DEVICE_SVM_FINE_GRAIN_BUFFER", ATOMIC: "CL_DEVICE_SVM_ATOMICS"}
        skip_unless(kit.has_svm(*(capabilities[flag] for flag in flags)), "the device does not support such memory")
        memory = kit.svm("CL_MEM_READ_WRITE", *flags)
        write_svm(kit, memory, 5)
        enqueue_kernel(kit, memory)
        kit.finish()
        kit.read_host(memory, SIZE)

    yield cases.create_case(
        "OpenCL:svm-sharing-granularity-coarse-and-fine-grained-sharing/12",
        "fine-grained",
        steps,
        FINE_GRAIN,
        others=("CL_DEVICE_SVM_CAPABILITIES/effect/1",),
    )
    yield cases.create_case(
        "OpenCL:svm-sharing-granularity-coarse-and-fine-grained-sharing/11",
        "with atomics",
        steps,
        FINE_GRAIN,
        ATOMIC,
        others=("OpenCL:svm-sharing-granularity-coarse-and-fine-grained-sharing/10",),
    )


@cases.declare("clEnqueueSVMUnmap/effect/7", "filled while it is mapped")
def fill_while_mapped(kit: Kit) -> None:
    """Fill fine-grain SVM while it is mapped, and read the SVM."""
    skip_unless(kit.has_svm("CL_DEVICE_SVM_FINE_GRAIN_BUFFER"), "the device does not support fine-grained buffers")
    memory = kit.svm("CL_MEM_READ_WRITE", FINE_GRAIN)
    write_svm(kit, memory, 6)
    kit.enqueue(MAP, svm_ptr=memory, size=SIZE, flags=kit.constant("CL_MAP_READ"), blocking_map=1)
    kit.enqueue("clEnqueueSVMMemFill", svm_ptr=memory, pattern=Data(pattern_bytes(4, 7)), pattern_size=4, size=SIZE)
    kit.finish()
    kit.read_host(memory, SIZE)
    kit.enqueue(UNMAP, svm_ptr=memory)
    kit.finish()


@cases.declare("clSVMAlloc/effect/7", "an image of a buffer in it", "clSVMAlloc/effect/8")
def read_image_on_svm(kit: Kit) -> None:
    """Create a 1D image from a buffer that uses SVM, write the SVM through its pointer, and read the image."""
    memory = kit.svm()
    image = kit.image(IMAGE_OF_BUFFER, source=kit.buffer_on_host_memory(memory))
    write_svm(kit, memory, 8)
    kit.call("clEnqueueReadImage", image=image, origin=ElementList((0, 0, 0)), region=ElementList((8, 1, 1)))


@cases.declare("clEnqueueSVMMigrateMem/effect/7", "without an event")
def migrate_svm(kit: Kit) -> None:
    """Migrate SVM without requesting an event, and read the SVM."""
    memory = kit.svm()
    write_svm(kit, memory, 9)
    kit.call("clEnqueueSVMMigrateMem", svm_pointers=ElementList((memory,)), num_svm_pointers=1, sizes=None, event=None)
    kit.finish()
    read_svm(kit, memory)
