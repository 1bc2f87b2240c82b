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

from .kits import expect_changed_call, open_kit
from .oracle_setup import DevicePlan, OracleSetup, get_condition_ids

if TYPE_CHECKING:
    from clconform.calls.values import Value
    from clconform.oracles.engine.judgements import Judgement

SUPPORT, MAX_PACKET_SIZE = "CL_DEVICE_PIPE_SUPPORT", "CL_DEVICE_PIPE_MAX_PACKET_SIZE"
READ_WRITE, NO_ACCESS, WRITE_ONLY, READ_ONLY = (
    f"CL_MEM_{name}" for name in ("READ_WRITE", "HOST_NO_ACCESS", "WRITE_ONLY", "READ_ONLY")
)
INVALID_CONTEXT = "clCreatePipe/CL_INVALID_CONTEXT/1"
FLAGS = "clCreatePipe/CL_INVALID_VALUE/1"
LIST = "clCreatePipe/CL_INVALID_VALUE/2"
SIZES = "clCreatePipe/CL_INVALID_PIPE_SIZE/1"
NO_PIPE_SUPPORT = "clCreatePipe/CL_INVALID_OPERATION/1"
CONTEXT, QUEUE, PIPE, BUFFER, KERNEL = map(Handle, ("context1", "queue1", "mem1", "mem2", "kernel1"))
SIZE = PACKETS * PACKET_BYTES
PACKET = 1024


def create_world(*most: int | None, version: str = "3.0") -> OracleSetup:
    """Return a context with a device for each maximum packet size; 0: without pipes, None: unknown."""
    made = OracleSetup(*(DevicePlan() for _ in most or (PACKET,)), version=version)
    for device, packet in zip(made.roots, most or (PACKET,), strict=True):
        if packet is not None:
            device.facts |= {SUPPORT: int(bool(packet)), MAX_PACKET_SIZE: packet}
    made.model.add(Context(CONTEXT.name, devices=list(made.roots), device_count=len(made.roots)))
    return made


def expect_creation(
    of: OracleSetup, *flags: str | int, packet: int = 8, packets: int = 16, listed: ElementList | None = None
) -> tuple[str, str]:
    """Return the error conditions that must and may hold for a pipe with these flags and sizes."""
    bits = 0
    for flag in flags:
        bits |= of.value(flag)
    return get_condition_ids(of.expect("clCreatePipe", CONTEXT, bits, packet, packets, listed, OutputBuffer(1)))


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
def test_invalid_pipe_flags_are_rejected(flags: tuple[str | int, ...], musts: str, mays: str) -> None:
    assert expect_creation(create_world(), *flags) == (musts, mays)


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
def test_single_access_flag_of_pipe_may_be_rejected_before_3_0(flags: tuple[str, ...], musts: str, mays: str) -> None:
    assert expect_creation(create_world(version="2.0"), *flags) == (musts, mays)


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
        ((0,), 8, 1, NO_PIPE_SUPPORT, SIZES),
        ((0,), 0, 1, f"{NO_PIPE_SUPPORT} {SIZES}", ""),
        ((None,), 0, 1, SIZES, NO_PIPE_SUPPORT),
        ((None,), 8, 1, "", f"{NO_PIPE_SUPPORT} {SIZES}"),
    ],
)
def test_pipe_creation_with_invalid_packet_size_or_number_is_rejected(
    most: tuple[int | None, ...], packet: int, packets: int, musts: str, mays: str
) -> None:
    seen = expect_creation(create_world(*most), packet=packet, packets=packets)
    assert tuple(set(each.split()) for each in seen) == (set(musts.split()), set(mays.split()))


def test_pipe_creation_with_property_list_or_null_context_is_rejected() -> None:
    assert expect_creation(create_world(), listed=ElementList((0,))) == (LIST, "")
    assert (
        get_condition_ids(create_world().expect("clCreatePipe", None, 0, 8, 16, None, OutputBuffer(1)))[0]
        == INVALID_CONTEXT
    )


def judge_flags_query(version: str, given: int, told: int) -> Judgement:
    there = create_world(version=version)
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
def test_pipe_flags_query_that_differs_from_creation_deviates(
    version: str, given: int, told: int, *, right: bool
) -> None:
    judgement = judge_flags_query(version, given, told)
    verdict = "conforms" if right else "deviates"
    assert bool(judgement.deviations) is not right
    assert (("clCreatePipe/effect/1", verdict) in judgement.evidence) is (given == 0)


# packets


