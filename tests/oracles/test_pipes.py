"""Pipes: flags and sizes that must, may or must not fail, reported flags, and packets of kernels."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from clconform.calls.call import Call, Output, Returned
from clconform.calls.values import Data, ElementList, Handle, HandleBytes, OutputBuffer
from clconform.oracles.contents.storage import Storage, StorageView
from clconform.oracles.model.contexts import Context
from clconform.oracles.model.kernels import Kernel
from clconform.oracles.model.memory_objects import Buffer, Pipe
from clconform.oracles.model.pipe_kernels import PACKET_BYTES, PACKETS
from clconform.oracles.model.programs import Program
from clconform.oracles.model.queues import HostQueue

from .kits import expected, kit_on
from .worlds import Plan, World, clauses

if TYPE_CHECKING:
    from clconform.calls.values import Value
    from clconform.oracles.engine.judgements import Judgement

SUPPORT, MOST_BYTES = "CL_DEVICE_PIPE_SUPPORT", "CL_DEVICE_PIPE_MAX_PACKET_SIZE"
READ_WRITE, NO_ACCESS, WRITE_ONLY, READ_ONLY = (
    f"CL_MEM_{name}" for name in ("READ_WRITE", "HOST_NO_ACCESS", "WRITE_ONLY", "READ_ONLY")
)
NULL = "clCreatePipe/CL_INVALID_CONTEXT/1"
FLAGS = "clCreatePipe/CL_INVALID_VALUE/1"
LIST = "clCreatePipe/CL_INVALID_VALUE/2"
SIZES = "clCreatePipe/CL_INVALID_PIPE_SIZE/1"
NOBODY = "clCreatePipe/CL_INVALID_OPERATION/1"
CONTEXT, QUEUE, PIPE, BUFFER, KERNEL = map(Handle, ("context1", "queue1", "mem1", "mem2", "kernel1"))
SIZE = PACKETS * PACKET_BYTES
PACKET = 1024


def world(*most: int | None, version: str = "3.0") -> World:
    """Return a context with a device for each maximum packet size; 0: without pipes, None: unknown."""
    made = World(*(Plan() for _ in most or (PACKET,)), version=version)
    for device, packet in zip(made.roots, most or (PACKET,), strict=True):
        if packet is not None:
            device.facts |= {SUPPORT: int(bool(packet)), MOST_BYTES: packet}
    made.model.add(Context(CONTEXT.name, devices=list(made.roots), device_count=len(made.roots)))
    return made


def making(
    of: World, *flags: str | int, packet: int = 8, packets: int = 16, listed: ElementList | None = None
) -> tuple[str, str]:
    """Return the error conditions that must and may hold for a pipe with these flags and sizes."""
    bits = 0
    for flag in flags:
        bits |= of.value(flag)
    return clauses(of.expect("clCreatePipe", CONTEXT, bits, packet, packets, listed, OutputBuffer(1)))


@pytest.mark.parametrize(
    ("flags", "musts", "mays"),
    [
        ((), "", ""),
        ((READ_WRITE,), "", ""),
        ((NO_ACCESS,), "", ""),
        ((READ_WRITE, NO_ACCESS), "", ""),
        ((WRITE_ONLY,), FLAGS, ""),
        ((READ_ONLY,), FLAGS, ""),
        ((READ_WRITE, WRITE_ONLY), FLAGS, ""),
        (("CL_MEM_USE_HOST_PTR", READ_WRITE), FLAGS, ""),
        (("CL_MEM_ALLOC_HOST_PTR",), FLAGS, ""),
        (("CL_MEM_COPY_HOST_PTR",), FLAGS, ""),
        (("CL_MEM_HOST_READ_ONLY",), FLAGS, ""),
        (("CL_MEM_HOST_WRITE_ONLY", NO_ACCESS), FLAGS, ""),
        ((1 << 62,), FLAGS, ""),
        ((1 << 62, READ_WRITE), FLAGS, ""),
        (("CL_MEM_BUS_ADDRESSABLE_AMD", READ_WRITE), "", FLAGS),
        (("CL_MEM_BUS_ADDRESSABLE_AMD", WRITE_ONLY), FLAGS, ""),
    ],
)
def test_flags(flags: tuple[str | int, ...], musts: str, mays: str) -> None:
    assert making(world(), *flags) == (musts, mays)


@pytest.mark.parametrize(
    ("flags", "musts", "mays"),
    [
        ((WRITE_ONLY,), "", FLAGS),
        ((READ_ONLY,), "", FLAGS),
        ((READ_ONLY, WRITE_ONLY), FLAGS, ""),
        ((READ_WRITE, WRITE_ONLY), FLAGS, ""),
        (("CL_MEM_HOST_READ_ONLY",), FLAGS, ""),
    ],
)
def test_flags_before_3_0(flags: tuple[str, ...], musts: str, mays: str) -> None:
    assert making(world(version="2.0"), *flags) == (musts, mays)


@pytest.mark.parametrize(
    ("most", "packet", "packets", "musts", "mays"),
    [
        ((PACKET,), 1, 1, "", ""),
        ((PACKET,), PACKET, 1, "", ""),
        ((PACKET,), PACKET + 1, 1, SIZES, ""),
        ((PACKET,), 0, 1, SIZES, ""),
        ((PACKET,), 1, 0, SIZES, ""),
        ((PACKET,), 0, 0, SIZES, ""),
        ((PACKET, 2 * PACKET), PACKET, 1, "", ""),
        ((PACKET, 2 * PACKET), PACKET + 1, 1, "", SIZES),
        ((PACKET, 2 * PACKET), 2 * PACKET + 1, 1, SIZES, ""),
        ((0, PACKET), 8, 1, "", ""),
        ((0, PACKET), PACKET + 1, 1, SIZES, ""),
        ((0,), 8, 1, NOBODY, SIZES),
        ((0,), 0, 1, f"{NOBODY} {SIZES}", ""),
        ((None,), 0, 1, SIZES, NOBODY),
        ((None,), 8, 1, "", f"{NOBODY} {SIZES}"),
    ],
)
def test_sizes(most: tuple[int | None, ...], packet: int, packets: int, musts: str, mays: str) -> None:
    seen = making(world(*most), packet=packet, packets=packets)
    assert tuple(set(each.split()) for each in seen) == (set(musts.split()), set(mays.split()))


def test_a_list_of_properties_and_a_context_that_is_none() -> None:
    assert making(world(), listed=ElementList((0,))) == (LIST, "")
    assert clauses(world().expect("clCreatePipe", None, 0, 8, 16, None, OutputBuffer(1)))[0] == NULL


def flags_told(version: str, given: int, told: int) -> Judgement:
    there = world(version=version)
    made = there.call("clCreatePipe", CONTEXT, given, 8, 16, None, None)
    there.oracle.judge(there.oracle.expect(made), Returned(PIPE.name))
    ask = there.call("clGetMemObjectInfo", PIPE, there.value("CL_MEM_FLAGS"), 8, OutputBuffer(8), None)
    return there.oracle.judge(there.oracle.expect(ask), Returned(0, {"param_value": Output([told], 8)}))


@pytest.mark.parametrize(
    ("version", "given", "told", "right"),
    [
        ("3.0", 0, 1 | 1 << 9, True),
        ("3.0", 0, 0, True),
        ("3.0", 0, 1, False),
        ("2.0", 0, 1, True),
        ("3.0", 1, 1, True),
        ("3.0", 1, 1 | 1 << 9, True),
        ("3.0", 1, 0, False),
        ("3.0", 1 << 9, 1 << 9, True),
        ("3.0", 1 << 9, 1, False),
    ],
)
def test_flags_that_a_pipe_tells(version: str, given: int, told: int, *, right: bool) -> None:
    judgement = flags_told(version, given, told)
    verdict = "conforms" if right else "deviates"
    assert bool(judgement.deviations) is not right
    assert (("clCreatePipe/effect/1", verdict) in judgement.evidence) is (given == 0)


# packets


class Passage:
    """A pipe, a buffer, and kernels of one work-item that use both; tests supply the result of each call."""

    def __init__(self, packets: int = PACKETS, packet: int = PACKET_BYTES) -> None:
        self.world = there = world()
        context = there.model.get(Context, CONTEXT)
        there.model.add(HostQueue(QUEUE.name, context=context, queue_device=there.roots[0]))
        self.judge("clCreatePipe", PIPE.name, CONTEXT, 0, packet, packets, None, None)
        buffer = Buffer(BUFFER.name, context=context, size=SIZE)
        buffer.memory = StorageView(Storage(SIZE), 0, SIZE)
        there.model.add(buffer)

    def judge(self, function: str, answer: int | str, *arguments: Value, read: bytes = b"") -> Judgement:
        """Judge a call with this result."""
        expectation = self.world.oracle.expect(self.world.call(function, *arguments))
        assert not expectation.undefined, expectation.undefined
        outputs = {"ptr": Output([], len(read), read)} if read else {}
        return self.world.oracle.judge(expectation, Returned(answer, outputs))

    def launch(self, name: str) -> Call:
        """Return the call that runs a kernel once, with its arguments set."""
        model = self.world.model
        kernel = Kernel(KERNEL.name, context=model.get(Context, CONTEXT), program=Program("program1"), function=name)
        model.objects.pop(KERNEL.name, None)
        model.add(kernel)
        for index, thing in enumerate((PIPE, BUFFER)):
            self.judge("clSetKernelArg", 0, KERNEL, index, 8, HandleBytes(thing))
        return self.world.call("clEnqueueNDRangeKernel", QUEUE, KERNEL, 1, None, ElementList((1,)), None, 0, None, None)

    def run(self, name: str) -> None:
        """Run a kernel."""
        expectation = self.world.oracle.expect(self.launch(name))
        assert not expectation.undefined, expectation.undefined
        self.world.oracle.judge(expectation, Returned(0))

    def pour(self, content: bytes, name: str = "pour") -> None:
        """Put packets into the pipe."""
        self.judge("clEnqueueWriteBuffer", 0, QUEUE, BUFFER, 1, 0, SIZE, Data(content), 0, None, None)
        self.run(name)

    def drain(self, seen: bytes, name: str = "drain") -> Judgement:
        """Take packets out of the pipe, and judge the bytes that the host reads."""
        self.judge("clEnqueueWriteBuffer", 0, QUEUE, BUFFER, 1, 0, SIZE, Data(bytes(SIZE)), 0, None, None)
        self.run(name)
        return self.judge(
            "clEnqueueReadBuffer", 0, QUEUE, BUFFER, 1, 0, SIZE, OutputBuffer(SIZE), 0, None, None, read=seen
        )


FIRST, SECOND = bytes(range(SIZE)), bytes(range(100, 100 + SIZE))
BACKWARDS = b"".join(FIRST[at : at + PACKET_BYTES] for at in range(SIZE - PACKET_BYTES, -1, -PACKET_BYTES))
EFFECT = "clCreatePipe/effect/3"


@pytest.mark.parametrize(("pour", "drain"), [("pour", "drain"), ("pour_reserved", "drain"), ("pour", "drain_reserved")])
@pytest.mark.parametrize(("seen", "right"), [(FIRST, True), (BACKWARDS, False), (bytes(SIZE), False)])
def test_packets_come_out_in_the_order_in_which_they_went_in(
    pour: str, drain: str, seen: bytes, *, right: bool
) -> None:
    passage = Passage()
    passage.pour(FIRST, pour)
    judgement = passage.drain(seen, drain)
    assert bool(judgement.deviations) is not right
    assert (EFFECT, "conforms" if right else "deviates") in judgement.evidence


def test_what_went_in_first_comes_out_first() -> None:
    passage = Passage(2 * PACKETS)
    passage.pour(FIRST)
    passage.pour(SECOND)
    assert not passage.drain(FIRST).deviations
    assert passage.drain(FIRST).deviations
    assert not passage.world.model.get(Pipe, PIPE).packets


def test_what_comes_of_too_many_packets_and_of_too_few_is_open() -> None:
    full, empty = Passage(), Passage()
    full.pour(FIRST)
    full.pour(SECOND)
    assert not full.drain(BACKWARDS).deviations
    assert not empty.drain(BACKWARDS).deviations


def test_packets_of_another_size_are_not_sent() -> None:
    passage = Passage(packet=8)
    assert "of the kernel's size" in passage.world.oracle.expect(passage.launch("pour")).undefined


# pipe support of the device


@pytest.mark.parametrize(("topology", "musts"), [("everything", ""), ("strict", "")])
def test_the_valid_call(topology: str, musts: str) -> None:
    with kit_on(topology) as kit:
        lacking = not kit.cl.fact(SUPPORT)
        assert expected(kit, "clCreatePipe", {})[0] == (NOBODY if lacking else musts)


@pytest.mark.parametrize(("most", "asked", "records"), [(0, False, True), (PACKET, True, False)])
def test_without_pipes_none_is_made_and_none_is_asked(most: int, *, asked: bool, records: bool) -> None:
    there = world(most)
    made = there.call("clCreatePipe", CONTEXT, 0, 8, 16, None, OutputBuffer(1))
    code = there.value("CL_SUCCESS" if asked else "CL_INVALID_OPERATION")
    answer = Returned(PIPE.name if asked else None, {"errcode_ret": Output([code], 4)})
    judgement = there.oracle.judge(there.oracle.expect(made), answer)
    assert not judgement.deviations
    assert (("pipes:clCreatePipe/1", "conforms") in judgement.evidence) is records
    question = there.call("clGetPipeInfo", None, there.value("CL_PIPE_PACKET_SIZE"), 4, OutputBuffer(4), None)
    judgement = there.oracle.judge(there.oracle.expect(question), Returned(there.value("CL_INVALID_MEM_OBJECT")))
    assert (("pipes:clGetPipeInfo/1", "conforms") in judgement.evidence) is records
