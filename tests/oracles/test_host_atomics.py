"""Atomic operations on the host: the kernels and memory that they may be used with, and their results."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from clconform.calls.atomics import INSTANCE_BYTES
from clconform.calls.values import ElementList, HandleBytes, OffsetPointer, Text
from clconform.oracles.contents.mapped_contents import resolve_pointer
from clconform.oracles.model.litmus_kernels import LITMUS_KERNELS
from clconform.runner.session.errors import UndefinedCallError
from clconform.suites.chapters.memory_model.test_litmus import build_kernel

from .kits import open_kit

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.calls.values import Handle
    from clconform.oracles.engine.tolerances import BytesTolerance
    from clconform.suites.kit.kit import Kit

MESSAGE_KERNEL, ADDING_KERNEL = (
    LITMUS_KERNELS[name] for name in ("message_to_the_host", "added_at_once_with_the_host")
)
INSTANCES = 4
SIZE = INSTANCES * INSTANCE_BYTES
SHARED = ("CL_MEM_READ_WRITE", "CL_MEM_SVM_FINE_GRAIN_BUFFER", "CL_MEM_SVM_ATOMICS")
OPERATIONS = Text(MESSAGE_KERNEL.host_operations)


@pytest.fixture
def kit() -> Iterator[Kit]:
    with open_kit("everything") as made, made.cl.example():
        yield made


def enqueue_message_kernel(kit: Kit, *flags: str) -> Handle:
    """Allocate memory, enqueue the message kernel on it without a wait, and return the memory."""
    memory = kit.svm(*(flags or SHARED), size=SIZE)
    if "CL_MEM_SVM_FINE_GRAIN_BUFFER" in (flags or SHARED):
        kit.write_host(memory, bytes(SIZE))
    kernel = build_kernel(kit, MESSAGE_KERNEL, "CL_DEVICE_ATOMIC_SCOPE_ALL_DEVICES")
    kit.cl.clSetKernelArgSVMPointer(kernel, 0, memory)
    kit.cl.clEnqueueNDRangeKernel(kit.queue, kernel, 1, None, ElementList((INSTANCES,)), None, 0, None, None)
    return memory


def read_tolerances(kit: Kit, memory: Handle) -> dict[int, BytesTolerance]:
    """Map the offsets in memory at which several numbers are permitted to their tolerances."""
    return dict(resolve_pointer(memory, kit.cl.model).memory_place(((0, SIZE),)).read().tolerances)


def test_concurrent_host_atomics_accept_every_permitted_result(kit: Kit) -> None:
    memory = enqueue_message_kernel(kit)
    assert not read_tolerances(kit, memory)
    assert kit.cl.host_atomics(memory, INSTANCES, OPERATIONS).value == 1
    found = read_tolerances(kit, memory)
    assert list(found) == [index * INSTANCE_BYTES + 8 for index in range(INSTANCES)]
    assert {tuple(each.numbers) for each in found.values()} == {MESSAGE_KERNEL.outcome_words}  # type: ignore[attr-defined]


def test_host_atomics_after_a_wait_for_the_kernel_permit_several_results(kit: Kit) -> None:
    memory = enqueue_message_kernel(kit)
    kit.finish()
    kit.cl.host_atomics(memory, INSTANCES, OPERATIONS)
    assert len(read_tolerances(kit, memory)) == INSTANCES


def test_host_read_while_a_kernel_runs_is_undefined(kit: Kit) -> None:
    memory = enqueue_message_kernel(kit)
    with pytest.raises(UndefinedCallError, match="may not be complete"):
        kit.read_host(memory, SIZE)
    kit.cl.host_atomics(memory, INSTANCES, OPERATIONS)
    with pytest.raises(UndefinedCallError, match="may not be complete"):
        kit.read_host(memory, SIZE)


@pytest.mark.parametrize(
    ("instances", "operations"),
    [
        (INSTANCES, Text(ADDING_KERNEL.host_operations)),
        (INSTANCES - 1, OPERATIONS),
        (INSTANCES, Text("load 0 0 relaxed")),
    ],
)
def test_host_atomics_that_differ_from_the_running_kernel_are_undefined(
    kit: Kit, instances: int, operations: Text
) -> None:
    memory = enqueue_message_kernel(kit)
    with pytest.raises(UndefinedCallError, match="may not be complete"):
        kit.cl.host_atomics(memory, instances, operations)
    kit.finish()
    kit.cl.host_atomics(memory, instances, operations)
    assert not read_tolerances(kit, memory)


def test_second_atomics_call_while_a_kernel_runs_is_undefined(kit: Kit) -> None:
    memory = enqueue_message_kernel(kit)
    kit.cl.host_atomics(memory, INSTANCES, OPERATIONS)
    with pytest.raises(UndefinedCallError, match="may not be complete"):
        kit.cl.host_atomics(memory, INSTANCES, OPERATIONS)


def test_host_atomics_during_a_copy_of_the_memory_are_undefined(kit: Kit) -> None:
    memory = enqueue_message_kernel(kit)
    target = kit.svm(size=SIZE)
    kit.enqueue("clEnqueueSVMMemcpy", blocking_copy=0, dst_ptr=target, src_ptr=memory, size=SIZE)
    with pytest.raises(UndefinedCallError, match="may not be complete"):
        kit.cl.host_atomics(memory, INSTANCES, OPERATIONS)


def test_host_atomics_on_memory_without_svm_atomics_are_undefined(kit: Kit) -> None:
    memory = enqueue_message_kernel(kit, "CL_MEM_READ_WRITE", "CL_MEM_SVM_FINE_GRAIN_BUFFER")
    with pytest.raises(UndefinedCallError, match="may not be complete"):
        kit.cl.host_atomics(memory, INSTANCES, OPERATIONS)


def test_host_atomics_on_unmapped_coarse_grain_memory_are_undefined(kit: Kit) -> None:
    memory = enqueue_message_kernel(kit, "CL_MEM_READ_WRITE")
    kit.finish()
    with pytest.raises(UndefinedCallError, match="not mapped"):
        kit.cl.host_atomics(memory, INSTANCES, OPERATIONS)


def test_host_atomics_are_undefined_if_misaligned_or_beyond_end_of_memory(kit: Kit) -> None:
    area = kit.host_area(bytes(SIZE))
    for pointer, instances in ((area, INSTANCES + 1), (OffsetPointer(area, 2), 1)):
        with pytest.raises(UndefinedCallError):
            kit.cl.host_atomics(pointer, instances, OPERATIONS)
    assert kit.cl.host_atomics(OffsetPointer(area, INSTANCE_BYTES), INSTANCES - 1, OPERATIONS).value == 1


def test_message_kernel_on_buffer_is_defined_without_host_atomics(kit: Kit) -> None:
    buffer = kit.buffer(size=SIZE)
    kit.write(buffer, 0, bytes(SIZE))
    kernel = build_kernel(kit, MESSAGE_KERNEL, "CL_DEVICE_ATOMIC_SCOPE_ALL_DEVICES")
    kit.cl.clSetKernelArg(kernel, 0, 8, HandleBytes(buffer))
    kit.cl.clEnqueueNDRangeKernel(kit.queue, kernel, 1, None, ElementList((INSTANCES,)), None, 0, None, None)
    read = kit.read(buffer, 0, SIZE)
    assert read is None or read.value == 0
