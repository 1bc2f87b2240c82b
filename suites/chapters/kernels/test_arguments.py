"""Arguments of kernels: the values and memory that kernels see, before and after rejected calls."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Data, Handle, HandleBytes, Inside, Items, OutputBuffer, Pointers
from clconform.oracles.model.argument_kernels import ARGUMENT_KERNELS, TELL_MEMORY, TELL_VALUES, WORD_BYTES
from clconform.oracles.model.own_kernels import SOURCES
from clconform.oracles.model.parameters import HANDLE_BYTES, Sort
from clconform.runner.pytest_plugin.aims import Case, parametrize
from clconform.suites.cases import Cases
from clconform.suites.chapters.kernels.making import FIXED, LOCAL_BYTES, OTHER, SHARED, VALUES, Place, new_kernel
from clconform.suites.kit.kit import Kit
from clconform.suites.kit.memory import SIZE, telling
from clconform.suites.steps import needs, one, promised

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pytest

    from clconform.calls.values import Value
    from clconform.runner.session.session import Session

NAME = "kernels.arguments"
SET, RUN, CLONE = "clSetKernelArg/success", "clEnqueueNDRangeKernel/success", "clCloneKernel/success"
COPIED, LAST, NULLS, LEFT, IN_ORDER = (f"clSetKernelArg/effect/{number}" for number in (4, 5, 6, 8, 3))
OFFSET = Place(TELL_MEMORY, "offset")
HALF = SIZE // 2
ONE_ITEM: dict[str, Value] = {
    "work_dim": 1,
    "global_work_offset": None,
    "global_work_size": Items((1,)),
    "local_work_size": None,
}
cases = Cases(Kit)


class Teller:
    """A kernel that writes its arguments to a buffer, and that buffer."""

    def __init__(self, kit: Kit, name: str = TELL_VALUES, kernel: Handle | None = None) -> None:
        self.kit, self.name = kit, name
        self.kernel = kernel or new_kernel(kit, name)
        self.size = WORD_BYTES * sum(map(len, ARGUMENT_KERNELS[name].words))
        self.data = kit.filled(SIZE, seed=77)
        self.set(0, HandleBytes(self.data), HANDLE_BYTES)

    def set(self, index: int, value: Value, size: int) -> None:
        """Set an argument."""
        self.kit.cl.clSetKernelArg(self.kernel, index, size, value)

    def give(self, seed: int) -> None:
        """Set all arguments; ``seed`` determines the values and the content of memory."""
        kit = self.kit
        for place in VALUES if self.name == TELL_VALUES else (OTHER, FIXED, SHARED, OFFSET):
            sort, size = place.declared.sort, place.declared.bytes
            if sort is Sort.VALUE:
                self.set(place.index, Data(telling(size, seed + place.index)), size)
            elif sort is Sort.LOCAL:
                self.set(place.index, None, LOCAL_BYTES)
            else:
                self.set(place.index, HandleBytes(kit.filled(SIZE, seed=seed + place.index)), HANDLE_BYTES)

    def launch(self) -> None:
        """Run the kernel with one work-item."""
        self.kit.enqueue("clEnqueueNDRangeKernel", kernel=self.kernel, **ONE_ITEM)

    def look(self, data: Handle | None = None) -> None:
        """Read the buffer that the kernel has written, for the judge."""
        self.kit.read(data or self.data, 0, self.size)

    def tell(self) -> None:
        """Run the kernel, and read its buffer."""
        self.launch()
        self.look()


@cases.family
def values() -> Iterator[Case]:
    """Yield kernels whose arguments are all set and checked, twice."""
    for name in (TELL_VALUES, TELL_MEMORY):
        yield cases.case(IN_ORDER, f"{name}: each argument, twice", _twice, name, others=(SET, RUN, LAST))


def _twice(kit: Kit, name: str) -> None:
    teller = Teller(kit, name)
    for seed in (1, 2):
        teller.give(seed)
        teller.tell()


@cases.of(LAST, "one byte of each value changed", RUN)
def one_byte_changed(kit: Kit) -> None:
    """Set each value again with another last byte, then with another first byte, and run the kernel each time."""
    teller = Teller(kit)
    teller.give(1)
    for at in (-1, 0):
        for place in VALUES:
            content = bytearray(telling(place.declared.bytes, 1 + place.index))
            content[at] ^= 1
            teller.set(place.index, Data(bytes(content)), place.declared.bytes)
        teller.tell()


@cases.of(LAST, "changed between launches that were not waited for", RUN)
def changed_in_flight(kit: Kit) -> None:
    """Enqueue a kernel repeatedly with other values and another buffer, and wait only at the end."""
    teller = Teller(kit)
    buffers = [teller.data, kit.filled(SIZE, seed=78), kit.filled(SIZE, seed=79)]
    for seed, buffer in enumerate(buffers):
        teller.set(0, HandleBytes(buffer), HANDLE_BYTES)
        teller.give(seed)
        teller.launch()
    kit.finish()
    for buffer in buffers:
        teller.look(buffer)


@cases.of(COPIED, "memory used again after the call", RUN)
def memory_used_again(kit: Kit) -> None:
    """Set values from host memory, and overwrite the memory before the kernel is enqueued."""
    teller, area = Teller(kit), kit.area(telling(SIZE, 5))
    for place in VALUES:
        teller.set(place.index, Inside(area, place.index * 64), place.declared.bytes)
    kit.put(area, telling(SIZE, 6))
    teller.tell()


@cases.family
def nulls() -> Iterator[Case]:
    """Yield NULL for pointers, passed in two ways, followed by a buffer."""
    for words, null in (("NULL", None), ("the address of NULL", Pointers((None,)))):
        yield cases.case(NULLS, words, _null, null, others=(SET, RUN))


def _null(kit: Kit, null: Value) -> None:
    teller = Teller(kit, TELL_MEMORY)
    teller.give(3)
    for place in (OTHER, FIXED):
        teller.set(place.index, null, HANDLE_BYTES)
        teller.tell()
    teller.give(4)
    teller.tell()


REFUSED: tuple[tuple[str, Place, Value, int], ...] = (
    *((f"{place}, a byte too few", place, Data(bytes(64)), place.declared.bytes - 1) for place in VALUES[::3]),
    *((f"{place}, a byte too many", place, Data(bytes(65)), place.declared.bytes + 1) for place in VALUES[::3]),
    *((f"{place}, NULL", place, None, place.declared.bytes) for place in VALUES[2::4]),
    ("a buffer, half a handle", OTHER, Pointers((None,)), HANDLE_BYTES // 2),
    ("constant memory, half a handle", FIXED, Pointers((None,)), HANDLE_BYTES // 2),
    ("local memory of 0 bytes", SHARED, None, 0),
    ("local memory with an address", SHARED, Data(bytes(LOCAL_BYTES)), LOCAL_BYTES),
)
"""Calls that must be rejected: description, argument, value and size."""


@cases.family
def refused() -> Iterator[Case]:
    """Yield rejected calls between a valid call and the kernel enqueue."""
    for words, place, value, size in REFUSED:
        yield cases.case(LEFT, words, _refused, place, value, size, others=(RUN,))
    yield cases.case(LEFT, "an index too large", _beyond, others=(RUN,))


def _refused(kit: Kit, place: Place, value: Value, size: int) -> None:
    teller = Teller(kit, place.kernel)
    teller.give(5)
    teller.set(place.index, value, size)
    teller.tell()


def _beyond(kit: Kit) -> None:
    teller = Teller(kit)
    teller.give(6)
    teller.set(len(VALUES) + 1, Data(bytes(4)), 4)
    teller.tell()


@cases.of("CL_KERNEL_LOCAL_MEM_SIZE/effect/1", "before it is set, and after", "CL_KERNEL_LOCAL_MEM_SIZE")
def local_memory(kit: Kit) -> None:
    """Query a kernel's local memory with its argument unset, small and large."""
    teller = Teller(kit, TELL_MEMORY)
    for size in (0, LOCAL_BYTES, 16 * LOCAL_BYTES):
        if size:
            teller.set(SHARED.index, None, size)
        name, told = kit.value("CL_KERNEL_LOCAL_MEM_SIZE"), OutputBuffer(8)
        kit.cl.clGetKernelWorkGroupInfo(teller.kernel, kit.cl.device, name, 8, told, OutputBuffer(1))


