"""Memory objects of an unexpected kind: they are valid, but not valid buffers, images or pipes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from clconform.calls.call import Returned
from clconform.calls.values import Handle, OutputBuffer, Value
from clconform.oracles.model.contexts import Context
from clconform.oracles.model.images import Image
from clconform.oracles.model.memory_objects import Buffer, MemoryObject, Pipe
from clconform.oracles.model.queues import DeviceQueue, HostQueue

from .oracle_setup import DevicePlan, OracleSetup

if TYPE_CHECKING:
    from clconform.oracles.engine.judgements import Expectation

BUFFER, IMAGE, PIPE, UNKNOWN = (Handle(name) for name in ("buffer1", "image1", "pipe1", "memory1"))
READ = "clEnqueueReadBuffer"
NO_BUFFER, NO_IMAGE = f"{READ}/CL_INVALID_MEM_OBJECT/1", "clGetImageInfo/CL_INVALID_MEM_OBJECT/1"


def create_world() -> OracleSetup:
    """Return a context with a buffer, an image, a pipe, and a memory object of unknown kind."""
    there = OracleSetup(DevicePlan())
    context = Context("context1", devices=list(there.roots))
    there.model.add(context)
    there.model.add(HostQueue("queue1", context=context, queue_device=there.roots[0]))
    there.model.add(DeviceQueue("queue2", context=context, queue_device=there.roots[0]))
    there.model.add(Buffer(BUFFER.name, context=context, size=64))
    there.model.add(Image(IMAGE.name, context=context))
    there.model.add(Pipe(PIPE.name, context=context))
    there.model.add(MemoryObject(UNKNOWN.name, context=context))
    return there


def expect_read(there: OracleSetup, buffer: Value, queue: str = "queue1") -> Expectation:
    return there.expect(READ, Handle(queue), buffer, 1, 0, 8, OutputBuffer(8), 0, None, None)


@pytest.mark.parametrize(("memory", "must"), [(BUFFER, False), (IMAGE, True), (PIPE, True), (UNKNOWN, False)])
def test_buffer_read_of_image_or_pipe_is_rejected(memory: Handle, *, must: bool) -> None:
    expectation = expect_read(create_world(), memory)
    assert [held.clause.id for held in expectation.required_errors] == ([NO_BUFFER] if must else [])
    assert not expectation.implementation_defined


def test_image_query_of_buffer_is_rejected() -> None:
    there = create_world()
    query = there.value("CL_IMAGE_WIDTH")
    asked = there.expect("clGetImageInfo", BUFFER, query, 8, OutputBuffer(8), OutputBuffer(1))
    assert NO_IMAGE in {held.clause.id for held in asked.required_errors}
    assert not asked.implementation_defined


def test_successful_buffer_copy_of_an_image_deviates_by_interpretation() -> None:
    there = create_world()
    expectation = there.expect("clEnqueueCopyBuffer", Handle("queue1"), IMAGE, BUFFER, 0, 0, 8, 0, None, None)
    assert {held.interpretation for held in expectation.required_errors} == {"other-memory-object-kind"}
    refused = there.oracle.judge(expectation, Returned(there.value("CL_INVALID_MEM_OBJECT")))
    assert not refused.deviations
    (deviation,) = there.oracle.judge(expectation, Returned(0)).deviations
    assert (deviation.requirements, deviation.confidence) == (
        ("clEnqueueCopyBuffer/CL_INVALID_MEM_OBJECT/1",),
        "interpretation",
    )


def test_buffer_read_on_device_queue_is_implementation_defined() -> None:
    expectation = expect_read(create_world(), BUFFER, "queue2")
    assert not expectation.required_errors
    assert expectation.implementation_defined
