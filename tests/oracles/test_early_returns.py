"""Calls of host threads that return too early: violated requirements by version, and the model afterwards."""

from __future__ import annotations

import pytest

from clconform.calls.call import Call, Output, Returned
from clconform.calls.harness_actions import ALLOCATE, WRITE
from clconform.calls.protocol import CallEnded
from clconform.calls.values import Data, ElementList, Handle, OutputBuffer
from clconform.oracles.contents.storage import Storage, StorageView, defined_bytes
from clconform.oracles.engine.host_threads import HostThreads
from clconform.oracles.model.contexts import Context
from clconform.oracles.model.memory_objects import Buffer
from clconform.oracles.model.queues import HostQueue

from .oracle_setup import OracleSetup

SIZE = 16
QUEUE, BUFFER, EVENT = Handle("queue1"), Handle("mem1"), Handle("event1")
BEFORE, AFTER = bytes(SIZE), bytes(range(1, SIZE + 1))
EFFECT = "clEnqueueWriteBuffer/effect/6"


def create_world(version: str) -> OracleSetup:
    there = OracleSetup(version=version)
    context = Context("context1", devices=list(there.roots), device_count=1)
    buffer = Buffer(BUFFER.name, context=context, size=SIZE)
    buffer.memory = StorageView(Storage(SIZE), 0, SIZE)
    buffer.memory.storage.write(((0, SIZE),), defined_bytes(BEFORE))
    for thing in (context, HostQueue(QUEUE.name, context=context, queue_device=there.roots[0]), buffer):
        there.model.add(thing)
    made = there.call("clCreateUserEvent", Handle(context.name), OutputBuffer(1))
    there.oracle.judge(there.oracle.expect(made), Returned(EVENT.name, {"errcode_ret": Output([0], 4)}))
    return there


@pytest.mark.parametrize(("version", "blamed"), [("3.0", [(EFFECT,)]), ("2.2", []), ("1.2", [])])
def test_blocking_write_that_returns_too_early_deviates_only_from_3_0(
    version: str, blamed: list[tuple[str, ...]]
) -> None:
    there = create_world(version)
    host_threads = HostThreads(there.oracle)
    write = there.call("clEnqueueWriteBuffer", QUEUE, BUFFER, 1, 0, SIZE, Data(AFTER), 1, ElementList((EVENT,)), None)
    host_threads.begin(1, host_threads.expect(write), 1)
    _, _, judgement = host_threads.judge_returned(1, CallEnded(Returned(0), 1, 2))
    assert [deviation.requirements for deviation in judgement.deviations] == blamed
    general = ["OpenCL:execution-model/18", "OpenCL:memory-objects/4"] if blamed else []
    kind = "deviates" if blamed else "inconclusive"
    assert judgement.evidence == [(requirement, kind) for requirement in (EFFECT, *general)]
    set_event = there.call("clSetUserEventStatus", EVENT, 0)
    there.oracle.judge(there.oracle.expect(set_event), Returned(0))
    read = there.call("clEnqueueReadBuffer", QUEUE, BUFFER, 1, 0, SIZE, OutputBuffer(SIZE), 0, None, None)
    for content in (BEFORE, AFTER):
        told = Returned(0, {"ptr": Output([], SIZE, content)})
        assert not there.oracle.judge(there.oracle.expect(read), told).deviations


@pytest.mark.parametrize(("version", "pending"), [("3.0", False), ("2.2", True), ("1.2", True)])
def test_blocking_write_may_still_be_pending_before_3_0(version: str, *, pending: bool) -> None:
    there = create_world(version)
    two, area = (
        HostQueue("queue2", context=there.model.get(Context, Handle("context1")), queue_device=there.roots[0]),
        Handle("pointer1"),
    )
    there.model.add(two)
    for call, answer, seen in (
        (Call(ALLOCATE, {"size": SIZE, "alignment": 64}), area.name, {}),
        (Call(WRITE, {"pointer": area, "size": SIZE, "content": Data(AFTER)}), None, {}),
        (
            there.call("clEnqueueWriteBuffer", QUEUE, BUFFER, 1, 0, SIZE, area, 0, None, OutputBuffer(1)),
            0,
            {"event": "event2"},
        ),
    ):
        outputs = {name: Output([value], 8) for name, value in seen.items()}
        assert not there.oracle.judge(there.oracle.expect(call), Returned(answer, outputs)).deviations
    put = Call(WRITE, {"pointer": area, "size": SIZE, "content": Data(BEFORE)})
    assert not there.oracle.expect(put).undefined  # the host's bytes are copied in any case
    read = (BUFFER, 1, 0, SIZE, OutputBuffer(SIZE), 0, None, None)
    assert not there.oracle.expect(there.call("clEnqueueReadBuffer", QUEUE, *read)).undefined
    elsewhere = there.call("clEnqueueReadBuffer", Handle("queue2"), *read)
    assert bool(there.oracle.expect(elsewhere).undefined) is pending
    finish = there.call("clFinish", QUEUE)
    there.oracle.judge(there.oracle.expect(finish), Returned(0))
    assert not there.oracle.expect(elsewhere).undefined
