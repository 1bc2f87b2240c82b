"""Arguments of kernels: the values and memory that kernels see, before and after rejected calls."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import (
    Data,
    ElementList,
    Handle,
    HandleBytes,
    OffsetPointer,
    OutputBuffer,
    PointerArgument,
    Pointers,
)
from clconform.oracles.model.argument_kernels import ARGUMENT_KERNELS, ECHO_MEMORY, ECHO_VALUES, WORD_BYTES
from clconform.oracles.model.kernel_registry import SOURCES
from clconform.oracles.model.parameters import ArgumentKind
from clconform.runner.pytest_plugin.covers import TableCase, TableTest
from clconform.suites.cases import CaseRegistry
from clconform.suites.chapters.kernels.argument_cases import (
    FIXED,
    LOCAL_BYTES,
    OTHER,
    SHARED,
    VALUES,
    ArgumentReference,
    create_kernel,
)
from clconform.suites.helpers import is_available, is_success, require_handle, skip_unless
from clconform.suites.kit.kit import Kit
from clconform.suites.kit.memory import SIZE, pattern_bytes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.calls.call import Outcome
    from clconform.calls.values import Value

NAME = "kernels.arguments"
SET, RUN, CLONE = "clSetKernelArg/success", "clEnqueueNDRangeKernel/success", "clCloneKernel/success"
VALUE_COPIED, LAST, NULLS, VALUE_KEPT, IN_ORDER = (f"clSetKernelArg/effect/{number}" for number in (4, 5, 6, 8, 3))
OFFSET = ArgumentReference(ECHO_MEMORY, "offset")
HALF = SIZE // 2
ONE_ITEM: dict[str, Value] = {
    "work_dim": 1,
    "global_work_offset": None,
    "global_work_size": ElementList((1,)),
    "local_work_size": None,
}
cases = CaseRegistry(Kit)
test_kernels_receive_their_arguments = TableTest(cases)


class EchoKernel:
    """A kernel that writes its arguments to a buffer, together with the buffer."""

    def __init__(self, kit: Kit, name: str = ECHO_VALUES, kernel: Handle | None = None) -> None:
        self.kit, self.name = kit, name
        self.kernel = kernel or create_kernel(kit, name)
        self.size = WORD_BYTES * sum(map(len, ARGUMENT_KERNELS[name].words))
        self.data = kit.create_filled_buffer(SIZE, seed=77)
        self.set(0, HandleBytes(self.data), kit.pointer_bytes)

    def set(self, index: int, value: PointerArgument, size: int) -> Outcome:
        """Set an argument; return the outcome."""
        return self.kit.cl.clSetKernelArg(self.kernel, index, size, value)

    def set_all(self, seed: int) -> None:
        """Set all arguments; ``seed`` determines the values and the content of memory."""
        kit = self.kit
        for place in VALUES if self.name == ECHO_VALUES else (OTHER, FIXED, SHARED, OFFSET):
            sort, size = place.declaration.kind, place.declaration.bytes
            if sort is ArgumentKind.VALUE:
                self.set(place.index, Data(pattern_bytes(size, seed + place.index)), size)
            elif sort is ArgumentKind.LOCAL:
                self.set(place.index, None, LOCAL_BYTES)
            else:
                self.set(
                    place.index, HandleBytes(kit.create_filled_buffer(SIZE, seed=seed + place.index)), kit.pointer_bytes
                )

    def enqueue(self) -> None:
        """Enqueue the kernel with one work-item."""
        self.kit.enqueue("clEnqueueNDRangeKernel", kernel=self.kernel, **ONE_ITEM)

    def read_buffer(self, data: Handle | None = None) -> None:
        """Read the buffer that the kernel writes; the judge compares the content."""
        self.kit.read(data or self.data, 0, self.size)

    def run_and_read(self) -> None:
        """Run the kernel, and read its buffer."""
        self.enqueue()
        self.read_buffer()


@cases.declare_family
def argument_values() -> Iterator[TableCase]:
    """Yield items that set all arguments of a kernel, run it, and read the arguments that it wrote.

    Each item does this twice.
    """
    for name in (ECHO_VALUES, ECHO_MEMORY):
        yield cases.create_case(IN_ORDER, f"{name}: each argument, twice", _run_twice, name, others=(SET, RUN, LAST))


def _run_twice(kit: Kit, name: str) -> None:
    teller = EchoKernel(kit, name)
    for seed in (1, 2):
        teller.set_all(seed)
        teller.run_and_read()


@cases.declare(LAST, "one byte of each value changed", RUN)
def change_one_byte(kit: Kit) -> None:
    """Change the last byte of each value and run the kernel, then change the first byte and run it again."""
    teller = EchoKernel(kit)
    teller.set_all(1)
    for at in (-1, 0):
        for place in VALUES:
            content = bytearray(pattern_bytes(place.declaration.bytes, 1 + place.index))
            content[at] ^= 1
            teller.set(place.index, Data(bytes(content)), place.declaration.bytes)
        teller.run_and_read()


@cases.declare(LAST, "changed between enqueues without a wait", RUN)
def change_in_flight(kit: Kit) -> None:
    """Enqueue a kernel repeatedly, each time with other values and another buffer, and wait only at the end."""
    teller = EchoKernel(kit)
    buffers = [teller.data, kit.create_filled_buffer(SIZE, seed=78), kit.create_filled_buffer(SIZE, seed=79)]
    for seed, buffer in enumerate(buffers):
        teller.set(0, HandleBytes(buffer), kit.pointer_bytes)
        teller.set_all(seed)
        teller.enqueue()
    kit.finish()
    for buffer in buffers:
        teller.read_buffer(buffer)


@cases.declare(VALUE_COPIED, "memory used again after the call", RUN)
def reuse_host_memory(kit: Kit) -> None:
    """Set values from host memory, and overwrite the memory before the kernel is enqueued."""
    teller, area = EchoKernel(kit), kit.host_area(pattern_bytes(SIZE, 5))
    for place in VALUES:
        teller.set(place.index, OffsetPointer(area, place.index * 64), place.declaration.bytes)
    kit.write_host(area, pattern_bytes(SIZE, 6))
    teller.run_and_read()


@cases.declare_family
def null_pointers() -> Iterator[TableCase]:
    """Yield items that set pointer arguments to NULL, by arg_value NULL or a pointer to NULL, and then to buffers."""
    for words, null in (("NULL", None), ("the address of NULL", Pointers((None,)))):
        yield cases.create_case(NULLS, words, _run_with_null, null, others=(SET, RUN))


def _run_with_null(kit: Kit, null: PointerArgument) -> None:
    teller = EchoKernel(kit, ECHO_MEMORY)
    teller.set_all(3)
    for place in (OTHER, FIXED):
        teller.set(place.index, null, kit.pointer_bytes)
        teller.run_and_read()
    teller.set_all(4)
    teller.run_and_read()


INVALID_CALLS: tuple[tuple[str, ArgumentReference, Value, int | None], ...] = (
    *((f"{place}, a byte too few", place, Data(bytes(64)), place.declaration.bytes - 1) for place in VALUES[::3]),
    *((f"{place}, a byte too many", place, Data(bytes(65)), place.declaration.bytes + 1) for place in VALUES[::3]),
    *((f"{place}, NULL", place, None, place.declaration.bytes) for place in VALUES[2::4]),
    ("a buffer, half a handle", OTHER, Pointers((None,)), None),
    ("constant memory, half a handle", FIXED, Pointers((None,)), None),
    ("local memory of 0 bytes", SHARED, None, 0),
    ("local memory with an address", SHARED, Data(bytes(LOCAL_BYTES)), LOCAL_BYTES),
)
"""Calls that must be rejected: description, argument, value and size; None stands for half the size of a handle."""


@cases.declare_family
def rejected_calls() -> Iterator[TableCase]:
    """Yield items that set an argument, make a call for it that a driver rejects, and run the kernel.

    If the driver accepts the call, the kernel does not run, because the value of its argument is then unknown.
    """
    for words, place, value, size in INVALID_CALLS:
        yield cases.create_case(VALUE_KEPT, words, _run_after_rejected_call, place, value, size, others=(RUN,))
    yield cases.create_case(VALUE_KEPT, "an index too large", _run_after_invalid_index, others=(RUN,))


def _run_after_rejected_call(kit: Kit, argument: ArgumentReference, value: PointerArgument, size: int | None) -> None:
    teller = EchoKernel(kit, argument.kernel)
    teller.set_all(5)
    if not is_success(teller.set(argument.index, value, kit.pointer_bytes // 2 if size is None else size)):
        teller.run_and_read()


def _run_after_invalid_index(kit: Kit) -> None:
    teller = EchoKernel(kit)
    teller.set_all(6)
    if not is_success(teller.set(len(VALUES) + 1, Data(bytes(4)), 4)):
        teller.run_and_read()


@cases.declare("CL_KERNEL_LOCAL_MEM_SIZE/effect/1", "before it is set, and after", "CL_KERNEL_LOCAL_MEM_SIZE")
def query_local_memory(kit: Kit) -> None:
    """Query a kernel's local memory size with its local argument unset, small and large."""
    teller = EchoKernel(kit, ECHO_MEMORY)
    for size in (0, LOCAL_BYTES, 16 * LOCAL_BYTES):
        if size:
            teller.set(SHARED.index, None, size)
        name, told = kit.constant("CL_KERNEL_LOCAL_MEM_SIZE"), OutputBuffer(8)
        kit.cl.clGetKernelWorkGroupInfo(teller.kernel, kit.cl.device, name, 8, told, OutputBuffer(1))


