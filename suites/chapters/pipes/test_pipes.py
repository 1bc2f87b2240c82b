"""Queries of pipes, and packets that kernels send through them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Handle, HandleBytes, Items, OutputBuffer, Text
from clconform.oracles.model.pipe_kernels import PACKET_BYTES, PACKETS, PIPE_KERNELS
from clconform.runner.pytest_plugin.aims import Case, parametrize
from clconform.suites.cases import Cases
from clconform.suites.kit.kit import Kit
from clconform.suites.steps import at_least, needs, one, promised

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pytest

    from clconform.runner.session.session import Session

NAME = "pipes.packets"
SIZE = PACKETS * PACKET_BYTES
RUN, MADE, THROUGH = "clEnqueueNDRangeKernel/success", "clCreatePipe/success", "clCreatePipe/effect/3"
cases = Cases(Kit)


@cases.of("clCreatePipe/effect/1", "flags=0", "CL_MEM_FLAGS")
def default_flags(kit: Kit) -> None:
    """Query the flags of a pipe that was created with ``flags`` 0."""
    pipe = kit.pipe(flags=0)
    kit.cl.query("clGetMemObjectInfo", pipe, "CL_MEM_FLAGS")


@cases.of("pipes:clGetPipeInfo/1", "a buffer, and NULL", "clGetPipeInfo/CL_INVALID_MEM_OBJECT/1")
def no_pipe_to_ask(kit: Kit) -> None:
    """Query a buffer and NULL with the function for pipes."""
    needs(promised(kit.cl, "clGetPipeInfo"), "requires OpenCL 2.0 (pipes)")
    for thing in (kit.first_buffer, None):
        kit.cl.clGetPipeInfo(thing, kit.value("CL_PIPE_PACKET_SIZE"), 4, OutputBuffer(4), OutputBuffer(1))


class Passage:
    """A pipe, and the kernels that use it."""

    def __init__(self, kit: Kit, packets: int = PACKETS) -> None:
        """Create the pipe for some packets; skip where the device or its compiler does not support pipes."""
        self.kit, self.pipe = kit, kit.pipe(PACKET_BYTES, packets)
        standard = "CL3.0" if at_least(kit.cl, (3, 0)) else "CL2.0"
        self.program = kit.program_of(*(kernel.source for kernel in PIPE_KERNELS.values()))
        needs(
            kit.builds(self.program, f"-cl-std={standard}"), f"the driver does not build kernels with pipes: {standard}"
        )

    def run(self, name: str, data: Handle, queue: Handle | None = None, **others: Items | OutputBuffer | int) -> None:
        """Run a kernel once on the pipe and a buffer."""
        kit = self.kit
        kernel = one(kit.cl.clCreateKernel(self.program, Text(name), OutputBuffer(1)))
        kit.cl.clSetKernelArg(kernel, 0, 8, HandleBytes(self.pipe))
        kit.cl.clSetKernelArg(kernel, 1, 8, HandleBytes(data))
        sizes = {"work_dim": 1, "global_work_offset": None, "global_work_size": Items((1,)), "local_work_size": None}
        kit.enqueue("clEnqueueNDRangeKernel", queue=queue, kernel=kernel, **sizes, **others)

    def pour(self, name: str, seed: int) -> None:
        """Write packets to the pipe."""
        self.run(name, self.kit.filled(SIZE, seed=seed))

    def drain(self, name: str) -> None:
        """Read packets from the pipe, and read them on the host."""
        data = self.kit.filled(SIZE, seed=99)
        self.run(name, data)
        self.kit.read(data, 0, SIZE)


def _passing(kit: Kit, pour: str, drain: str) -> None:
    passage = Passage(kit)
    for seed in (1, 2, 3):
        passage.pour(pour, seed)
        passage.drain(drain)


@cases.family
def packets() -> Iterator[Case]:
    """Yield a pipe that is filled and emptied three times, packet by packet or with reservations."""
    for pour in ("pour", "pour_reserved"):
        for drain in ("drain", "drain_reserved"):
            yield cases.case(THROUGH, f"{pour}, then {drain}, three times", _passing, pour, drain, others=(RUN, MADE))


@cases.of(THROUGH, "two runs that pour, then two that drain", RUN)
def first_in_first_out(kit: Kit) -> None:
    """Write two sets of packets to a pipe before any is read."""
    passage = Passage(kit, 2 * PACKETS)
    for seed in (4, 5):
        passage.pour("pour", seed)
    for _ in range(2):
        passage.drain("drain")


@cases.of(THROUGH, "two pipes at a time", RUN)
def two_pipes(kit: Kit) -> None:
    """Write packets to two pipes, and read from the second pipe first."""
    first, second = Passage(kit), Passage(kit)
    first.pour("pour", 6)
    second.pour("pour", 7)
    second.drain("drain")
    first.drain("drain")


@cases.of(THROUGH, "between two queues", RUN)
def two_queues(kit: Kit) -> None:
    """Write packets to a pipe on one queue, finish it, and read them on another queue."""
    passage, other = Passage(kit), kit.new_queue()
    passage.pour("pour", 8)
    kit.finish()
    data = kit.filled(SIZE, seed=99)
    kit.finish()
    passage.run("drain", data, other)
    kit.read(data, 0, SIZE, other)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Generate one test item per case."""
    parametrize(metafunc, cases)


def test_pipes(cl: Session, case: Case) -> None:
    case.act(cl)
