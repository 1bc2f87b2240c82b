"""Concurrent host threads that create, release and retain objects, enqueue commands, and use kernels."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Data, ElementList, Handle, HandleBytes, OutputBuffer, Text, Value
from clconform.oracles.model.buffer_kernels import KERNELS
from clconform.runner.pytest_plugin.covers import TableCase, TableTest
from clconform.runner.session.outcome_values import returned_handles
from clconform.suites.helpers import has_version, is_success, skip_unless
from clconform.suites.kit.kit import Kit
from clconform.suites.kit.memory import SIZE
from clconform.suites.threads.refcounts import (
    COUNT_FUNCTIONS,
    CREATORS,
    create_object,
    prepare_call,
    reference_count_query,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from clconform.runner.session.session import Session

NAME = "threads.calls"
THREADS = 8
ROUNDS = 5
KERNEL = KERNELS["add_index"]


def call_concurrently(cl: Session, function: str, *each: Sequence[Value]) -> list[Handle]:
    """Make a call for each list of arguments, all concurrently; return the created objects."""
    outcomes = cl.call_concurrently([prepare_call(cl, function, *arguments) for arguments in each])
    return [handle for outcome in outcomes for handle in returned_handles(outcome)]


def create_and_release(cl: Session, object_type: str) -> None:
    """Create objects of one type on several threads, and release all of them."""
    arguments = tuple(Kit(cl).valid_arguments(CREATORS[object_type]).values())
    for _ in range(ROUNDS):
        things = call_concurrently(cl, CREATORS[object_type], *[arguments] * THREADS)
        skip_unless(things, "the driver does not create the object")
        call_concurrently(cl, f"clRelease{object_type}", *[(thing,) for thing in dict.fromkeys(things)])


def count_references(cl: Session, object_type: str) -> None:
    """Retain and release one object on several threads, and query the object's reference count."""
    thing, query = create_object(cl, object_type), reference_count_query(object_type)
    for _ in range(ROUNDS):
        call_concurrently(cl, f"clRetain{object_type}", *[(thing,)] * THREADS)
        cl.query(COUNT_FUNCTIONS[object_type], thing, query)
        call_concurrently(cl, f"clRelease{object_type}", *[(thing,)] * (THREADS - 1))
        cl.query(COUNT_FUNCTIONS[object_type], thing, query)


def enqueue_copies(cl: Session, queues: int) -> None:
    """Copy between buffers from several threads, and read the destinations; ``queues`` is the number of queues."""
    kit = Kit(cl)
    others = [kit.queue, *(kit.new_queue() for _ in range(queues - 1))]
    pairs = [(kit.buffer(), kit.buffer()) for _ in range(THREADS)]
    for index, (source, _) in enumerate(pairs):
        content = Data(bytes([index + 1]) * SIZE)
        cl.clEnqueueWriteBuffer(kit.queue, source, 1, 0, SIZE, content, 0, None, None)
    if not has_version(cl, (3, 0)):
        cl.clFinish(kit.queue)  # before 3.0 a blocking write may return before it is complete
    copies = [
        (others[index % queues], source, target, 0, 0, SIZE, 0, None, OutputBuffer(1))
        for index, (source, target) in enumerate(pairs)
    ]
    cl.call_concurrently([prepare_call(cl, "clEnqueueCopyBuffer", *each) for each in copies])
    for queue in others:
        cl.clFinish(queue)
    for _, target in pairs:
        cl.clEnqueueReadBuffer(kit.queue, target, 1, 0, SIZE, OutputBuffer(SIZE), 0, None, None)


def use_different_kernels(cl: Session) -> None:
    """Create kernels of one program, set their arguments, and run them.

    Several threads perform each step concurrently.
    """
    kit = Kit(cl)
    program, queue = kit.built_program(), kit.queue
    kernels = call_concurrently(cl, "clCreateKernel", *[(program, Text(KERNEL.name), OutputBuffer(1))] * THREADS)
    buffers = call_concurrently(
        cl, "clCreateBuffer", *[tuple(kit.valid_arguments("clCreateBuffer").values())] * THREADS
    )
    skip_unless(len(kernels) == len(buffers) == THREADS, "the driver does not create the objects")
    for buffer in buffers:
        cl.clEnqueueWriteBuffer(queue, buffer, 1, 0, SIZE, Data(bytes(SIZE)), 0, None, None)
    both = list(zip(kernels, buffers, strict=True))
    arguments = [
        prepare_call(cl, "clSetKernelArg", kernel, 0, cl.model.pointer_bytes, HandleBytes(buffer))
        for kernel, buffer in both
    ]
    skip_unless(all(map(is_success, cl.call_concurrently(arguments))), "the driver does not set the arguments")
    ranges = [(queue, kernel, 1, None, ElementList((SIZE // 4,)), None, 0, None, None) for kernel in kernels]
    call_concurrently(cl, "clEnqueueNDRangeKernel", *ranges)
    cl.clFinish(queue)
    for buffer in buffers:
        cl.clEnqueueReadBuffer(queue, buffer, 1, 0, SIZE, OutputBuffer(SIZE), 0, None, None)


def bind_object_type(act: Callable[[Session, str], object], object_type: str) -> Callable[[Session], object]:
    """Return a function that calls ``act`` with one object type."""
    return lambda cl: act(cl, object_type)


def cases() -> Iterator[TableCase]:
    """Yield items for each object type, and for objects that several threads share."""
    for object_type in CREATORS:
        yield TableCase(
            f"clRelease{object_type}/success",
            "created and released by several threads",
            bind_object_type(create_and_release, object_type),
        )
    for object_type in CREATORS:
        yield TableCase(
            f"clRetain{object_type}/success",
            "counted for several threads",
            bind_object_type(count_references, object_type),
            (f"clRelease{object_type}/success", "OpenCL:multiple-host-threads/1"),
        )
    yield TableCase("clEnqueueCopyBuffer/success", "one queue, several threads", lambda cl: enqueue_copies(cl, 1))
    yield TableCase("clEnqueueCopyBuffer/success", "several queues, several threads", lambda cl: enqueue_copies(cl, 3))
    yield TableCase(
        "clSetKernelArg/success",
        "different kernels, several threads",
        use_different_kernels,
        ("clCreateKernel/success", "OpenCL:multiple-host-threads/2"),
    )


test_concurrent_calls_succeed = TableTest(cases)