# clones


def _cloned(kit: Kit, teller: Teller) -> Teller:
    """Return a clone of a kernel, with the buffer of its source."""
    needs(promised(kit.cl, "clCloneKernel"), "requires OpenCL 2.1 (clCloneKernel)")
    made = one(kit.cl.clCloneKernel(teller.kernel, OutputBuffer(1)))
    clone = Teller.__new__(Teller)
    clone.kit, clone.name, clone.kernel = kit, teller.name, made
    clone.size, clone.data = teller.size, teller.data
    return clone


@cases.family
def clones() -> Iterator[Case]:
    """Yield clones of each kernel, with the source's arguments and then with others."""
    for name in (TELL_VALUES, TELL_MEMORY):
        others = (RUN, *(f"clCloneKernel/effect/{number}" for number in (1, 2, 4, 7, 8, 9)))
        yield cases.case(CLONE, f"{name}: ready at once, and apart from its source", _apart, name, others=others)
    yield cases.case(CLONE, "outlives its source", _outlives, others=(RUN,))
    yield cases.case(CLONE, "of a clone", _cloned_twice, others=(RUN,))
    yield cases.case(CLONE, "of a kernel that outlives its program", _after_its_program, others=(RUN,))
    yield cases.case(
        CLONE, "what it tells of itself", _told, others=("clCloneKernel/effect/5", "clCloneKernel/effect/6")
    )


