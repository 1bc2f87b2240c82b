"""Results of kernels that enqueue kernels, calculated by plain loops, and enqueues that are undefined."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

import pytest

from clconform.calls.values import ElementList, Handle, HandleBytes, OutputBuffer, Text
from clconform.oracles.contents.storage import defined_bytes
from clconform.oracles.model.enqueueing_kernels import ENQUEUEING_KERNELS, count_enqueued_blocks
from clconform.oracles.model.memory_objects import Buffer
from clconform.runner.session.errors import UndefinedCallError
from clconform.suites.helpers import require_handle
from clconform.suites.kit.kit import Kit
from clconform.suites.kit.queues import DEFAULT, ON_DEVICE, OUT_OF_ORDER, QUEUE_PROPERTIES

from .kits import open_kit

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.runner.session.session import Session

WORK_ITEMS, WORDS_PER_ITEM = 3, 5
SIZE = 4 * WORK_ITEMS * WORDS_PER_ITEM


@pytest.fixture(scope="module")
def session() -> Iterator[Session]:
    with open_kit("everything") as made:
        yield made.cl


@pytest.fixture
def kit(session: Session) -> Iterator[Kit]:
    with session.example():
        yield Kit(session)


def create_kernel(kit: Kit, name: str, buffer: Handle) -> Handle:
    """Return a kernel with its buffer set."""
    program = kit.program_from_source(ENQUEUEING_KERNELS[name].source)
    assert kit.try_build(program, "-cl-std=CL3.0")
    made = require_handle(kit.cl.clCreateKernel(program, Text(name), OutputBuffer(1)))
    kit.cl.clSetKernelArg(made, 0, 8, HandleBytes(buffer))
    return made


def enqueue_kernel(kit: Kit, made: Handle) -> None:
    kit.cl.clEnqueueNDRangeKernel(kit.queue, made, 1, None, ElementList((WORK_ITEMS,)), None, 0, None, None)


@pytest.mark.parametrize("name", ENQUEUEING_KERNELS)
def test_kernels_enqueued_by_kernels_write_the_expected_values(kit: Kit, name: str) -> None:
    buffer = kit.buffer(size=SIZE)
    memory = kit.cl.model.get(Buffer, buffer).memory
    assert memory is not None
    memory.storage.write(
        ((0, SIZE),),
        defined_bytes(struct.pack(f"<{WORK_ITEMS * WORDS_PER_ITEM}I", *range(WORK_ITEMS * WORDS_PER_ITEM))),
    )
    bits = (ON_DEVICE, OUT_OF_ORDER) if ENQUEUEING_KERNELS[name].takes_queue else (DEFAULT, ON_DEVICE, OUT_OF_ORDER)
    queue, made = kit.device_queue(QUEUE_PROPERTIES, "+".join(bits)), create_kernel(kit, name, buffer)
    if ENQUEUEING_KERNELS[name].takes_queue:
        kit.cl.clSetKernelArg(made, 1, 8, HandleBytes(queue))
    enqueue_kernel(kit, made)
    kit.finish()
    left = memory.storage.read(((0, SIZE),))
    numbers = struct.unpack(f"<{WORK_ITEMS * WORDS_PER_ITEM}I", left.bytes_held)
    for item in range(WORK_ITEMS):
        for child in range(WORDS_PER_ITEM - 1):
            at = item * WORDS_PER_ITEM + 1 + child
            assert left.defined[4 * at]
            assert numbers[at] == at * 3 + item * 4 + child
    told = dict(left.tolerances)
    assert sorted(told) == [4 * item * WORDS_PER_ITEM for item in range(WORK_ITEMS)]
    for permitted in told.values():
        assert [permitted.accepts(struct.pack("<I", number)) for number in (0, 1, 2)] == [True, True, False]


def test_kernel_that_enqueues_to_default_queue_is_undefined_without_one(kit: Kit) -> None:
    made = create_kernel(kit, "enqueue_by_default", kit.buffer(size=SIZE))
    kit.device_queue()
    with pytest.raises(UndefinedCallError):
        enqueue_kernel(kit, made)


def test_enqueue_of_enqueueing_kernel_with_small_buffer_is_undefined(kit: Kit) -> None:
    made = create_kernel(kit, "enqueue_at_once", kit.buffer(size=SIZE - 4))
    kit.cl.clSetKernelArg(made, 1, 8, HandleBytes(kit.device_queue()))
    with pytest.raises(UndefinedCallError):
        enqueue_kernel(kit, made)


def test_enqueued_blocks_are_counted_from_the_bytes_of_the_range() -> None:
    assert count_enqueued_blocks(struct.pack("<10I", 1, 1, 1, 1, 1, 0, 1, 1, 1, 1)) == 1
    assert count_enqueued_blocks(b"") == 0
