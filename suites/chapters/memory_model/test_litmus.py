"""Litmus tests: two concurrent programs that access the same objects with atomics must not produce forbidden outcomes.

The programs are two halves of a kernel enqueue, or a kernel and the host. The tests also report the frequency of each
outcome. The absence of a forbidden outcome is weak evidence, because the programs may not run concurrently.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from clconform.calls.atomics import INSTANCE_BYTES
from clconform.calls.call import Returned
from clconform.calls.values import ElementList, Handle, HandleBytes, OutputBuffer, Text
from clconform.oracles.model.buffer_kernels import ELEMENT_BYTES
from clconform.oracles.model.litmus_kernels import (
    HALF_BITS,
    LITMUS_KERNELS,
    ORDERED,
    OUTCOME,
    RELAXED,
    SEQUENTIAL,
    LitmusKernel,
)
from clconform.runner.pytest_plugin.covers import TableCase, TableTest
from clconform.suites.cases import CaseRegistry
from clconform.suites.chapters.execution.kernels import get_standard_option
from clconform.suites.chapters.notifications.callbacks import flush
from clconform.suites.helpers import has_version, is_success, require_handle, skip_unless
from clconform.suites.kit.kit import Kit
from clconform.suites.kit.programs import KERNEL_NOT_BUILT

if TYPE_CHECKING:
    from collections.abc import Iterator

NAME = "memory_model.litmus"
LAUNCH = "clEnqueueNDRangeKernel"
ROUNDS, ITEMS, GROUPS = 8, 4, 64
"""The numbers of rounds, work-items and work-groups of each half.

With so many work-groups, drivers use several cores.
"""
HOST_ROUNDS, HOST_ITEMS = 4, 512
"""Rounds of the tests with the host, and work-items of each kernel enqueue."""
CAPABILITIES = "CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES"
BITS = {
    RELAXED: ("CL_DEVICE_ATOMIC_ORDER_RELAXED",),
    ORDERED: ("CL_DEVICE_ATOMIC_ORDER_RELAXED", "CL_DEVICE_ATOMIC_ORDER_ACQ_REL"),
    SEQUENTIAL: ("CL_DEVICE_ATOMIC_ORDER_SEQ_CST",),
}
"""Maps the strongest memory order of a kernel to the capabilities that the device must report."""
cases = CaseRegistry(Kit)
test_forbidden_outcomes_are_absent = TableTest(cases)


def get_outcomes(content: bytes) -> Iterator[int]:
    """Yield the outcome of each instance of a litmus test from the kernel's output."""
    for start in range(OUTCOME * ELEMENT_BYTES, len(content), INSTANCE_BYTES):
        yield int.from_bytes(content[start : start + ELEMENT_BYTES], "little")


def build_kernel(kit: Kit, known: LitmusKernel, scope: str) -> Handle:
    """Return the built kernel; skip where the device does not support the kernel's memory order and scope."""
    skip_unless(has_version(kit.cl, (2, 0)), "requires OpenCL 2.0 (atomic operations with an order)")
    claimed = not has_version(kit.cl, (3, 0)) or kit.has_bits(CAPABILITIES, scope, *BITS[known.strongest_order])
    skip_unless(claimed, "the device does not claim atomic operations of this order and scope")
    program = kit.program_built_from(known.source, options=get_standard_option(kit), failure=KERNEL_NOT_BUILT)
    return require_handle(kit.cl.clCreateKernel(program, Text(known.name), OutputBuffer(1)))


def report_outcomes(kit: Kit, known: LitmusKernel, rounds: int, instances: int, counts: Counter[int]) -> None:
    """Report the frequency of each outcome."""
    pairs = {(number & (1 << HALF_BITS) - 1, number >> HALF_BITS): count for number, count in sorted(counts.items())}
    found = ", ".join(f"{pair}: {count}" for pair, count in pairs.items())
    text = f"{known.name}, {rounds} rounds of {instances} instances (first number, second number): {found}"
    kit.cl.observer.on_note(known.requirement or "clEnqueueNDRangeKernel/success", text, kit.cl.sequence.steps[-1].call)


def run_on_device(kit: Kit, known: LitmusKernel) -> None:
    """Run a kernel several times on zeros, read its results, and report the frequency of each outcome."""
    kernel = build_kernel(kit, known, "CL_DEVICE_ATOMIC_SCOPE_DEVICE")
    local = min(ITEMS, kit.cl.fact("CL_DEVICE_MAX_WORK_GROUP_SIZE") or 1)
    instances = GROUPS * local
    size = INSTANCE_BYTES * instances
    buffer = kit.buffer(size=size)
    kit.cl.clSetKernelArg(kernel, 0, kit.pointer_bytes, HandleBytes(buffer))
    counts: Counter[int] = Counter()
    for _ in range(ROUNDS):
        kit.write(buffer, 0, bytes(size))
        kit.cl.clEnqueueNDRangeKernel(
            kit.queue, kernel, 1, None, ElementList((2 * instances,)), ElementList((local,)), 0, None, None
        )
        read = kit.cl.clEnqueueReadBuffer(kit.queue, buffer, 1, 0, size, OutputBuffer(size), 0, None, None)
        if is_success(read):
            counts.update(get_outcomes(read.outputs["ptr"].raw))
    report_outcomes(kit, known, ROUNDS, instances, counts)


def run_with_host(kit: Kit, known: LitmusKernel) -> None:
    """Run atomics on the host while a kernel accesses the same SVM allocation, and report the outcomes."""
    skip_unless(
        kit.has_svm("CL_DEVICE_SVM_FINE_GRAIN_BUFFER", "CL_DEVICE_SVM_ATOMICS"),
        "the device does not share memory with atomic operations",
    )
    kernel, operations = build_kernel(kit, known, "CL_DEVICE_ATOMIC_SCOPE_ALL_DEVICES"), Text(known.host_operations)
    size = INSTANCE_BYTES * HOST_ITEMS
    memory = kit.svm("CL_MEM_READ_WRITE", "CL_MEM_SVM_FINE_GRAIN_BUFFER", "CL_MEM_SVM_ATOMICS", size=size)
    kit.cl.clSetKernelArgSVMPointer(kernel, 0, memory)
    counts: Counter[int] = Counter()
    for _ in range(HOST_ROUNDS):
        kit.write_host(memory, bytes(size))
        kit.cl.clEnqueueNDRangeKernel(kit.queue, kernel, 1, None, ElementList((HOST_ITEMS,)), None, 0, None, None)
        flush(kit.cl, kit.queue)
        kit.cl.host_atomics(memory, HOST_ITEMS, operations)
        kit.finish()
        look = kit.cl.host_read(memory, size, OutputBuffer(size))
        if isinstance(look, Returned):
            counts.update(get_outcomes(look.outputs["content"].raw))
    report_outcomes(kit, known, HOST_ROUNDS, HOST_ITEMS, counts)


@cases.declare_family
def litmus_kernels() -> Iterator[TableCase]:
    """Yield an item for each litmus kernel."""
    for name, known in LITMUS_KERNELS.items():
        steps = run_with_host if known.has_host_side else run_on_device
        yield cases.create_case(
            known.requirement or "clEnqueueNDRangeKernel/success", name.replace("_", " "), steps, known
        )