# clones


def _clone(kit: Kit, teller: EchoKernel) -> EchoKernel:
    """Return a clone of the kernel ``teller``. The clone writes to the buffer of its source kernel."""
    skip_unless(is_available(kit.cl, "clCloneKernel"), "requires OpenCL 2.1 (clCloneKernel)")
    made = require_handle(kit.cl.clCloneKernel(teller.kernel, OutputBuffer(1)))
    clone = EchoKernel.__new__(EchoKernel)
    clone.kit, clone.name, clone.kernel = kit, teller.name, made
    clone.size, clone.data = teller.size, teller.data
    return clone


@cases.declare_family
def clones() -> Iterator[TableCase]:
    """Yield clones of each kernel.

    A clone runs with the arguments of its source kernel, and then with other arguments.
    """
    for name in (ECHO_VALUES, ECHO_MEMORY):
        others = (RUN, *(f"clCloneKernel/effect/{number}" for number in (1, 2, 4, 7, 8, 9)))
        yield cases.create_case(
            CLONE, f"{name}: usable immediately, independent of its source", _run_independently, name, others=others
        )
    yield cases.create_case(CLONE, "outlives its source", _outlive_source, others=(RUN,))
    yield cases.create_case(CLONE, "of a clone", _clone_twice, others=(RUN,))
    yield cases.create_case(CLONE, "of a kernel that outlives its program", _outlive_program, others=(RUN,))
    yield cases.create_case(
        CLONE, "properties of the clone", _query_clone, others=("clCloneKernel/effect/5", "clCloneKernel/effect/6")
    )


