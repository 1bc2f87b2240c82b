"""What shared virtual memory holds: after kernels, of several queues, while it is mapped, in images (section 5.6)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Data, Handle, Items, OutputBuffer
from clconform.runner.pytest_plugin.aims import Case, parametrize
from clconform.suites.cases import Cases
from clconform.suites.kit.images import OF_A_BUFFER
from clconform.suites.kit.kit import Kit
from clconform.suites.kit.memory import SIZE, telling
from clconform.suites.steps import needs, one

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pytest

    from clconform.calls.values import Value
    from clconform.runner.session.session import Session

NAME = "svm.contents"
OWN = "OpenCL:svm-sharing-granularity-coarse-and-fine-grained-sharing"
ALLOC, MAP, UNMAP, COPY = "clSVMAlloc", "clEnqueueSVMMap", "clEnqueueSVMUnmap", "clEnqueueSVMMemcpy"
READ_ONLY, WRITE_ONLY = "CL_MEM_READ_ONLY", "CL_MEM_WRITE_ONLY"
FINE, ATOMIC = "CL_MEM_SVM_FINE_GRAIN_BUFFER", "CL_MEM_SVM_ATOMICS"
MANY = 5003
ITEMS = Items((SIZE // 4,))
cases = Cases(Kit)


def put(kit: Kit, memory: Handle, seed: int, queue: Handle | None = None) -> None:
    """Let a command put bytes into memory, and wait for that."""
    kit.enqueue(COPY, queue=queue, blocking_copy=1, dst_ptr=memory, src_ptr=Data(telling(SIZE, seed)), size=SIZE)


def work(
    kit: Kit, *pointers: Handle, name: str = "add_index", queue: Handle | None = None, after: Value = None
) -> None:
    """Launch a kernel on memory."""
    kernel = kit.kernel(name)
    for index, pointer in enumerate(pointers):
        kit.cl.clSetKernelArgSVMPointer(kernel, index, pointer)
    sizes: dict[str, Value] = {"work_dim": 1, "global_work_offset": None, "local_work_size": None}
    kit.enqueue("clEnqueueNDRangeKernel", queue=queue, after=after, kernel=kernel, global_work_size=ITEMS, **sizes)


def look(kit: Kit, memory: Handle, *, wait: bool = True) -> None:
    """Look at memory through a map, which the call waits for or not."""
    given: dict[str, Value] = {"svm_ptr": memory, "size": SIZE, "flags": kit.value("CL_MAP_READ")}
    kit.enqueue(MAP, **{**given, "blocking_map": int(wait)})
    if not wait:
        kit.finish()
    kit.look(memory, SIZE)
    kit.enqueue(UNMAP, svm_ptr=memory)
    kit.finish()


@cases.of(f"{COPY}/success", "a prime number of bytes, more than a page")
def many_bytes(kit: Kit) -> None:
    """Copy bytes of the host into an allocation, from there to another one, and back."""
    source, target = kit.svm(size=MANY), kit.svm(size=MANY)
    from_the_host, to_the_host = Data(telling(MANY, 9)), OutputBuffer(MANY)
    for there, here in ((source, from_the_host), (target, source), (to_the_host, target)):
        kit.enqueue(COPY, blocking_copy=1, dst_ptr=there, src_ptr=here, size=MANY)


@cases.family
def after_a_kernel() -> Iterator[Case]:
    """Let a kernel work on memory that was allocated with a flag or with none, and look at it through a map."""

    def steps(kit: Kit, *flags: str, wait: bool) -> None:
        memory = kit.svm(*flags) if flags else allocated(kit)
        put(kit, memory, 1)
        work(kit, memory)
        kit.finish()
        look(kit, memory, wait=wait)

    def plainly(kit: Kit) -> None:
        steps(kit, wait=True)

    def later(kit: Kit) -> None:
        steps(kit, "CL_MEM_READ_WRITE", wait=False)

    yield cases.case(f"{ALLOC}/effect/6", "allocated without flags", plainly, others=(f"{OWN}/4", f"{MAP}/effect/6"))
    yield cases.case(f"{MAP}/effect/7", "a map that is waited for", later, others=(f"{OWN}/4", f"{OWN}/5"))


def allocated(kit: Kit) -> Handle:
    """Allocate memory without any flag."""
    kit.svm()  # skips the item where there is none
    return one(kit.cl.clSVMAlloc(kit.context, 0, SIZE, 0))


@cases.of(f"{OWN}/7", "two queues")
def of_two_queues(kit: Kit) -> None:
    """Let a kernel of one queue work on what one of another queue has left, and look at that."""
    memory, other = kit.svm(), kit.plain_queue()
    put(kit, memory, 2)
    work(kit, memory)
    kit.finish()
    work(kit, memory, queue=other)
    kit.finish(other)
    look(kit, memory)


@cases.of(f"{OWN}/7", "two queues and an event")
def handed_on(kit: Kit) -> None:
    """Let a kernel of one queue wait for the event of one of another queue, and look at what both have made."""
    memory, other = kit.svm(), kit.plain_queue()
    put(kit, memory, 3)
    kernel = kit.kernel("add_index")
    kit.cl.clSetKernelArgSVMPointer(kernel, 0, memory)
    sizes: dict[str, Value] = {"work_dim": 1, "global_work_offset": None, "local_work_size": None}
    launch: dict[str, Value] = {"kernel": kernel, "global_work_size": ITEMS, **sizes}
    event = kit.event_of(kit.enqueue("clEnqueueNDRangeKernel", event=OutputBuffer(1), **launch))
    kit.cl.clFlush(kit.queue)
    kit.enqueue("clEnqueueNDRangeKernel", queue=other, after=Items((event,)), **launch)
    kit.finish(other)
    look(kit, memory)


@cases.of(f"{OWN}/6", "two kernels read it")
def read_by_two(kit: Kit) -> None:
    """Let two kernels of two queues read the same memory while neither waits for the other, and look at the copies."""
    source, other = kit.svm(), kit.plain_queue()
    copies = kit.svm(), kit.svm()
    put(kit, source, 4)
    gate = kit.gate()
    listed = gate.arguments["event_wait_list"]
    for queue, copy in zip((kit.queue, other), copies, strict=True):
        work(kit, copy, source, name="copy_plus_one", queue=queue, after=listed)
    gate.open()
    for queue in (kit.queue, other):
        kit.finish(queue)
    for copy in copies:
        look(kit, copy)


@cases.family
def read_or_written_alone() -> Iterator[Case]:
    """Let a kernel read memory that kernels only read, and write memory that they only write, and look at that."""

    def steps(kit: Kit) -> None:
        filled, source, copy = kit.svm(), kit.svm(READ_ONLY), kit.svm(WRITE_ONLY)
        put(kit, filled, 10)
        kit.enqueue(COPY, blocking_copy=1, dst_ptr=source, src_ptr=filled, size=SIZE)
        work(kit, copy, source, name="copy_plus_one")
        kit.finish()
        look(kit, copy)

    flags = f"cl_svm_mem_flags:{READ_ONLY}", f"cl_svm_mem_flags:{WRITE_ONLY}"
    yield cases.case(flags[0], "copied by a kernel", steps, others=flags[1:])


@cases.family
def without_a_map() -> Iterator[Case]:
    """Let a kernel work on fine-grained memory, with and without atomic operations, and look at it without a map."""

    def steps(kit: Kit, *flags: str) -> None:
        capabilities = {FINE: "CL_DEVICE_SVM_FINE_GRAIN_BUFFER", ATOMIC: "CL_DEVICE_SVM_ATOMICS"}
        needs(kit.has_svm(*(capabilities[flag] for flag in flags)), "the device does not support such memory")
        memory = kit.svm("CL_MEM_READ_WRITE", *flags)
        put(kit, memory, 5)
        work(kit, memory)
        kit.finish()
        kit.look(memory, SIZE)

    yield cases.case(f"{OWN}/12", "fine-grained", steps, FINE, others=("CL_DEVICE_SVM_CAPABILITIES/effect/1",))
    yield cases.case(f"{OWN}/11", "with atomics", steps, FINE, ATOMIC, others=(f"{OWN}/10",))


@cases.of(f"{UNMAP}/effect/7", "filled while it is mapped")
def used_while_mapped(kit: Kit) -> None:
    """Fill fine-grained memory while it is mapped, and look at it."""
    needs(kit.has_svm("CL_DEVICE_SVM_FINE_GRAIN_BUFFER"), "the device does not support fine-grained buffers")
    memory = kit.svm("CL_MEM_READ_WRITE", FINE)
    put(kit, memory, 6)
    kit.enqueue(MAP, svm_ptr=memory, size=SIZE, flags=kit.value("CL_MAP_READ"), blocking_map=1)
    kit.enqueue("clEnqueueSVMMemFill", svm_ptr=memory, pattern=Data(telling(4, 7)), pattern_size=4, size=SIZE)
    kit.finish()
    kit.look(memory, SIZE)
    kit.enqueue(UNMAP, svm_ptr=memory)
    kit.finish()


@cases.of(f"{ALLOC}/effect/7", "an image of a buffer in it", f"{ALLOC}/effect/8")
def an_image(kit: Kit) -> None:
    """Make a 1D image of a buffer in shared memory, fill that by its address, and read the image."""
    memory = kit.svm()
    image = kit.image(OF_A_BUFFER, source=kit.buffer_on(memory))
    put(kit, memory, 8)
    kit.call("clEnqueueReadImage", image=image, origin=Items((0, 0, 0)), region=Items((8, 1, 1)))


@cases.of("clEnqueueSVMMigrateMem/effect/7", "without an event")
def migrated(kit: Kit) -> None:
    """Migrate memory without an event, and look at it."""
    memory = kit.svm()
    put(kit, memory, 9)
    kit.call("clEnqueueSVMMigrateMem", svm_pointers=Items((memory,)), num_svm_pointers=1, sizes=None, event=None)
    kit.finish()
    look(kit, memory)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Make one item of each case."""
    parametrize(metafunc, cases)


def test_contents(cl: Session, case: Case) -> None:
    case.act(cl)