def _apart(kit: Kit, name: str) -> None:
    teller = Teller(kit, name)
    teller.give(7)
    clone = _cloned(kit, teller)
    clone.tell()
    teller.tell()
    clone.give(8)
    teller.tell()
    clone.tell()
    teller.give(9)
    clone.tell()
    teller.tell()


def _outlives(kit: Kit) -> None:
    teller = Teller(kit)
    teller.give(10)
    clone = _cloned(kit, teller)
    kit.cl.clReleaseKernel(teller.kernel)
    clone.tell()


def _cloned_twice(kit: Kit) -> None:
    teller = Teller(kit)
    teller.give(12)
    again = _cloned(kit, _cloned(kit, teller))
    again.tell()
    again.give(13)
    again.tell()
    teller.tell()


def _after_its_program(kit: Kit) -> None:
    teller = Teller(kit)
    teller.give(11)
    program = kit.cl.query("clGetKernelInfo", teller.kernel, "CL_KERNEL_PROGRAM")
    needs(isinstance(program, str), "the driver does not tell the kernel's program")
    kit.cl.clReleaseProgram(Handle(program))
    _cloned(kit, teller).tell()


def _told(kit: Kit) -> None:
    teller = Teller(kit)
    clone = _cloned(kit, teller)
    for kernel in (clone.kernel, teller.kernel):
        for query in ("FUNCTION_NAME", "NUM_ARGS", "CONTEXT", "PROGRAM", "REFERENCE_COUNT"):
            kit.cl.query("clGetKernelInfo", kernel, f"CL_KERNEL_{query}")


# all kernels of a program


@cases.of(
    "clCreateKernelsInProgram/success",
    "each is run",
    "clCreateKernelsInProgram/effect/2",
    "clCreateKernelsInProgram/effect/3",
    "clCreateKernelsInProgram/effect/4",
    RUN,
)
def all_kernels(kit: Kit) -> None:
    """Create all kernels of a program with one call, query their names, and run each kernel."""
    names = (TELL_VALUES, TELL_MEMORY)
    program = kit.program_of(*(SOURCES[name] for name in names))
    needs(kit.builds(program), "the driver does not build the kernels")
    made = kit.cl.clCreateKernelsInProgram(program, len(names), OutputBuffer(len(names)), OutputBuffer(1))
    for value in made.outputs["kernels"].values if hasattr(made, "outputs") else ():
        kernel = Handle(str(value))
        name = kit.cl.query("clGetKernelInfo", kernel, "CL_KERNEL_FUNCTION_NAME")
        for query in ("CONTEXT", "PROGRAM", "NUM_ARGS"):
            kit.cl.query("clGetKernelInfo", kernel, f"CL_KERNEL_{query}")
        needs(name in names, "the kernel does not tell which it is")
        teller = Teller(kit, str(name), kernel)
        teller.give(11)
        teller.tell()


# SVM pointers


@cases.of(
    "clSetKernelArgSVMPointer/success",
    "set, and set again",
    *(f"clSetKernelArgSVMPointer/effect/{n}" for n in (1, 2, 3)),
    RUN,
)
def shared_memory(kit: Kit) -> None:
    """Set an argument to several addresses in an SVM allocation, to a buffer, and to SVM again; run it each time."""
    needs(promised(kit.cl, "clSetKernelArgSVMPointer"), "requires OpenCL 2.0 (clSetKernelArgSVMPointer)")
    memory, teller = kit.svm(), Teller(kit, TELL_MEMORY)
    kit.cl.clEnqueueSVMMemcpy(kit.queue, 1, memory, Data(telling(SIZE, 12)), SIZE, 0, None, None)
    teller.give(12)
    for offset in (0, WORD_BYTES, HALF):
        pointer = Inside(memory, offset) if offset else memory
        kit.cl.clSetKernelArgSVMPointer(teller.kernel, OTHER.index, pointer)
        teller.tell()
    teller.set(OTHER.index, HandleBytes(kit.filled(SIZE, seed=15)), HANDLE_BYTES)
    teller.tell()
    kit.cl.clSetKernelArgSVMPointer(teller.kernel, OTHER.index, memory)
    teller.tell()


@cases.of("clReleaseKernel/success", "released before its launch was waited for", RUN)
def released_while_needed(kit: Kit) -> None:
    """Release a kernel that is enqueued twice and not complete."""
    teller = Teller(kit)
    for seed in (13, 14):
        teller.give(seed)
        teller.launch()
    kit.cl.clReleaseKernel(teller.kernel)
    teller.look()


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Generate one test item per case."""
    parametrize(metafunc, cases)


def test_arguments(cl: Session, case: Case) -> None:
    case.act(cl)
