"""Memory isolation: one process fills memory with a mark and ends, and the next process searches for the mark.

Both processes allocate memory of the same type and size.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Data, Handle, OffsetPointer, OutputBuffer
from clconform.oracles.chapters.isolation.postconditions import MARK, PROCESS_ISOLATION
from clconform.runner.pytest_plugin.covers import TableCase, TableTest
from clconform.suites.helpers import constant_value, is_available, require_handle, skip_unless
from clconform.suites.kit.kit import Kit

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from clconform.runner.session.session import Session

NAME = "isolation.processes"
SIZES = (4096, 1 << 16, 1 << 20)
"""Sizes of the filled allocations in bytes.

They differ much, because allocators place small and large memory differently.
"""
PIECE = 4096
PIECES = 8
"""The number of bytes that one call reads, and the number of reads per allocation."""
PATTERN = Data(MARK)


def get_sizes(cl: Session) -> list[int]:
    """Return the sizes that the device can allocate."""
    return [size for size in SIZES if size <= (cl.fact("CL_DEVICE_MAX_MEM_ALLOC_SIZE") or SIZES[-1])]


def get_offsets(size: int) -> range:
    """Return the offsets of the pieces that are read from an allocation."""
    return range(0, size, max(PIECE, size // PIECES))


def mark_buffers(cl: Session, *flags: str) -> None:
    """Fill buffers with the mark."""
    kit = Kit(cl)
    skip_unless(is_available(cl, "clEnqueueFillBuffer"), "requires OpenCL 1.2 (clEnqueueFillBuffer)")
    for size in get_sizes(cl):
        buffer = kit.buffer(*flags, size=size)
        cl.clEnqueueFillBuffer(kit.queue, buffer, PATTERN, len(MARK), 0, size, 0, None, None)
    cl.clFinish(kit.queue)


def read_buffers(cl: Session, *flags: str) -> None:
    """Read pieces of new buffers, which were never written."""
    kit = Kit(cl)
    for size in get_sizes(cl):
        buffer = kit.buffer(*flags, size=size)
        for offset in get_offsets(size):
            cl.clEnqueueReadBuffer(kit.queue, buffer, 1, offset, PIECE, OutputBuffer(PIECE), 0, None, None)


def allocate_svm(cl: Session, capability: str, bits: int) -> tuple[Kit, list[Handle]]:
    """Create a kit and SVM allocations of every size; skip where the device does not support this type of SVM.

    ``capability``: the required bit of the device's SVM capabilities; ``bits``: the allocation flags.
    """
    skip_unless(is_available(cl, "clSVMAlloc"), "requires OpenCL 2.0 (shared virtual memory)")
    wanted = constant_value(cl, f"CL_DEVICE_SVM_{capability}_BUFFER")
    skip_unless(
        (cl.fact("CL_DEVICE_SVM_CAPABILITIES") or 0) & wanted,
        "the device does not support this type of shared virtual memory",
    )
    kit = Kit(cl)
    return kit, [require_handle(cl.clSVMAlloc(kit.context, bits, size, 0)) for size in get_sizes(cl)]


def mark_svm(cl: Session, capability: str, bits: int) -> None:
    """Fill SVM allocations with the mark."""
    kit, memory = allocate_svm(cl, capability, bits)
    for size, each in zip(get_sizes(cl), memory, strict=True):
        cl.clEnqueueSVMMemFill(kit.queue, each, PATTERN, len(MARK), size, 0, None, None)
    cl.clFinish(kit.queue)


def read_svm(cl: Session, capability: str, bits: int) -> None:
    """Read pieces of new SVM allocations, which were never written."""
    kit, memory = allocate_svm(cl, capability, bits)
    for size, each in zip(get_sizes(cl), memory, strict=True):
        for offset in get_offsets(size):
            piece = OffsetPointer(each, offset) if offset else each
            cl.clEnqueueSVMMemcpy(kit.queue, 1, OutputBuffer(PIECE), piece, PIECE, 0, None, None)


def get_coarse_grain(cl: Session) -> tuple[str, int]:
    """Return the name of the device capability for coarse-grain SVM buffers, and the allocation flags."""
    return "COARSE_GRAIN", constant_value(cl, "CL_MEM_READ_WRITE")


def get_fine_grain(cl: Session) -> tuple[str, int]:
    """Return the name of the device capability for fine-grain SVM buffers, and the allocation flags."""
    return "FINE_GRAIN", constant_value(cl, "CL_MEM_READ_WRITE") | constant_value(cl, "CL_MEM_SVM_FINE_GRAIN_BUFFER")


def run_in_processes(*steps: Callable[[Session], object]) -> Callable[[Session], object]:
    """Return a function that runs each of these steps in a new process."""

    def act(cl: Session) -> None:
        for step in steps[:-1]:
            step(cl)
            cl.host_next_process()
        steps[-1](cl)

    return act


def marking_step(*flags: str) -> Callable[[Session], object]:
    """Return a function that fills buffers with these flags."""
    return lambda cl: mark_buffers(cl, *flags)


def reading_step(*flags: str) -> Callable[[Session], object]:
    """Return a function that reads buffers with these flags."""
    return lambda cl: read_buffers(cl, *flags)


PLAIN, HOST_MEMORY = ("CL_MEM_READ_WRITE",), ("CL_MEM_READ_WRITE", "CL_MEM_ALLOC_HOST_PTR")


def cases() -> Iterator[TableCase]:
    """Yield an item for each type of memory that one process fills and the next process searches."""
    yield TableCase(
        PROCESS_ISOLATION,
        "buffers",
        run_in_processes(marking_step(*PLAIN), reading_step(*PLAIN)),
        needs_new_process=True,
    )
    yield TableCase(
        PROCESS_ISOLATION,
        "buffers in host memory",
        run_in_processes(marking_step(*HOST_MEMORY), reading_step(*HOST_MEMORY)),
        needs_new_process=True,
    )
    yield TableCase(
        PROCESS_ISOLATION,
        "shared memory",
        run_in_processes(
            lambda cl: mark_svm(cl, *get_coarse_grain(cl)), lambda cl: read_svm(cl, *get_coarse_grain(cl))
        ),
        needs_new_process=True,
    )
    yield TableCase(
        PROCESS_ISOLATION,
        "shared memory of fine grain",
        run_in_processes(lambda cl: mark_svm(cl, *get_fine_grain(cl)), lambda cl: read_svm(cl, *get_fine_grain(cl))),
        needs_new_process=True,
    )
    yield TableCase(
        PROCESS_ISOLATION,
        "shared memory, then buffers",
        run_in_processes(lambda cl: mark_svm(cl, *get_coarse_grain(cl)), reading_step(*PLAIN)),
        needs_new_process=True,
    )
    yield TableCase(
        PROCESS_ISOLATION,
        "buffers, searched twice",
        run_in_processes(marking_step(*PLAIN), reading_step(*PLAIN), reading_step(*PLAIN)),
        needs_new_process=True,
    )


test_memory_content_is_not_inherited = TableTest(cases)
