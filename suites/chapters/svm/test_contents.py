"""Content of SVM: after kernels, with several queues, while mapped, and through images (section 5.6)."""

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
    """Write bytes to SVM with a blocking copy."""
    kit.enqueue(COPY, queue=queue, blocking_copy=1, dst_ptr=memory, src_ptr=Data(telling(SIZE, seed)), size=SIZE)


def work(
    kit: Kit, *pointers: Handle, name: str = "add_index", queue: Handle | None = None, after: Value = None
) -> None:
    """Enqueue a kernel on SVM pointers."""
    kernel = kit.kernel(name)
    for index, pointer in enumerate(pointers):
        kit.cl.clSetKernelArgSVMPointer(kernel, index, pointer)
    sizes: dict[str, Value] = {"work_dim": 1, "global_work_offset": None, "local_work_size": None}
    kit.enqueue("clEnqueueNDRangeKernel", queue=queue, after=after, kernel=kernel, global_work_size=ITEMS, **sizes)


def look(kit: Kit, memory: Handle, *, wait: bool = True) -> None:
    """Read SVM through a map; ``wait`` selects a blocking map."""
    given: dict[str, Value] = {"svm_ptr": memory, "size": SIZE, "flags": kit.value("CL_MAP_READ")}
    kit.enqueue(MAP, **{**given, "blocking_map": int(wait)})
    if not wait:
        kit.finish()
    kit.look(memory, SIZE)
    kit.enqueue(UNMAP, svm_ptr=memory)
    kit.finish()


@cases.of(f"{COPY}/success", "a prime number of bytes, more than a page")
def many_bytes(kit: Kit) -> None:
    """Copy bytes from the host to an allocation, from there to another one, and back."""
    source, target = kit.svm(size=MANY), kit.svm(size=MANY)
    from_the_host, to_the_host = Data(telling(MANY, 9)), OutputBuffer(MANY)
    for there, here in ((source, from_the_host), (target, source), (to_the_host, target)):
        kit.enqueue(COPY, blocking_copy=1, dst_ptr=there, src_ptr=here, size=MANY)


@cases.family
def after_a_kernel() -> Iterator[Case]:
    """Run a kernel on SVM allocated with and without flags, and read it through a map."""

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
    """Allocate SVM without flags."""
    kit.svm()  # skips where the device does not support SVM
    return one(kit.cl.clSVMAlloc(kit.context, 0, SIZE, 0))


@cases.of(f"{OWN}/7", "two queues")
def of_two_queues(kit: Kit) -> None:
    """Run a kernel on one queue, another one on a second queue, and read the result."""
    memory, other = kit.svm(), kit.plain_queue()
    put(kit, memory, 2)
    work(kit, memory)
    kit.finish()
    work(kit, memory, queue=other)
    kit.finish(other)
    look(kit, memory)


@cases.of(f"{OWN}/7", "two queues and an event")
def handed_on(kit: Kit) -> None:
    """Make a kernel of one queue wait for a kernel of another queue, and read the result of both."""
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
    """Run two independent kernels of two queues that read the same SVM, and read both copies."""
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
    """Copy with a kernel from SVM that is read-only for kernels to SVM that is write-only, and read the copy."""

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
    """Run a kernel on fine-grain SVM, with and without atomics, and read it without a map."""

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
    """Fill fine-grain SVM while it is mapped, and read it."""
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
    """Create a 1D image of a buffer on SVM, write the SVM through its pointer, and read the image."""
    memory = kit.svm()
    image = kit.image(OF_A_BUFFER, source=kit.buffer_on(memory))
    put(kit, memory, 8)
    kit.call("clEnqueueReadImage", image=image, origin=Items((0, 0, 0)), region=Items((8, 1, 1)))


@cases.of("clEnqueueSVMMigrateMem/effect/7", "without an event")
def migrated(kit: Kit) -> None:
    """Migrate SVM without an event, and read it."""
    memory = kit.svm()
    put(kit, memory, 9)
    kit.call("clEnqueueSVMMigrateMem", svm_pointers=Items((memory,)), num_svm_pointers=1, sizes=None, event=None)
    kit.finish()
    look(kit, memory)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Generate one test item per case."""
    parametrize(metafunc, cases)


def test_contents(cl: Session, case: Case) -> None:
    case.act(cl)
