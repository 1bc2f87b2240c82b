"""Many objects: queues that exist at the same time, and objects that are created and released again and again."""

from __future__ import annotations

import time

import hypothesis

from clconform.runner.pytest_plugin.covers import TableTest
from clconform.runner.session.examples import EXAMPLES_BY_TIER
from clconform.suites.cases import CaseRegistry
from clconform.suites.kit.kit import Kit
from clconform.suites.kit.memory import pattern_bytes

NAME = "contexts.repeated_set_up"
CONTEXT, QUEUE, BUFFER, WRITTEN = (
    f"{each}/success" for each in ("clCreateContext", "clCreateCommandQueue", "clCreateBuffer", "clEnqueueWriteBuffer")
)
RELEASED = tuple(f"clRelease{each}/success" for each in ("Context", "CommandQueue", "MemObject"))
QUEUES, WORD_BYTES = 100, 4
SET_UPS, MANY_SET_UPS = 100, 1000
"""The number of set-ups, and that of the night tier. A driver that never destroys an object runs out of something."""
FEWEST_SET_UPS, MAX_SECONDS = 20, 10.0
"""In the other tiers, a driver that is slow to create contexts is set up for at most so long, but at least so often."""
cases = CaseRegistry(Kit)
test_objects_are_created_again = TableTest(cases)


@cases.declare(QUEUE, f"{QUEUES} queues at the same time", BUFFER, WRITTEN, RELEASED[1])
def use_many_queues(kit: Kit) -> None:
    """Create many queues, write one word of a buffer in each of them, read the buffer, and release the queues."""
    buffer = kit.create_filled_buffer(QUEUES * WORD_BYTES)
    queues = [kit.new_queue() for _ in range(QUEUES)]
    for index, queue in enumerate(queues):
        kit.write(buffer, WORD_BYTES * index, pattern_bytes(WORD_BYTES, index), queue)
    for queue in queues:
        kit.finish(queue)
    kit.read(buffer, 0, QUEUES * WORD_BYTES)
    for queue in queues:
        kit.cl.clReleaseCommandQueue(queue)


@cases.declare(CONTEXT, "created and released again and again", QUEUE, BUFFER, WRITTEN, *RELEASED)
def set_up_repeatedly(kit: Kit) -> None:
    """Create a context, a queue and a buffer, write to the buffer and read it, and release all of them, repeatedly."""
    night = hypothesis.settings().max_examples >= EXAMPLES_BY_TIER["night"]
    began = time.monotonic()
    for number in range(MANY_SET_UPS if night else SET_UPS):
        if not night and number >= FEWEST_SET_UPS and time.monotonic() - began > MAX_SECONDS:
            break
        own = kit.for_context(kit.new_context(kit.cl.device))
        buffer = own.buffer(size=WORD_BYTES)
        own.write(buffer, 0, pattern_bytes(WORD_BYTES, number))
        own.read(buffer, 0, WORD_BYTES)
        kit.cl.clReleaseMemObject(buffer)
        kit.cl.clReleaseCommandQueue(own.queue)
        kit.cl.clReleaseContext(own.context)
