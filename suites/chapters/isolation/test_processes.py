"""One process fills memory with a mark and ends; the next searches for the mark in memory of the same kind and size."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Data, Handle, Inside, OutputBuffer
from clconform.oracles.chapters.isolation.success import KEPT_APART, MARK
from clconform.runner.pytest_plugin.aims import Case, parametrize
from clconform.suites.kit.kit import Kit
from clconform.suites.steps import needs, one, promised, value

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import pytest

    from clconform.runner.session.session import Session

NAME = "isolation.processes"
SIZES = (4096, 1 << 16, 1 << 20)
"""Bytes of the filled allocations; allocators place small and large memory differently."""
PIECE = 4096
PIECES = 8
"""Bytes read in one call, and number of reads per allocation."""
PATTERN = Data(MARK)


def sizes(cl: Session) -> list[int]:
    """Return the sizes that the device can allocate."""
    return [size for size in SIZES if size <= (cl.fact("CL_DEVICE_MAX_MEM_ALLOC_SIZE") or SIZES[-1])]


def looked_at(size: int) -> range:
    """Return the offsets of the pieces to read from an allocation."""
    return range(0, size, max(PIECE, size // PIECES))


def buffers_marked(cl: Session, *flags: str) -> None:
    """Fill buffers with the mark."""
    kit = Kit(cl)
    needs(promised(cl, "clEnqueueFillBuffer"), "requires OpenCL 1.2 (clEnqueueFillBuffer)")
    for size in sizes(cl):
        buffer = kit.buffer(*flags, size=size)
        cl.clEnqueueFillBuffer(kit.queue, buffer, PATTERN, len(MARK), 0, size, 0, None, None)
    cl.clFinish(kit.queue)


def buffers_read(cl: Session, *flags: str) -> None:
    """Read pieces of buffers that were never written."""
    kit = Kit(cl)
    for size in sizes(cl):
        buffer = kit.buffer(*flags, size=size)
        for offset in looked_at(size):
            cl.clEnqueueReadBuffer(kit.queue, buffer, 1, offset, PIECE, OutputBuffer(PIECE), 0, None, None)


def shared(cl: Session, capability: str, bits: int) -> tuple[Kit, list[Handle]]:
    """Create a kit and SVM allocations of every size; skip where the device does not support this type of SVM."""
    needs(promised(cl, "clSVMAlloc"), "requires OpenCL 2.0 (shared virtual memory)")
    wanted = value(cl, f"CL_DEVICE_SVM_{capability}_BUFFER")
    needs(
        (cl.fact("CL_DEVICE_SVM_CAPABILITIES") or 0) & wanted,
        "the device does not support this type of shared virtual memory",
    )
    kit = Kit(cl)
    return kit, [one(cl.clSVMAlloc(kit.context, bits, size, 0)) for size in sizes(cl)]


def shared_marked(cl: Session, capability: str, bits: int) -> None:
    """Fill SVM allocations with the mark."""
    kit, memory = shared(cl, capability, bits)
    for size, each in zip(sizes(cl), memory, strict=True):
        cl.clEnqueueSVMMemFill(kit.queue, each, PATTERN, len(MARK), size, 0, None, None)
    cl.clFinish(kit.queue)


def shared_read(cl: Session, capability: str, bits: int) -> None:
    """Read pieces of SVM allocations that were never written."""
    kit, memory = shared(cl, capability, bits)
    for size, each in zip(sizes(cl), memory, strict=True):
        for offset in looked_at(size):
            piece = Inside(each, offset) if offset else each
            cl.clEnqueueSVMMemcpy(kit.queue, 1, OutputBuffer(PIECE), piece, PIECE, 0, None, None)


def coarse(cl: Session) -> tuple[str, int]:
    """Return the device capability for coarse-grain buffers, and the allocation flags."""
    return "COARSE_GRAIN", value(cl, "CL_MEM_READ_WRITE")


def fine(cl: Session) -> tuple[str, int]:
    """Return the device capability for fine-grain buffers, and the allocation flags."""
    return "FINE_GRAIN", value(cl, "CL_MEM_READ_WRITE") | value(cl, "CL_MEM_SVM_FINE_GRAIN_BUFFER")


def in_turn(*steps: Callable[[Session], object]) -> Callable[[Session], object]:
    """Return a function that runs each of these steps in its own process."""

    def act(cl: Session) -> None:
        for step in steps[:-1]:
            step(cl)
            cl.host_next_process()
        steps[-1](cl)

    return act


def marking(*flags: str) -> Callable[[Session], object]:
    """Return a function that fills buffers with these flags."""
    return lambda cl: buffers_marked(cl, *flags)


def reading(*flags: str) -> Callable[[Session], object]:
    """Return a function that reads buffers with these flags."""
    return lambda cl: buffers_read(cl, *flags)


PLAIN, ON_THE_HOST = ("CL_MEM_READ_WRITE",), ("CL_MEM_READ_WRITE", "CL_MEM_ALLOC_HOST_PTR")


def cases() -> Iterator[Case]:
    """Yield an item for each way to leave content in memory and to search for it."""
    yield Case(KEPT_APART, "buffers", in_turn(marking(*PLAIN), reading(*PLAIN)), fresh=True)
    yield Case(KEPT_APART, "buffers in host memory", in_turn(marking(*ON_THE_HOST), reading(*ON_THE_HOST)), fresh=True)
    yield Case(
        KEPT_APART,
        "shared memory",
        in_turn(lambda cl: shared_marked(cl, *coarse(cl)), lambda cl: shared_read(cl, *coarse(cl))),
        fresh=True,
    )
    yield Case(
        KEPT_APART,
        "shared memory of fine grain",
        in_turn(lambda cl: shared_marked(cl, *fine(cl)), lambda cl: shared_read(cl, *fine(cl))),
        fresh=True,
    )
    yield Case(
        KEPT_APART,
        "shared memory, then buffers",
        in_turn(lambda cl: shared_marked(cl, *coarse(cl)), reading(*PLAIN)),
        fresh=True,
    )
    yield Case(
        KEPT_APART, "buffers, looked for twice", in_turn(marking(*PLAIN), reading(*PLAIN), reading(*PLAIN)), fresh=True
    )


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Generate one test item per case."""
    parametrize(metafunc, cases())


def test_processes(cl: Session, case: Case) -> None:
    case.act(cl)