class PipeScene:
    """A pipe, a buffer, and kernels of one work-item that use both. Tests supply the result of each call."""

    def __init__(self, packets: int = PACKETS, packet: int = PACKET_BYTES) -> None:
        self.world = there = create_world()
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

    def kernel_call(self, name: str) -> Call:
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
        expectation = self.world.oracle.expect(self.kernel_call(name))
        assert not expectation.undefined, expectation.undefined
        self.world.oracle.judge(expectation, Returned(0))

    def write_packets(self, content: bytes, name: str = "pour") -> None:
        """Put packets into the pipe."""
        self.judge("clEnqueueWriteBuffer", 0, QUEUE, BUFFER, 1, 0, SIZE, Data(content), 0, None, None)
        self.run(name)

    def read_packets(self, seen: bytes, name: str = "drain") -> Judgement:
        """Take packets out of the pipe, and judge the bytes that the host reads."""
        self.judge("clEnqueueWriteBuffer", 0, QUEUE, BUFFER, 1, 0, SIZE, Data(bytes(SIZE)), 0, None, None)
        self.run(name)
        return self.judge(
            "clEnqueueReadBuffer", 0, QUEUE, BUFFER, 1, 0, SIZE, OutputBuffer(SIZE), 0, None, None, read=seen
        )


FIRST, SECOND = bytes(range(SIZE)), bytes(range(100, 100 + SIZE))
REVERSED = b"".join(FIRST[at : at + PACKET_BYTES] for at in range(SIZE - PACKET_BYTES, -1, -PACKET_BYTES))
EFFECT = "clCreatePipe/effect/3"


@pytest.mark.parametrize(("pour", "drain"), [("pour", "drain"), ("pour_reserved", "drain"), ("pour", "drain_reserved")])
@pytest.mark.parametrize(("seen", "right"), [(FIRST, True), (REVERSED, False), (bytes(SIZE), False)])
def test_pipe_packets_read_in_another_order_deviate(pour: str, drain: str, seen: bytes, *, right: bool) -> None:
    passage = PipeScene()
    passage.write_packets(FIRST, pour)
    judgement = passage.read_packets(seen, drain)
    assert bool(judgement.deviations) is not right
    assert (EFFECT, "conforms" if right else "deviates") in judgement.evidence


def test_pipe_read_must_return_the_packets_written_first() -> None:
    passage = PipeScene(2 * PACKETS)
    passage.write_packets(FIRST)
    passage.write_packets(SECOND)
    assert not passage.read_packets(FIRST).deviations
    assert passage.read_packets(FIRST).deviations
    assert not passage.world.model.get(Pipe, PIPE).packets


def test_packets_are_unknown_after_write_to_full_or_read_of_empty_pipe() -> None:
    full, empty = PipeScene(), PipeScene()
    full.write_packets(FIRST)
    full.write_packets(SECOND)
    assert not full.read_packets(REVERSED).deviations
    assert not empty.read_packets(REVERSED).deviations


def test_enqueue_of_kernel_with_another_packet_size_is_undefined() -> None:
    passage = PipeScene(packet=8)
    assert "of the kernel's size" in passage.world.oracle.expect(passage.kernel_call("pour")).undefined


# pipe support of the device


@pytest.mark.parametrize(("topology", "musts"), [("everything", ""), ("strict", "")])
def test_valid_pipe_creation_is_rejected_without_pipe_support(topology: str, musts: str) -> None:
    with open_kit(topology) as kit:
        lacking = not kit.cl.fact(SUPPORT)
        assert expect_changed_call(kit, "clCreatePipe", {})[0] == (NO_PIPE_SUPPORT if lacking else musts)


@pytest.mark.parametrize(("most", "asked", "records"), [(0, False, True), (PACKET, True, False)])
def test_pipe_creation_and_query_are_rejected_without_pipe_support(most: int, *, asked: bool, records: bool) -> None:
    there = create_world(most)
    made = there.call("clCreatePipe", CONTEXT, 0, 8, 16, None, OutputBuffer(1))
    code = there.value("CL_SUCCESS" if asked else "CL_INVALID_OPERATION")
    answer = Returned(PIPE.name if asked else None, {"errcode_ret": Output([code], 4)})
    judgement = there.oracle.judge(there.oracle.expect(made), answer)
    assert not judgement.deviations
    assert (("pipes:clCreatePipe/1", "conforms") in judgement.evidence) is records
    question = there.call("clGetPipeInfo", None, there.value("CL_PIPE_PACKET_SIZE"), 4, OutputBuffer(4), None)
    judgement = there.oracle.judge(there.oracle.expect(question), Returned(there.value("CL_INVALID_MEM_OBJECT")))
    assert (("pipes:clGetPipeInfo/1", "conforms") in judgement.evidence) is records