def _run_independently(kit: Kit, name: str) -> None:
    teller = EchoKernel(kit, name)
    teller.set_all(7)
    clone = _clone(kit, teller)
    clone.run_and_read()
    teller.run_and_read()
    clone.set_all(8)
    teller.run_and_read()
    clone.run_and_read()
    teller.set_all(9)
    clone.run_and_read()
    teller.run_and_read()


def _outlive_source(kit: Kit) -> None:
    teller = EchoKernel(kit)
    teller.set_all(10)
    clone = _clone(kit, teller)
    kit.cl.clReleaseKernel(teller.kernel)
    clone.run_and_read()


def _clone_twice(kit: Kit) -> None:
    teller = EchoKernel(kit)
    teller.set_all(12)
    again = _clone(kit, _clone(kit, teller))
    again.run_and_read()
    again.set_all(13)
    again.run_and_read()
    teller.run_and_read()


def _outlive_program(kit: Kit) -> None:
    teller = EchoKernel(kit)
    teller.set_all(11)
    program = kit.cl.query("clGetKernelInfo", teller.kernel, "CL_KERNEL_PROGRAM")
    skip_unless(isinstance(program, str), "the driver does not tell the kernel's program")
    kit.cl.clReleaseProgram(Handle(program))
    _clone(kit, teller).run_and_read()


