"""Atomic operations of two work-groups on the same objects: which outcomes come up, and whether one may not.

That none comes up which may not is weak evidence: work-groups need not run at the same time at all.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from clconform.calls.values import HandleBytes, Items, OutputBuffer, Text
from clconform.oracles.model.known_kernels import ELEMENT_BYTES
from clconform.oracles.model.litmus_kernels import (
    HALF,
    LITMUS_KERNELS,
    ORDERED,
    OUTCOME,
    RELAXED,
    SEQUENTIAL,
    WORDS,
)
from clconform.runner.pytest_plugin.aims import Case, parametrize
from clconform.suites.cases import Cases
from clconform.suites.chapters.execution.kernels import HANDLE, standard
from clconform.suites.kit.kit import Kit
from clconform.suites.steps import at_least, needs, one, succeeded

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pytest

    from clconform.runner.session.session import Session

NAME = "memory_model.litmus"
ROUNDS, ITEMS = 8, 64
CAPABILITIES = "CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES"
BITS = {
    RELAXED: ("CL_DEVICE_ATOMIC_ORDER_RELAXED",),
    ORDERED: ("CL_DEVICE_ATOMIC_ORDER_RELAXED", "CL_DEVICE_ATOMIC_ORDER_ACQ_REL"),
    SEQUENTIAL: ("CL_DEVICE_ATOMIC_ORDER_SEQ_CST",),
}
"""Strongest order of a kernel to what the device must claim."""
cases = Cases(Kit)


def outcomes_in(content: bytes) -> Iterator[int]:
    """Yield the outcome of each instance."""
    for start in range(OUTCOME * ELEMENT_BYTES, len(content), WORDS * ELEMENT_BYTES):
        yield int.from_bytes(content[start : start + ELEMENT_BYTES], "little")


def tried(kit: Kit, name: str) -> None:
    """Run a kernel several times on zeros, read what it noted, and tell how often each outcome came up."""
    known, size = LITMUS_KERNELS[name], WORDS * ELEMENT_BYTES * ITEMS
    needs(at_least(kit.cl, (2, 0)), "requires OpenCL 2.0 (atomic operations with an order)")
    claimed = not at_least(kit.cl, (3, 0)) or kit.has(CAPABILITIES, "CL_DEVICE_ATOMIC_SCOPE_DEVICE", *BITS[known.order])
    needs(claimed, "the device does not claim atomic operations of this order and scope")
    items = min(ITEMS, kit.cl.fact("CL_DEVICE_MAX_WORK_GROUP_SIZE") or 1)
    program = kit.program_of(known.source)
    done = kit.builds(program, standard(kit))
    needs(done, f"the driver does not build the kernel{'' if done else kit.first_complaint(program)}")
    kernel, buffer = one(kit.cl.clCreateKernel(program, Text(name), OutputBuffer(1))), kit.buffer(size=size)
    kit.cl.clSetKernelArg(kernel, 0, HANDLE, HandleBytes(buffer))
    counts: Counter[int] = Counter()
    launch = (1, None, Items((2 * items,)), Items((items,)), 0, None, None)
    for _ in range(ROUNDS):
        kit.write(buffer, 0, bytes(size))
        kit.cl.clEnqueueNDRangeKernel(kit.queue, kernel, *launch)
        output = OutputBuffer(WORDS * ELEMENT_BYTES * items)
        read = kit.cl.clEnqueueReadBuffer(kit.queue, buffer, 1, 0, output.count, output, 0, None, None)
        if succeeded(read):
            counts.update(outcomes_in(read.outputs["ptr"].raw))
    pairs = {(number & (1 << HALF) - 1, number >> HALF): count for number, count in sorted(counts.items())}
    told = ", ".join(f"{pair}: {count}" for pair, count in pairs.items())
    text = f"{name}, {ROUNDS} rounds of {items} instances (first number, second number): {told}"
    kit.cl.observer.noted(known.shows or f"{LAUNCH}/success", text, kit.cl.steps[-1].call)


LAUNCH = "clEnqueueNDRangeKernel"


@cases.family
def each_kernel() -> Iterator[Case]:
    """Yield an item of each kernel."""
    for name, known in LITMUS_KERNELS.items():
        yield cases.case(known.shows or f"{LAUNCH}/success", name.replace("_", " "), tried, name)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Make one item of each case."""
    parametrize(metafunc, cases)


def test_litmus(cl: Session, case: Case) -> None:
    case.act(cl)
