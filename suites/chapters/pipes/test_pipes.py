"""Queries of pipes, and packets that kernels send through them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import ElementList, Handle, HandleBytes, OutputBuffer, Text
from clconform.oracles.model.pipe_kernels import PACKET_BYTES, PACKETS, PIPE_KERNELS
from clconform.runner.pytest_plugin.covers import TableCase, TableTest
from clconform.suites.cases import CaseRegistry
from clconform.suites.helpers import has_version, is_available, require_handle, skip_unless
from clconform.suites.kit.kit import Kit

if TYPE_CHECKING:
    from collections.abc import Iterator

NAME = "pipes.packets"
SIZE = PACKETS * PACKET_BYTES
RUN, CREATED, THROUGH = "clEnqueueNDRangeKernel/success", "clCreatePipe/success", "clCreatePipe/effect/3"
cases = CaseRegistry(Kit)
test_pipes_transfer_packets_in_order = TableTest(cases)


@cases.declare("clCreatePipe/effect/1", "flags=0", "CL_MEM_FLAGS")
def query_default_flags(kit: Kit) -> None:
    """Query the flags of a pipe that was created with ``flags`` 0."""
    pipe = kit.pipe(flags=0)
    kit.cl.query("clGetMemObjectInfo", pipe, "CL_MEM_FLAGS")


@cases.declare("pipes:clGetPipeInfo/1", "a buffer, and NULL", "clGetPipeInfo/CL_INVALID_MEM_OBJECT/1")
def query_invalid_pipes(kit: Kit) -> None:
    """Query a buffer and NULL with clGetPipeInfo."""
    skip_unless(is_available(kit.cl, "clGetPipeInfo"), "requires OpenCL 2.0 (pipes)")
    for thing in (kit.first_buffer, None):
        kit.cl.clGetPipeInfo(thing, kit.constant("CL_PIPE_PACKET_SIZE"), 4, OutputBuffer(4), OutputBuffer(1))


class PipeFixture:
    """A pipe, and the kernels that write and read its packets."""

    def __init__(self, kit: Kit, packets: int = PACKETS) -> None:
        """Create a pipe for a number of packets; skip where the device or its compiler does not support pipes."""
        self.kit, self.pipe = kit, kit.pipe(PACKET_BYTES, packets)
        standard = "CL3.0" if has_version(kit.cl, (3, 0)) else "CL2.0"
        sources = [kernel.source for kernel in PIPE_KERNELS.values()]
        self.program, done = kit.try_program(*sources, options=f"-cl-std={standard}")
        skip_unless(done, f"the driver does not build kernels with pipes: {standard}")

    def run_kernel(
        self, name: str, data: Handle, queue: Handle | None = None, **others: ElementList | OutputBuffer | int
    ) -> None:
        """Run a kernel on the pipe and a buffer."""
        kit = self.kit
        kernel = require_handle(kit.cl.clCreateKernel(self.program, Text(name), OutputBuffer(1)))
        kit.cl.clSetKernelArg(kernel, 0, kit.pointer_bytes, HandleBytes(self.pipe))
        kit.cl.clSetKernelArg(kernel, 1, kit.pointer_bytes, HandleBytes(data))
        sizes = {
            "work_dim": 1,
            "global_work_offset": None,
            "global_work_size": ElementList((1,)),
            "local_work_size": None,
        }
        kit.enqueue("clEnqueueNDRangeKernel", queue=queue, kernel=kernel, **sizes, **others)

    def write_packets(self, name: str, seed: int) -> None:
        """Write packets to the pipe."""
        self.run_kernel(name, self.kit.create_filled_buffer(SIZE, seed=seed))

    def read_packets(self, name: str) -> None:
        """Read packets from the pipe into a buffer with a kernel, and read the buffer."""
        data = self.kit.create_filled_buffer(SIZE, seed=99)
        self.run_kernel(name, data)
        self.kit.read(data, 0, SIZE)


def _fill_and_empty(kit: Kit, writer: str, reader: str) -> None:
    passage = PipeFixture(kit)
    for seed in (1, 2, 3):
        passage.write_packets(writer, seed)
        passage.read_packets(reader)


@cases.declare_family
def packets() -> Iterator[TableCase]:
    """Yield items in which kernels fill and empty a pipe three times: packet by packet, or with reservations."""
    for pour in ("pour", "pour_reserved"):
        for drain in ("drain", "drain_reserved"):
            yield cases.create_case(
                THROUGH, f"{pour}, then {drain}, three times", _fill_and_empty, pour, drain, others=(RUN, CREATED)
            )


@cases.declare(THROUGH, "two runs that pour, then two that drain", RUN)
def keep_packet_order(kit: Kit) -> None:
    """Write two series of packets to a pipe, and then read all packets."""
    passage = PipeFixture(kit, 2 * PACKETS)
    for seed in (4, 5):
        passage.write_packets("pour", seed)
    for _ in range(2):
        passage.read_packets("drain")


@cases.declare(THROUGH, "two pipes at a time", RUN)
def use_two_pipes(kit: Kit) -> None:
    """Write packets to two pipes, and read from the second pipe first."""
    first, second = PipeFixture(kit), PipeFixture(kit)
    first.write_packets("pour", 6)
    second.write_packets("pour", 7)
    second.read_packets("drain")
    first.read_packets("drain")


@cases.declare(THROUGH, "between two queues", RUN)
def use_two_queues(kit: Kit) -> None:
    """Write packets to a pipe on one queue, finish this queue, and read the packets on another queue."""
    passage, other = PipeFixture(kit), kit.new_queue()
    passage.write_packets("pour", 8)
    kit.finish()
    data = kit.create_filled_buffer(SIZE, seed=99)
    kit.finish()
    passage.run_kernel("drain", data, other)
    kit.read(data, 0, SIZE, other)