def _query_clone(kit: Kit) -> None:
    teller = EchoKernel(kit)
    clone = _clone(kit, teller)
    for kernel in (clone.kernel, teller.kernel):
        for query in ("FUNCTION_NAME", "NUM_ARGS", "CONTEXT", "PROGRAM", "REFERENCE_COUNT"):
            kit.cl.query("clGetKernelInfo", kernel, f"CL_KERNEL_{query}")


# all kernels of a program


@cases.declare(
    "clCreateKernelsInProgram/success",
    "each is run",
    "clCreateKernelsInProgram/effect/2",
    "clCreateKernelsInProgram/effect/3",
    "clCreateKernelsInProgram/effect/4",
    RUN,
)
def run_all_kernels(kit: Kit) -> None:
    """Create all kernels of a program with one call, query their names, and run each kernel."""
    names = (ECHO_VALUES, ECHO_MEMORY)
    program, done = kit.try_program(*(SOURCES[name] for name in names))
    skip_unless(done, "the driver does not build the kernels")
    made = kit.cl.clCreateKernelsInProgram(program, len(names), OutputBuffer(len(names)), OutputBuffer(1))
    for value in made.outputs["kernels"].values if hasattr(made, "outputs") else ():
        kernel = Handle(str(value))
        name = kit.cl.query("clGetKernelInfo", kernel, "CL_KERNEL_FUNCTION_NAME")
        for query in ("CONTEXT", "PROGRAM", "NUM_ARGS"):
            kit.cl.query("clGetKernelInfo", kernel, f"CL_KERNEL_{query}")
        skip_unless(name in names, "the kernel does not tell which it is")
        teller = EchoKernel(kit, str(name), kernel)
        teller.set_all(11)
        teller.run_and_read()


# SVM pointers


@cases.declare(
    "clSetKernelArgSVMPointer/success",
    "set, and set again",
    *(f"clSetKernelArgSVMPointer/effect/{n}" for n in (1, 2, 3)),
    RUN,
)
def set_svm_pointers(kit: Kit) -> None:
    """Run a kernel repeatedly, each time with another pointer argument.

    The arguments are addresses in an SVM allocation, then a buffer, then an address in the SVM allocation again.
    """
    skip_unless(is_available(kit.cl, "clSetKernelArgSVMPointer"), "requires OpenCL 2.0 (clSetKernelArgSVMPointer)")
    memory, teller = kit.svm(), EchoKernel(kit, ECHO_MEMORY)
    kit.cl.clEnqueueSVMMemcpy(kit.queue, 1, memory, Data(pattern_bytes(SIZE, 12)), SIZE, 0, None, None)
    teller.set_all(12)
    for offset in (0, WORD_BYTES, HALF):
        pointer = OffsetPointer(memory, offset) if offset else memory
        kit.cl.clSetKernelArgSVMPointer(teller.kernel, OTHER.index, pointer)
        teller.run_and_read()
    teller.set(OTHER.index, HandleBytes(kit.create_filled_buffer(SIZE, seed=15)), kit.pointer_bytes)
    teller.run_and_read()
    kit.cl.clSetKernelArgSVMPointer(teller.kernel, OTHER.index, memory)
    teller.run_and_read()


@cases.declare("clReleaseKernel/success", "released before its command is complete", RUN)
def release_in_flight(kit: Kit) -> None:
    """Release a kernel that is enqueued twice and not complete."""
    teller = EchoKernel(kit)
    for seed in (13, 14):
        teller.set_all(seed)
        teller.enqueue()
    kit.cl.clReleaseKernel(teller.kernel)
    teller.read_buffer()
